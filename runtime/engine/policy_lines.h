/* Lines and words of a policy's text, in place: each word gets its terminator. '#' begins a
 * comment. */
#ifndef TCI_POLICY_LINES_H
#define TCI_POLICY_LINES_H

#include <stdbool.h>
#include <tc/status.h>

typedef struct tci_policy_lines {
    char *rest;      /* with a terminator; NULL: nothing */
    char *line;      /* what is left of the present line */
    unsigned number; /* of the present line, from 1 */
} tci_policy_lines;

bool tci_policy_lines_next(tci_policy_lines *lines);

/* The next word of the present line, or NULL. */
char *tci_policy_lines_word(tci_policy_lines *lines);

/* What is left of the present line, without blanks around it; "": nothing. */
char *tci_policy_lines_rest(tci_policy_lines *lines);

/* TC_E_INVALID: "NAME line 4: ..." */
tc_status tci_policy_lines_refuse(const char *name, unsigned line, tc_error *err,
                                  const char *fmt, ...) TC_PRINTF(4, 5);

#endif
