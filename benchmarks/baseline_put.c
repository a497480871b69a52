/* The baseline of a message that is only delivered: a plain UCX put, and a peer that polls the
 * last word of where it goes, as perftest's put_lat does. The word is the message's number. UCX
 * does not guarantee that it comes last; over shared memory it does.
 *
 * A rate run puts into as many slots in turn as a ring of the library's has space for. The
 * target publishes in memory that both share the number that it has seen, once for each quarter
 * of them. */
#include "baseline_link.h"
#include "perf_clock.h"
#include "perf_mode.h"
#include "perf_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_BYTES (256u << 10) /* the library's default ring */
#define PLACES_MIN 8u
#define LINE_BYTES 64u
#define NUMBER_BYTES sizeof(uint64_t) /* a message has one, at least */

typedef struct put_state {
    baseline_link link;
    baseline_memory mine;   /* where the other side puts */
    baseline_memory theirs; /* where this side does */
    unsigned char *payload;
    size_t payload_bytes;
    size_t place_bytes;
    uint64_t places, credit_every;
    uint64_t sent, seen;
    uint64_t credited; /* source: the number that it has read last there */
    uint64_t outstanding;
    ucp_request_param_t params;
    _Atomic uint64_t *consumed; /* shared */
} put_state;

static void put_ended(void *request, ucs_status_t status, void *user)
{
    put_state *state = user;
    (void)status; /* shows as silence at the other side */
    state->outstanding--;
    ucp_request_free(request);
}

