/* The cost of a call without a message: the function is called where its caller is. */
#include "perf_clock.h"
#include "paper_modes.h"
#include "target_log.h"

#include <stdlib.h>
#include <string.h>

typedef struct direct_state {
    void *target;
    /* Read again for each call, as that of a function which was sent. */
    void (*volatile main)(void *payload, size_t payload_size, void *target_args);
    unsigned char payload[64];
} direct_state;

static bool open_direct(perf_series *series)
{
    direct_state *state = series->state;
    state->main = series->work->local;
    state->target = series->work->create(sizeof state->payload);
    series->payload_bytes = sizeof(uint64_t);
    memcpy(series->delivery, "none", sizeof "none");
    return state->target != NULL || perf_session_complain(series->session, "out of memory");
}

static bool source_latency(perf_series *series, uint64_t count, uint64_t *stamps)
{
    direct_state *state = series->state;
    stamps[0] = perf_ticks();
    for (uint64_t i = 0; i < count; i++) {
        series->log->seen[i] = perf_ticks();
        state->main(state->payload, sizeof(uint64_t), state->target);
        series->log->done[i] = stamps[i + 1] = perf_ticks();
    }
    return true;
}

static bool source_rate(perf_series *series, uint64_t count)
{
    direct_state *state = series->state;
    for (uint64_t i = 0; i < count; i++)
        state->main(state->payload, sizeof(uint64_t), state->target);
    return true;
}

static bool target_nothing(perf_series *series, uint64_t count)
{
    (void)series, (void)count;
    return true;
}

static bool target_rate(perf_series *series, uint64_t count)
{
    (void)count;
    perf_session_set_done(series->session);
    return true;
}

static void release_direct(perf_series *series)
{
    direct_state *state = series->state;
    free(state->target);
}

const perf_mode perf_mode_direct = {
    .name = "direct",
    .state_bytes = sizeof(direct_state),
    .open = open_direct,
    .source_latency = source_latency,
    .target_latency = target_nothing,
    .source_rate = source_rate,
    .target_rate = target_rate,
    .release = release_direct,
};
