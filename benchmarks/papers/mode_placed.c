/* The library's modes of the experiment tail: the same as mode_ifunc.c, by a loop that polls
 * for each frame itself, and moves it where that is requested (frame_place.h). Rates are of
 * bursts, which the target begins to handle when all of one is there: where its frames lie is
 * decided between sending and handling. */
#include "frame_place.h"
#include "ifunc_link.h"
#include "../ifuncs/overhead.h"
#include "perf_clock.h"
#include "perf_context.h"
#include "paper_modes.h"

#include <stdlib.h>
#include <string.h>
#include <tc/advanced.h>

/* The size of a burst, which is at most that of a frame, so that a ring has space for it. */
#define BURST_BYTES (64u << 10)
#define BURST_MAX 256u
/* Polls the position of the next frame, before the library does its other work. */
#define LOOKS 1024u
/* Polls that take as long as one turn of a library's progress, so that all modes give the
 * processor up equally often. */
#define LOOKS_PER_MISS 16u

typedef struct placed_state {
    ifunc_link link;
    tc_status (*send)(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size);
    const ifunc_work *work;
    frame_place *place;
    /* The data of the functions of ssum and iput begin like those of overhead. */
    const overhead_target *target;
    uint64_t awaited;
    uint64_t sent;
    size_t payload_bytes;
    size_t frame_bytes;
    size_t burst_bytes;
    unsigned char *payload;
    frame_watch watch;
} placed_state;

