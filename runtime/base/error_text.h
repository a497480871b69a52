/* Filling a tc_error: only these functions give a status its text. */
#ifndef TCI_ERROR_TEXT_H
#define TCI_ERROR_TEXT_H

#include <tc/status.h>

/* Returns from the function with any status except TC_OK. */
#define TC_TRY(expr)                                                                           \
    do {                                                                                       \
        tc_status tc_try_status_ = (expr);                                                     \
        if (tc_try_status_ != TC_OK)                                                           \
            return tc_try_status_;                                                             \
    } while (0)

/* Writes status and text to err (NULL allowed) and returns status, so that a check is one line:
 *
 *     return tci_error_set(err, TC_E_CORRUPT, "%zu bytes, expected at least %u", n, min);
 *
 * Control characters in the result are replaced by '?': texts may quote bytes from outside.
 *
 * A macro, so that the compiler sees which status is returned: it then knows that outputs are
 * set whenever there was no error, and its warnings about uninitialised variables are useful.
 * status is evaluated twice. */
#define tci_error_set(err, status, ...)                                                        \
    (tci_error_fill((err), (status), __VA_ARGS__), tci_error_status(status))

/* Does the same, and appends ": " and errno's text. */
#define tci_error_errno(err, status, errnum, ...)                                              \
    (tci_error_fill_errno((err), (status), (errnum), __VA_ARGS__), tci_error_status(status))

void tci_error_fill(tc_error *err, tc_status status, const char *fmt, ...) TC_PRINTF(3, 4);
void tci_error_fill_errno(tc_error *err, tc_status status, int errnum, const char *fmt, ...)
    TC_PRINTF(4, 5);

/* Returns the status by a call, so that compilers do not warn about an unused value. */
static inline tc_status tci_error_status(tc_status status)
{
    return status;
}

/* Puts "prefix: " before the text of an error that a lower layer has filled (NULL allowed).
 * Returns no status: without an error it could only return TC_OK, so the caller returns the
 * status it has. */
void tci_error_prefix(tc_error *err, const char *fmt, ...) TC_PRINTF(2, 3);

#endif
