/* The cost of statistics: nodes that differ in the option usage alone, side by side. A call is
 * counted by itself, messages are counted in a row. */
#include "mode_node.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "series_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAYLOAD_BYTES 8u

enum { LATENCY, RATE, FIGURES };

static const char *const figure_names[] = {"latency", "rate"};

static node_files made;

/* Values of all rounds; of messages, the series' own array. */
static const double *values_of(const series_run *run, unsigned index, unsigned figure)
{
    const series_samples *samples = &run->samples[index];
    return figure == RATE ? samples->rate_per_s : samples->p50_ns;
}

/* Round by round; `base` NULL: of the figures themselves. Sorts the run's buffer. */
static perf_spread spread_of(const series_run *run, const double *values, const double *base)
{
    for (unsigned i = 0; i < run->options.rounds; i++)
        run->buffer[i] = base != NULL ? values[i] / base[i] : values[i];
    return perf_stats_spread(run->buffer, run->options.rounds);
}

static void print_round(const series_run *run, unsigned index, unsigned round)
{
    (void)fprintf(stderr, "round %3u %-7s %-6s p50 %9.1f ns %10.3f M/s\n", round + 1,
                  run->series[index].mode->name, run->series[index].delivery,
                  values_of(run, index, LATENCY)[round],
                  values_of(run, index, RATE)[round] / 1e6);
}

/* Returns the series without statistics by the same delivery. */
static unsigned find_base(const series_run *run, unsigned index)
{
    unsigned i = 0;
    while (i < index && (strcmp(run->series[i].mode->name, "off") != 0 ||
                         strcmp(run->series[i].delivery, run->series[index].delivery) != 0))
        i++;
    return i;
}

static void report_ratios(const series_run *run, unsigned index, unsigned base)
{
    char name[96];
    for (unsigned f = 0; f < FIGURES; f++) {
        const perf_spread ratio =
            spread_of(run, values_of(run, index, f), values_of(run, base, f));
        (void)snprintf(name, sizeof name, "%s_to_off_%s_%s", run->series[index].mode->name,
                       figure_names[f], run->series[index].delivery);
        (void)json_object_set_new(run->ratios, name, perf_report_number(ratio.median));
        if (!perf_report_is_quiet(&run->options))
            (void)printf("%-32s %.3f (%.3f-%.3f)\n", name, ratio.median, ratio.quarter,
                         ratio.three_quarters);
    }
}

static void report_row(const series_run *run, unsigned index)
{
    const perf_series *series = &run->series[index];
    const perf_spread latency = spread_of(run, values_of(run, index, LATENCY), NULL);
    const perf_spread rate = spread_of(run, values_of(run, index, RATE), NULL);
    json_t *row =
        json_pack("{s:s, s:s}", "mode", series->mode->name, "delivery", series->delivery);
    perf_report_spread(row, "latency_ns_p50", latency, 1);
    perf_report_spread(row, "rate_per_s", rate, 1);
    (void)json_array_append_new(run->rows, row);
    if (!perf_report_is_quiet(&run->options))
        (void)printf("%-7s %-8s %11.1f %11.3f\n", series->mode->name, series->delivery,
                     latency.median, rate.median / 1e6);
}

static void report_payload(series_run *run)
{
    const bool quiet = perf_report_is_quiet(&run->options);
    if (!quiet)
        (void)printf("%-7s %-8s %11s %11s\n", "mode", "delivery", "p50 ns", "rate M/s");
    for (unsigned i = 0; i < run->series_count; i++)
        report_row(run, i);
    if (!quiet)
        (void)printf("\nto off, round by round: median (quartiles)\n");
    for (unsigned i = 0; i < run->series_count; i++) {
        const unsigned base = find_base(run, i);
        if (base < i)
            report_ratios(run, i, base);
    }
}

static void choose_series(series_run *run)
{
    for (unsigned d = 0; d < run->options.delivery_count; d++) {
        for (unsigned i = 0; node_usage_modes[i] != NULL; i++)
            series_run_add_one(run, node_usage_modes[i], run->options.deliveries[d]);
    }
}

static int run_usage(const perf_options *options)
{
    static const series_kind kind = {.latency_bytes_max = PAYLOAD_BYTES,
                                     .choose_counts = series_run_choose_counts,
                                     .print_round = print_round,
                                     .report_payload = report_payload};
    series_run run = {.kind = &kind, .options = *options};
    run.options.payloads = (perf_list){.values = {PAYLOAD_BYTES}, .count = 1};
    int status = EXIT_FAILURE;
    perf_report_progress("files");
    if (node_files_make(&made, options, 0)) {
        mode_node_use(&made);
        choose_series(&run);
        status = series_run_all(&run);
    }
    node_files_remove(&made);
    return status;
}

const perf_experiment usage_experiment = {
    .name = "usage",
    .summary = NULL, /* not in the list of tc-perf --help, which fills a screen */
    .options = "iterations warmup rounds pin",
    .defaults = {{"delivery", "direct"}, {"rounds", "30"}, {"warmup", "200"}},
    .iterations_max = 10000000,
    .run = run_usage,
};
