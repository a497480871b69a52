/* Bandwidth of large payloads: the library against plain UCX, in rounds that take turns. Each
 * payload is handed to a function that reads it where it has arrived. */
#include "perf_mode.h"
#include "perf_clock.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_value.h"
#include "series_report.h"
#include "series_run.h"

#include <stdio.h>
#include <string.h>

#define MEASUREMENT_NS (50 * PERF_NS_PER_MS)
#define TRIAL_BYTES (4u << 20)
#define COUNT_MAX 100000.0
#define MB (1u << 20)

static const perf_mode *const modes[] = {&perf_mode_bulk_put, &perf_mode_bulk_am,
                                         &perf_mode_bulk_am_safe, &perf_mode_bulk_cached};

static bool choose_series(series_run *run)
{
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (perf_value_lists(run->options.modes, ',', modes[i]->name))
            series_run_add(run, modes[i]);
    }
    if (run->series_count == 0)
        (void)fprintf(stderr,
                      "tc-perf: --modes: expected some of put, am, am-safe and cached\n");
    return run->series_count > 0;
}

/* The second trial estimates how many fill a measurement; the first has the first calls. */
static bool choose_count(series_run *run, unsigned index)
{
    const uint64_t wanted = run->options.iterations;
    uint64_t trial = 2 + TRIAL_BYTES / run->options.payload_bytes;
    double rate = 0;
    run->rate_count[index] = wanted;
    if (wanted != 0)
        return series_run_rate(run, index, wanted, &rate);
    for (int i = 0; i < 2; i++) {
        if (!series_run_rate(run, index, trial, &rate))
            return false;
    }
    double count = rate * (double)MEASUREMENT_NS / (double)PERF_NS_PER_S;
    run->rate_count[index] = (uint64_t)(count < 2 ? 2 : count > COUNT_MAX ? COUNT_MAX : count);
    return true;
}

static double mb_per_s(const series_run *run, double rate)
{
    return rate * (double)run->options.payload_bytes / (double)MB;
}

static void print_round(const series_run *run, unsigned index, unsigned round)
{
    (void)fprintf(stderr, "round %3u %-8s %-8s %10.1f MB/s\n", round + 1,
                  run->series[index].mode->name, run->series[index].delivery,
                  mb_per_s(run, run->samples[index].rate_per_s[round]));
}

static void report_row(const series_run *run, unsigned index)
{
    const perf_series *series = &run->series[index];
    perf_spread rate = series_report_spread(run, run->samples[index].rate_per_s);
    json_t *row =
        json_pack("{s:s, s:s, s:I}", "mode", series->mode->name, "delivery", series->delivery,
                  "payload_bytes", (json_int_t)series->payload_bytes);
    perf_report_spread(row, "mb_per_s", rate, mb_per_s(run, 1));
    (void)json_array_append_new(run->rows, row);
    if (!perf_report_is_quiet(&run->options))
        (void)printf(
            "%-9s %-8s %9zu %12s", series->mode->name, series->delivery, series->payload_bytes,
            series_report_figure(run, INTERFERENCE_RATE, rate, mb_per_s(run, rate.median), 1)
                .text);
}

/* Plain UCX's in that round. 0: its modes were not chosen; they come first. */
static double best_of_ucx(const series_run *run, unsigned round)
{
    double best = 0;
    for (unsigned i = 0; i < run->series_count && !run->series[i].mode->has_deliveries; i++) {
        double value = run->samples[i].rate_per_s[round];
        best = value > best ? value : best;
    }
    return best;
}

/* To the fastest series of plain UCX, round by round. */
static void report_ratio(const series_run *run, unsigned index)
{
    char name[64];
    for (unsigned round = 0; round < run->options.rounds; round++)
        run->buffer[round] = run->samples[index].rate_per_s[round] / best_of_ucx(run, round);
    const perf_spread ratio = series_report_spread(run, run->buffer);
    (void)snprintf(name, sizeof name, "cached_to_ucx_%s_%zu", run->series[index].delivery,
                   run->options.payload_bytes);
    (void)json_object_set_new(run->ratios, name, perf_report_number(ratio.median));
    if (!perf_report_is_quiet(&run->options))
        (void)printf(" %8s",
                     series_report_figure(run, INTERFERENCE_RATE, ratio, ratio.median, 3).text);
}

static void report_payload(series_run *run)
{
    const bool quiet = perf_report_is_quiet(&run->options);
    const bool has_ucx = !run->series[0].mode->has_deliveries;
    if (!quiet && run->payload_index == 0)
        (void)printf("%-9s %-8s %9s %12s %8s\n", "mode", "delivery", "payload", "MB/s",
                     "to UCX");
    for (unsigned i = 0; i < run->series_count; i++) {
        if (series_run_skips(run, i))
            continue;
        report_row(run, i);
        if (has_ucx && run->series[i].mode->has_deliveries)
            report_ratio(run, i);
        if (!quiet)
            (void)putchar('\n');
    }
    if (!quiet && series_run_is_last_payload(run))
        (void)printf("\npayload in bytes; medians of %u rounds; to UCX: to the faster of its "
                     "modes\n",
                     run->options.rounds);
}

static int run_bandwidth(const perf_options *options)
{
    static const series_kind kind = {.choose_counts = choose_count,
                                     .is_watched = true,
                                     .print_round = print_round,
                                     .report_payload = report_payload};
    series_run run = {.kind = &kind, .options = *options};
    return choose_series(&run) ? series_run_all(&run) : 2;
}

const perf_experiment bandwidth_experiment = {
    .name = "bandwidth",
    .summary = "of large payloads, beside UCX's puts and active messages",
    .options = "size sweep iterations rounds modes unread pin",
    .told = {{"iterations", "(what fits 50 ms)"}, {"modes", "out of put,am,am-safe,cached"}},
    .defaults = {{"size", "64K,256K,1M,4M,16M"}, {"modes", "put,am,cached"}, {"rounds", "10"}},
    .payload_bytes = {1, 256u << 20},
    .iterations_max = 10000000,
    .run = run_bandwidth,
};
