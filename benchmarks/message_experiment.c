/* How fast a function can be made to run in another process, by each mode in turn: one that
 * adds one to a counter (Target-Side Increment), one that adds up its payload (Server-Side
 * Sum), one that stores it where a hash table says (Indirect Put). */
#include "message_report.h"

#include "perf_clock.h"
#include "perf_experiment.h"

#include <stdio.h>
#include <string.h>

#define MEASUREMENT_NS (25 * PERF_NS_PER_MS)
#define RATE_COUNT_MAX 5000000u
#define TRIAL_LATENCY_COUNT 200u
#define TRIAL_RATE_COUNT 1000u
#define LEAST_RATE_BYTES (16u << 20)

static const perf_mode *const modes[] = {
    &perf_mode_bare,     &perf_mode_am,    &perf_mode_cached,
    &perf_mode_uncached, &perf_mode_image, &perf_mode_bitcode,
    &perf_mode_inject,   &perf_mode_local, &perf_mode_compat};

#define MODE_COUNT (sizeof modes / sizeof modes[0])

/* In the order of the table above, whatever the order of the list; a name given twice counts
 * once. */
static bool choose_series(series_run *run)
{
    bool chosen[MODE_COUNT] = {false};
    const char *at = run->options.modes;
    for (;;) {
        size_t size = strcspn(at, ","), which = 0;
        while (which < MODE_COUNT && (strlen(modes[which]->name) != size ||
                                      memcmp(modes[which]->name, at, size) != 0))
            which++;
        if (which == MODE_COUNT) {
            (void)fprintf(stderr,
                          "tc-perf: no mode is called '%.*s': expected bare, am, cached, "
                          "uncached, image, bitcode, inject, local or compat\n",
                          (int)size, at);
            return false;
        }
        if (strcmp(run->options.experiment->name, "tsi") != 0 &&
            !modes[which]->has_deliveries) {
            (void)fprintf(stderr,
                          "tc-perf: mode '%s' is of tsi alone: expected cached, "
                          "uncached, image, bitcode, inject or local\n",
                          modes[which]->name);
            return false;
        }
        chosen[which] = true;
        at += size;
        if (*at++ == '\0')
            break;
    }
    for (size_t i = 0; i < MODE_COUNT; i++) {
        if (chosen[i])
            series_run_add(run, modes[i]);
    }
    return true;
}

/* Large messages need not be as many for a trial to take a measurable time. */
static uint64_t least_rate_count(const series_run *run)
{
    uint64_t count = LEAST_RATE_BYTES / run->options.payload_bytes;
    return count > TRIAL_RATE_COUNT ? TRIAL_RATE_COUNT : count;
}

static uint64_t count_that_fits(double each_ns, uint64_t min, uint64_t max)
{
    double count = (double)MEASUREMENT_NS / each_ns;
    return count < (double)min ? min : count > (double)max ? max : (uint64_t)count;
}

/* Without -n, a trial run tells how many iterations take the time of one measurement. Its
 * figures are thrown away, and with them the first calls, for which the target prepares the
 * code. */
static bool choose_counts(series_run *run, unsigned index)
{
    perf_latency latency;
    double rate = 0;
    uint64_t least = least_rate_count(run);
    uint64_t wanted = run->options.iterations;
    for (int i = 0; i < 2; i++) {
        uint64_t trial = i == 0 ? least : count_that_fits(1e10 / rate, least, RATE_COUNT_MAX);
        if (wanted != 0 && trial > wanted)
            trial = wanted;
        if (!series_run_rate(run, index, trial, &rate))
            return false;
    }
    uint64_t trial = wanted != 0 && wanted < TRIAL_LATENCY_COUNT ? wanted : TRIAL_LATENCY_COUNT;
    if (!series_run_latency(run, index, trial, &latency))
        return false;
    run->rate_count[index] =
        wanted != 0 ? wanted : count_that_fits(1e9 / rate, least, RATE_COUNT_MAX);
    run->latency_count[index] =
        wanted != 0
            ? wanted
            : count_that_fits(2 * latency.p50_ns, TRIAL_LATENCY_COUNT, SERIES_LATENCY_MAX);
    return true;
}

static void print_round(const series_run *run, unsigned index, unsigned round)
{
    const perf_series *series = &run->series[index];
    const series_samples *samples = &run->samples[index];
    (void)fprintf(stderr, "round %3u %-8s %-6s p50 %9.1f ns p99 %9.1f ns %10.3f M/s\n",
                  round + 1, series->mode->name, series->delivery, samples->p50_ns[round],
                  samples->p99_ns[round], samples->rate_per_s[round] / 1e6);
}

static int run_messages(const perf_options *options)
{
    static const series_kind kind = {.has_latency = true,
                                     .choose_counts = choose_counts,
                                     .print_round = print_round,
                                     .report_payload = message_report_payload,
                                     .finish = message_report_finish};
    series_run run = {.kind = &kind, .options = *options};
    if (options->senders.count > 0)
        return fan_in_run(options);
    return choose_series(&run) ? series_run_all(&run) : 2;
}

#define OPTIONS "size sweep iterations warmup rounds modes pin"
#define PAYLOAD_MAX (1u << 20)
#define ITERATIONS_MAX 10000000

const perf_experiment tsi_experiment = {
    .name = "tsi",
    .summary = "half round trip and rate of a function that adds one to a counter",
    .options = OPTIONS " table api senders",
    .defaults = {{"size", "8"}, {"modes", "bare,am,cached,uncached"}, {"warmup", "1000"}},
    .payload_bytes = {1, PAYLOAD_MAX},
    .iterations_max = ITERATIONS_MAX,
    .run = run_messages,
};

/* A payload is at least one number. */
const perf_experiment ssum_experiment = {
    .name = "ssum",
    .summary = "the same of a function that adds up its payload",
    .options = OPTIONS,
    .defaults = {{"sweep", "16..32K"}, {"modes", "cached,inject,local"}, {"warmup", "1000"}},
    .payload_bytes = {4, PAYLOAD_MAX},
    .iterations_max = ITERATIONS_MAX,
    .run = run_messages,
};

/* A payload is at least a key and a word of data. */
const perf_experiment iput_experiment = {
    .name = "iput",
    .summary = "the same of one that puts its payload where a hash table says",
    .options = OPTIONS,
    .defaults = {{"sweep", "16..32K"}, {"modes", "cached,inject,local"}, {"warmup", "1000"}},
    .payload_bytes = {16, PAYLOAD_MAX},
    .iterations_max = ITERATIONS_MAX,
    .run = run_messages,
};
