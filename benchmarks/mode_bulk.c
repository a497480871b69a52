/* Large payloads through the library: tc_send, and a function that scans or ignores them. */
#include "perf_mode.h"

#include "bulk_source.h"

#include "ifunc_link.h"
#include "perf_context.h"
#include "ifuncs/scan.h"
#include "perf_session.h"

#include <stdio.h>

typedef struct bulk_state {
    ifunc_link link;
    scan_target target;
    uint64_t awaited;
    bulk_source source;
} bulk_state;

static bool open_bulk(perf_series *series)
{
    tc_ep_info info;
    bulk_state *state = series->state;
    if (!bulk_source_init(&state->source, series->options))
        return perf_session_complain(series->session, "out of memory");
    const ifunc_link_config config = {.delivery = series->delivery_wanted,
                                      .path = series->options->ifunc_path,
                                      .name = series->options->unread ? "tsi" : "scan",
                                      .target_args = &state->target};
    if (!ifunc_link_open(&state->link, series->session, &config))
        return false;
    series->payload_bytes = state->source.size;
    perf_context_delivery(state->link.peer, series->delivery, &info);
    if (series->payload_bytes > info.payload_max)
        series->payload_max = info.payload_max;
    return true;
}

static bool source_rate(perf_series *series, uint64_t count)
{
    bulk_state *state = series->state;
    perf_poll poll = {.session = series->session};
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *payload = bulk_source_next(&state->source);
        if (!ifunc_link_send(&state->link, &poll, payload, state->source.size))
            return false;
    }
    return ifunc_link_flush(&state->link);
}

static bool target_rate(perf_series *series, uint64_t count)
{
    bulk_state *state = series->state;
    perf_poll poll = {.session = series->session};
    state->awaited += count;
    while (state->target.counter < state->awaited || !perf_session_has_ended(series->session)) {
        if (state->target.counter >= state->awaited)
            perf_session_set_done(series->session);
        if (tc_progress(state->link.context) != 0)
            perf_poll_hit(&poll);
        else if (!perf_poll_missed(&poll))
            return ifunc_link_lost(&state->link);
    }
    return true;
}

static void release_bulk(perf_series *series)
{
    bulk_state *state = series->state;
    bulk_source_free(&state->source);
}

const perf_mode perf_mode_bulk_cached = {
    .name = "cached",
    .has_deliveries = true,
    .state_bytes = sizeof(bulk_state),
    .open = open_bulk,
    .source_rate = source_rate,
    .target_rate = target_rate,
    .close = ifunc_link_close_mode,
    .release = release_bulk,
};
