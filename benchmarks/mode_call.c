/* Calls of the library: a function that adds one to a counter, with a caller that waits for its
 * empty answer. Blocking, one after the other (tc_call), or several at once, each with a
 * completion (tc_call_start). And the same addition by an operation on a window, whose answer
 * has the value before (tc_window_fetch_add, tc_window_fetch_add_start), and a get of the word,
 * which adds nothing (tc_window_get_start). And the same function as one that may wait, and one
 * that does. */
#include "ifunc_link.h"
#include "perf_clock.h"
#include "perf_context.h"
#include "perf_mode.h"
#include "perf_session.h"

#include <stdlib.h>

#include <tc/call.h>
#include <tc/window.h>

typedef struct call_state call_state;

/* One of those that may be under way at once. */
typedef struct flight {
    call_state *owner;
    uint64_t started;
    uint64_t value; /* of a window's word */
} flight;

/* The first window of a context. */
static const tc_gptr counter_at = {.generation = 1, .rank = TC_RANK_NONE};

struct call_state {
    ifunc_link link;
    const char *function; /* NULL: the experiment's */
    uint64_t *counter;    /* of the function, here */
    uint64_t awaited;     /* its final value at the target when all calls have run */
    bool is_reading;      /* nothing counts: the target knows of no end */
    unsigned char *payload;
    size_t payload_bytes;
    uint64_t *ticks; /* where to write how long each took; NULL: not recorded */
    uint64_t finished;
    uint64_t failed;
    tc_status failure; /* of the first that failed */
    /* Does one, or starts it. */
    tc_status (*block)(call_state *state, tc_error *err);
    tc_status (*start)(call_state *state, flight *f);
    unsigned free_count;
    flight **free;
    flight *flights;
};

static bool make_state(perf_series *series)
{
    call_state *state = series->state;
    const size_t flights = (size_t)series->options->calls_at_once;
    state->payload_bytes = series->options->payload_bytes;
    state->payload = malloc(state->payload_bytes);
    state->counter = series->work->create(state->payload_bytes);
    state->flights = calloc(flights, sizeof *state->flights);
    state->free = malloc(flights * sizeof(flight *));
    if (state->payload == NULL || state->counter == NULL || state->flights == NULL ||
        state->free == NULL)
        return perf_session_complain(series->session, "out of memory");
    ifunc_work_fill(state->payload, state->payload_bytes);
    for (size_t i = 0; i < flights; i++) {
        state->flights[i].owner = state;
        state->free[state->free_count++] = &state->flights[i];
    }
    return true;
}

static bool open_link(perf_series *series)
{
    call_state *state = series->state;
    if (!make_state(series))
        return false;
    const ifunc_link_config config = {.delivery = series->delivery_wanted,
                                      .path = series->options->ifunc_path,
                                      .name = state->function != NULL ? state->function
                                                                      : series->work->name,
                                      .target_args = state->counter};
    if (!ifunc_link_open(&state->link, series->session, &config))
        return false;
    series->payload_bytes = state->payload_bytes;
    perf_context_delivery(state->link.peer, series->delivery, NULL);
    return true;
}

/* --- calls, and operations on a window ---------------------------------------------------- */

static void ended(flight *f, tc_status status)
{
    call_state *state = f->owner;
    if (status != TC_OK && state->failed++ == 0)
        state->failure = status;
    if (state->ticks != NULL)
        state->ticks[state->finished] = perf_ticks() - f->started;
    state->finished++;
    state->free[state->free_count++] = f;
}

static void call_ended(void *user, const tc_call_outcome *outcome)
{
    ended(user, outcome->status);
}

static tc_status start_call(call_state *state, flight *f)
{
    const tc_call_params params = {.done = call_ended, .user = f};
    return tc_call_start(state->link.peer, state->link.function, state->payload,
                         state->payload_bytes, &params, NULL, NULL);
}

static tc_status block_call(call_state *state, tc_error *err)
{
    return tc_call(state->link.peer, state->link.function, state->payload, state->payload_bytes,
                   NULL, NULL, PERF_SILENCE_NS, err);
}

static void chain_ended(void *user, tc_status status, uint32_t succeeded, const char *text)
{
    (void)succeeded, (void)text;
    ended(user, status);
}

static tc_status start_window(call_state *state, flight *f)
{
    const tc_window_start_params params = {.done = chain_ended, .user = f};
    return tc_window_fetch_add_start(state->link.peer, counter_at, 1, &f->value, &params, NULL);
}

static tc_status start_get(call_state *state, flight *f)
{
    const tc_window_start_params params = {.done = chain_ended, .user = f};
    return tc_window_get_start(state->link.peer, counter_at, &f->value, sizeof f->value,
                               &params, NULL);
}

static tc_status block_window(call_state *state, tc_error *err)
{
    uint64_t before;
    return tc_window_fetch_add(state->link.peer, counter_at, 1, &before, PERF_SILENCE_NS, err);
}

static bool open_call(perf_series *series)
{
    call_state *state = series->state;
    state->block = block_call;
    state->start = start_call;
    return open_link(series);
}

/* A function that may wait, and does not. */
static bool open_threaded(perf_series *series)
{
    call_state *state = series->state;
    state->function = "tsi_threaded";
    return open_call(series);
}

/* A function that waits for one turn. */
static bool open_task(perf_series *series)
{
    call_state *state = series->state;
    state->function = "tsi_task";
    return open_call(series);
}

