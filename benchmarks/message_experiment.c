/* The speed of running a function in another process, by each mode in turn: one that adds one
 * to a counter (Target-Side Increment), one that adds up its payload (Server-Side Sum), one
 * that stores it at an address from a hash table (Indirect Put). */
#include "message_experiment.h"
#include "language_series.h"
#include "message_modes.h"
#include "message_ratios.h"
#include "peer_modes.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "series_report.h"
#include "series_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MB (double)(1u << 20)

/* --- the report -------------------------------------------------------------------------- */

static void report_skipped(const series_run *run, const perf_series *series)
{
    char text[64];
    (void)snprintf(text, sizeof text, "the largest payload is %zu bytes", series->payload_max);
    (void)json_array_append_new(run->rows,
                                json_pack("{s:s, s:s, s:I, s:s}", "mode", series->mode->name,
                                          "delivery", series->delivery, "payload_bytes",
                                          (json_int_t)series->payload_bytes, "skipped", text));
    if (series_report_is_quiet(run))
        return;
    (void)printf("%-9s ", series->mode->name);
    language_series_print(run, series);
    (void)printf("%-8s %8zu skipped: %s\n", series->delivery, series->payload_bytes, text);
}

static void report_row(const series_run *run, unsigned index)
{
    const perf_series *series = &run->series[index];
    const series_samples *samples = &run->samples[index];
    const perf_spread rate = series_report_spread(run, samples->rate_per_s);
    const double megabytes = (double)series->payload_bytes / MB;
    json_t *row =
        json_pack("{s:s, s:s, s:I, s:o}", "mode", series->mode->name, "delivery",
                  series->delivery, "payload_bytes", (json_int_t)series->payload_bytes,
                  "frame_bytes", perf_report_number(series->frame_bytes));
    series_report_latency(run, index, row);
    perf_report_spread(row, "rate_per_s", rate, 1);
    perf_report_spread(row, "mb_per_s", rate, megabytes);
    message_ratios_add(run, index, row);
    language_series_report(run, series, row);
    (void)json_array_append_new(run->rows, row);
    if (series_report_is_quiet(run))
        return;
    (void)printf("%-9s ", series->mode->name);
    language_series_print(run, series);
    const perf_spread p50 = series_report_spread(run, samples->p50_ns);
    const perf_spread p99 = series_report_spread(run, samples->p99_ns);
    const perf_spread p999 = series_report_spread(run, samples->p999_ns);
    (void)printf(
        "%-8s %8zu %9.0f %10s %10s %10s %10.0f %12s %10s %s\n", series->delivery,
        series->payload_bytes, series->frame_bytes,
        series_report_figure(run, INTERFERENCE_MEDIAN, p50, p50.median, 1).text,
        series_report_figure(run, INTERFERENCE_TAIL, p99, p99.median, 1).text,
        series_report_figure(run, INTERFERENCE_TAIL, p999, p999.median, 1).text,
        series_report_max(run, samples->max_ns),
        series_report_figure(run, INTERFERENCE_RATE, rate, rate.median / 1e6, 3).text,
        series_report_figure(run, INTERFERENCE_RATE, rate, rate.median * megabytes, 1).text,
        series_report_placement(run));
}

/* A sweep is one table: its head comes with the first payload, its notes with the last. */
static void print_head(series_run *run)
{
    if (series_report_is_quiet(run) || run->has_head)
        return;
    run->has_head = run->options.payloads.count > 1;
    (void)printf("%-9s ", "mode");
    language_series_print(run, NULL);
    (void)printf("%-8s %8s %9s %10s %10s %10s %10s %12s %10s %s\n", "delivery", "payload",
                 "frame", "p50 ns", "p99 ns", "p99.9 ns", "max ns", "rate M/s", "MB/s",
                 "processors");
}

static void print_foot(const series_run *run)
{
    (void)printf("\nhalf round trip; payload and frame in bytes; medians of %u rounds, max: of "
                 "all\n\n",
                 series_report_rounds(run));
}

/* See series_kind. */
static void report_payload(series_run *run)
{
    const perf_options *options = &run->options;
    print_head(run);
    for (unsigned i = 0; i < run->series_count; i++) {
        if (series_run_skips(run, i))
            report_skipped(run, &run->series[i]);
        else
            report_row(run, i);
    }
    if (options->payloads.count == 1 && !series_report_is_quiet(run))
        print_foot(run);
    message_ratios_report(run);
    language_series_ratios(run);
    if (options->payloads.count == 1 && !series_report_is_quiet(run))
        (void)printf("\n");
}

