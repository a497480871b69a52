/* Order statistics over measured values. */
#ifndef TC_PERF_STATS_H
#define TC_PERF_STATS_H

#include <stddef.h>
#include <stdint.h>

typedef struct perf_latency {
    double p50_ns; /* of half the round trip, or of a call */
    double p99_ns;
    double p999_ns;
    double max_ns;
} perf_latency;

/* Figures of the rounds of a measurement. */
typedef struct perf_spread {
    double quarter; /* a quarter of all are not above it */
    double median;
    double three_quarters;
} perf_spread;

/* Half round trips from count + 1 stamps, which it overwrites. count >= 1. */
perf_latency perf_stats_latency(uint64_t *stamps, uint64_t count);

/* Figures of calls that took so many ticks each. count >= 1. */
perf_latency perf_stats_calls(uint64_t *ticks, uint64_t count);

/* Sorts values. The mean of the middle two when count is even. count >= 1. */
double perf_stats_median(double *values, size_t count);
/* The same with its quartiles, which are values themselves, as far from either end. */
perf_spread perf_stats_spread(double *values, size_t count);

void perf_stats_sort(uint64_t *values, uint64_t count);

/* Nearest rank: the smallest value that `percent` of all are not above. count >= 1. */
uint64_t perf_stats_percentile(const uint64_t *sorted, uint64_t count, uint64_t percent);

/* The figures of a latency row beyond its median. */
typedef struct perf_tail {
    uint64_t p50;
    uint64_t p99;
    uint64_t p999;
    uint64_t max;
} perf_tail;

/* Figures of values, which it sorts. count >= 1. */
perf_tail perf_stats_tail(uint64_t *values, uint64_t count);

#endif
