/* The baseline: a UCX active message whose handler is part of the target's program and adds one
 * to a counter. Each process has its own context and worker, with defaults beside what the
 * environment says. */
#include "perf_clock.h"
#include "perf_mode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

#define HANDLER_ID 1u
#define ADDRESS_MAX 4096u
/* Sends that UCX has taken but not finished. More does not raise the rate; without a bound its
 * queue grows. */
#define OUTSTANDING_MAX 128u
/* What the messaging layer puts in front of the payload. The transport adds a few bytes of its
 * own. */
#define UCP_AM_HEADER_BYTES 8u

typedef struct am_state {
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_ep_h peer;
    uint64_t counter; /* what the handler counts */
    uint64_t awaited; /* what it will be when all that is under way has come */
    uint64_t outstanding;
    ucp_request_param_t send_params;
    unsigned char *payload;
    size_t payload_bytes;
} am_state;

static ucs_status_t count_message(void *user, const void *header, size_t header_size,
                                  void *data, size_t size, const ucp_am_recv_param_t *params)
{
    (void)header, (void)header_size, (void)data, (void)size, (void)params;
    ++*(uint64_t *)user;
    return UCS_OK;
}

static void send_finished(void *request, ucs_status_t status, void *user)
{
    am_state *state = user;
    (void)status; /* a broken connection shows as silence at the other side */
    state->outstanding--;
    ucp_request_free(request);
}

static bool complain(perf_lane *lane, const char *what, ucs_status_t status)
{
    return perf_complain(lane->session, "am: %s: %s", what, ucs_status_string(status));
}

static bool create_worker(perf_lane *lane, am_state *state)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_AM};
    const ucp_worker_params_t worker_params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                               .thread_mode = UCS_THREAD_MODE_SINGLE};
    const ucp_am_handler_param_t handler = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                      UCP_AM_HANDLER_PARAM_FIELD_ARG,
        .id = HANDLER_ID,
        .cb = count_message,
        .arg = &state->counter,
    };
    ucs_status_t status = ucp_init(&params, NULL, &state->context);
    if (status != UCS_OK)
        return complain(lane, "ucp_init", status);
    status = ucp_worker_create(state->context, &worker_params, &state->worker);
    if (status != UCS_OK)
        return complain(lane, "ucp_worker_create", status);
    status = ucp_worker_set_am_recv_handler(state->worker, &handler);
    return status == UCS_OK || complain(lane, "ucp_worker_set_am_recv_handler", status);
}

/* Both sides send theirs first; a socket holds that much. */
static bool exchange_addresses(perf_lane *lane, am_state *state, void *peer_out)
{
    ucp_address_t *mine;
    size_t size;
    ucs_status_t status = ucp_worker_get_address(state->worker, &mine, &size);
    if (status != UCS_OK)
        return complain(lane, "ucp_worker_get_address", status);
    bool ok = size <= ADDRESS_MAX ? perf_link_send(lane->session, mine, size)
                                  : complain(lane, "address", UCS_ERR_EXCEEDS_LIMIT);
    ucp_worker_release_address(state->worker, mine);
    return ok && perf_link_recv(lane->session, peer_out, ADDRESS_MAX, &size);
}

static bool connect_peer(perf_lane *lane, am_state *state)
{
    unsigned char address[ADDRESS_MAX];
    if (!exchange_addresses(lane, state, address))
        return false;
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                    .address = (const ucp_address_t *)(void *)address};
    ucs_status_t status = ucp_ep_create(state->worker, &params, &state->peer);
    return status == UCS_OK || complain(lane, "ucp_ep_create", status);
}

static inline bool send_one(perf_lane *lane, am_state *state)
{
    void *request = ucp_am_send_nbx(state->peer, HANDLER_ID, NULL, 0, state->payload,
                                    state->payload_bytes, &state->send_params);
    if (UCS_PTR_IS_ERR(request))
        return complain(lane, "ucp_am_send_nbx", UCS_PTR_STATUS(request));
    state->outstanding += request != NULL;
    return true;
}

static inline bool await_count(am_state *state, perf_poll *poll)
{
    while (state->counter < state->awaited) {
        if (ucp_worker_progress(state->worker) == 0 && !perf_poll_missed(poll))
            return false;
    }
    perf_poll_hit(poll);
    return true;
}