static bool make_state(perf_series *series)
{
    put_state *state = series->state;
    const size_t asked = series->options->payload_bytes;
    state->payload_bytes = asked > NUMBER_BYTES ? asked : NUMBER_BYTES;
    state->place_bytes = (state->payload_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    const uint64_t fit = PLACES_BYTES / state->place_bytes;
    state->places = fit > PLACES_MIN ? fit : PLACES_MIN;
    state->credit_every = state->places / 4;
    state->payload = calloc(1, state->payload_bytes);
    state->params = (ucp_request_param_t){
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb.send = put_ended,
        .user_data = state,
    };
    state->consumed =
        (_Atomic uint64_t *)(void *)&series->session->control->arena[PERF_ARENA_BYTES - 128];
    if (series->session->role == PERF_TARGET)
        atomic_store(state->consumed, 0);
    return state->payload != NULL || perf_session_complain(series->session, "out of memory");
}

/* Both offer first; a socket holds that much. */
static bool open_put(perf_series *series)
{
    put_state *state = series->state;
    bool ok =
        make_state(series) &&
        baseline_link_start(&state->link, series->session, UCP_FEATURE_RMA) &&
        baseline_link_connect(&state->link, UCP_ERR_HANDLING_MODE_NONE) &&
        baseline_memory_offer(&state->mine, &state->link, state->places * state->place_bytes) &&
        baseline_memory_take(&state->theirs, &state->link);
    series->payload_bytes = state->payload_bytes;
    series->frame_bytes = (double)state->payload_bytes;
    (void)snprintf(series->delivery, sizeof series->delivery, "put");
    return ok;
}

/* Payloads end where their slots do, so that the number is aligned. */
static inline uint64_t place_of(const put_state *state, uint64_t number)
{
    return number % state->places * state->place_bytes + state->place_bytes -
           state->payload_bytes;
}

static inline uint64_t number_at(const put_state *state, uint64_t number)
{
    const unsigned char *place = state->mine.base + place_of(state, number);
    const void *last = place + state->payload_bytes - NUMBER_BYTES;
    return atomic_load_explicit((const _Atomic uint64_t *)last, memory_order_acquire);
}

static inline bool put_one(put_state *state)
{
    const uint64_t number = state->sent + 1;
    memcpy(state->payload + state->payload_bytes - NUMBER_BYTES, &number, NUMBER_BYTES);
    void *request = ucp_put_nbx(state->link.peer, state->payload, state->payload_bytes,
                                state->theirs.remote + place_of(state, state->sent),
                                state->theirs.rkey, &state->params);
    if (UCS_PTR_IS_ERR(request))
        return baseline_link_complain(&state->link, "ucp_put_nbx", UCS_PTR_STATUS(request));
    state->sent = number;
    state->outstanding += request != NULL;
    return true;
}

static inline bool await_one(put_state *state, perf_poll *poll)
{
    while (number_at(state, state->seen) != state->seen + 1) {
        if (ucp_worker_progress(state->link.worker) == 0 && !perf_poll_missed(poll))
            return false;
    }
    state->seen++;
    perf_poll_hit(poll);
    return true;
}

/* One buffer is put again and again, so a payload that UCX has not taken yet must not
 * change. */
static inline bool await_taken(put_state *state, perf_poll *poll)
{
    return state->outstanding == 0 ||
           baseline_link_await(&state->link, poll, &state->outstanding, 0);
}

static bool source_latency(perf_series *series, uint64_t count, uint64_t *stamps)
{
    put_state *state = series->state;
    perf_poll poll = {.session = series->session};
    stamps[0] = perf_ticks();
    for (uint64_t i = 1; i <= count; i++) {
        if (!await_taken(state, &poll) || !put_one(state) || !await_one(state, &poll))
            return false;
        stamps[i] = perf_ticks();
    }
    return await_taken(state, &poll);
}

static bool target_latency(perf_series *series, uint64_t count)
{
    put_state *state = series->state;
    perf_poll poll = {.session = series->session};
    for (uint64_t i = 0; i < count; i++) {
        if (!await_one(state, &poll) || !await_taken(state, &poll) || !put_one(state))
            return false;
    }
    /* A put carried by UCX's messages needs this side's progress till the end. */
    while (!perf_session_has_ended(series->session)) {
        if (ucp_worker_progress(state->link.worker) == 0 && !perf_poll_missed(&poll))
            return false;
    }
    return await_taken(state, &poll);
}

static inline bool has_place(put_state *state)
{
    if (state->sent - state->credited < state->places)
        return true;
    state->credited = atomic_load_explicit(state->consumed, memory_order_acquire);
    return state->sent - state->credited < state->places;
}

static bool source_rate(perf_series *series, uint64_t count)
{
    put_state *state = series->state;
    perf_poll poll = {.session = series->session};
    /* Latency runs use slots without reports. */
    state->credited = state->sent;
    atomic_store(state->consumed, state->sent);
    for (uint64_t i = 0; i < count; i++) {
        while (!has_place(state)) {
            if (ucp_worker_progress(state->link.worker) == 0 && !perf_poll_missed(&poll))
                return false;
        }
        perf_poll_hit(&poll);
        if (!await_taken(state, &poll) || !put_one(state))
            return false;
    }
    return await_taken(state, &poll);
}

static bool target_rate(perf_series *series, uint64_t count)
{
    put_state *state = series->state;
    const uint64_t end = state->seen + count;
    perf_poll poll = {.session = series->session};
    while (state->seen < end) {
        if (!await_one(state, &poll))
            return false;
        if (state->seen % state->credit_every == 0)
            atomic_store_explicit(state->consumed, state->seen, memory_order_release);
    }
    perf_session_set_done(series->session);
    return true;
}

static void release_put(perf_series *series)
{
    put_state *state = series->state;
    baseline_memory_free(&state->theirs, &state->link);
    baseline_memory_free(&state->mine, &state->link);
    baseline_link_free(&state->link);
    free(state->payload);
}

const perf_mode perf_mode_put = {
    .name = "put",
    .state_bytes = sizeof(put_state),
    .open = open_put,
    .source_latency = source_latency,
    .target_latency = target_latency,
    .source_rate = source_rate,
    .target_rate = target_rate,
    .close = baseline_link_close,
    .release = release_put,
};
