/* UCX's side of a link is made: with what a peer says, and only where UCX can make it. */
#ifndef TCI_UCX_ENDPOINT_H
#define TCI_UCX_ENDPOINT_H

#include "base/live_process.h"
#include "delivery/ucx_address.h"
#include "delivery/ucx_compat.h"
#include "delivery/worker.h"

/* `process`: the peer's, if it is of this host. TC_E_UNREACHABLE: it has ended, or there is no way.
 * TC_E_UCX, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_ucx_endpoint_create(tci_worker *worker,
                                                const tci_ucx_address *address,
                                                const tci_live_process *process,
                                                const ucp_err_handler_t *on_failure,
                                                ucp_ep_h *ep_out, tc_error *err);

/* A copy for free() of a peer's bytes, for UCX to parse. It is not told how long they are and reads
 * as long as they tell it to; what no check finds must not lead it out of memory. NULL: there is
 * none. */
uint8_t *tci_ucx_endpoint_copy(const void *bytes, size_t size);

#endif
