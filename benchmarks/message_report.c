/* What a run of series found: medians over rounds, and ratios as medians of each
 * round's own ratio. */
#include "message_report.h"

#include "paper_tables.h"
#include "perf_experiment.h"
#include "perf_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum metric { LATENCY, RATE } metric;

typedef struct ratio_row {
    const char *name;
    metric metric;
    const perf_mode *upper;
    const perf_mode *lower;
} ratio_row;

static const ratio_row ratio_rows[] = {
    {"cached_to_bare_latency", LATENCY, &perf_mode_cached, &perf_mode_bare},
    {"cached_to_am_latency", LATENCY, &perf_mode_cached, &perf_mode_am},
    {"cached_to_bare_rate", RATE, &perf_mode_cached, &perf_mode_bare},
    {"cached_to_am_rate", RATE, &perf_mode_cached, &perf_mode_am},
    {"uncached_to_cached_latency", LATENCY, &perf_mode_uncached, &perf_mode_cached},
    {"uncached_to_cached_rate", RATE, &perf_mode_uncached, &perf_mode_cached},
    {"image_to_bitcode_latency", LATENCY, &perf_mode_image, &perf_mode_bitcode},
    {"image_to_bitcode_rate", RATE, &perf_mode_image, &perf_mode_bitcode},
    {"inject_to_cached_latency", LATENCY, &perf_mode_inject, &perf_mode_cached},
    {"inject_to_am_rate", RATE, &perf_mode_inject, &perf_mode_am},
    {"inject_to_cached_rate", RATE, &perf_mode_inject, &perf_mode_cached},
    {"local_to_cached_latency", LATENCY, &perf_mode_local, &perf_mode_cached},
    {"local_to_cached_rate", RATE, &perf_mode_local, &perf_mode_cached},
    {"inject_to_local_latency", LATENCY, &perf_mode_inject, &perf_mode_local},
    {"inject_to_local_rate", RATE, &perf_mode_inject, &perf_mode_local},
};

#define RATIO_COUNT (sizeof ratio_rows / sizeof ratio_rows[0])

/* The series of a mode: the n-th of its deliveries, or the only series of a mode that has no
 * choice. -1: none. */
static int find_series(const series_run *run, const perf_mode *mode, unsigned nth)
{
    int found = -1;
    for (unsigned i = 0; i < run->series_count; i++) {
        if (run->series[i].mode != mode)
            continue;
        found = (int)i;
        if (nth-- == 0)
            break;
    }
    return found;
}

static const double *values_of(const series_run *run, int series, metric which)
{
    return which == LATENCY ? run->samples[series].p50_ns : run->samples[series].rate_per_s;
}

static double median_ratio(const series_run *run, const ratio_row *row, int upper, int lower)
{
    const double *over = values_of(run, upper, row->metric);
    const double *under = values_of(run, lower, row->metric);
    for (unsigned i = 0; i < run->options.rounds; i++)
        run->buffer[i] = over[i] / under[i];
    return series_run_median(run, run->buffer);
}

static void report_skipped(const series_run *run, const perf_series *series)
{
    char text[64];
    (void)snprintf(text, sizeof text, "the largest payload is %zu bytes", series->payload_max);
    (void)json_array_append_new(run->rows,
                                json_pack("{s:s, s:s, s:I, s:s}", "mode", series->mode->name,
                                          "delivery", series->delivery, "payload_bytes",
                                          (json_int_t)series->payload_bytes, "skipped", text));
    if (!perf_report_is_quiet(&run->options))
        (void)printf("%-9s %-8s %8zu skipped: %s\n", series->mode->name, series->delivery,
                     series->payload_bytes, text);
}

static void report_row(const series_run *run, unsigned index)
{
    const perf_series *series = &run->series[index];
    const series_samples *samples = &run->samples[index];
    double p50 = series_run_median(run, samples->p50_ns);
    double p99 = series_run_median(run, samples->p99_ns);
    double rate = series_run_median(run, samples->rate_per_s);
    (void)json_array_append_new(
        run->rows,
        json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o}", "mode", series->mode->name, "delivery",
                  series->delivery, "payload_bytes", (json_int_t)series->payload_bytes,
                  "frame_bytes", perf_report_number(series->frame_bytes), "latency_ns_p50",
                  perf_report_number(p50), "latency_ns_p99", perf_report_number(p99),
                  "rate_per_s", perf_report_number(rate)));
    if (!perf_report_is_quiet(&run->options))
        (void)printf("%-9s %-8s %8zu %9.0f %10.1f %10.1f %12.3f\n", series->mode->name,
                     series->delivery, series->payload_bytes, series->frame_bytes, p50, p99,
                     rate / 1e6);
}

