/* Splits a policy's text into lines and words, within its own buffer: each word gets its
 * terminator. '#' begins a comment. */
#ifndef TCI_POLICY_LINES_H
#define TCI_POLICY_LINES_H

#include <stdbool.h>
#include <tc/status.h>

typedef struct tci_policy_lines {
    char *rest;      /* with a terminator; NULL: no text */
    char *line;      /* the rest of the current line */
    unsigned number; /* of the current line, from 1 */
} tci_policy_lines;

bool tci_policy_lines_next(tci_policy_lines *lines);

/* Returns the next word of the current line, or NULL. */
char *tci_policy_lines_word(tci_policy_lines *lines);

/* Returns the rest of the current line, without blanks around it; "" at its end. */
char *tci_policy_lines_rest(tci_policy_lines *lines);

/* Returns TC_E_INVALID with the text "NAME line 4: ...". */
tc_status tci_policy_lines_refuse(const char *name, unsigned line, tc_error *err,
                                  const char *fmt, ...) TC_PRINTF(4, 5);

#endif
