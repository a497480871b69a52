#include "../../benchmarks/perf_stats.h"

#include "../../benchmarks/perf_clock.h"
#include "../support/test.h"

TEST(the_median_of_an_odd_count_is_the_middle)
{
    double values[] = {5, 1, 9};
    assert_true(perf_stats_median(values, 3) == 5);
    assert_true(perf_stats_median(values, 1) == 1);
}

TEST(the_median_of_an_even_count_is_between)
{
    double values[] = {10, 1, 4, 2};
    assert_true(perf_stats_median(values, 4) == 3);
}

TEST(quartiles_are_values_as_far_from_either_end)
{
    double values[] = {7, 3, 5, 1, 9}, one[] = {4};
    perf_spread spread = perf_stats_spread(values, 5);
    assert_true(spread.quarter == 3 && spread.median == 5 && spread.three_quarters == 7);
    spread = perf_stats_spread(one, 1);
    assert_true(spread.quarter == 4 && spread.median == 4 && spread.three_quarters == 4);
}

/* Round trips of 100, 99, ... 1 ns: nearest rank gives the 50th and the 99th of 100. */
TEST(latency_is_half_the_round_trip)
{
    uint64_t stamps[101] = {1000};
    for (unsigned i = 1; i <= 100; i++)
        stamps[i] = stamps[i - 1] + 101 - i;
    perf_latency latency = perf_stats_latency(stamps, 100);
    assert_true(latency.p50_ns == 25 && latency.p99_ns == 49.5);
    assert_true(latency.p999_ns == 50 && latency.max_ns == 50);
}

/* 1 to 4000: the rank of p99.9 is 3996. */
TEST(a_tail_has_the_nearest_ranks_and_the_largest)
{
    static uint64_t values[4000];
    for (unsigned i = 0; i < 4000; i++)
        values[i] = 4000 - i;
    perf_tail tail = perf_stats_tail(values, 4000);
    assert_true(tail.p50 == 2000 && tail.p99 == 3960 && tail.p999 == 3996 && tail.max == 4000);
}

TEST(one_round_trip_is_its_own_percentile)
{
    uint64_t stamps[2] = {10, 50};
    perf_latency latency = perf_stats_latency(stamps, 1);
    assert_true(latency.p50_ns == 20 && latency.p99_ns == 20);
    assert_true(latency.p999_ns == 20 && latency.max_ns == 20);
}

/* Whatever clock the machine has, its ticks agree with the monotonic clock's order of
 * magnitude. */
TEST(ticks_are_nanoseconds_once_scaled)
{
    perf_clock_init();
    uint64_t ns = perf_now_ns(), ticks = perf_ticks();
    while (perf_now_ns() - ns < 5 * PERF_NS_PER_MS) {
    }
    double scaled = (double)(perf_ticks() - ticks) * perf_clock_ns_per_tick();
    double real = (double)(perf_now_ns() - ns);
    assert_true(scaled > 0.5 * real && scaled < 2 * real);
}
