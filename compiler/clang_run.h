/* clang, run as a child process for one source and one target. */
#ifndef TCI_CLANG_RUN_H
#define TCI_CLANG_RUN_H

#include "command_line.h"

#include <stddef.h>
#include <stdio.h>
#include <tc/status.h>

/* Adds the words of the clang command, program first. The bitcode goes to standard output, so
 * that no temporary files are left behind, and has been through no passes: those run later, and
 * differ between bitcode and images. */
void tci_clang_command(const tci_command *command, const tci_target *target, unsigned cpu_level,
                       const char *source, tci_text_list *words_out);

/* The same for a command that writes LLVM's assembly text instead, with every type of the
 * source in its debug information, used or not. */
void tci_clang_types_command(const tci_command *command, const tci_target *target,
                             const char *source, tci_text_list *words_out);

/* Prints the words as a line that a shell would read back. */
void tci_clang_print(const tci_text_list *words, FILE *stream);

/* Runs the command; diagnostics go to this process's standard error. The bitcode is for free().
 * TC_E_COMPILE: clang did not succeed. TC_E_NOT_FOUND: the program does not exist.
 * TC_E_TOO_LARGE, TC_E_IO, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_clang_run(const tci_text_list *words, void **bytes_out,
                                      size_t *size_out, tc_error *err);

/* Returns the clang program: environment variable TC_CLANG, or the one found when this was
 * built. */
const char *tci_clang_program(void);

#endif
