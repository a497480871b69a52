/* UCX below release 0.1.0 in a world, where it reaches no peer: all goes over connections and
 * mapped rings. build_old.py includes the headers that today's tree has no more. */
#include "base/error_text.h"

#include <stdlib.h>

#define ADDRESS_BYTES 16u

static const uint8_t no_address[ADDRESS_BYTES];

tc_status tci_worker_create(const tci_worker_params *params, tci_worker **worker_out,
                            tc_error *err)
{
    *worker_out = calloc(1, sizeof **worker_out);
    if (*worker_out == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "worker");
    (*worker_out)->params = *params;
    (*worker_out)->params.puts = false;
    (*worker_out)->shares_memory = true; /* rings may be mapped */
    return TC_OK;
}

void tci_worker_destroy(tci_worker *worker)
{
    free(worker);
}

tci_worker_network_state tci_worker_network(const tci_worker *worker)
{
    (void)worker;
    return TCI_WORKER_NETWORK_KEPT;
}

bool tci_worker_shares_memory(const tci_worker *worker)
{
    (void)worker;
    return false;
}

tc_status tci_worker_add_network(tci_worker *local, bool used, tci_worker **worker_out,
                                 tc_error *err)
{
    (void)local, (void)used, (void)worker_out;
    return tci_error_set(err, TC_E_UCX, "no UCX in a simulation");
}

unsigned tci_worker_progress(tci_worker *worker)
{
    (void)worker;
    return 0;
}

const void *tci_worker_address(const tci_worker *worker, size_t *size_out)
{
    (void)worker;
    *size_out = sizeof no_address;
    return no_address;
}

bool tci_worker_wakes(const tci_worker *worker)
{
    (void)worker;
    return true;
}

bool tci_worker_arm(tci_worker *worker)
{
    (void)worker;
    return true;
}

bool tci_worker_is_event(const tci_worker *worker, const void *data)
{
    return data == worker;
}

void tci_worker_ucx_version(unsigned *major_out, unsigned *minor_out, unsigned *patch_out)
{
    *major_out = 1;
    *minor_out = 13;
    *patch_out = 1;
}

tc_status tci_link_open(tci_worker *worker, const tci_link_peer *peer, tci_link **link_out,
                        tc_error *err)
{
    (void)worker, (void)peer, (void)link_out;
    return tci_error_set(err, TC_E_UCX, "no UCX in a simulation");
}

tci_link_ends tci_link_ends_of(const tci_link *link)
{
    (void)link;
    return (tci_link_ends){.worker = NULL};
}

tc_status tci_link_prepare_puts(tci_link *link, const void *rkey, size_t size, tc_error *err)
{
    (void)link, (void)rkey, (void)size;
    return tci_error_set(err, TC_E_UNSUPPORTED, "no UCX in a simulation");
}

void *tci_link_mapped_here(const tci_link *link, uint64_t address)
{
    (void)link, (void)address;
    return NULL;
}

tc_status tci_link_put(tci_link *link, uint64_t address, tci_link_op *op, const void *bytes,
                       size_t size, bool *under_way_out)
{
    (void)link, (void)address, (void)op, (void)bytes, (void)size, (void)under_way_out;
    return TC_E_UCX;
}

tc_status tci_link_fence(tci_link *link)
{
    (void)link;
    return TC_E_UCX;
}

tc_status tci_link_flush_puts(tci_link *link, tci_link_op *op, bool *under_way_out)
{
    (void)link, (void)op, (void)under_way_out;
    return TC_E_UCX;
}

tc_status tci_ucx_error(tc_error *err, ucs_status_t status, const char *what)
{
    (void)status;
    return tci_error_set(err, TC_E_UCX, "%s: no UCX in a simulation", what);
}

uint64_t tci_ucx_address_posix(const tci_ucx_address *address, const tci_ucx_address *own)
{
    (void)address, (void)own;
    return 0;
}

tc_status tci_ucx_rkey_check(const tci_ucx_rkey *key, size_t bytes, const tci_ucx_rkey *own,
                             tc_error *err)
{
    (void)key, (void)bytes, (void)own;
    return tci_error_set(err, TC_E_UCX, "no UCX in a simulation");
}

ucs_status_t ucp_mem_map(ucp_context_h context, const ucp_mem_map_params_t *params,
                         ucp_mem_h *memory_out)
{
    (void)context, (void)params, (void)memory_out;
    return UCS_ERR_UNSUPPORTED;
}

ucs_status_t ucp_mem_unmap(ucp_context_h context, ucp_mem_h memory)
{
    (void)context, (void)memory;
    return UCS_ERR_UNSUPPORTED;
}

ucs_status_t ucp_mem_query(const ucp_mem_h memory, ucp_mem_attr_t *attributes)
{
    (void)memory, (void)attributes;
    return UCS_ERR_UNSUPPORTED;
}

ucs_status_t ucp_rkey_pack(ucp_context_h context, ucp_mem_h memory, void **key_out,
                           size_t *size_out)
{
    (void)context, (void)memory, (void)key_out, (void)size_out;
    return UCS_ERR_UNSUPPORTED;
}

void ucp_rkey_buffer_release(void *key)
{
    (void)key;
}

const char *ucs_status_string(ucs_status_t status)
{
    (void)status;
    return "no UCX in a simulation";
}

void ucp_get_version(unsigned *major_out, unsigned *minor_out, unsigned *patch_out)
{
    tci_worker_ucx_version(major_out, minor_out, patch_out);
}
