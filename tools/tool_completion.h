/* What shells complete, written from the tables of options. */
#ifndef TOOL_COMPLETION_H
#define TOOL_COMPLETION_H

#include "tool_options.h"

/* The script for "bash" or "zsh" on standard output; returns the exit status. */
int tool_completion_print(const tool_command *program, const char *shell);

/* For those who print it: how an option is written, whether its value is a file, and what of the
 * name is the command's. */
typedef struct tool_spelling {
    char text[48];  /* "--payload" */
    char letter[4]; /* "-p", or empty */
} tool_spelling;

tool_spelling tool_completion_spelling(const tool_option *row);
bool tool_completion_is_file(const char *value);
const char *tool_completion_command(const tool_command *command);

/* Of every program, behind its own; NULL behind the last. */
extern const char *const tool_completion_common[];

void tool_completion_bash(const tool_command *program);
void tool_completion_zsh(const tool_command *program);

#endif
