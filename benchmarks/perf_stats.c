#include "perf_stats.h"

#include "perf_clock.h"

#include <stdlib.h>

static int compare_ticks(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static int compare_values(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static uint64_t per_mille(const uint64_t *sorted, uint64_t count, uint64_t part)
{
    return sorted[(count * part + 999) / 1000 - 1];
}

uint64_t perf_stats_percentile(const uint64_t *sorted, uint64_t count, uint64_t percent)
{
    return per_mille(sorted, count, 10 * percent);
}

void perf_stats_sort(uint64_t *values, uint64_t count)
{
    qsort(values, count, sizeof *values, compare_ticks);
}

perf_tail perf_stats_tail(uint64_t *values, uint64_t count)
{
    perf_stats_sort(values, count);
    return (perf_tail){.p50 = per_mille(values, count, 500),
                       .p99 = per_mille(values, count, 990),
                       .p999 = per_mille(values, count, 999),
                       .max = values[count - 1]};
}

static perf_latency scaled(uint64_t *ticks, uint64_t count, double ns_per_tick)
{
    const perf_tail tail = perf_stats_tail(ticks, count);
    return (perf_latency){.p50_ns = ns_per_tick * (double)tail.p50,
                          .p99_ns = ns_per_tick * (double)tail.p99,
                          .p999_ns = ns_per_tick * (double)tail.p999,
                          .max_ns = ns_per_tick * (double)tail.max};
}

perf_latency perf_stats_latency(uint64_t *stamps, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        stamps[i] = stamps[i + 1] - stamps[i];
    return scaled(stamps, count, perf_clock_ns_per_tick() / 2);
}

perf_latency perf_stats_calls(uint64_t *ticks, uint64_t count)
{
    return scaled(ticks, count, perf_clock_ns_per_tick());
}

double perf_stats_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_values);
    return count % 2 != 0 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

perf_spread perf_stats_spread(double *values, size_t count)
{
    perf_spread spread = {.median = perf_stats_median(values, count)};
    spread.quarter = values[(count - 1) / 4];
    spread.three_quarters = values[count - 1 - (count - 1) / 4];
    return spread;
}
