/* Fills a caller's tc_error. */
#ifndef TCO_OBJECT_ERROR_H
#define TCO_OBJECT_ERROR_H

#include <tc/status.h>

/* Returns `status`; err may be NULL. */
tc_status tco_error_set(tc_error *err, tc_status status, const char *format, ...)
    TC_PRINTF(3, 4);

#endif
