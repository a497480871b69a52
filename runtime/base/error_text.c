#include "error_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    tc_status status;
    const char *name;
    const char *text;
} status_table[] = {
    {TC_OK, "TC_OK", "success"},
    {TC_E_AGAIN, "TC_E_AGAIN", "no room at the peer now, try again"},
    {TC_E_TIMEOUT, "TC_E_TIMEOUT", "deadline passed"},
    {TC_E_INVALID, "TC_E_INVALID", "invalid argument or option"},
    {TC_E_NO_MEMORY, "TC_E_NO_MEMORY", "out of memory"},
    {TC_E_NOT_FOUND, "TC_E_NOT_FOUND", "not found"},
    {TC_E_TOO_LARGE, "TC_E_TOO_LARGE", "above a limit"},
    {TC_E_CORRUPT, "TC_E_CORRUPT", "damaged or malformed bytes"},
    {TC_E_VERSION, "TC_E_VERSION", "incompatible version"},
    {TC_E_NO_SLICE, "TC_E_NO_SLICE", "no code for this architecture"},
    {TC_E_UNRESOLVED, "TC_E_UNRESOLVED", "unresolved symbols"},
    {TC_E_NO_LIBRARY, "TC_E_NO_LIBRARY", "missing library"},
    {TC_E_COMPILE, "TC_E_COMPILE", "code could not be compiled"},
    {TC_E_REFUSED, "TC_E_REFUSED", "refused by the peer"},
    {TC_E_UNREACHABLE, "TC_E_UNREACHABLE", "peer unreachable"},
    {TC_E_PEER_LOST, "TC_E_PEER_LOST", "peer lost"},
    {TC_E_IN_USE, "TC_E_IN_USE", "already in use"},
    {TC_E_IO, "TC_E_IO", "input or output error"},
    {TC_E_UCX, "TC_E_UCX", "UCX error"},
    {TC_E_UNSUPPORTED, "TC_E_UNSUPPORTED", "not supported here"},
    {TC_E_PAYLOAD, "TC_E_PAYLOAD", "payload_init failed"},
    {TC_E_CLOSED, "TC_E_CLOSED", "endpoint closed"},
    {TC_E_BUSY, "TC_E_BUSY", "not from inside an ifunc"},
    {TC_E_HOPS, "TC_E_HOPS", "forwarded more often than allowed"},
};

static size_t status_row(tc_status status)
{
    for (size_t i = 0; i < sizeof status_table / sizeof status_table[0]; i++) {
        if (status_table[i].status == status)
            return i;
    }
    return sizeof status_table / sizeof status_table[0];
}

const char *tc_status_text(tc_status status)
{
    size_t row = status_row(status);
    return row < sizeof status_table / sizeof status_table[0] ? status_table[row].text
                                                              : "unknown status";
}

const char *tc_status_name(tc_status status)
{
    size_t row = status_row(status);
    return row < sizeof status_table / sizeof status_table[0] ? status_table[row].name
                                                              : "TC_E_?";
}

void tci_error_make_printable(char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
    }
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
    tci_error_make_printable(err->text);
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
    tci_error_make_printable(err->text);
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
    tci_error_make_printable(err->text);
}
