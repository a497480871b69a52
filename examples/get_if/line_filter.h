/* Finds the matching lines of a text. Part of the function get_if, and of the program for its
 * scan at home. */
#ifndef LINE_FILTER_H
#define LINE_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum line_filter_kind {
    LINE_FILTER_ALL,  /* every line */
    LINE_FILTER_TEXT, /* lines that hold this text */
    /* lines that match this POSIX extended regular expression; of a line with a NUL only the
     * part before it */
    LINE_FILTER_REGEX
} line_filter_kind;

typedef struct line_filter {
    line_filter_kind kind;
    const char *pattern; /* the caller's */
    size_t pattern_bytes;
    regex_t regex;
    char *line; /* a copy of one, as a string */
    size_t room;
} line_filter;

typedef struct line_span {
    const char *start;
    const char *end; /* behind its newline */
} line_span;

/* False: not a filter, and `why` is its error. */
bool line_filter_init(line_filter *filter, unsigned kind, const char *pattern,
                      size_t pattern_bytes, char *why, size_t why_room);
void line_filter_fini(line_filter *filter);

/* The first line that matches in [at, end), where lines are whole. A line that there is no
 * memory for does not match. */
bool line_filter_next(line_filter *filter, const char *at, const char *end,
                      line_span *line_out);

#endif
