/* Runs one of the tools as a child process, with a deadline, in a folder of its own. */
#ifndef TEST_TOOL_RUN_H
#define TEST_TOOL_RUN_H

#include "../support/test.h"

typedef struct tool_result {
    int exit_status;  /* -1: ended by a signal, or by the deadline */
    char text[32768]; /* standard output and standard error, as they came */
} tool_result;

/* Words of the command line; a NULL ends them. */
void run_tool(tool_result *result, const char *program, ...);

/* cmocka setup and teardown: an empty working folder for each test, removed afterwards with all
 * in it. */
int enter_empty_folder(void **state);
int leave_folder(void **state);

/* The path of a file in tests/compiler/data; valid until the fourth call from now. */
const char *data_file(const char *name);

void assert_has(const char *text, const char *part);
void assert_has_not(const char *text, const char *part);

/* The whole file, with a terminator, for free(); NULL when the file is missing. */
char *read_file(const char *path, size_t *size_out);
void write_file(const char *path, const char *text);

#endif