static bool await_outstanding(am_state *state, perf_poll *poll, uint64_t max)
{
    while (state->outstanding > max) {
        if (ucp_worker_progress(state->worker) == 0 && !perf_poll_missed(poll))
            return false;
    }
    perf_poll_hit(poll);
    return true;
}

static void free_state(perf_lane *lane, am_state *state)
{
    if (state->worker != NULL)
        ucp_worker_destroy(state->worker);
    if (state->context != NULL)
        ucp_cleanup(state->context);
    free(state->payload);
    free(state);
    lane->state = NULL;
}

static bool open_am(perf_lane *lane)
{
    am_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return perf_complain(lane->session, "out of memory");
    state->payload_bytes = lane->options->payload_bytes;
    state->payload = calloc(1, state->payload_bytes);
    state->send_params = (ucp_request_param_t){
        .op_attr_mask =
            UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .flags = UCP_AM_SEND_FLAG_EAGER,
        .cb.send = send_finished,
        .user_data = state,
    };
    bool ok = state->payload != NULL ? create_worker(lane, state) && connect_peer(lane, state)
                                     : perf_complain(lane->session, "out of memory");
    if (!ok) {
        free_state(lane, state);
        return false;
    }
    lane->state = state;
    lane->payload_bytes = state->payload_bytes;
    lane->frame_bytes = (double)(UCP_AM_HEADER_BYTES + state->payload_bytes);
    (void)snprintf(lane->delivery, sizeof lane->delivery, "am");
    return true;
}

static bool source_latency(perf_lane *lane, uint64_t count, uint64_t *stamps)
{
    am_state *state = lane->state;
    perf_poll poll;
    perf_poll_init(&poll, lane->session);
    stamps[0] = perf_ticks();
    for (uint64_t i = 1; i <= count; i++) {
        state->awaited++;
        if (!send_one(lane, state) || !await_count(state, &poll))
            return false;
        stamps[i] = perf_ticks();
    }
    return await_outstanding(state, &poll, 0);
}

static bool target_latency(perf_lane *lane, uint64_t count)
{
    am_state *state = lane->state;
    perf_poll poll;
    perf_poll_init(&poll, lane->session);
    for (uint64_t i = 0; i < count; i++) {
        state->awaited++;
        if (!await_count(state, &poll) || !send_one(lane, state))
            return false;
    }
    return await_outstanding(state, &poll, 0);
}

static bool source_rate(perf_lane *lane, uint64_t count)
{
    am_state *state = lane->state;
    perf_poll poll;
    perf_poll_init(&poll, lane->session);
    for (uint64_t i = 0; i < count; i++) {
        if (!send_one(lane, state) || !await_outstanding(state, &poll, OUTSTANDING_MAX))
            return false;
    }
    return await_outstanding(state, &poll, 0);
}

static bool target_rate(perf_lane *lane, uint64_t count)
{
    am_state *state = lane->state;
    perf_poll poll;
    perf_poll_init(&poll, lane->session);
    state->awaited += count;
    while (state->counter < state->awaited) {
        if (ucp_worker_progress(state->worker) != 0)
            perf_poll_hit(&poll);
        else if (!perf_poll_missed(&poll))
            return false;
    }
    perf_session_set_done(lane->session);
    return true;
}

/* UCX's flush and close both need the other side's progress, so each side goes on until its own
 * is through. */
static void close_am(perf_lane *lane)
{
    am_state *state = lane->state;
    const ucp_request_param_t params = {.op_attr_mask = 0};
    perf_poll poll;
    perf_poll_init(&poll, lane->session);
    void *request = ucp_ep_close_nbx(state->peer, &params);
    if (UCS_PTR_IS_PTR(request)) {
        while (ucp_request_check_status(request) == UCS_INPROGRESS) {
            if (ucp_worker_progress(state->worker) == 0 && !perf_poll_missed(&poll))
                break;
        }
        ucp_request_free(request);
    }
    free_state(lane, state);
}

const perf_mode perf_mode_am = {
    .name = "am",
    .open = open_am,
    .source_latency = source_latency,
    .target_latency = target_latency,
    .source_rate = source_rate,
    .target_rate = target_rate,
    .close = close_am,
};
