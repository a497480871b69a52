#include "object_error.h"

#include <stdarg.h>
#include <stdio.h>

tc_status tco_error_set(tc_error *err, tc_status status, const char *format, ...)
{
    va_list arguments;
    if (err == NULL)
        return status;
    va_start(arguments, format);
    (void)vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    err->status = status;
    return status;
}
