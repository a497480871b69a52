/* The library itself: a function that both processes know by its archive alone, sent over an
 * endpoint. Cached, a message is its payload; uncached, each message carries the code too. */
#include "ifunc_link.h"
#include "language.h"
#include "perf_context.h"
#include "perf_clock.h"
#include "perf_mode.h"
#include "perf_session.h"
#include "target_log.h"
#include "ifuncs/overhead.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/advanced.h>

typedef struct ifunc_state {
    ifunc_link link;
    tc_status (*send)(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size);
    const ifunc_work *work;
    void *target;          /* the ifunc's data here */
    const uint64_t *calls; /* of it, where it counts them; else `arrived` */
    uint64_t arrived;      /* messages, as the library counts them */
    uint64_t awaited;      /* its value when all messages under way have run */
    uint64_t sent;
    size_t payload_bytes;
    unsigned char *payload;
} ifunc_state;

static inline unsigned progress(ifunc_state *state)
{
    unsigned run = tc_progress(state->link.context);
    state->arrived += run;
    return run;
}

/* There is no peer any more when the other process has gone. */
static inline bool send_one(ifunc_state *state, perf_poll *poll)
{
    tc_status status = TC_E_CLOSED;
    if (state->work->stamp != NULL)
        state->work->stamp(state->payload, state->payload_bytes, state->sent);
    state->sent++;
    while (state->link.peer != NULL &&
           (status = state->send(state->link.peer, state->link.function, state->payload,
                                 state->payload_bytes)) == TC_E_AGAIN) {
        if (progress(state) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(&state->link);
    }
    return status == TC_OK || ifunc_link_send_failed(&state->link, status);
}

static inline bool await_count(ifunc_state *state, perf_poll *poll)
{
    while (*state->calls < state->awaited) {
        if (progress(state) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(&state->link);
    }
    perf_poll_hit(poll);
    return true;
}

/* Every call has left its results at this process. */
static bool is_right(const ifunc_state *state)
{
    ifunc_work_text wrong;
    perf_session *session = state->link.session;
    if (*state->calls != state->awaited)
        return perf_session_complain(session, "%s: %llu calls for %llu messages",
                                     state->work->name, (unsigned long long)*state->calls,
                                     (unsigned long long)state->awaited);
    return state->work->check == NULL || state->calls == &state->arrived ||
           state->work->check(state->target, state->payload, state->payload_bytes, &wrong) ||
           perf_session_complain(session, "%s: %s", state->work->name, wrong.text);
}

static void do_nothing(void *payload, size_t payload_size, void *target_args)
{
    (void)payload, (void)payload_size, (void)target_args;
}

static ifunc_link_local local_of(const perf_series *series)
{
    if (series->mode->is_unrun)
        return do_nothing;
    return series->mode->is_local ? series->work->local : NULL;
}

static bool make_state(perf_series *series)
{
    ifunc_state *state = series->state;
    state->work = series->work;
    state->payload_bytes = series->options->payload_bytes;
    state->payload = malloc(state->payload_bytes);
    state->calls = state->target = series->work->create(state->payload_bytes);
    if (series->mode->is_unrun)
        state->calls = &state->arrived;
    if (state->payload == NULL || state->target == NULL)
        return perf_session_complain(series->session, "out of memory");
    ifunc_work_fill(state->payload, state->payload_bytes);
    return true;
}

/* One message to each side, by whatever way the mode has. */
static bool exchange(ifunc_state *state, bool begins)
{
    perf_poll poll = {.session = state->link.session};
    state->awaited++;
    return begins ? send_one(state, &poll) && await_count(state, &poll)
                  : await_count(state, &poll) && send_one(state, &poll);
}

/* Injected code shares the frame with its payload, and is never longer than the archive that it
 * is in; beyond that a payload lies in memory that both have attached, where there is such: a
 * first large message of each side offers it. Over the other deliveries there is no ring to
 * fill. */
static bool find_payload_max(ifunc_state *state, const tc_ep_info *info, size_t *max_out)
{
    size_t code = tc_ifunc_code_size(state->link.function);
    size_t in_frame = code < info->frame_payload_max ? info->frame_payload_max - code : 1;
    size_t staged = strcmp(info->delivery, "direct") == 0 ? perf_context_staged_max() : 0;
    *max_out = info->payload_max;
    if (state->send != tc_send_injected || state->payload_bytes <= in_frame)
        return true;
    *max_out = staged > in_frame ? staged : in_frame;
    if (state->payload_bytes > staged)
        return true;
    state->send = tc_send;
    bool begins = state->link.session->role == PERF_SOURCE;
    bool ok = exchange(state, begins) && exchange(state, begins) && exchange(state, begins);
    state->send = tc_send_injected;
    return ok;
}

/* A target owes its source some progress after the last message: to report that it was run, and
 * to push out its own messages. */
static bool linger(ifunc_state *state, perf_poll *poll)
{
    while (!perf_session_has_ended(state->link.session)) {
        if (progress(state) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(&state->link);
    }
    return true;
}

/* In the session's arena: messages of both sides while a ring is filled. */
typedef struct ring_fill {
    _Atomic uint64_t known;    /* the step in which the target has the code */
    _Atomic uint64_t full;     /* the step in which the ring is full */
    _Atomic uint64_t messages; /* in it */
} ring_fill;

static bool fill_ring(ifunc_state *state, ring_fill *fill, perf_poll *poll)
{
    const uint64_t first = state->sent;
    tc_status status = TC_OK;
    if (!send_one(state, poll))
        return false;
    while (fill->known != state->link.session->step) {
        if (progress(state) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(&state->link);
    }
    while (status == TC_OK) {
        if (state->work->stamp != NULL)
            state->work->stamp(state->payload, state->payload_bytes, state->sent);
        status = state->send(state->link.peer, state->link.function, state->payload,
                             state->payload_bytes);
        state->sent += status == TC_OK;
    }
    fill->messages = state->sent - first - 1;
    fill->full = state->link.session->step;
    return status == TC_E_AGAIN ? ifunc_link_flush(&state->link)
                                : ifunc_link_send_failed(&state->link, status);
}

static bool empty_ring(ifunc_state *state, ring_fill *fill, perf_poll *poll)
{
    state->awaited++;
    if (!await_count(state, poll))
        return false;
    fill->known = state->link.session->step;
    while (fill->full != state->link.session->step) {
        if (!perf_poll_missed(poll))
            return false;
    }
    state->awaited += fill->messages;
    return await_count(state, poll) && linger(state, poll);
}

/* The number of messages that can wait for the target: as many as are sent until there is no
 * more space. */
static bool count_outstanding(perf_series *series)
{
    ifunc_state *state = series->state;
    ring_fill *fill = (ring_fill *)(void *)series->session->control->arena;
    perf_poll poll = {.session = series->session};
    if (series->session->role == PERF_TARGET)
        return empty_ring(state, fill, &poll);
    bool ok = fill_ring(state, fill, &poll);
    series->outstanding = fill->messages;
    perf_session_set_ended(series->session);
    return ok;
}

static bool open_ifunc(perf_series *series)
{
    const perf_mode *mode = series->mode;
    tc_ep_info info;
    char name[64];
    ifunc_state *state = series->state;
    if (!make_state(series))
        return false;
    language_function(series->language,
                      mode->function != NULL ? mode->function : series->work->name, name,
                      sizeof name);
    const ifunc_link_config config = {.delivery = series->delivery_wanted,
                                      .form = mode->form,
                                      .path = series->options->ifunc_path,
                                      .name = name,
                                      .ring_bytes = series->ring_bytes,
                                      .target_args = state->target,
                                      .local = local_of(series)};
    if (!ifunc_link_open(&state->link, series->session, &config))
        return false;
    state->send = mode->send;
    series->payload_bytes = state->payload_bytes;
    perf_context_delivery(state->link.peer, series->delivery, &info);
    size_t max;
    if (!find_payload_max(state, &info, &max))
        return false;
    if (series->payload_bytes > max)
        series->payload_max = max;
    return series->ring_bytes == 0 || series->payload_max != 0 || count_outstanding(series);
}

static bool source_latency(perf_series *series, uint64_t count, uint64_t *stamps)
{
    ifunc_state *state = series->state;
    perf_poll poll = {.session = series->session};
    stamps[0] = perf_ticks();
    for (uint64_t i = 1; i <= count; i++) {
        state->awaited++;
        if (!send_one(state, &poll) || !await_count(state, &poll))
            return false;
        stamps[i] = perf_ticks();
    }
    return is_right(state);
}

/* docs/wire-format.md: a frame's payload is 16 bytes behind its signal, and the signal grows by
 * the same from frame to frame. */
#define SIGNAL_BEFORE 16u
#define SIGNAL_STEP 0x9e3779b97f4a7c15ull

static bool target_logged(perf_series *series, uint64_t count)
{
    ifunc_state *state = series->state;
    const overhead_target *target = state->target;
    target_watch watch = {0};
    uint64_t signal = 0;
    perf_poll poll = {.session = series->session};
    for (uint64_t i = 0; i < count; i++) {
        uint64_t seen = 0;
        state->awaited++;
        while (*state->calls < state->awaited) {
            if (seen == 0)
                seen = target_watch_look(&watch, SIGNAL_BEFORE, signal + SIGNAL_STEP);
            if (progress(state) == 0 && !perf_poll_missed(&poll))
                return ifunc_link_lost(&state->link);
        }
        series->log->done[i] = perf_ticks();
        series->log->seen[i] = seen;
        target_watch_note(&watch, target->payload);
        memcpy(&signal, (const unsigned char *)target->payload - SIGNAL_BEFORE, sizeof signal);
        perf_poll_hit(&poll);
        if (!send_one(state, &poll))
            return false;
    }
    return linger(state, &poll) && is_right(state);
}

static bool target_latency(perf_series *series, uint64_t count)
{
    ifunc_state *state = series->state;
    perf_poll poll = {.session = series->session};
    if (series->log != NULL)
        return target_logged(series, count);
    for (uint64_t i = 0; i < count; i++) {
        state->awaited++;
        if (!await_count(state, &poll) || !send_one(state, &poll))
            return false;
    }
    return linger(state, &poll) && is_right(state);
}

/* The mean over a whole run, so that frames that only fill the ring's end are counted too. */
static void note_frame_bytes(perf_series *series, const tc_ep_info *before)
{
    ifunc_state *state = series->state;
    tc_ep_info after;
    tc_ep_query(state->link.peer, &after);
    if (after.sent_messages > before->sent_messages)
        series->frame_bytes = (double)(after.sent_bytes - before->sent_bytes) /
                              (double)(after.sent_messages - before->sent_messages);
}

static bool source_rate(perf_series *series, uint64_t count)
{
    ifunc_state *state = series->state;
    tc_ep_info before;
    perf_poll poll = {.session = series->session};
    tc_ep_query(state->link.peer, &before);
    for (uint64_t i = 0; i < count; i++) {
        if (!send_one(state, &poll))
            return false;
        perf_poll_hit(&poll);
    }
    if (!ifunc_link_flush(&state->link))
        return false;
    note_frame_bytes(series, &before);
    return true;
}

static bool target_rate(perf_series *series, uint64_t count)
{
    ifunc_state *state = series->state;
    perf_poll poll = {.session = series->session};
    state->awaited += count;
    while (*state->calls < state->awaited) {
        if (progress(state) != 0)
            perf_poll_hit(&poll);
        else if (!perf_poll_missed(&poll))
            return ifunc_link_lost(&state->link);
    }
    perf_session_set_done(series->session);
    return linger(state, &poll) && is_right(state);
}

static void release_ifunc(perf_series *series)
{
    ifunc_state *state = series->state;
    free(state->target);
    free(state->payload);
}

/* They differ in how they send, and in the code that runs. */
#define IFUNC_MODE(mode, ...)                                                                  \
    const perf_mode perf_mode_##mode = {                                                       \
        .name = #mode,                                                                         \
        .has_deliveries = true,                                                                \
        .state_bytes = sizeof(ifunc_state),                                                    \
        .open = open_ifunc,                                                                    \
        .source_latency = source_latency,                                                      \
        .target_latency = target_latency,                                                      \
        .source_rate = source_rate,                                                            \
        .target_rate = target_rate,                                                            \
        .close = ifunc_link_close_mode,                                                        \
        .release = release_ifunc,                                                              \
        __VA_ARGS__,                                                                           \
    }

IFUNC_MODE(cached, .send = tc_send);
IFUNC_MODE(uncached, .send = tc_send_uncached);
IFUNC_MODE(image, .send = tc_send, .form = "image");
IFUNC_MODE(bitcode, .send = tc_send, .form = "bitcode");
IFUNC_MODE(inject, .send = tc_send_injected);
IFUNC_MODE(local, .send = tc_send, .is_local = true);
IFUNC_MODE(noexec, .send = tc_send, .is_unrun = true);
IFUNC_MODE(aligned, .send = tc_send, .function = "tsi_aligned");
IFUNC_MODE(readonly, .send = tc_send, .function = "tsi_readonly");
