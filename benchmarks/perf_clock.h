/* A clock that costs a few nanoseconds to read, for stamping every round trip of a latency run:
 * the processor's own counter where it is known to tick at a constant rate, else the monotonic
 * clock. */
#ifndef TC_PERF_CLOCK_H
#define TC_PERF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define PERF_NS_PER_MS 1000000ull
#define PERF_NS_PER_S 1000000000ull

/* True when perf_ticks reads the processor's counter. Written once, by perf_clock_init. */
extern bool perf_clock_is_counter;

static inline uint64_t perf_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * PERF_NS_PER_S + (uint64_t)now.tv_nsec;
}

static inline uint64_t perf_ticks(void)
{
#if defined(__x86_64__)
    if (perf_clock_is_counter)
        return __rdtsc();
#endif
    return perf_now_ns();
}

/* Decides between the two clocks and measures the counter's rate, which takes some 20 ms. */
void perf_clock_init(void);

double perf_clock_ns_per_tick(void);

#endif
