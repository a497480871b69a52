/* Request and reply by plain UCX: an active message with a handler that sends one back from
 * where it runs. Both carry, in their first eight bytes, the number of their request; there is
 * no more. */
#include "baseline_link.h"
#include "perf_clock.h"
#include "perf_mode.h"
#include "perf_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUEST_ID 1u
#define REPLY_BYTES sizeof(uint64_t)
#define UCP_AM_HEADER_BYTES 8u /* as in baseline_am.c */

typedef struct request_state {
    baseline_link link;
    ucp_request_param_t send_params;
    perf_role role;
    bool is_wrong;        /* a request or a reply was malformed */
    uint64_t handled;     /* target: requests that were answered */
    uint64_t awaited;     /* target: its final value */
    uint64_t outstanding; /* sends that UCX has taken but not finished */
    size_t payload_bytes;
    uint64_t flights;        /* how many may be under way */
    unsigned char *messages; /* of each its payload; at the target its reply */
    uint64_t *started;
    uint64_t *free;
    uint64_t free_count;
    uint64_t *ticks; /* as in mode_call.c */
    uint64_t finished;
} request_state;

static void send_finished(void *request, ucs_status_t status, void *user)
{
    request_state *state = user;
    (void)status; /* a broken connection shows as silence at the other side */
    state->outstanding--;
    ucp_request_free(request);
}

/* The message stays as it is until the other side has answered, or has been answered. */
static inline ucs_status_t send_one(request_state *state, uint64_t flight, size_t size)
{
    void *request = ucp_am_send_nbx(state->link.peer, REQUEST_ID, NULL, 0,
                                    state->messages + flight * state->payload_bytes, size,
                                    &state->send_params);
    if (UCS_PTR_IS_ERR(request))
        return UCS_PTR_STATUS(request);
    state->outstanding += request != NULL;
    return UCS_OK;
}

static inline void take_reply(request_state *state, uint64_t flight)
{
    if (state->ticks != NULL)
        state->ticks[state->finished] = perf_ticks() - state->started[flight];
    state->finished++;
    state->free[state->free_count++] = flight;
}

static ucs_status_t arrived(void *user, const void *header, size_t header_size, void *data,
                            size_t size, const ucp_am_recv_param_t *params)
{
    request_state *state = user;
    uint64_t flight = UINT64_MAX;
    (void)header, (void)header_size, (void)params;
    if (size >= sizeof flight)
        memcpy(&flight, data, sizeof flight);
    if (flight >= state->flights) {
        state->is_wrong = true;
    } else if (state->role == PERF_SOURCE) {
        take_reply(state, flight);
    } else {
        state->is_wrong |= send_one(state, flight, REPLY_BYTES) != UCS_OK;
        state->handled++;
    }
    return UCS_OK;
}

static bool make_state(perf_series *series)
{
    request_state *state = series->state;
    const uint64_t flights = series->options->calls_at_once;
    state->role = series->session->role;
    state->flights = flights;
    state->payload_bytes = series->options->payload_bytes;
    state->messages = calloc(flights, state->payload_bytes);
    state->started = calloc(flights, sizeof *state->started);
    state->free = calloc(flights, sizeof *state->free);
    state->send_params = (ucp_request_param_t){
        .op_attr_mask =
            UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .flags = UCP_AM_SEND_FLAG_EAGER,
        .cb.send = send_finished,
        .user_data = state,
    };
    if (state->messages == NULL || state->started == NULL || state->free == NULL)
        return perf_session_complain(series->session, "out of memory");
    for (uint64_t i = 0; i < flights; i++) {
        memcpy(state->messages + i * state->payload_bytes, &i, sizeof i);
        state->free[state->free_count++] = i;
    }
    return true;
}

static bool open_by(perf_series *series, ucp_err_handling_mode_t mode)
{
    request_state *state = series->state;
    if (!make_state(series) ||
        !baseline_link_start_am(&state->link, series->session, REQUEST_ID, 0, arrived, state) ||
        !baseline_link_connect(&state->link, mode))
        return false;
    series->payload_bytes = state->payload_bytes;
    series->frame_bytes = (double)(UCP_AM_HEADER_BYTES + state->payload_bytes);
    (void)snprintf(series->delivery, sizeof series->delivery, "am");
    return true;
}

static bool open_plain(perf_series *series)
{
    return open_by(series, UCP_ERR_HANDLING_MODE_NONE);
}

static bool open_safe(perf_series *series)
{
    return open_by(series, UCP_ERR_HANDLING_MODE_PEER);
}

static bool run_requests(perf_series *series, uint64_t count, uint64_t *ticks)
{
    request_state *state = series->state;
    perf_poll poll = {.session = series->session};
    uint64_t started = 0;
    state->ticks = ticks;
    state->finished = 0;
    while (state->finished < count && !state->is_wrong) {
        while (started < count && state->free_count > 0) {
            const uint64_t flight = state->free[--state->free_count];
            if (ticks != NULL)
                state->started[flight] = perf_ticks();
            ucs_status_t status = send_one(state, flight, state->payload_bytes);
            if (status != UCS_OK)
                return baseline_link_complain(&state->link, "ucp_am_send_nbx", status);
            started++;
        }
        if (ucp_worker_progress(state->link.worker) != 0)
            perf_poll_hit(&poll);
        else if (!perf_poll_missed(&poll))
            return false;
    }
    return !state->is_wrong || perf_session_complain(series->session, "a reply to no request");
}

static bool rate_requests(perf_series *series, uint64_t count)
{
    return run_requests(series, count, NULL);
}

static bool serve_requests(perf_series *series, uint64_t count)
{
    request_state *state = series->state;
    perf_poll poll = {.session = series->session};
    bool done = false;
    state->awaited += count;
    while (!perf_session_has_ended(series->session)) {
        if (ucp_worker_progress(state->link.worker) != 0)
            perf_poll_hit(&poll);
        else if (!perf_poll_missed(&poll))
            return false;
        if (!done && state->handled >= state->awaited) {
            perf_session_set_done(series->session);
            done = true;
        }
    }
    return (state->handled == state->awaited && !state->is_wrong) ||
           perf_session_complain(series->session, "a request was wrong");
}

static void release_requests(perf_series *series)
{
    request_state *state = series->state;
    baseline_link_free(&state->link);
    free(state->messages);
    free(state->started);
    free(state->free);
}

#define REQUEST_MODE(variable, text, opened)                                                   \
    const perf_mode variable = {                                                               \
        .name = text,                                                                          \
        .state_bytes = sizeof(request_state),                                                  \
        .open = opened,                                                                        \
        .source_latency = run_requests,                                                        \
        .target_latency = serve_requests,                                                      \
        .source_rate = rate_requests,                                                          \
        .target_rate = serve_requests,                                                         \
        .close = baseline_link_close,                                                          \
        .release = release_requests,                                                           \
    }

REQUEST_MODE(perf_mode_request_am, "am", open_plain);
REQUEST_MODE(perf_mode_request_am_safe, "am-safe", open_safe);
