/* Programs that tc-package runs: tc-clang and the C compiler. */
#ifndef PACKAGE_PROGRAM_H
#define PACKAGE_PROGRAM_H

#include <stdbool.h>
#include <tc/status.h>

#define PACKAGE_WORDS_MAX 512

/* A command line, built word by word. */
typedef struct package_program {
    char *words[PACKAGE_WORDS_MAX + 1]; /* owned; NULL after the last */
    int count;
    bool failed; /* no memory, or too many words */
} package_program;

void package_program_add(package_program *program, const char *fmt, ...) TC_PRINTF(2, 3);

/* Runs it with this process's streams and frees its words. `advice` is printed if there is no
 * such program. Statuses: TC_E_NOT_FOUND, TC_E_COMPILE (it did not succeed), TC_E_IO,
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status package_program_run(package_program *program, const char *advice,
                                            tc_error *err);

/* Writes the path of a program that lies beside this one, or its bare name if there is none. */
void package_program_beside(const char *name, char *out, size_t size);

#endif
