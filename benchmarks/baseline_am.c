/* The baseline: a UCX active message with a handler that is part of the target's program and
 * adds one to a counter. */
#include "baseline_link.h"
#include "perf_clock.h"
#include "perf_mode.h"
#include "perf_session.h"
#include "target_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HANDLER_ID 1u
/* Sends that UCX has taken but not finished. More does not raise the rate; without a bound its
 * queue grows. */
#define OUTSTANDING_MAX 128u
/* The messaging layer's header in front of the payload. The transport adds a few bytes of its
 * own. */
#define UCP_AM_HEADER_BYTES 8u

typedef struct am_state {
    baseline_link link;
    uint64_t counter;       /* the handler's counter */
    const ifunc_work *work; /* tail: its further work; else NULL */
    void *target;           /* for that */
    uint64_t sent;
    const void *newest; /* where the last message lay */
    uint64_t awaited;   /* its value when all messages under way have arrived */
    uint64_t outstanding;
    ucp_request_param_t send_params;
    unsigned char *payload;
    size_t payload_bytes;
} am_state;

static ucs_status_t count_message(void *user, const void *header, size_t header_size,
                                  void *data, size_t size, const ucp_am_recv_param_t *params)
{
    am_state *state = user;
    (void)header, (void)header_size, (void)params;
    if (state->work != NULL)
        state->work->local(data, size, state->target);
    state->newest = data;
    state->counter++;
    return UCS_OK;
}

static void send_finished(void *request, ucs_status_t status, void *user)
{
    am_state *state = user;
    (void)status; /* a broken connection shows as silence at the other side */
    state->outstanding--;
    ucp_request_free(request);
}

static inline bool send_one(am_state *state)
{
    if (state->work != NULL)
        state->work->stamp(state->payload, state->payload_bytes, state->sent++);
    void *request = ucp_am_send_nbx(state->link.peer, HANDLER_ID, NULL, 0, state->payload,
                                    state->payload_bytes, &state->send_params);
    if (UCS_PTR_IS_ERR(request))
        return baseline_link_complain(&state->link, "ucp_am_send_nbx", UCS_PTR_STATUS(request));
    state->outstanding += request != NULL;
    return true;
}

static inline bool await_count(am_state *state, perf_poll *poll)
{
    while (state->counter < state->awaited) {
        if (ucp_worker_progress(state->link.worker) == 0 && !perf_poll_missed(poll))
            return false;
    }
    perf_poll_hit(poll);
    return true;
}

static bool open_am(perf_series *series)
{
    am_state *state = series->state;
    state->payload_bytes = series->options->payload_bytes;
    state->payload = calloc(1, state->payload_bytes);
    if (state->payload != NULL && series->place != NULL) {
        state->work = series->work;
        state->target = series->work->create(state->payload_bytes);
        ifunc_work_fill(state->payload, state->payload_bytes);
    }
    state->send_params = (ucp_request_param_t){
        .op_attr_mask =
            UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .flags = UCP_AM_SEND_FLAG_EAGER,
        .cb.send = send_finished,
        .user_data = state,
    };
    bool ok = (state->payload != NULL && (state->work == NULL || state->target != NULL)) ||
              perf_session_complain(series->session, "out of memory");
    ok = ok &&
         baseline_link_start_am(&state->link, series->session, HANDLER_ID, 0, count_message,
                                state) &&
         baseline_link_connect(&state->link, UCP_ERR_HANDLING_MODE_NONE);
    series->payload_bytes = state->payload_bytes;
    series->frame_bytes = (double)(UCP_AM_HEADER_BYTES + state->payload_bytes);
    (void)snprintf(series->delivery, sizeof series->delivery, "am");
    return ok;
}

static bool source_latency(perf_series *series, uint64_t count, uint64_t *stamps)
{
    am_state *state = series->state;
    perf_poll poll = {.session = series->session};
    stamps[0] = perf_ticks();
    for (uint64_t i = 1; i <= count; i++) {
        state->awaited++;
        if (series->log != NULL) /* 8 bytes at least */
            memcpy(state->payload, &i, sizeof i);
        if (!send_one(state) || !await_count(state, &poll))
            return false;
        stamps[i] = perf_ticks();
    }
    return baseline_link_await(&state->link, &poll, &state->outstanding, 0);
}

/* The payload is the message's number, and its first word is where UCX has put it. */
static bool target_logged(perf_series *series, uint64_t count)
{
    am_state *state = series->state;
    target_watch watch = {0};
    perf_poll poll = {.session = series->session};
    for (uint64_t i = 0; i < count; i++) {
        uint64_t seen = 0;
        state->awaited++;
        while (state->counter < state->awaited) {
            if (seen == 0)
                seen = target_watch_look_marked(&watch, i + 1);
            if (ucp_worker_progress(state->link.worker) == 0 && !perf_poll_missed(&poll))
                return false;
        }
        series->log->done[i] = perf_ticks();
        series->log->seen[i] = seen;
        target_watch_note(&watch, state->newest);
        perf_poll_hit(&poll);
        if (!send_one(state))
            return false;
    }
    return baseline_link_await(&state->link, &poll, &state->outstanding, 0);
}

static bool target_latency(perf_series *series, uint64_t count)
{
    am_state *state = series->state;
    perf_poll poll = {.session = series->session};
    if (series->log != NULL)
        return target_logged(series, count);
    for (uint64_t i = 0; i < count; i++) {
        state->awaited++;
        if (!await_count(state, &poll) || !send_one(state))
            return false;
    }
    return baseline_link_await(&state->link, &poll, &state->outstanding, 0);
}

static bool source_rate(perf_series *series, uint64_t count)
{
    am_state *state = series->state;
    perf_poll poll = {.session = series->session};
    for (uint64_t i = 0; i < count; i++) {
        if (!send_one(state) ||
            !baseline_link_await(&state->link, &poll, &state->outstanding, OUTSTANDING_MAX))
            return false;
    }
    return baseline_link_await(&state->link, &poll, &state->outstanding, 0);
}

static bool target_rate(perf_series *series, uint64_t count)
{
    am_state *state = series->state;
    perf_poll poll = {.session = series->session};
    state->awaited += count;
    while (state->counter < state->awaited) {
        if (ucp_worker_progress(state->link.worker) != 0)
            perf_poll_hit(&poll);
        else if (!perf_poll_missed(&poll))
            return false;
    }
    perf_session_set_done(series->session);
    return true;
}

static void release_am(perf_series *series)
{
    am_state *state = series->state;
    baseline_link_free(&state->link);
    free(state->target);
    free(state->payload);
}

const perf_mode perf_mode_am = {
    .name = "am",
    .state_bytes = sizeof(am_state),
    .open = open_am,
    .source_latency = source_latency,
    .target_latency = target_latency,
    .source_rate = source_rate,
    .target_rate = target_rate,
    .close = baseline_link_close,
    .release = release_am,
};
