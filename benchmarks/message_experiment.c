/* The speed of running a function in another process, by each mode in turn: one that adds one
 * to a counter (Target-Side Increment), one that adds up its payload (Server-Side Sum), one
 * that stores it at an address from a hash table (Indirect Put). */
#include "message_experiment.h"
#include "language_series.h"
#include "message_modes.h"
#include "peer_modes.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "series_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MB (double)(1u << 20)

/* --- the report -------------------------------------------------------------------------- */

typedef enum metric { LATENCY, RATE } metric;

typedef struct ratio_row {
    const char *name;
    metric metric;
    const char *upper; /* modes */
    const char *lower;
    bool is_loss; /* in per cent, and no ratio */
} ratio_row;

static const ratio_row ratio_rows[] = {
    {"noexec_to_put_latency", LATENCY, "noexec", "put", false},
    {"noexec_to_put_rate", RATE, "noexec", "put", false},
    {"cached_to_noexec_latency", LATENCY, "cached", "noexec", false},
    {"cached_to_noexec_rate", RATE, "cached", "noexec", false},
    {"cached_to_bare_latency", LATENCY, "cached", "bare", false},
    {"cached_to_am_latency", LATENCY, "cached", "am", false},
    {"cached_to_bare_rate", RATE, "cached", "bare", false},
    {"cached_to_am_rate", RATE, "cached", "am", false},
    {"uncached_to_am_latency", LATENCY, "uncached", "am", false},
    {"uncached_to_am_rate", RATE, "uncached", "am", false},
    {"inject_to_am_latency", LATENCY, "inject", "am", false},
    {"inject_to_am_rate", RATE, "inject", "am", false},
    {"compat_to_am_latency", LATENCY, "compat", "am", false},
    {"compat_to_am_rate", RATE, "compat", "am", false},
    {"uncached_to_cached_latency", LATENCY, "uncached", "cached", false},
    {"uncached_to_cached_rate", RATE, "uncached", "cached", false},
    {"image_to_bitcode_latency", LATENCY, "image", "bitcode", false},
    {"image_to_bitcode_rate", RATE, "image", "bitcode", false},
    {"inject_to_cached_latency", LATENCY, "inject", "cached", false},
    {"inject_to_cached_rate", RATE, "inject", "cached", false},
    {"local_to_cached_latency", LATENCY, "local", "cached", false},
    {"local_to_cached_rate", RATE, "local", "cached", false},
    {"aligned_to_cached_latency", LATENCY, "aligned", "cached", false},
    {"aligned_to_cached_rate", RATE, "aligned", "cached", false},
    {"readonly_to_cached_latency", LATENCY, "readonly", "cached", false},
    {"readonly_to_cached_rate", RATE, "readonly", "cached", false},
    {"inject_to_local_latency", LATENCY, "inject", "local", false},
    {"inject_to_local_rate", RATE, "inject", "local", false},
    {"inject_loss_percent_latency", LATENCY, "inject", "local", true},
    {"inject_loss_percent_rate", RATE, "inject", "local", true},
    {"cached_to_mpi_latency", LATENCY, "cached", "mpi", false},
    {"cached_to_mpi_rate", RATE, "cached", "mpi", false},
    {"cached_to_mpi-tcp_latency", LATENCY, "cached", "mpi-tcp", false},
    {"cached_to_mpi-tcp_rate", RATE, "cached", "mpi-tcp", false},
    {"cached_to_mpich_latency", LATENCY, "cached", "mpich", false},
    {"cached_to_mpich_rate", RATE, "cached", "mpich", false},
    {"cached_to_mpich-tcp_latency", LATENCY, "cached", "mpich-tcp", false},
    {"cached_to_mpich-tcp_rate", RATE, "cached", "mpich-tcp", false},
};

#define RATIO_COUNT (sizeof ratio_rows / sizeof ratio_rows[0])

