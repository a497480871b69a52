/* The machine's limit: two processes with shared memory alone. Latency is one word to and fro;
 * rate is a ring of 64-byte slots, each holding its sequence number and a word. No library
 * could be faster. */
#include "perf_clock.h"
#include "perf_mode.h"
#include "perf_session.h"

#include <string.h>

#define SLOT_COUNT 4096u /* 256 KiB, the library's default ring */
#define CREDIT_EVERY (SLOT_COUNT / 4)

typedef struct slot {
    _Alignas(64) _Atomic uint64_t sequence;
    uint64_t value;
} slot;

/* Words of different writers lie further apart than a line: processors fetch neighbours along.
 */
typedef struct shared_area {
    _Alignas(256) _Atomic uint64_t ping;
    _Alignas(256) _Atomic uint64_t pong;
    _Alignas(256) _Atomic uint64_t consumed;
    _Alignas(256) slot ring[SLOT_COUNT];
} shared_area;

_Static_assert(sizeof(shared_area) <= PERF_ARENA_BYTES - 128,
               "the ring fits the session's memory");

/* Each side counts for itself: both have seen the same number of everything. */
typedef struct bare_state {
    shared_area *area;
    uint64_t round_trips;
    uint64_t messages;
    uint64_t credited; /* source: the newest `consumed` that it has read */
} bare_state;

/* Releases the stores before it; pairs with value_of. */
static inline void publish(_Atomic uint64_t *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_release);
}

/* Acquires the stores before the publish of the value that it returns. */
static inline uint64_t value_of(const _Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_acquire);
}

static inline bool await_value(perf_poll *poll, const _Atomic uint64_t *word, uint64_t value)
{
    while (value_of(word) != value) {
        if (!perf_poll_missed(poll))
            return false;
    }
    perf_poll_hit(poll);
    return true;
}

static bool open_bare(perf_series *series)
{
    bare_state *state = series->state;
    state->area = (shared_area *)(void *)series->session->control->arena;
    /* The value of an earlier series; the target reads it only when the first step has begun.
     */
    if (series->session->role == PERF_SOURCE)
        memset(state->area, 0, sizeof *state->area);
    series->payload_bytes = sizeof(uint64_t);
    series->frame_bytes = sizeof(slot);
    memcpy(series->delivery, "none", sizeof "none");
    return true;
}

static bool source_latency(perf_series *series, uint64_t count, uint64_t *stamps)
{
    bare_state *state = series->state;
    perf_poll poll = {.session = series->session};
    stamps[0] = perf_ticks();
    for (uint64_t i = 1; i <= count; i++) {
        publish(&state->area->ping, ++state->round_trips);
        if (!await_value(&poll, &state->area->pong, state->round_trips))
            return false;
        stamps[i] = perf_ticks();
    }
    return true;
}

static bool target_latency(perf_series *series, uint64_t count)
{
    bare_state *state = series->state;
    perf_poll poll = {.session = series->session};
    for (uint64_t i = 0; i < count; i++) {
        if (!await_value(&poll, &state->area->ping, ++state->round_trips))
            return false;
        publish(&state->area->pong, state->round_trips);
    }
    return true;
}

static bool await_credit(bare_state *state, perf_poll *poll, uint64_t sent)
{
    while (sent - state->credited == SLOT_COUNT) {
        state->credited = value_of(&state->area->consumed);
        if (sent - state->credited == SLOT_COUNT && !perf_poll_missed(poll))
            return false;
    }
    perf_poll_hit(poll);
    return true;
}

/* The loops of a rate run keep their counts in registers: a store more per message would show.
 */
static bool source_rate(perf_series *series, uint64_t count)
{
    bare_state *state = series->state;
    slot *ring = state->area->ring;
    perf_poll poll = {.session = series->session};
    uint64_t end = state->messages + count;
    for (uint64_t sent = state->messages; sent < end; sent++) {
        if (sent - state->credited == SLOT_COUNT && !await_credit(state, &poll, sent))
            return false;
        slot *next = &ring[sent % SLOT_COUNT];
        next->value = sent;
        publish(&next->sequence, sent + 1);
    }
    state->messages = end;
    return true;
}

static bool target_rate(perf_series *series, uint64_t count)
{
    bare_state *state = series->state;
    const slot *ring = state->area->ring;
    perf_poll poll = {.session = series->session};
    uint64_t end = state->messages + count;
    for (uint64_t run = state->messages + 1; run <= end; run++) {
        const _Atomic uint64_t *next = &ring[(run - 1) % SLOT_COUNT].sequence;
        if (!await_value(&poll, next, run))
            return false;
        if (run % CREDIT_EVERY == 0)
            publish(&state->area->consumed, run);
    }
    state->messages = end;
    perf_session_set_done(series->session);
    return true;
}

const perf_mode perf_mode_bare = {
    .name = "bare",
    .state_bytes = sizeof(bare_state),
    .open = open_bare,
    .source_latency = source_latency,
    .target_latency = target_latency,
    .source_rate = source_rate,
    .target_rate = target_rate,
};