static bool open_window(perf_series *series)
{
    call_state *state = series->state;
    tc_gptr at;
    tc_error err;
    state->block = block_window;
    state->start = start_window;
    if (!open_link(series))
        return false;
    const tc_window_params params = {.memory = state->counter,
                                     .bytes = sizeof *state->counter,
                                     .rights = TC_WINDOW_READ | TC_WINDOW_ATOMIC,
                                     .peer = state->link.peer};
    return series->session->role != PERF_TARGET ||
           tc_window_open(state->link.context, &params, &at, &err) == TC_OK ||
           perf_context_complain(series->session, "tc_window_open", &err);
}

static bool open_window_get(perf_series *series)
{
    call_state *state = series->state;
    if (!open_window(series))
        return false;
    state->start = start_get;
    state->is_reading = true;
    return true;
}

/* One at a time, and no more. */
static bool open_blocking_call(perf_series *series)
{
    series->is_left_out = series->options->calls_at_once > 1;
    return open_call(series);
}

static bool open_blocking_window(perf_series *series)
{
    series->is_left_out = series->options->calls_at_once > 1;
    return open_window(series);
}

/* --- runs --------------------------------------------------------------------------------- */

/* False: there is no space for it now, or state->failed counts it. */
static inline bool start_one(call_state *state)
{
    flight *f = state->free[state->free_count - 1];
    tc_status status = TC_E_CLOSED;
    state->free_count--;
    f->started = state->ticks != NULL ? perf_ticks() : 0;
    if (state->link.peer != NULL)
        status = state->start(state, f);
    if (status == TC_OK)
        return true;
    state->free[state->free_count++] = f;
    if (status != TC_E_AGAIN && state->failed++ == 0)
        state->failure = status;
    return false;
}

static bool run_started(perf_series *series, uint64_t count, uint64_t *ticks)
{
    call_state *state = series->state;
    perf_poll poll = {.session = series->session};
    uint64_t started = 0;
    state->ticks = ticks;
    state->finished = 0;
    while (state->finished < count && state->failed == 0) {
        while (started < count && state->free_count > 0 && start_one(state))
            started++;
        if (tc_progress(state->link.context) != 0)
            perf_poll_hit(&poll);
        else if (!perf_poll_missed(&poll))
            return ifunc_link_lost(&state->link);
    }
    return state->failed == 0 || ifunc_link_send_failed(&state->link, state->failure);
}

static bool run_blocking(perf_series *series, uint64_t count, uint64_t *ticks)
{
    call_state *state = series->state;
    tc_error err = {0};
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t start = perf_ticks();
        if (state->block(state, &err) != TC_OK)
            return perf_context_complain(series->session, series->mode->name, &err);
        if (ticks != NULL)
            ticks[i] = perf_ticks() - start;
    }
    return true;
}

/* The bytes sent are taken from a rate run, where the library counts them. */
static bool count_bytes(perf_series *series, uint64_t count,
                        bool (*run)(perf_series *series, uint64_t count, uint64_t *ticks))
{
    call_state *state = series->state;
    tc_ep_info before, after;
    tc_ep_query(state->link.peer, &before);
    if (!run(series, count, NULL))
        return false;
    tc_ep_query(state->link.peer, &after);
    if (after.sent_messages > before.sent_messages)
        series->frame_bytes = (double)(after.sent_bytes - before.sent_bytes) /
                              (double)(after.sent_messages - before.sent_messages);
    return true;
}

static bool rate_started(perf_series *series, uint64_t count)
{
    return count_bytes(series, count, run_started);
}

static bool rate_blocking(perf_series *series, uint64_t count)
{
    return count_bytes(series, count, run_blocking);
}

/* Answers leave as tc_progress goes on. */
static bool serve_calls(perf_series *series, uint64_t count)
{
    call_state *state = series->state;
    perf_poll poll = {.session = series->session};
    bool done = false;
    state->awaited += state->is_reading ? 0 : count;
    while (!perf_session_has_ended(series->session)) {
        if (tc_progress(state->link.context) != 0)
            perf_poll_hit(&poll);
        else if (!perf_poll_missed(&poll))
            return ifunc_link_lost(&state->link);
        if (!done && *state->counter >= state->awaited) {
            perf_session_set_done(series->session);
            done = true;
        }
    }
    return *state->counter == state->awaited ||
           perf_session_complain(series->session, "%llu calls ran, expected %llu",
                                 (unsigned long long)*state->counter,
                                 (unsigned long long)state->awaited);
}

static void release_call(perf_series *series)
{
    call_state *state = series->state;
    free(state->counter);
    free(state->payload);
    free(state->flights);
    free(state->free);
}

#define CALL_MODE(text, opens, latency, rate)                                                  \
    {                                                                                          \
        .name = text, .has_deliveries = true, .state_bytes = sizeof(call_state),               \
        .open = opens, .source_latency = latency, .target_latency = serve_calls,               \
        .source_rate = rate, .target_rate = serve_calls, .close = ifunc_link_close_mode,       \
        .release = release_call                                                                \
    }

const perf_mode perf_mode_call =
    CALL_MODE("call", open_blocking_call, run_blocking, rate_blocking);
const perf_mode perf_mode_start = CALL_MODE("start", open_call, run_started, rate_started);
const perf_mode perf_mode_threaded =
    CALL_MODE("threaded", open_threaded, run_started, rate_started);
const perf_mode perf_mode_task = CALL_MODE("task", open_task, run_started, rate_started);
const perf_mode perf_mode_window =
    CALL_MODE("window", open_blocking_window, run_blocking, rate_blocking);
const perf_mode perf_mode_window_start =
    CALL_MODE("window-start", open_window, run_started, rate_started);
const perf_mode perf_mode_window_get =
    CALL_MODE("window-get", open_window_get, run_started, rate_started);
