/* Makes UCX's side of a link from a peer's statements, and only if UCX can make it. */
#ifndef TCI_UCX_ENDPOINT_H
#define TCI_UCX_ENDPOINT_H

#include "base/live_process.h"
#include "modules/ucx/ucx_address.h"
#include "modules/ucx/ucx_compat.h"
#include "modules/ucx/worker.h"

/* `process`: the peer's, if it runs on this host. TC_E_UNREACHABLE: it has ended, or there is
 * no way to it. TC_E_UCX, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_ucx_endpoint_create(tci_worker *worker,
                                                const tci_ucx_address *address,
                                                const tci_live_process *process,
                                                const ucp_err_handler_t *on_failure,
                                                ucp_ep_h *ep_out, tc_error *err);

/* Returns a copy for free() of a peer's bytes, for UCX to parse. UCX is not given their length,
 * and reads as far as they state; bytes that no check catches must not lead it out of memory.
 * NULL: out of memory. */
uint8_t *tci_ucx_endpoint_copy(const void *bytes, size_t size);

#endif
