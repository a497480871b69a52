/* Shell completions, generated from the tables of options. */
#ifndef TOOL_COMPLETION_H
#define TOOL_COMPLETION_H

#include "tool_options.h"

/* Prints the script for "bash" or "zsh" on standard output. Returns the exit status. */
int tool_completion_print(const tool_command *program, const char *shell);

/* Helpers of the printers: the spelling of an option, whether its value is a file, and the
 * command in the name of a program with commands. */
typedef struct tool_spelling {
    char text[48];  /* "--payload" */
    char letter[4]; /* "-p", or empty */
} tool_spelling;

tool_spelling tool_completion_spelling(const tool_option *row);
bool tool_completion_is_file(const char *value);
const char *tool_completion_command(const tool_command *command);

/* Options of every program, after its own; NULL after the last. */
extern const char *const tool_completion_common[];

void tool_completion_bash(const tool_command *program);
void tool_completion_zsh(const tool_command *program);

#endif
