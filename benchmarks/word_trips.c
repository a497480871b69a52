#include "word_trips.h"

#include "perf_clock.h"
#include "perf_stats.h"

#include <sched.h>

#define TRIPS 2000u
#define TIME_NS (100 * PERF_NS_PER_MS) /* no trip begins later but the last one */
#define TURNS_BEFORE_YIELD 1000u

/* The value that comes after the last one. */
static bool await_word(const uint64_t *word, uint64_t last, uint64_t timeout_ns,
                       uint64_t *value_out)
{
    const uint64_t end_ns = perf_now_ns() + timeout_ns;
    uint64_t turn = 1;
    while ((*value_out = __atomic_load_n(word, __ATOMIC_ACQUIRE)) == last) {
        if (turn++ % TURNS_BEFORE_YIELD != 0)
            continue;
        if (perf_now_ns() > end_ns)
            return false;
        (void)sched_yield();
    }
    return true;
}

/* The last value ends the trips, however many there were. */
static bool lead(uint64_t *ping, uint64_t *pong, uint64_t begin, uint64_t timeout_ns,
                 double *p50_ns_out)
{
    uint64_t stamps[TRIPS + 1], trips = 0, value = begin, answer;
    const uint64_t end_ns = perf_now_ns() + TIME_NS;
    while (value != begin + TRIPS) {
        const uint64_t last = value;
        stamps[trips++] = perf_ticks();
        value = trips % 16 == 0 && perf_now_ns() > end_ns ? begin + TRIPS : begin + trips;
        __atomic_store_n(ping, value, __ATOMIC_RELEASE);
        if (!await_word(pong, last, timeout_ns, &answer))
            return false;
    }
    stamps[trips] = perf_ticks();
    *p50_ns_out = perf_stats_latency(stamps, trips).p50_ns;
    return true;
}

static bool follow(uint64_t *ping, uint64_t *pong, uint64_t begin, uint64_t timeout_ns,
                   double *p50_ns_out)
{
    uint64_t stamps[TRIPS + 1], trips = 0, value = begin;
    while (value != begin + TRIPS) {
        stamps[trips++] = perf_ticks();
        if (!await_word(ping, value, timeout_ns, &value))
            return false;
        __atomic_store_n(pong, value, __ATOMIC_RELEASE);
    }
    stamps[trips] = perf_ticks();
    *p50_ns_out = perf_stats_latency(stamps, trips).p50_ns;
    return true;
}

bool word_trips_measure(uint64_t *ping, uint64_t *pong, uint64_t begin, bool is_first,
                        uint64_t timeout_ns, double *p50_ns_out)
{
    return (is_first ? lead : follow)(ping, pong, begin, timeout_ns, p50_ns_out);
}
