/* The names and texts of all statuses, and the functions that fill a tc_error. */
#include "error_text.h"

#include "printable.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    const char *text;
} status_table[] = {
#define ROW(status, text) [-(status)] = {#status, text}
    ROW(TC_OK, "success"),
    ROW(TC_E_AGAIN, "no credit at the peer, progress and retry"),
    ROW(TC_E_TIMEOUT, "deadline passed"),
    ROW(TC_E_INVALID, "invalid argument or option"),
    ROW(TC_E_NO_MEMORY, "out of memory"),
    ROW(TC_E_NOT_FOUND, "not found"),
    ROW(TC_E_TOO_LARGE, "above a limit"),
    ROW(TC_E_CORRUPT, "damaged or malformed bytes"),
    ROW(TC_E_VERSION, "incompatible version"),
    ROW(TC_E_NO_SLICE, "no code for this architecture"),
    ROW(TC_E_UNRESOLVED, "unresolved symbols"),
    ROW(TC_E_NO_LIBRARY, "missing library"),
    ROW(TC_E_COMPILE, "code could not be compiled"),
    ROW(TC_E_REFUSED, "refused by the peer"),
    ROW(TC_E_UNREACHABLE, "peer unreachable"),
    ROW(TC_E_PEER_LOST, "peer lost"),
    ROW(TC_E_IN_USE, "already in use"),
    ROW(TC_E_IO, "input or output error"),
    ROW(TC_E_UCX, "UCX error"),
    ROW(TC_E_UNSUPPORTED, "not supported here"),
    ROW(TC_E_PAYLOAD, "payload_init failed"),
    ROW(TC_E_CLOSED, "endpoint closed"),
    ROW(TC_E_BUSY, "not from inside an ifunc"),
    ROW(TC_E_HOPS, "forwarded more often than allowed"),
    ROW(TC_E_ABSENT, "library not at the node"),
    ROW(TC_E_THROWN, "exception in a function"),
#undef ROW
};
_Static_assert(sizeof status_table / sizeof status_table[0] == 1 - TC_STATUS_LAST,
               "each status has a row");

static bool is_status(int status)
{
    return status <= TC_OK && status >= TC_STATUS_LAST;
}

const char *tc_status_text(tc_status status)
{
    return is_status(status) ? status_table[-status].text : "unknown status";
}

const char *tc_status_name(tc_status status)
{
    return is_status(status) ? status_table[-status].name : "TC_E_?";
}

void tci_error_fill(tc_error *err, tc_status status, const char *fmt, ...)
{
    if (err == NULL)
        return;
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    err->status = status;
    tci_printable_text(err->text, sizeof err->text);
}

void tci_error_fill_errno(tc_error *err, tc_status status, int errnum, const char *fmt, ...)
{
    if (err == NULL)
        return;
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof err->text)
        (void)snprintf(err->text + n, sizeof err->text - (size_t)n, ": %s", strerror(errnum));
    err->status = status;
    tci_printable_text(err->text, sizeof err->text);
}

void tci_error_prefix(tc_error *err, const char *fmt, ...)
{
    if (err == NULL)
        return;
    char text[sizeof err->text];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof text)
        (void)snprintf(text + n, sizeof text - (size_t)n, ": %s", err->text);
    memcpy(err->text, text, sizeof text);
    tci_printable_text(err->text, sizeof err->text);
}
