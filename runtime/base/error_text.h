/* Filling a tc_error: the one place where a status gets its text. */
#ifndef TCI_ERROR_TEXT_H
#define TCI_ERROR_TEXT_H

#include <tc/status.h>

/* Leaves the function with any status but TC_OK. */
#define TC_TRY(expr)                                                                           \
    do {                                                                                       \
        tc_status tc_try_status_ = (expr);                                                     \
        if (tc_try_status_ != TC_OK)                                                           \
            return tc_try_status_;                                                             \
    } while (0)

/* Writes status and text to err (NULL allowed) and gives status, so that a check is one line:
 *
 *     return tci_error_set(err, TC_E_CORRUPT, "%zu bytes, expected at least %u", n, min);
 *
 * Control characters in the result are replaced by '?': texts may quote bytes from outside.
 *
 * A macro, so that the compiler sees which status comes back: it then knows that outputs are
 * set whenever there was no error, and its warnings about uninitialised variables are worth
 * having. status is evaluated twice. */
#define tci_error_set(err, status, ...)                                                        \
    (tci_error_fill((err), (status), __VA_ARGS__), tci_error_status(status))

/* The same with ": " and errno's text behind. */
#define tci_error_errno(err, status, errnum, ...)                                              \
    (tci_error_fill_errno((err), (status), (errnum), __VA_ARGS__), tci_error_status(status))

void tci_error_fill(tc_error *err, tc_status status, const char *fmt, ...) TC_PRINTF(3, 4);
void tci_error_fill_errno(tc_error *err, tc_status status, int errnum, const char *fmt, ...)
    TC_PRINTF(4, 5);

/* A call, so that nobody is warned about a status that is not used. */
static inline tc_status tci_error_status(tc_status status)
{
    return status;
}

/* Puts "prefix: " before the text of an error that a lower layer has filled (NULL allowed).
 * Gives no status: without an error to look in it could only say TC_OK, so the caller returns
 * the one it has. */
void tci_error_prefix(tc_error *err, const char *fmt, ...) TC_PRINTF(2, 3);

#endif
