/* Filling a tc_error: the one place where a status gets its text. */
#ifndef TCI_ERROR_TEXT_H
#define TCI_ERROR_TEXT_H

#include <tc/status.h>

/* Leaves the function with any status but TC_OK. */
#define TC_TRY(expr)                                                                               \
    do {                                                                                           \
        tc_status tc_try_status_ = (expr);                                                         \
        if (tc_try_status_ != TC_OK)                                                               \
            return tc_try_status_;                                                                 \
    } while (0)

/* Writes status and text to err (NULL allowed) and returns status, so that a check is one line:
 *     return tci_error_set(err, TC_E_CORRUPT, "archive: %zu bytes, expected at least %u", n, min);
 * Control characters in the result are replaced by '?': texts may quote bytes from outside. */
tc_status tci_error_set(tc_error *err, tc_status status, const char *fmt, ...) TC_PRINTF(3, 4);

/* The same with ": " and errno's text behind. */
tc_status tci_error_errno(tc_error *err, tc_status status, int errnum, const char *fmt, ...)
    TC_PRINTF(4, 5);

/* Puts "prefix: " before the text of an error that a lower layer has filled. Returns err->status. */
tc_status tci_error_prefix(tc_error *err, const char *fmt, ...) TC_PRINTF(2, 3);

/* Replaces control characters by '?': what quotes bytes from outside neither breaks a line nor moves a cursor. */
void tci_text_make_printable(char *text);

#endif
