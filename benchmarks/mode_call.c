/* Calls of the library: a function that adds one to a counter, with a caller that waits for its
 * empty answer. Blocking, one after the other (tc_call), or several at once, each with a
 * completion (tc_call_start). And the same addition by an operation on a window, which answers
 * the value before (tc_window_fetch_add, tc_window_fetch_add_start); a get of the word,
 * which adds nothing (tc_window_get_start); and a put of the next number (tc_window_put_start).
 * And the same function as one that may wait, one that does, and one that runs alone for its
 * counter. */
#include "mode_call.h"

#include "perf_clock.h"
#include "perf_context.h"
#include "perf_session.h"

#include <stdlib.h>

#include <tc/call.h>
#include <tc/window.h>

/* The first window of a context. */
static const tc_gptr counter_at = {.generation = 1, .rank = TC_RANK_NONE};

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

bool mode_call_open(perf_series *series)
{
    call_state *state = series->state;
    if (!make_state(series))
        return false;
    const ifunc_link_config config = {
        .delivery = series->delivery_wanted,
        .path = series->options->ifunc_path,
        .name = series->mode->function != NULL ? series->mode->function : series->work->name,
        .target_args = state->counter};
    if (!ifunc_link_open(&state->link, series->session, &config))
        return false;
    series->payload_bytes = state->payload_bytes;
    perf_context_delivery(state->link.peer, series->delivery, NULL);
    return true;
}

/* --- calls, and operations on a window ---------------------------------------------------- */

void mode_call_ended(flight *f, tc_status status)
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
    mode_call_ended(user, outcome->status);
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
    mode_call_ended(user, status);
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

/* Puts the numbers from 1 on: the word then counts as the function does. */
static tc_status start_put(call_state *state, flight *f)
{
    const tc_window_start_params params = {.done = chain_ended, .user = f};
    f->value = state->put + 1;
    tc_status status = tc_window_put_start(state->link.peer, counter_at, &f->value,
                                           sizeof f->value, &params, NULL);
    state->put += status == TC_OK ? 1 : 0;
    return status;
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
    return mode_call_open(series);
}

static bool open_window(perf_series *series)
{
    call_state *state = series->state;
    tc_gptr at;
    tc_error err;
    state->block = block_window;
    state->start = start_window;
    if (!mode_call_open(series))
        return false;
    const tc_window_params params = {.memory = state->counter,
                                     .bytes = sizeof *state->counter,
                                     .rights =
                                         TC_WINDOW_READ | TC_WINDOW_WRITE | TC_WINDOW_ATOMIC,
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

static bool open_window_put(perf_series *series)
{
    call_state *state = series->state;
    if (!open_window(series))
        return false;
    state->start = start_put;
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

bool mode_call_latency(perf_series *series, uint64_t count, uint64_t *ticks)
{
    return series->options->calls_at_once > 1 ? run_started(series, count, ticks)
                                              : run_blocking(series, count, ticks);
}

bool mode_call_rate(perf_series *series, uint64_t count)
{
    return count_bytes(series, count, mode_call_latency);
}

/* Answers leave as tc_progress goes on. */
bool mode_call_serve(perf_series *series, uint64_t count)
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

void mode_call_release(perf_series *series)
{
    call_state *state = series->state;
    free(state->counter);
    free(state->payload);
    free(state->flights);
    free(state->free);
}

#define STARTED(text, opens, sent) MODE_CALL(text, opens, sent, run_started, rate_started)
#define BLOCKING(text, opens) MODE_CALL(text, opens, NULL, run_blocking, rate_blocking)

const perf_mode perf_mode_call = BLOCKING("call", open_blocking_call);
const perf_mode perf_mode_start = STARTED("start", open_call, NULL);
const perf_mode perf_mode_threaded = STARTED("threaded", open_call, "tsi_threaded");
const perf_mode perf_mode_task = STARTED("task", open_call, "tsi_task");
const perf_mode perf_mode_atomic = STARTED("atomic", open_call, "tsi_atomic");
const perf_mode perf_mode_window = BLOCKING("window", open_blocking_window);
const perf_mode perf_mode_window_start = STARTED("window-start", open_window, NULL);
const perf_mode perf_mode_window_get = STARTED("window-get", open_window_get, NULL);
const perf_mode perf_mode_window_put = STARTED("window-put", open_window_put, NULL);
