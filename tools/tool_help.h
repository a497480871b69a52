/* What programs print for people: --help, and lines that fit the terminal. */
#ifndef TOOL_HELP_H
#define TOOL_HELP_H

#include "tool_options.h"

#include <stdio.h>

/* Of the terminal that standard output is, or of COLUMNS in the environment, from 40 to 100. Else
 * 100. */
unsigned tool_help_columns(void);
/* The same; 0 where there is neither. */
unsigned tool_help_terminal(void);

/* Words of `text` from `column` on, where the line is now; lines that follow begin at `indent`. No
 * newline behind the last. Returns the column that it ends at. */
unsigned tool_help_wrap(FILE *out, const char *text, unsigned column, unsigned indent);

/* A paragraph of data with a newline: as tool_help_wrap on a terminal or with COLUMNS, else one
 * line, so that other programs find it whole. */
void tool_help_paragraph(FILE *out, const char *text, unsigned indent);

/* `left`, then `text` in lines of its own column. */
void tool_help_entry(FILE *out, const char *left, unsigned column, const char *text);

/* Text whose lines may be longer than the terminal's: each is wrapped behind its own indentation,
 * or at the column of its explanation. */
void tool_help_text(FILE *out, const char *text);

/* "usage: tc-send ...". */
void tool_help_usage(const tool_command *command, FILE *out);

/* Options from a row on, in the column of all of them. */
void tool_help_options(const tool_command *command, FILE *out);

/* All of it, on standard output. Returns the exit status. */
int tool_help_print(const tool_command *command);

#endif
