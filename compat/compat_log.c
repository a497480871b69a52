#include "compat_log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define REPEAT_S 10

/* Returns whether this thread logged the same text less than REPEAT_S ago, so that an error at
 * every poll is only logged now and then. */
static bool was_just_said(const char *text)
{
    static _Thread_local char last[TC_ERROR_TEXT_MAX];
    static _Thread_local time_t said_s;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    if (strcmp(text, last) == 0 && now.tv_sec - said_s < REPEAT_S)
        return true;
    (void)snprintf(last, sizeof last, "%s", text);
    said_s = now.tv_sec;
    return false;
}

ucs_status_t tci_compat_refuse(ucs_status_t status, const char *fmt, ...)
{
    char text[TC_ERROR_TEXT_MAX];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (!was_just_said(text))
        tc_log_write(TC_LOG_WARN, "compat: %s (%s)", text, ucs_status_string(status));
    return status;
}

ucs_status_t tci_compat_status(tc_status status)
{
    switch (status) {
    case TC_OK:
        return UCS_OK;
    case TC_E_NO_MEMORY:
        return UCS_ERR_NO_MEMORY;
    case TC_E_NOT_FOUND:
        return UCS_ERR_NO_ELEM;
    case TC_E_TOO_LARGE:
        return UCS_ERR_EXCEEDS_LIMIT;
    case TC_E_IO:
        return UCS_ERR_IO_ERROR;
    case TC_E_INVALID:
    case TC_E_IN_USE:
    case TC_E_CORRUPT:
        return UCS_ERR_INVALID_PARAM;
    default:
        return UCS_ERR_UNSUPPORTED; /* no slice, no library, no compiler, ... */
    }
}