/* The series of a mode in C: the n-th of its deliveries, or the only series of a mode that has
 * no choice. -1: no series. */
static int find_series(const series_run *run, const char *mode, unsigned nth)
{
    int found = -1;
    for (unsigned i = 0; i < run->series_count; i++) {
        if (strcmp(run->series[i].mode->name, mode) != 0 ||
            run->series[i].language != language_c)
            continue;
        found = (int)i;
        if (nth-- == 0)
            break;
    }
    return found;
}

/* The one of a mode by that delivery. -1: no series. */
static int find_series_by(const series_run *run, const perf_mode *mode, const char *delivery)
{
    for (unsigned i = 0; i < run->series_count; i++) {
        if (run->series[i].mode == mode && strcmp(run->series[i].delivery, delivery) == 0)
            return (int)i;
    }
    return -1;
}

static const double *values_of(const series_run *run, int series, metric which)
{
    return which == LATENCY ? run->samples[series].p50_ns : run->samples[series].rate_per_s;
}

static perf_spread spread_ratio(const series_run *run, metric which, int upper, int lower)
{
    const double *over = values_of(run, upper, which);
    const double *under = values_of(run, lower, which);
    for (unsigned i = 0; i < run->options.rounds; i++)
        run->buffer[i] = over[i] / under[i];
    return series_run_spread(run, run->buffer);
}

/* How much worse it is in per cent, as the figures of the Two-Chains paper have it: how much
 * longer latency is, or how much lower the rate. */
static perf_spread spread_loss(const series_run *run, metric which, int upper, int lower)
{
    const double *over = values_of(run, upper, which);
    const double *under = values_of(run, lower, which);
    for (unsigned i = 0; i < run->options.rounds; i++)
        run->buffer[i] =
            100 * (which == LATENCY ? over[i] / under[i] - 1 : 1 - over[i] / under[i]);
    return series_run_spread(run, run->buffer);
}

/* Labels beside the lines in figures of the paper on the ifunc API. */
static void report_to_am(const series_run *run, unsigned index, json_t *row)
{
    const perf_mode *mode = run->series[index].mode;
    int am = find_series(run, "am", 0);
    if (am < 0 || mode == &perf_mode_am || mode == &perf_mode_bare)
        return;
    perf_report_spread(row, "latency_to_am", spread_ratio(run, LATENCY, (int)index, am), 1);
    perf_report_spread(row, "rate_to_am", spread_ratio(run, RATE, (int)index, am), 1);
}

static void report_loss(const series_run *run, unsigned index, json_t *row)
{
    const int local = find_series_by(run, &perf_mode_local, run->series[index].delivery);
    if (local < 0 || run->series[index].mode != &perf_mode_inject)
        return;
    perf_report_spread(row, "latency_loss_percent",
                       spread_loss(run, LATENCY, (int)index, local), 1);
    perf_report_spread(row, "rate_loss_percent", spread_loss(run, RATE, (int)index, local), 1);
}

static void report_skipped(const series_run *run, const perf_series *series)
{
    char text[64];
    (void)snprintf(text, sizeof text, "the largest payload is %zu bytes", series->payload_max);
    (void)json_array_append_new(run->rows,
                                json_pack("{s:s, s:s, s:I, s:s}", "mode", series->mode->name,
                                          "delivery", series->delivery, "payload_bytes",
                                          (json_int_t)series->payload_bytes, "skipped", text));
    if (perf_report_is_quiet(&run->options))
        return;
    (void)printf("%-9s ", series->mode->name);
    language_series_print(run, series);
    (void)printf("%-8s %8zu skipped: %s\n", series->delivery, series->payload_bytes, text);
}

