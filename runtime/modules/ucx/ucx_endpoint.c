#include "modules/ucx/ucx_endpoint.h"

#include "base/error_text.h"
#include "modules/ucx/worker_private.h"

#include <stdlib.h>
#include <string.h>

#define TAIL_BYTES 4096u

/* Returns the text for a peer about why there is no way: which of the two has no network. */
static const char *way_out(const tci_worker *worker)
{
    switch (worker->network) {
    case TCI_WORKER_NETWORK_NONE:
        return "this side has shared memory alone; its option network=yes gives it UCX's "
               "network";
    case TCI_WORKER_NETWORK_KEPT:
        return "UCX_TLS gives this side no network";
    default:
        return "this side has a network, so that side has none (its option network=yes gives "
               "it one) or another";
    }
}

static tc_status has_ended(const tci_live_process *process, tc_error *err)
{
    return tci_error_set(err, TC_E_UNREACHABLE, "process %d has ended", (int)process->pid);
}

static tc_status cannot_create(const tci_worker *worker, ucs_status_t status, tc_error *err)
{
    /* The memory of a process that belongs to another user. */
    if (status == UCS_ERR_SHMEM_SEGMENT)
        status = UCS_ERR_UNREACHABLE;
    if (status != UCS_ERR_UNREACHABLE)
        return tci_ucx_error(err, status, "UCX endpoint");
    return tci_error_set(err, TC_E_UNREACHABLE, "UCX reaches no address of the peer's: %s",
                         way_out(worker));
}

uint8_t *tci_ucx_endpoint_copy(const void *bytes, size_t size)
{
    uint8_t *copy = calloc(1, size + TAIL_BYTES);
    if (copy != NULL)
        memcpy(copy, bytes, size);
    return copy;
}

/* UCX 1.13 keeps the socket of a connection that is refused at once until its worker ends,
 * which happens with a process of this host that has ended. So such a process is refused here,
 * except where UCX shares memory: UCX may have mapped that process's memory already, and keeps
 * it until an endpoint takes it over. */
tc_status tci_ucx_endpoint_create(tci_worker *worker, const tci_ucx_address *address,
                                  const tci_live_process *process,
                                  const ucp_err_handler_t *on_failure, ucp_ep_h *ep_out,
                                  tc_error *err)
{
    if (!worker->shares_memory && tci_live_process_has_ended(process))
        return has_ended(process, err);
    uint8_t *padded = tci_ucx_endpoint_copy(address->bytes, address->size);
    if (padded == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "UCX endpoint: out of memory");
    const ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER,
        .address = (const ucp_address_t *)(const void *)padded,
        .err_mode = UCP_ERR_HANDLING_MODE_PEER,
        .err_handler = *on_failure,
    };
    ucs_status_t status = ucp_ep_create(worker->ucp_worker, &params, ep_out);
    free(padded);
    if (status == UCS_OK)
        return TC_OK;
    return tci_live_process_has_ended(process) ? has_ended(process, err)
                                               : cannot_create(worker, status, err);
}
