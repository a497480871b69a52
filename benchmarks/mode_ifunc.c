/* The library itself: a function that both processes know by its archive alone, sent over an
 * endpoint. Cached, a message is its payload; uncached, each message carries the code too. */
#include "ifunc_link.h"
#include "perf_clock.h"
#include "perf_mode.h"

#include <stdio.h>
#include <stdlib.h>

typedef tc_status (*send_function)(tc_ep *ep, tc_ifunc *fn, const void *source_args,
                                   size_t size);

typedef struct ifunc_state {
    ifunc_link link;
    send_function send;
    uint64_t counter; /* what the ifunc counts here */
    uint64_t awaited; /* what it will be when all that is under way has run */
    size_t payload_bytes;
    unsigned char payload[];
} ifunc_state;

/* There is no peer any more when the other process has gone. */
static inline bool send_one(ifunc_state *state, perf_poll *poll)
{
    tc_status status = TC_E_CLOSED;
    while (state->link.peer != NULL &&
           (status = state->send(state->link.peer, state->link.function, state->payload,
                                 state->payload_bytes)) == TC_E_AGAIN) {
        if (tc_progress(state->link.context) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(&state->link);
    }
    return status == TC_OK || ifunc_link_send_failed(&state->link, status);
}

static inline bool await_count(ifunc_state *state, perf_poll *poll)
{
    while (state->counter < state->awaited) {
        if (tc_progress(state->link.context) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(&state->link);
    }
    perf_poll_hit(poll);
    return true;
}

static bool open_ifunc(perf_lane *lane, send_function send, const char *form,
                       ifunc_link_local local)
{
    tc_ep_info info;
    ifunc_state *state = calloc(1, sizeof *state + lane->options->payload_bytes);
    if (state == NULL)
        return perf_complain(lane->session, "out of memory");
    const ifunc_link_config config = {.delivery = lane->delivery_wanted,
                                      .form = form,
                                      .path = lane->options->ifunc_path,
                                      .name = "tsi",
                                      .target_args = &state->counter,
                                      .local = local};
    if (!ifunc_link_open(&state->link, lane->session, &config)) {
        free(state);
        return false;
    }
    state->send = send;
    state->payload_bytes = lane->options->payload_bytes;
    lane->state = state;
    lane->payload_bytes = state->payload_bytes;
    tc_ep_query(state->link.peer, &info);
    (void)snprintf(lane->delivery, sizeof lane->delivery, "%s", info.delivery);
    if (lane->payload_bytes > info.payload_max)
        lane->payload_max = info.payload_max;
    return true;
}

static bool open_cached(perf_lane *lane)
{
    return open_ifunc(lane, tc_send, NULL, NULL);
}

static bool open_image(perf_lane *lane)
{
    return open_ifunc(lane, tc_send, "image", NULL);
}

static bool open_bitcode(perf_lane *lane)
{
    return open_ifunc(lane, tc_send, "bitcode", NULL);
}

static bool open_uncached(perf_lane *lane)
{
    return open_ifunc(lane, tc_send_uncached, NULL, NULL);
}

static bool open_inject(perf_lane *lane)
{
    return open_ifunc(lane, tc_send_injected, NULL, NULL);
}

/* ifuncs/tsi.c, which is a part of this program too. */
extern void tsi_main(void *payload, size_t payload_size, void *target_args);

static bool open_local(perf_lane *lane)
{
    return open_ifunc(lane, tc_send, NULL, tsi_main);
}

/* A target owes its source some progress after the last message: to say that it was run, and to
 * push out what it sent itself. */
static bool linger(ifunc_state *state, perf_poll *poll)
{
    while (!perf_session_has_ended(state->link.session)) {
        if (tc_progress(state->link.context) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(&state->link);
    }
    return true;
}

static bool source_latency(perf_lane *lane, uint64_t count, uint64_t *stamps)
{
    ifunc_state *state = lane->state;
    perf_poll poll;
    perf_poll_init(&poll, lane->session);
    stamps[0] = perf_ticks();
    for (uint64_t i = 1; i <= count; i++) {
        state->awaited++;
        if (!send_one(state, &poll) || !await_count(state, &poll))
            return false;
        stamps[i] = perf_ticks();
    }
    return true;
}

static bool target_latency(perf_lane *lane, uint64_t count)
{
    ifunc_state *state = lane->state;
    perf_poll poll;
    perf_poll_init(&poll, lane->session);
    for (uint64_t i = 0; i < count; i++) {
        state->awaited++;
        if (!await_count(state, &poll) || !send_one(state, &poll))
            return false;
    }
    return linger(state, &poll);
}

/* The mean over a whole run, so that frames that only fill the ring's end are counted too. */
static void note_frame_bytes(perf_lane *lane, const tc_ep_info *before)
{
    ifunc_state *state = lane->state;
    tc_ep_info after;
    tc_ep_query(state->link.peer, &after);
    if (after.sent_messages > before->sent_messages)
        lane->frame_bytes = (double)(after.sent_bytes - before->sent_bytes) /
                            (double)(after.sent_messages - before->sent_messages);
}

static bool source_rate(perf_lane *lane, uint64_t count)
{
    ifunc_state *state = lane->state;
    tc_ep_info before;
    perf_poll poll;
    perf_poll_init(&poll, lane->session);
    tc_ep_query(state->link.peer, &before);
    for (uint64_t i = 0; i < count; i++) {
        if (!send_one(state, &poll))
            return false;
        perf_poll_hit(&poll);
    }
    if (!ifunc_link_flush(&state->link))
        return false;
    note_frame_bytes(lane, &before);
    return true;
}

static bool target_rate(perf_lane *lane, uint64_t count)
{
    ifunc_state *state = lane->state;
    perf_poll poll;
    perf_poll_init(&poll, lane->session);
    state->awaited += count;
    while (state->counter < state->awaited) {
        if (tc_progress(state->link.context) != 0)
            perf_poll_hit(&poll);
        else if (!perf_poll_missed(&poll))
            return ifunc_link_lost(&state->link);
    }
    perf_session_set_done(lane->session);
    return linger(state, &poll);
}

static void close_ifunc(perf_lane *lane)
{
    ifunc_state *state = lane->state;
    ifunc_link_close(&state->link);
    free(state);
    lane->state = NULL;
}

const perf_mode perf_mode_cached = {
    .name = "cached",
    .open = open_cached,
    .source_latency = source_latency,
    .target_latency = target_latency,
    .source_rate = source_rate,
    .target_rate = target_rate,
    .close = close_ifunc,
};

const perf_mode perf_mode_uncached = {
    .name = "uncached",
    .open = open_uncached,
    .source_latency = source_latency,
    .target_latency = target_latency,
    .source_rate = source_rate,
    .target_rate = target_rate,
    .close = close_ifunc,
};

const perf_mode perf_mode_image = {
    .name = "image",
    .open = open_image,
    .source_latency = source_latency,
    .target_latency = target_latency,
    .source_rate = source_rate,
    .target_rate = target_rate,
    .close = close_ifunc,
};

const perf_mode perf_mode_bitcode = {
    .name = "bitcode",
    .open = open_bitcode,
    .source_latency = source_latency,
    .target_latency = target_latency,
    .source_rate = source_rate,
    .target_rate = target_rate,
    .close = close_ifunc,
};

const perf_mode perf_mode_inject = {
    .name = "inject",
    .open = open_inject,
    .source_latency = source_latency,
    .target_latency = target_latency,
    .source_rate = source_rate,
    .target_rate = target_rate,
    .close = close_ifunc,
};

const perf_mode perf_mode_local = {
    .name = "local",
    .open = open_local,
    .source_latency = source_latency,
    .target_latency = target_latency,
    .source_rate = source_rate,
    .target_rate = target_rate,
    .close = close_ifunc,
};
