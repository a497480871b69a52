/* Text for people: --help, and lines that fit the terminal. */
#ifndef TOOL_HELP_H
#define TOOL_HELP_H

#include "tool_options.h"

#include <stdio.h>

/* Returns COLUMNS of the environment, or the width of the terminal that standard output is,
 * from 40 to 100. Without either it is 100. */
unsigned tool_help_columns(void);
/* The same; 0 without either. */
unsigned tool_help_terminal(void);

/* Prints the words of `text` from `column` on, the current one; following lines begin at
 * `indent`. Prints no newline after the last. Returns the column at the end. */
unsigned tool_help_wrap(FILE *out, const char *text, unsigned column, unsigned indent);

/* Prints a paragraph of data with a newline: as tool_help_wrap on a terminal or with COLUMNS,
 * else in one line, so that other programs find it whole. */
void tool_help_paragraph(FILE *out, const char *text, unsigned indent);

/* Prints `left`, then `text` in lines of its own column. */
void tool_help_entry(FILE *out, const char *left, unsigned column, const char *text);

/* Prints text with lines that may be longer than the terminal's: each is wrapped at its own
 * indentation, or at the column of its explanation. */
void tool_help_text(FILE *out, const char *text);

/* Prints "usage: tc-send ...". */
void tool_help_usage(const tool_command *command, FILE *out);

/* Prints all options, with their explanations in one column. */
void tool_help_options(const tool_command *command, FILE *out);

/* Prints the whole help on standard output. Returns the exit status. */
int tool_help_print(const tool_command *command);

#endif
