/* The one seam where a ucs_status_t becomes a tc_status. */
#ifndef TCI_UCX_ERROR_H
#define TCI_UCX_ERROR_H

#include <tc/status.h>
#include <ucs/type/status.h>

/* Fills err with "what: UCX's text" and returns the status that fits best. */
tc_status tci_ucx_error(tc_error *err, ucs_status_t status, const char *what);

#endif
