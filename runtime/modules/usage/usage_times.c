#include "modules/usage/usage_times.h"

#include <stddef.h>

#define LN2 0.69314718055994531
#define HALVE_AT (1u << 31)

#define COLD __attribute__((cold)) /* for reports: made small */

static uint32_t load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/* Keeps the distribution: later calls then weigh more than earlier ones. */
static __attribute__((noinline)) void halve(tci_usage_times *times)
{
    for (size_t row = 0; row < TCI_USAGE_ROWS; row++) {
        uint32_t sum = 0;
        for (size_t step = 0; step < TCI_USAGE_STEPS; step++) {
            store(&times->steps[row][step], times->steps[row][step] / 2);
            sum += times->steps[row][step];
        }
        store(&times->rows[row], sum);
    }
}

void tci_usage_times_add(tci_usage_times *times, uint64_t ns, uint32_t weight)
{
    const uint64_t longest = (2ull * TCI_USAGE_STEPS << (TCI_USAGE_ROWS - 2)) - 1;
    const uint64_t v = ns < longest ? ns : longest;
    const unsigned log = v < TCI_USAGE_STEPS ? 3 : 63 - (unsigned)__builtin_clzll(v);
    const unsigned row = log - 3;
    const size_t step = row == 0 ? v : v >> (log - 4) & (TCI_USAGE_STEPS - 1);
    __atomic_store_n(&times->timed, times->timed + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&times->time_ns, times->time_ns + ns * weight, __ATOMIC_RELAXED);
    store(&times->steps[row][step], times->steps[row][step] + weight);
    store(&times->rows[row], times->rows[row] + weight);
    if (__builtin_expect(times->rows[row] >= HALVE_AT, 0))
        halve(times);
}

COLD void tci_usage_times_join(tci_usage_times *times, const tci_usage_times *from)
{
    __atomic_store_n(&times->timed, times->timed + from->timed, __ATOMIC_RELAXED);
    __atomic_store_n(&times->time_ns, times->time_ns + from->time_ns, __ATOMIC_RELAXED);
    for (size_t row = 0; row < TCI_USAGE_ROWS; row++) {
        while (times->rows[row] >= HALVE_AT - from->rows[row]) /* both are below HALVE_AT */
            halve(times);
        for (size_t step = 0; step < TCI_USAGE_STEPS; step++)
            store(&times->steps[row][step], times->steps[row][step] + from->steps[row][step]);
        store(&times->rows[row], times->rows[row] + from->rows[row]);
    }
}

/* Returns the time at a part of the step. */
static uint64_t time_at(size_t row, size_t step, double part)
{
    if (row < 2)
        return (row == 0 ? 0 : TCI_USAGE_STEPS) + step;
    const uint64_t width = 1ull << (row - 1);
    return (TCI_USAGE_STEPS + step) * width + (uint64_t)(part * (double)width);
}

COLD uint64_t tci_usage_times_percentile(const tci_usage_times *times, unsigned per_mille)
{
    uint64_t total = 0, before = 0;
    size_t row = 0, step = 0;
    for (size_t i = 0; i < TCI_USAGE_ROWS; i++)
        total += load(&times->rows[i]);
    if (total == 0)
        return 0;
    const uint64_t wanted = (total * per_mille + 999) / 1000;
    while (row + 1 < TCI_USAGE_ROWS && before + load(&times->rows[row]) < wanted)
        before += load(&times->rows[row++]);
    while (step + 1 < TCI_USAGE_STEPS && before + load(&times->steps[row][step]) < wanted)
        before += load(&times->steps[row][step++]);
    const uint64_t here = load(&times->steps[row][step]);
    const double part = here > 0 ? ((double)(wanted - before) - 0.5) / (double)here : 0;
    return time_at(row, step, part < 1 ? part : 1);
}

/* --- the sample -------------------------------------------------------------------------- */

/* xorshift64*, Vigna 2016. */
static uint64_t next_random(uint64_t *random)
{
    uint64_t x = *random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *random = x;
    return x * 0x2545f4914f6cdd1dull;
}

/* Returns -ln(x / 2^64), by the series of the area tangent: wrong by 2e-5 at most. */
static double minus_log(uint64_t x)
{
    const unsigned zeros = (unsigned)__builtin_clzll(x | 1);
    const double mantissa = (double)(x << zeros | 1ull << 63) * 0x1p-63; /* 1 to 2 */
    const double s = (mantissa - 1) / (mantissa + 1), q = s * s;
    const double log = 2 * s * (1 + q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7))));
    return (double)(zeros + 1) * LN2 - log;
}

uint64_t tci_usage_times_distance(uint64_t *random, uint32_t period)
{
    /* -1 / ln(1 - 1/period), for 2, 4, ... */
    static const double scales[] = {1.442695041,  3.476059497,  7.488875689,  15.494622163,
                                    31.497354320, 63.498687642, 127.499346401};
    if (period <= 1)
        return 1;
    const unsigned power = 31 - (unsigned)__builtin_clz(period);
    return 1 + (uint64_t)(minus_log(next_random(random)) * scales[power - 1]);
}
