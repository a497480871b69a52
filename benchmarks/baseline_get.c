/* Gets by plain UCX, of eight bytes of the target's memory. Over transports without remote
 * memory access UCX does them by messages, which the target's progress answers. */
#include "baseline_link.h"
#include "perf_clock.h"
#include "perf_mode.h"
#include "perf_session.h"

#include <stdio.h>
#include <stdlib.h>

#define GET_BYTES sizeof(uint64_t)

typedef struct get_state get_state;

/* A get that may be under way; it is the request's user data. */
typedef struct get_flight {
    get_state *owner;
    uint64_t value;
    uint64_t started;
} get_flight;

struct get_state {
    baseline_link link;
    baseline_memory mine, theirs;
    get_flight *flights;
    get_flight **free;
    uint64_t free_count;
    uint64_t *ticks; /* as in mode_call.c */
    uint64_t finished;
    ucs_status_t failure;
};

static bool make_state(perf_series *series)
{
    get_state *state = series->state;
    const uint64_t flights = series->options->calls_at_once;
    state->flights = calloc(flights, sizeof *state->flights);
    state->free = calloc(flights, sizeof(get_flight *));
    if (state->flights == NULL || state->free == NULL)
        return perf_session_complain(series->session, "out of memory");
    for (uint64_t i = 0; i < flights; i++) {
        state->flights[i].owner = state;
        state->free[state->free_count++] = &state->flights[i];
    }
    return true;
}

/* Both offer first; a socket holds that much. */
static bool open_get(perf_series *series)
{
    get_state *state = series->state;
    const bool ok = make_state(series) &&
                    baseline_link_start(&state->link, series->session, UCP_FEATURE_RMA) &&
                    baseline_link_connect(&state->link, UCP_ERR_HANDLING_MODE_NONE) &&
                    baseline_memory_offer(&state->mine, &state->link, GET_BYTES) &&
                    baseline_memory_take(&state->theirs, &state->link);
    series->payload_bytes = GET_BYTES;
    series->frame_bytes = (double)GET_BYTES;
    (void)snprintf(series->delivery, sizeof series->delivery, "get");
    return ok;
}

static void take_value(get_flight *f)
{
    get_state *state = f->owner;
    if (state->ticks != NULL)
        state->ticks[state->finished] = perf_ticks() - f->started;
    state->finished++;
    state->free[state->free_count++] = f;
}

static void get_ended(void *request, ucs_status_t status, void *user)
{
    get_flight *f = user;
    if (status != UCS_OK)
        f->owner->failure = status;
    take_value(f);
    ucp_request_free(request);
}

static bool start_one(get_state *state)
{
    get_flight *f = state->free[--state->free_count];
    const ucp_request_param_t params = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb.send = get_ended,
        .user_data = f,
    };
    f->started = state->ticks != NULL ? perf_ticks() : 0;
    void *request = ucp_get_nbx(state->link.peer, &f->value, GET_BYTES, state->theirs.remote,
                                state->theirs.rkey, &params);
    if (UCS_PTR_IS_ERR(request))
        return baseline_link_complain(&state->link, "ucp_get_nbx", UCS_PTR_STATUS(request));
    if (request == NULL)
        take_value(f);
    return true;
}

static bool run_gets(perf_series *series, uint64_t count, uint64_t *ticks)
{
    get_state *state = series->state;
    perf_poll poll = {.session = series->session};
    uint64_t started = 0;
    state->ticks = ticks;
    state->finished = 0;
    while (state->finished < count && state->failure == UCS_OK) {
        while (started < count && state->free_count > 0) {
            if (!start_one(state))
                return false;
            started++;
        }
        if (state->finished == started || ucp_worker_progress(state->link.worker) != 0)
            perf_poll_hit(&poll);
        else if (!perf_poll_missed(&poll))
            return false;
    }
    return state->failure == UCS_OK ||
           baseline_link_complain(&state->link, "ucp_get_nbx", state->failure);
}

static bool rate_gets(perf_series *series, uint64_t count)
{
    return run_gets(series, count, NULL);
}

/* The source counts: no get is seen here. */
static bool serve_gets(perf_series *series, uint64_t count)
{
    get_state *state = series->state;
    perf_poll poll = {.session = series->session};
    (void)count;
    perf_session_set_done(series->session);
    while (!perf_session_has_ended(series->session)) {
        if (ucp_worker_progress(state->link.worker) != 0)
            perf_poll_hit(&poll);
        else if (!perf_poll_missed(&poll))
            return false;
    }
    return true;
}

static void release_gets(perf_series *series)
{
    get_state *state = series->state;
    baseline_memory_free(&state->theirs, &state->link);
    baseline_memory_free(&state->mine, &state->link);
    baseline_link_free(&state->link);
    free(state->flights);
    free(state->free);
}

const perf_mode perf_mode_get = {
    .name = "get",
    .state_bytes = sizeof(get_state),
    .open = open_get,
    .source_latency = run_gets,
    .target_latency = serve_gets,
    .source_rate = rate_gets,
    .target_rate = serve_gets,
    .close = baseline_link_close,
    .release = release_gets,
};