static bool send_one(placed_state *state, perf_poll *poll)
{
    tc_status status = TC_E_CLOSED;
    state->work->stamp(state->payload, state->payload_bytes, state->sent++);
    while (state->link.peer != NULL &&
           (status = state->send(state->link.peer, state->link.function, state->payload,
                                 state->payload_bytes)) == TC_E_AGAIN) {
        if (tc_progress(state->link.context) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(&state->link);
    }
    return status == TC_OK || ifunc_link_send_failed(&state->link, status);
}

static void move_frame(const placed_state *state, const unsigned char *payload)
{
    frame_place_move(state->place->where, payload - FRAME_SIGNAL_BEFORE, state->frame_bytes);
}

/* Until the frame is seen, or there have been looks enough. False: the other side is gone. */
static bool look_for(placed_state *state, perf_poll *poll, const unsigned char *payload,
                     uint64_t *seen_out)
{
    for (unsigned i = 0; i < LOOKS; i++) {
        if (frame_watch_sees(&state->watch, payload)) {
            *seen_out = perf_ticks();
            return true;
        }
        if (i % LOOKS_PER_MISS == 0 && !perf_poll_missed(poll))
            return false;
    }
    return true;
}

/* One message more. For frames at an unforeseen position the library sees the signal first, and
 * nothing is moved. */
static bool await_one(placed_state *state, perf_poll *poll, uint64_t *spent_out)
{
    const unsigned char *next = frame_watch_next(&state->watch, NULL);
    uint64_t seen = 0;
    *spent_out = 0;
    state->awaited++;
    while (state->target->calls < state->awaited) {
        if (next != NULL && seen == 0) {
            if (!look_for(state, poll, next, &seen))
                return ifunc_link_lost(&state->link);
            if (seen != 0) {
                move_frame(state, next);
                *spent_out = perf_ticks() - seen;
            }
        }
        if (tc_progress(state->link.context) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(&state->link);
    }
    frame_watch_note(&state->watch, state->target->payload);
    perf_poll_hit(poll);
    return true;
}

static bool is_right(const placed_state *state)
{
    ifunc_work_text wrong;
    perf_session *session = state->link.session;
    if (state->target->calls != state->awaited)
        return perf_session_complain(
            session, "%s: %llu calls for %llu messages", state->work->name,
            (unsigned long long)state->target->calls, (unsigned long long)state->awaited);
    return state->work->check(state->target, state->payload, state->payload_bytes, &wrong) ||
           perf_session_complain(session, "%s: %s", state->work->name, wrong.text);
}

/* --- opening and closing ------------------------------------------------------------------ */

static bool make_state(perf_series *series)
{
    placed_state *state = series->state;
    state->work = series->work;
    state->place = series->place;
    state->send = series->mode->send;
    state->payload_bytes = series->options->payload_bytes;
    state->payload = malloc(state->payload_bytes);
    state->target = series->work->create(state->payload_bytes);
    if (state->payload == NULL || state->target == NULL)
        return perf_session_complain(series->session, "out of memory");
    ifunc_work_fill(state->payload, state->payload_bytes);
    return true;
}

/* The code goes with the first message; every later one takes as much of the ring as the third,
 * whole lines of it. */
static bool find_frame_bytes(placed_state *state)
{
    perf_poll poll = {.session = state->link.session};
    const bool begins = state->link.session->role == PERF_SOURCE;
    tc_ep_info before, after;
    uint64_t spent;
    for (int i = 0; i < 3; i++) {
        if (!begins && !await_one(state, &poll, &spent))
            return false;
        tc_ep_query(state->link.peer, &before);
        if (!send_one(state, &poll))
            return false;
        tc_ep_query(state->link.peer, &after);
        if (begins && !await_one(state, &poll, &spent))
            return false;
    }
    state->frame_bytes = (size_t)(after.sent_bytes - before.sent_bytes);
    return true;
}

/* Payloads stay in their frames, and code with them. */
static size_t payload_max(const placed_state *state, const tc_ep_info *info)
{
    const size_t code =
        state->send == tc_send_injected ? tc_ifunc_code_size(state->link.function) : 0;
    return code < info->frame_payload_max ? info->frame_payload_max - code : 1;
}

static bool open_placed(perf_series *series)
{
    tc_ep_info info;
    placed_state *state = series->state;
    if (!make_state(series))
        return false;
    const ifunc_link_config config = {.delivery = series->delivery_wanted,
                                      .path = series->options->ifunc_path,
                                      .name = series->work->name,
                                      .target_args = (void *)(uintptr_t)state->target};
    if (!ifunc_link_open(&state->link, series->session, &config))
        return false;
    series->payload_bytes = state->payload_bytes;
    perf_context_delivery(state->link.peer, series->delivery, &info);
    state->burst_bytes =
        info.frame_payload_max < BURST_BYTES ? info.frame_payload_max : BURST_BYTES;
    /* Both processes cannot determine the positions of other deliveries' frames. */
    series->is_left_out =
        state->place->where != FRAME_IN_CACHE && strcmp(series->delivery, "direct") != 0;
    if (state->payload_bytes > payload_max(state, &info))
        series->payload_max = payload_max(state, &info);
    if (series->payload_max != 0 || series->is_left_out)
        return true;
    if (!find_frame_bytes(state))
        return false;
    series->frame_bytes = (double)state->frame_bytes;
    return true;
}

static void release_placed(perf_series *series)
{
    placed_state *state = series->state;
    free((void *)(uintptr_t)state->target);
    free(state->payload);
}

/* --- round trips -------------------------------------------------------------------------- */

static bool source_latency(perf_series *series, uint64_t count, uint64_t *stamps)
{
    placed_state *state = series->state;
    perf_poll poll = {.session = series->session};
    uint64_t *spent = state->place->log->spent[PERF_SOURCE];
    stamps[0] = perf_ticks();
    for (uint64_t i = 1; i <= count; i++) {
        if (!send_one(state, &poll) || !await_one(state, &poll, &spent[i - 1]))
            return false;
        stamps[i] = perf_ticks();
    }
    return is_right(state);
}

static bool target_latency(perf_series *series, uint64_t count)
{
    placed_state *state = series->state;
    perf_poll poll = {.session = series->session};
    uint64_t *spent = state->place->log->spent[PERF_TARGET];
    for (uint64_t i = 0; i < count; i++) {
        if (!await_one(state, &poll, &spent[i]) || !send_one(state, &poll))
            return false;
    }
    return ifunc_link_serve(&state->link) && is_right(state);
}

/* --- bursts ------------------------------------------------------------------------------- */

static uint64_t burst_of(const placed_state *state)
{
    const uint64_t fit = state->burst_bytes / (state->frame_bytes + 1);
    return fit < 1 ? 1 : fit > BURST_MAX ? BURST_MAX : fit;
}

static bool source_rate(perf_series *series, uint64_t count)
{
    placed_state *state = series->state;
    frame_log *log = state->place->log;
    perf_poll poll = {.session = series->session};
    uint64_t bursts = atomic_load(&log->handled);
    for (uint64_t left = count; left > 0;) {
        const uint64_t size = left < burst_of(state) ? left : burst_of(state);
        for (uint64_t i = 0; i < size; i++) {
            if (!send_one(state, &poll))
                return false;
        }
        left -= size;
        atomic_store_explicit(&log->sent, ++bursts, memory_order_release);
        while (atomic_load_explicit(&log->handled, memory_order_acquire) != bursts) {
            if (tc_progress(state->link.context) == 0 && !perf_poll_missed(&poll))
                return ifunc_link_lost(&state->link);
        }
        perf_poll_hit(&poll);
    }
    return ifunc_link_flush(&state->link);
}

/* The target does not let its library look before the whole burst is there. */
static bool await_burst(placed_state *state, perf_poll *poll, uint64_t burst)
{
    while (atomic_load_explicit(&state->place->log->sent, memory_order_acquire) != burst) {
        if (!perf_poll_missed(poll))
            return false;
    }
    perf_poll_hit(poll);
    return true;
}

static void move_burst(const placed_state *state, uint64_t size)
{
    const unsigned char *payload = NULL;
    for (uint64_t i = 0; state->place->where != FRAME_IN_CACHE && i < size; i++) {
        payload = frame_watch_next(&state->watch, payload);
        if (payload == NULL)
            return;
        move_frame(state, payload);
    }
}

static bool handle_burst(placed_state *state, perf_poll *poll, uint64_t size,
                         uint64_t *ticks_out)
{
    const uint64_t start = perf_ticks();
    while (state->target->calls < state->awaited + size) {
        if (tc_progress(state->link.context) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(&state->link);
    }
    *ticks_out = perf_ticks() - start;
    state->awaited += size;
    frame_watch_skip(&state->watch, state->target->payload);
    perf_poll_hit(poll);
    return true;
}

static bool target_rate(perf_series *series, uint64_t count)
{
    placed_state *state = series->state;
    frame_log *log = state->place->log;
    perf_poll poll = {.session = series->session};
    uint64_t bursts = atomic_load(&log->handled), ticks = 0, sum = 0;
    for (uint64_t left = count; left > 0;) {
        const uint64_t size = left < burst_of(state) ? left : burst_of(state);
        if (!await_burst(state, &poll, ++bursts))
            return false;
        move_burst(state, size);
        if (!handle_burst(state, &poll, size, &ticks))
            return false;
        sum += ticks;
        left -= size;
        atomic_store_explicit(&log->handled, bursts, memory_order_release);
    }
    log->handle_ticks = sum;
    perf_session_set_done(series->session);
    return ifunc_link_serve(&state->link) && is_right(state);
}

#define PLACED_MODE(mode, ...)                                                                 \
    const perf_mode perf_mode_placed_##mode = {                                                \
        .name = #mode,                                                                         \
        .has_deliveries = true,                                                                \
        .state_bytes = sizeof(placed_state),                                                   \
        .open = open_placed,                                                                   \
        .source_latency = source_latency,                                                      \
        .target_latency = target_latency,                                                      \
        .source_rate = source_rate,                                                            \
        .target_rate = target_rate,                                                            \
        .close = ifunc_link_close_mode,                                                        \
        .release = release_placed,                                                             \
        __VA_ARGS__,                                                                           \
    }

PLACED_MODE(cached, .send = tc_send);
PLACED_MODE(inject, .send = tc_send_injected);
