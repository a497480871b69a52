/* Why a call gave its status: this API has no other place for a reason. */
#ifndef TCI_COMPAT_LOG_H
#define TCI_COMPAT_LOG_H

#include <tc/log.h>
#include <ucp/api/ucp.h>

/* One line, unless this thread has just said the same; returns the status. */
ucs_status_t tci_compat_refuse(ucs_status_t status, const char *fmt, ...) TC_PRINTF(2, 3);

/* The library's statuses in UCX's. */
ucs_status_t tci_compat_status(tc_status status);

#endif
