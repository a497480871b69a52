#include "word_trips.h"

#include "perf_clock.h"
#include "perf_stats.h"

#include <sched.h>

#define TRIPS 2000u
#define TURNS_BEFORE_YIELD 1000u

static bool await_word(const uint64_t *word, uint64_t value, uint64_t timeout_ns)
{
    const uint64_t end_ns = perf_now_ns() + timeout_ns;
    for (uint64_t turn = 1; __atomic_load_n(word, __ATOMIC_ACQUIRE) != value; turn++) {
        if (turn % TURNS_BEFORE_YIELD != 0)
            continue;
        if (perf_now_ns() > end_ns)
            return false;
        (void)sched_yield();
    }
    return true;
}

bool word_trips_measure(uint64_t *ping, uint64_t *pong, uint64_t begin, bool is_first,
                        uint64_t timeout_ns, double *p50_ns_out)
{
    uint64_t stamps[TRIPS + 1];
    for (uint64_t trip = 0; trip < TRIPS; trip++) {
        stamps[trip] = perf_ticks();
        if (is_first)
            __atomic_store_n(ping, begin + trip + 1, __ATOMIC_RELEASE);
        if (!await_word(is_first ? pong : ping, begin + trip + 1, timeout_ns))
            return false;
        if (!is_first)
            __atomic_store_n(pong, begin + trip + 1, __ATOMIC_RELEASE);
    }
    stamps[TRIPS] = perf_ticks();
    *p50_ns_out = perf_stats_latency(stamps, TRIPS).p50_ns;
    return true;
}