/* Empty for the only delivery. */
static void ratio_delivery(const series_run *run, int series, char *text, size_t size)
{
    text[0] = '\0';
    if (run->options.delivery_count > 1)
        (void)snprintf(text, size, "_%s", run->series[series].delivery);
}

/* With several deliveries each ratio is named with its delivery, with several payloads with its
 * payload. */
static void report_ratio(const series_run *run, const ratio_row *row, unsigned nth)
{
    char name[64], delivery[24], payload[24] = "";
    int upper = find_series(run, row->upper, nth), lower = find_series(run, row->lower, nth);
    if (upper < 0 || lower < 0 || series_run_skips(run, (unsigned)upper) ||
        series_run_skips(run, (unsigned)lower))
        return;
    ratio_delivery(run, upper, delivery, sizeof delivery);
    if (run->options.payloads.count > 1)
        (void)snprintf(payload, sizeof payload, "_%zu", run->options.payload_bytes);
    double ratio = median_ratio(run, row, upper, lower);
    (void)snprintf(name, sizeof name, "%s%s%s", row->name, delivery, payload);
    (void)json_object_set_new(run->ratios, name, perf_report_number(ratio));
    /* Of a sweep only the table is for people. */
    if (run->options.payloads.count == 1 && !perf_report_is_quiet(&run->options))
        (void)printf("%-34s %8.3f\n", name, ratio);
}

/* A sweep is one table: its head comes with the first payload, what is said of it with the
 * last. */
static void print_head(const series_run *run)
{
    if (!perf_report_is_quiet(&run->options))
        (void)printf("%-9s %-8s %8s %9s %10s %10s %12s\n", "mode", "delivery", "payload",
                     "frame", "p50 ns", "p99 ns", "rate M/s");
}

static void print_foot(const series_run *run)
{
    if (!perf_report_is_quiet(&run->options))
        (void)printf("\nhalf round trip; payload and frame in bytes; medians of %u rounds\n\n",
                     run->options.rounds);
}

/* "-" where a mode was skipped. */
static void print_ratio(const series_run *run, const char *name, uint64_t payload_bytes)
{
    char key[96];
    (void)snprintf(key, sizeof key, "%s_%llu", name, (unsigned long long)payload_bytes);
    const json_t *ratio = json_object_get(run->ratios, key);
    if (ratio != NULL)
        (void)printf(" %7.3f", json_real_value(ratio));
    else
        (void)printf(" %7s", "-");
}

/* Of a sweep with the few modes of ssum and iput: a line per ratio, a column per payload. */
static void print_ratios(const series_run *run)
{
    const perf_options *options = &run->options;
    char name[64], delivery[24];
    (void)printf("%-32s", "payload");
    for (unsigned i = 0; i < options->payloads.count; i++)
        (void)printf(" %7llu", (unsigned long long)options->payloads.values[i]);
    for (size_t row = 0; row < RATIO_COUNT; row++) {
        for (unsigned nth = 0; nth < options->delivery_count; nth++) {
            int series = find_series(run, ratio_rows[row].upper, nth);
            if (series < 0 || find_series(run, ratio_rows[row].lower, nth) < 0)
                continue;
            ratio_delivery(run, series, delivery, sizeof delivery);
            (void)snprintf(name, sizeof name, "%s%s", ratio_rows[row].name, delivery);
            (void)printf("\n%-32s", name);
            for (unsigned i = 0; i < options->payloads.count; i++)
                print_ratio(run, name, options->payloads.values[i]);
        }
    }
    (void)printf("\n");
}

void message_report_payload(series_run *run)
{
    const perf_options *options = &run->options;
    bool last = series_run_is_last_payload(run);
    if (run->payload_index == 0)
        print_head(run);
    for (unsigned i = 0; i < run->series_count; i++) {
        if (series_run_skips(run, i))
            report_skipped(run, &run->series[i]);
        else
            report_row(run, i);
    }
    if (last)
        print_foot(run);
    for (size_t i = 0; i < RATIO_COUNT; i++) {
        for (unsigned nth = 0; nth < options->delivery_count; nth++)
            report_ratio(run, &ratio_rows[i], nth);
    }
    if (last && options->payloads.count > 1 && strcmp(options->experiment->name, "tsi") != 0 &&
        !perf_report_is_quiet(options))
        print_ratios(run);
}

void message_report_finish(const series_run *run, json_t *report)
{
    if (run->options.table && !perf_report_is_quiet(&run->options))
        paper_tables_print_rates(run->rows);
    if (run->options.table)
        (void)json_object_set_new(report, "paper", paper_tables_rates());
}
