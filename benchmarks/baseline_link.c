#include "baseline_link.h"

#include "perf_poll.h"

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

void baseline_link_close(baseline_link *link)
{
    const ucp_request_param_t params = {.op_attr_mask = 0};
    perf_poll poll;
    perf_poll_init(&poll, link->session);
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
