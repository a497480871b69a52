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

uint64_t perf_stats_percentile(const uint64_t *sorted, uint64_t count, uint64_t percent)
{
    return sorted[(count * percent + 99) / 100 - 1];
}

void perf_stats_sort(uint64_t *values, uint64_t count)
{
    qsort(values, count, sizeof *values, compare_ticks);
}

perf_latency perf_stats_latency(uint64_t *stamps, uint64_t count)
{
    double half = perf_clock_ns_per_tick() / 2;
    for (uint64_t i = 0; i < count; i++)
        stamps[i] = stamps[i + 1] - stamps[i];
    perf_stats_sort(stamps, count);
    return (perf_latency){.p50_ns = half * (double)perf_stats_percentile(stamps, count, 50),
                          .p99_ns = half * (double)perf_stats_percentile(stamps, count, 99)};
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
