/* Histograms of run times: percentiles beside those of all times, sorted; and the sample. */
#include "modules/usage/usage_times.h"

#include "../../support/test.h"

#define TIMES 200000u

static tci_usage_times times;
static uint64_t all[TIMES];
static uint64_t seed = 88172645463325252ull;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t exact(unsigned per_mille)
{
    return all[(uint64_t)TIMES * per_mille / 1000 - 1];
}

static void expect_near(uint64_t found, uint64_t expected, unsigned percent)
{
    const uint64_t tolerance = expected * percent / 100;
    if (found + tolerance < expected || found > expected + tolerance)
        fail_msg("%llu, expected %llu +- %u %%", (unsigned long long)found,
                 (unsigned long long)expected, percent);
}

/* --- loads ------------------------------------------------------------------------------- */

static uint64_t even(uint64_t i)
{
    (void)i;
    return 200 + next() % 800;
}

/* Most calls are short; one of 40 takes a hundred times as long. */
static uint64_t two_kinds(uint64_t i)
{
    (void)i;
    return next() % 40 == 0 ? 30000 + next() % 5000 : 300 + next() % 40;
}

/* Every 64th call is long: a sample of every 64th would have only those, or only others. */
static uint64_t periodic(uint64_t i)
{
    return i % 64 == 0 ? 5000 + next() % 100 : 100 + next() % 10;
}

static uint64_t heavy_tail(uint64_t i)
{
    (void)i;
    return 100 + 1000000 / (1 + next() % 10000);
}

static void fill(uint64_t (*load)(uint64_t i))
{
    for (uint64_t i = 0; i < TIMES; i++)
        all[i] = load(i);
}

/* Adds a sample as the module does; `all` is sorted afterwards. */
static void sample(uint64_t *random)
{
    uint64_t until = 1;
    uint32_t period = 1, timed = 0;
    times = (tci_usage_times){0};
    for (uint64_t i = 0; i < TIMES; i++) {
        if (--until > 0)
            continue;
        tci_usage_times_add(&times, all[i], period);
        if (++timed == 64 && period < TCI_USAGE_PERIOD_MAX) {
            period *= 2;
            timed = 0;
        }
        until = tci_usage_times_distance(random, period);
    }
    qsort(all, TIMES, sizeof *all, compare);
}

TEST(percentiles_of_all_calls_are_near)
{
    uint64_t (*const loads[])(uint64_t) = {even, two_kinds, periodic, heavy_tail};
    for (size_t l = 0; l < sizeof loads / sizeof loads[0]; l++) {
        times = (tci_usage_times){0};
        fill(loads[l]);
        for (uint64_t i = 0; i < TIMES; i++)
            tci_usage_times_add(&times, all[i], 1);
        qsort(all, TIMES, sizeof *all, compare);
        assert_int_equal(times.timed, TIMES);
        for (unsigned per_mille = 10; per_mille <= 990; per_mille += 10)
            expect_near(tci_usage_times_percentile(&times, per_mille), exact(per_mille), 4);
    }
}

TEST(percentiles_of_a_sample_are_within_5_percent)
{
    uint64_t (*const loads[])(uint64_t) = {even, two_kinds, periodic};
    uint64_t random = 12345;
    for (size_t l = 0; l < sizeof loads / sizeof loads[0]; l++) {
        fill(loads[l]);
        sample(&random);
        expect_near(tci_usage_times_percentile(&times, 500), exact(500), 5);
        expect_near(tci_usage_times_percentile(&times, 990), exact(990), 5);
    }
}

TEST(the_sum_of_a_sample_is_near)
{
    uint64_t random = 99, sum = 0;
    fill(even);
    for (uint64_t i = 0; i < TIMES; i++)
        sum += all[i];
    sample(&random);
    expect_near(times.time_ns, sum, 4);
}

/* --- values ------------------------------------------------------------------------------ */

TEST(small_times_are_exact)
{
    for (uint64_t ns = 0; ns < 32; ns++) {
        times = (tci_usage_times){0};
        tci_usage_times_add(&times, ns, 1);
        assert_int_equal(tci_usage_times_percentile(&times, 500), ns);
        assert_int_equal(tci_usage_times_percentile(&times, 990), ns);
    }
}

TEST(every_power_of_two_has_a_row)
{
    for (unsigned power = 5; power < 39; power++) {
        for (uint64_t ns = (1ull << power) - 1; ns <= (1ull << power) + 1; ns++) {
            times = (tci_usage_times){0};
            tci_usage_times_add(&times, ns, 64);
            expect_near(tci_usage_times_percentile(&times, 500), ns, 7);
        }
    }
}

TEST(very_long_times_are_counted)
{
    times = (tci_usage_times){0};
    tci_usage_times_add(&times, UINT64_MAX / 64, 64);
    assert_int_equal(times.timed, 1);
    assert_true(tci_usage_times_percentile(&times, 500) > 1ull << 38);
}

TEST(nothing_timed_has_no_percentile)
{
    times = (tci_usage_times){0};
    assert_int_equal(tci_usage_times_percentile(&times, 500), 0);
}

/* Counts near their bound are halved, and keep their proportion. */
TEST(many_calls_keep_their_distribution)
{
    times = (tci_usage_times){0};
    times.rows[3] = times.steps[3][0] = (1u << 31) - 64;
    times.rows[9] = times.steps[9][0] = 1u << 30;
    tci_usage_times_add(&times, 64, 64);
    assert_in_range(times.rows[3], (1u << 30) - 64, 1u << 30);
    assert_int_equal(times.rows[9], 1u << 29);
    assert_int_equal(times.steps[9][0], 1u << 29);
    assert_in_range(tci_usage_times_percentile(&times, 500), 64, 68);
}

TEST(joined_times_are_those_of_both)
{
    static tci_usage_times more;
    times = more = (tci_usage_times){0};
    for (unsigned i = 0; i < 100; i++) {
        tci_usage_times_add(&times, 10, 1);
        tci_usage_times_add(&more, 1000, 2);
    }
    tci_usage_times_join(&times, &more);
    assert_int_equal(times.timed, 200);
    assert_int_equal(times.time_ns, 100 * 10 + 100 * 2000);
    assert_int_equal(tci_usage_times_percentile(&times, 300), 10);
    expect_near(tci_usage_times_percentile(&times, 400), 1000, 7);
    times.rows[3] = times.steps[3][0] = more.rows[3] = more.steps[3][0] = (1u << 31) - 1;
    tci_usage_times_join(&times, &more);
    assert_in_range(times.rows[3], 1u << 30, UINT32_MAX);
}

/* --- distances --------------------------------------------------------------------------- */

TEST(distances_have_their_mean_and_spread)
{
    enum { DRAWS = 400000 };
    uint64_t random = 7;
    for (uint32_t period = 1; period <= TCI_USAGE_PERIOD_MAX; period *= 2) {
        uint64_t sum = 0, ones = 0;
        for (unsigned i = 0; i < DRAWS; i++) {
            const uint64_t distance = tci_usage_times_distance(&random, period);
            assert_true(distance >= 1);
            sum += distance;
            ones += distance == 1;
        }
        expect_near(sum, (uint64_t)DRAWS * period, 1);
        expect_near(ones, DRAWS / period, period == 1 ? 0 : 5);
    }
}
