/* Logs the reason of a call's status, which this API cannot report in any other way. */
#ifndef TCI_COMPAT_LOG_H
#define TCI_COMPAT_LOG_H

#include <tc/log.h>
#include <ucp/api/ucp.h>

/* Logs one line, unless this thread has just logged the same. Returns the status. */
ucs_status_t tci_compat_refuse(ucs_status_t status, const char *fmt, ...) TC_PRINTF(2, 3);

/* Converts the library's statuses to UCX's. */
ucs_status_t tci_compat_status(tc_status status);

#endif