static void report_row(const series_run *run, unsigned index)
{
    const perf_series *series = &run->series[index];
    const series_samples *samples = &run->samples[index];
    const perf_spread rate = series_run_spread(run, samples->rate_per_s);
    const double megabytes = (double)series->payload_bytes / MB;
    json_t *row =
        json_pack("{s:s, s:s, s:I, s:o}", "mode", series->mode->name, "delivery",
                  series->delivery, "payload_bytes", (json_int_t)series->payload_bytes,
                  "frame_bytes", perf_report_number(series->frame_bytes));
    series_run_report_latency(run, index, row);
    perf_report_spread(row, "rate_per_s", rate, 1);
    perf_report_spread(row, "mb_per_s", rate, megabytes);
    report_to_am(run, index, row);
    report_loss(run, index, row);
    language_series_report(run, series, row);
    (void)json_array_append_new(run->rows, row);
    if (perf_report_is_quiet(&run->options))
        return;
    (void)printf("%-9s ", series->mode->name);
    language_series_print(run, series);
    (void)printf("%-8s %8zu %9.0f %10.1f %10.1f %10.1f %10.0f %12.3f %10.1f\n",
                 series->delivery, series->payload_bytes, series->frame_bytes,
                 series_run_spread(run, samples->p50_ns).median,
                 series_run_spread(run, samples->p99_ns).median,
                 series_run_spread(run, samples->p999_ns).median,
                 series_run_max(run, samples->max_ns), rate.median / 1e6,
                 rate.median * megabytes);
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
    double ratio =
        (row->is_loss ? spread_loss : spread_ratio)(run, row->metric, upper, lower).median;
    (void)snprintf(name, sizeof name, "%s%s%s", row->name, delivery, payload);
    (void)json_object_set_new(run->ratios, name, perf_report_number(ratio));
    /* A sweep prints only the table. */
    if (run->options.payloads.count == 1 && !perf_report_is_quiet(&run->options))
        (void)printf("%-34s %8.3f\n", name, ratio);
}

/* A sweep is one table: its head comes with the first payload, its notes with the last. */
static void print_head(const series_run *run)
{
    if (perf_report_is_quiet(&run->options))
        return;
    (void)printf("%-9s ", "mode");
    language_series_print(run, NULL);
    (void)printf("%-8s %8s %9s %10s %10s %10s %10s %12s %10s\n", "delivery", "payload", "frame",
                 "p50 ns", "p99 ns", "p99.9 ns", "max ns", "rate M/s", "MB/s");
}

static void print_foot(const series_run *run)
{
    if (!perf_report_is_quiet(&run->options))
        (void)printf("\nhalf round trip; payload and frame in bytes; medians of %u rounds, "
                     "max: of all\n\n",
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

/* For a sweep with the few modes of ssum and iput: a line per ratio, a column per payload. */
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

/* See series_kind. */
static void report_payload(series_run *run)
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
    language_series_ratios(run);
    if (last && options->payloads.count > 1 && strcmp(options->experiment->name, "tsi") != 0 &&
        !perf_report_is_quiet(options))
        print_ratios(run);
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
                              .print_round = print_round,
                              .report_payload = report_payload,
                              .finish = finish};
    series_run run = {.kind = &kind, .options = *options};
    const bool is_variant = options->senders.count > 0 || options->ring_bytes.count > 0;
    if (is_variant && options->function != NULL && strcmp(options->function, "c") != 0) {
        (void)fprintf(stderr, "tc-perf: --senders and --ring-bytes measure the function in C: "
                              "expected no --function beside them\n");
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
    .summary = "half round trip and rate of a function that adds one to a counter",
    .options = OPTIONS " function api senders",
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
    .summary = "the same of one that puts its payload where a hash table says",
    .options = OPTIONS,
    .told = {MESSAGE_TOLD, {"modes", "out of " MODES}},
    .defaults = {{"sweep", "16..32K"}, {"modes", "cached,inject,local"}, {"warmup", "1000"}},
    .payload_bytes = {16, MESSAGE_PAYLOAD_MAX},
    .iterations_max = MESSAGE_ITERATIONS_MAX,
    .run = run_messages,
};
