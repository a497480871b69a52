/* Plain UCX puts of large payloads, handed over as a program would: two buffers take turns, a
 * put is followed by a fence and a put of its number, and a buffer is written again when the
 * target has reported (in memory that both share) that it is done with it. The last word is a
 * flush. */
#include "baseline_link.h"
#include "bulk_source.h"
#include "ifuncs/scan.h"
#include "perf_mode.h"
#include "perf_session.h"

#include <stdio.h>
#include <stdlib.h>

#define BUFFERS 2u
#define PAGE_BYTES 4096u

typedef struct put_state {
    baseline_link link;
    scan_target target;
    bool unread;
    uint64_t sent;
    uint64_t outstanding;
    size_t payload_bytes;
    size_t buffer_bytes;
    baseline_memory memory;    /* a page for the number, then the buffers */
    uint64_t numbers[BUFFERS]; /* that are being put */
    bulk_source source;
    _Atomic uint64_t *consumed; /* shared */
} put_state;

static bool open_put(perf_series *series)
{
    perf_session *session = series->session;
    put_state *state = series->state;
    state->unread = series->options->unread;
    state->payload_bytes = series->options->payload_bytes;
    state->buffer_bytes = (state->payload_bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
    state->consumed = (_Atomic uint64_t *)(void *)session->control->arena;
    if (session->role == PERF_TARGET)
        atomic_store(state->consumed, 0);
    bool ok = bulk_source_init(&state->source, series->options) ||
              perf_session_complain(session, "out of memory");
    ok = ok && baseline_link_start(&state->link, session, UCP_FEATURE_RMA) &&
         baseline_link_connect(&state->link, UCP_ERR_HANDLING_MODE_NONE) &&
         (session->role == PERF_TARGET
              ? baseline_memory_offer(&state->memory, &state->link,
                                      PAGE_BYTES + BUFFERS * state->buffer_bytes)
              : baseline_memory_take(&state->memory, &state->link));
    series->payload_bytes = state->payload_bytes;
    (void)snprintf(series->delivery, sizeof series->delivery, "put");
    return ok;
}

static void put_ended(void *request, ucs_status_t status, void *user)
{
    put_state *state = user;
    (void)status; /* shows as silence at the other side */
    state->outstanding--;
    ucp_request_free(request);
}

static bool put_bytes(put_state *state, const void *bytes, size_t size, uint64_t offset)
{
    const ucp_request_param_t params = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb.send = put_ended,
        .user_data = state,
    };
    void *request = ucp_put_nbx(state->link.peer, bytes, size, state->memory.remote + offset,
                                state->memory.rkey, &params);
    if (UCS_PTR_IS_ERR(request))
        return baseline_link_complain(&state->link, "ucp_put_nbx", UCS_PTR_STATUS(request));
    state->outstanding += request != NULL;
    return true;
}

static bool progress(put_state *state, perf_poll *poll)
{
    return ucp_worker_progress(state->link.worker) != 0 || perf_poll_missed(poll);
}

static bool put_one(put_state *state, perf_poll *poll)
{
    uint64_t buffer = state->sent % BUFFERS;
    const unsigned char *payload = bulk_source_next(&state->source);
    while (state->sent >=
           atomic_load_explicit(state->consumed, memory_order_acquire) + BUFFERS) {
        if (!progress(state, poll))
            return false;
    }
    perf_poll_hit(poll);
    state->numbers[buffer] = ++state->sent;
    if (!put_bytes(state, payload, state->payload_bytes,
                   PAGE_BYTES + buffer * state->buffer_bytes))
        return false;
    ucs_status_t status = ucp_worker_fence(state->link.worker);
    if (status != UCS_OK)
        return baseline_link_complain(&state->link, "ucp_worker_fence", status);
    return put_bytes(state, &state->numbers[buffer], sizeof(uint64_t), 0);
}

static bool source_rate(perf_series *series, uint64_t count)
{
    put_state *state = series->state;
    const ucp_request_param_t params = {.op_attr_mask = 0};
    perf_poll poll = {.session = series->session};
    for (uint64_t i = 0; i < count; i++) {
        if (!put_one(state, &poll))
            return false;
    }
    void *request = ucp_ep_flush_nbx(state->link.peer, &params);
    if (!UCS_PTR_IS_PTR(request))
        return true;
    while (ucp_request_check_status(request) == UCS_INPROGRESS) {
        if (!progress(state, &poll))
            return false;
    }
    ucp_request_free(request);
    return true;
}

static bool target_rate(perf_series *series, uint64_t count)
{
    put_state *state = series->state;
    uint64_t last = state->target.counter + count;
    const _Atomic uint64_t *number = (const _Atomic uint64_t *)(const void *)state->memory.base;
    perf_poll poll = {.session = series->session};
    while (!perf_session_has_ended(series->session)) {
        uint64_t done = state->target.counter;
        if (atomic_load_explicit(number, memory_order_acquire) == done) {
            if (done == last)
                perf_session_set_done(series->session);
            if (!progress(state, &poll))
                return false;
            continue;
        }
        perf_poll_hit(&poll);
        const unsigned char *buffer =
            state->memory.base + PAGE_BYTES + done % BUFFERS * state->buffer_bytes;
        if (state->unread)
            state->target.counter++;
        else
            scan_payload(&state->target, buffer, state->payload_bytes);
        atomic_store_explicit(state->consumed, state->target.counter, memory_order_release);
    }
    return true;
}

static void release_put(perf_series *series)
{
    put_state *state = series->state;
    baseline_memory_free(&state->memory, &state->link);
    baseline_link_free(&state->link);
    bulk_source_free(&state->source);
}

const perf_mode perf_mode_bulk_put = {
    .name = "put",
    .state_bytes = sizeof(put_state),
    .open = open_put,
    .source_rate = source_rate,
    .target_rate = target_rate,
    .close = baseline_link_close,
    .release = release_put,
};