static void print_end(const series_run *run)
{
    if (run->options.payloads.count == 1)
        return;
    print_foot(run);
    if (strcmp(run->options.experiment->name, "tsi") != 0)
        message_ratios_print(run);
}

static void print_round(const series_run *run, unsigned index, unsigned round)
{
    const perf_series *series = &run->series[index];
    const series_samples *samples = &run->samples[index];
    (void)fprintf(stderr, "round %3u %-8s %-6s p50 %9.1f ns p99 %9.1f ns %10.3f M/s\n",
                  round + 1, series->mode->name, series->delivery, samples->p50_ns[round],
                  samples->p99_ns[round], samples->rate_per_s[round] / 1e6);
}

int message_experiment_run(const perf_options *options,
                           void (*finish)(const series_run *run, json_t *report))
{
    const series_kind kind = {.latency_bytes_max = SIZE_MAX,
                              .choose_counts = series_run_choose_counts,
                              .is_watched = true,
                              .is_split = true,
                              .print_round = print_round,
                              .print_end = print_end,
                              .report_payload = report_payload,
                              .finish = finish};
    series_run run = {.kind = &kind, .options = *options};
    const bool is_variant = options->senders.count > 0 || options->ring_bytes.count > 0;
    if (is_variant && options->function != NULL && strcmp(options->function, "c") != 0) {
        (void)fprintf(stderr, "tc-perf: --senders and --ring-bytes measure the function in C: "
                              "expected no --function beside them\n");
        return 2;
    }
    if (is_variant && options->pair_count > 0) {
        (void)fprintf(stderr, "tc-perf: --senders and --ring-bytes measure one pair of cpus: "
                              "expected --pin A,B beside them\n");
        return 2;
    }
    if (options->senders.count > 0)
        return fan_in_run(options);
    if (options->ring_bytes.count > 0)
        return ring_sweep_run(options);
    return message_modes_choose(&run) ? series_run_all(&run) : 2;
}

static void report_peers(const series_run *run, json_t *report)
{
    (void)run;
    peer_modes_report_versions(report);
}

static int run_messages(const perf_options *options)
{
    return message_experiment_run(options, report_peers);
}

#define MODES "bare,am,put,noexec,cached,uncached,image,bitcode,inject,local,compat"
#define TSI_MODES                                                                              \
    "out of bare, am, put, noexec, cached, uncached, image, bitcode, inject, local, compat, "  \
    "aligned, readonly and mpi, mpi-tcp, mpich, mpich-tcp"
#define OPTIONS "size sweep iterations warmup rounds modes pin ring-bytes"

const perf_experiment tsi_experiment = {
    .name = "tsi",
    .takes_pairs = true,
    .summary = "half round trip and rate of a function that adds one to a counter",
    .options = OPTIONS " function api senders threads",
    .functions = LANGUAGE_NAMES,
    .told = {MESSAGE_TOLD, {"modes", TSI_MODES}, {"function", LANGUAGE_TOLD}},
    .defaults = {{"size", "8"},
                 {"function", "c"},
                 {"modes", "bare,am,cached,uncached"},
                 {"warmup", "1000"}},
    .payload_bytes = {1, MESSAGE_PAYLOAD_MAX},
    .iterations_max = MESSAGE_ITERATIONS_MAX,
    .run = run_messages,
};

/* A payload is at least one number. */
const perf_experiment ssum_experiment = {
    .name = "ssum",
    .takes_pairs = true,
    .summary = "the same of a function that adds up its payload",
    .options = OPTIONS,
    .told = {MESSAGE_TOLD, {"modes", "out of " MODES}},
    .defaults = {{"sweep", "16..32K"}, {"modes", "cached,inject,local"}, {"warmup", "1000"}},
    .payload_bytes = {4, MESSAGE_PAYLOAD_MAX},
    .iterations_max = MESSAGE_ITERATIONS_MAX,
    .run = run_messages,
};

/* A payload is at least a key and a word of data. */
const perf_experiment iput_experiment = {
    .name = "iput",
    .takes_pairs = true,
    .summary = "the same of one that puts its payload where a hash table says",
    .options = OPTIONS,
    .told = {MESSAGE_TOLD, {"modes", "out of " MODES}},
    .defaults = {{"sweep", "16..32K"}, {"modes", "cached,inject,local"}, {"warmup", "1000"}},
    .payload_bytes = {16, MESSAGE_PAYLOAD_MAX},
    .iterations_max = MESSAGE_ITERATIONS_MAX,
    .run = run_messages,
};
