#include "baseline_link.h"

#include "perf_session.h"

#include <string.h>

#define ADDRESS_MAX 4096u

bool baseline_link_complain(baseline_link *link, const char *what, ucs_status_t status)
{
    return perf_session_complain(link->session, "ucx: %s: %s", what, ucs_status_string(status));
}

bool baseline_link_start(baseline_link *link, perf_session *session, uint64_t features)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = features};
    const ucp_worker_params_t worker_params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                               .thread_mode = UCS_THREAD_MODE_SINGLE};
    *link = (baseline_link){.session = session};
    ucs_status_t status = ucp_init(&params, NULL, &link->context);
    if (status != UCS_OK)
        return baseline_link_complain(link, "ucp_init", status);
    status = ucp_worker_create(link->context, &worker_params, &link->worker);
    return status == UCS_OK || baseline_link_complain(link, "ucp_worker_create", status);
}

bool baseline_link_start_am(baseline_link *link, perf_session *session, unsigned id,
                            uint32_t flags, ucp_am_recv_callback_t handler, void *user)
{
    const ucp_am_handler_param_t params = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                      UCP_AM_HANDLER_PARAM_FIELD_ARG | UCP_AM_HANDLER_PARAM_FIELD_FLAGS,
        .id = id,
        .flags = flags,
        .cb = handler,
        .arg = user,
    };
    if (!baseline_link_start(link, session, UCP_FEATURE_AM))
        return false;
    ucs_status_t status = ucp_worker_set_am_recv_handler(link->worker, &params);
    return status == UCS_OK ||
           baseline_link_complain(link, "ucp_worker_set_am_recv_handler", status);
}

/* Both sides send theirs first; a socket holds that much. */
static bool exchange_addresses(baseline_link *link, void *peer_out)
{
    ucp_address_t *mine;
    size_t size;
    ucs_status_t status = ucp_worker_get_address(link->worker, &mine, &size);
    if (status != UCS_OK)
        return baseline_link_complain(link, "ucp_worker_get_address", status);
    bool ok = size <= ADDRESS_MAX
                  ? perf_session_send(link->session, mine, size)
                  : baseline_link_complain(link, "address", UCS_ERR_EXCEEDS_LIMIT);
    ucp_worker_release_address(link->worker, mine);
    return ok && perf_session_recv(link->session, peer_out, ADDRESS_MAX, &size);
}

bool baseline_link_connect(baseline_link *link, ucp_err_handling_mode_t mode)
{
    unsigned char address[ADDRESS_MAX];
    if (!exchange_addresses(link, address))
        return false;
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE,
                                    .address = (const ucp_address_t *)(void *)address,
                                    .err_mode = mode};
    ucs_status_t status = ucp_ep_create(link->worker, &params, &link->peer);
    return status == UCS_OK || baseline_link_complain(link, "ucp_ep_create", status);
}

void baseline_link_close(perf_series *series)
{
    baseline_link *link = series->state;
    const ucp_request_param_t params = {.op_attr_mask = 0};
    perf_poll poll = {.session = link->session};
    void *request = ucp_ep_close_nbx(link->peer, &params);
    if (UCS_PTR_IS_PTR(request)) {
        while (ucp_request_check_status(request) == UCS_INPROGRESS) {
            if (ucp_worker_progress(link->worker) == 0 && !perf_poll_missed(&poll))
                break;
        }
        ucp_request_free(request);
    }
}

void baseline_link_free(baseline_link *link)
{
    if (link->worker != NULL)
        ucp_worker_destroy(link->worker);
    if (link->context != NULL)
        ucp_cleanup(link->context);
    *link = (baseline_link){.session = link->session};
}

#define RKEY_MAX 1024u

typedef struct memory_key {
    uint64_t address;
    uint64_t size;
    unsigned char bytes[RKEY_MAX];
} memory_key;

bool baseline_memory_offer(baseline_memory *memory, baseline_link *link, size_t size)
{
    memory_key key = {0};
    void *packed;
    size_t packed_size = 0;
    const ucp_mem_map_params_t params = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
        .length = size,
        .flags = UCP_MEM_MAP_ALLOCATE,
    };
    ucp_mem_attr_t attr = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    ucs_status_t status = ucp_mem_map(link->context, &params, &memory->handle);
    if (status == UCS_OK)
        status = ucp_mem_query(memory->handle, &attr);
    if (status == UCS_OK)
        status = ucp_rkey_pack(link->context, memory->handle, &packed, &packed_size);
    if (status != UCS_OK || packed_size > RKEY_MAX)
        return baseline_link_complain(link, "memory", status);
    memory->base = attr.address;
    memset(memory->base, 0, size);
    memcpy(key.bytes, packed, packed_size);
    ucp_rkey_buffer_release(packed);
    key.address = (uintptr_t)memory->base;
    key.size = packed_size;
    return perf_session_send(link->session, &key, sizeof key);
}

bool baseline_memory_take(baseline_memory *memory, baseline_link *link)
{
    memory_key key;
    size_t size;
    if (!perf_session_recv(link->session, &key, sizeof key, &size))
        return false;
    memory->remote = key.address;
    ucs_status_t status = ucp_ep_rkey_unpack(link->peer, key.bytes, &memory->rkey);
    return status == UCS_OK || baseline_link_complain(link, "rkey", status);
}

void baseline_memory_free(baseline_memory *memory, baseline_link *link)
{
    if (memory->rkey != NULL)
        ucp_rkey_destroy(memory->rkey);
    if (memory->handle != NULL)
        (void)ucp_mem_unmap(link->context, memory->handle);
}
