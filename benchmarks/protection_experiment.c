/* The cost of protection: nodes that differ in it alone, side by side, and UCX's active
 * messages over tcp. */
#include "aes_speed.h"
#include "mode_node.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_value.h"
#include "series_report.h"
#include "series_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_BYTES 8u
#define LARGE_BYTES (1u << 20)
#define MB (double)(1u << 20)
#define ROUNDS_MAX 1000u

typedef enum metric { CONNECT, FIRST_CALL, LATENCY, RATE, BANDWIDTH, METRICS } metric;

static const struct {
    const char *title;
    const char *member; /* of a row */
    const char *name;   /* of ratios */
    double scale;       /* from stored to shown units */
} metrics[METRICS] = {{"connect us", "connect_us", "connect", 1e-3},
                      {"first us", "first_call_us", "first_call", 1e-3},
                      {"p50 ns", "latency_ns_p50", "latency", 1},
                      {"rate M/s", "rate_per_s", "rate", 1e-6},
                      {"MB/s", "mb_per_s", "bandwidth", 1}};

/* The figures of latency in its rows beyond the median. */
enum { P99, P999, MAX, TAIL };

/* Figures of one series' rounds; empty: not measured. */
typedef struct figures {
    bool is_known[METRICS];
    double values[METRICS][ROUNDS_MAX];
    double tail[TAIL][ROUNDS_MAX]; /* of latency */
} figures;

static node_files made;
static figures all_figures[SERIES_MAX];

/* Figures of AES-256-GCM, beside the large payloads of `sealed` over `stream`. */
static bool has_aes;
static double seal_mb_per_s[ROUNDS_MAX], open_mb_per_s[ROUNDS_MAX];

/* --- compared modes
 * ------------------------------------------------------------------------ */

static bool open_over_tcp(perf_series *series);

/* perf_mode_am, independent of UCX's settings in the environment. */
static perf_mode ucx;

static bool open_over_tcp(perf_series *series)
{
    const char *before = getenv("UCX_TLS");
    char *kept = before != NULL ? strdup(before) : NULL;
    (void)setenv("UCX_TLS", "tcp,self", 1);
    bool ok = perf_mode_am.open(series);
    (void)(kept != NULL ? setenv("UCX_TLS", kept, 1) : unsetenv("UCX_TLS"));
    free(kept);
    (void)snprintf(series->delivery, sizeof series->delivery, "tcp");
    return ok;
}

/* Keys do not protect UCX's messages. */
static bool is_protected_there(const perf_mode *mode, const char *delivery)
{
    return mode == node_modes[0] ||
           (strcmp(delivery, "am") != 0 && strcmp(delivery, "put") != 0);
}

static bool is_possible(const perf_mode *mode)
{
    if (!mode_node_needs_certificate(mode) || made.has_certificate)
        return true;
    (void)fprintf(stderr, "tc-perf: no openssl(1) to make a certificate with: without %s\n",
                  mode->name);
    return false;
}

static bool is_known(const char *name)
{
    for (unsigned i = 0; node_modes[i] != NULL; i++) {
        if (strcmp(node_modes[i]->name, name) == 0)
            return true;
    }
    return strcmp(name, "ucx") == 0;
}

static bool are_known(const char *names)
{
    char name[16];
    while (names != NULL) {
        if (!perf_value_name(&names, ',', name, sizeof name) || !is_known(name)) {
            (void)fprintf(stderr, "tc-perf: --modes: expected some of ucx, off, sealed, "
                                  "certified, signed, policy, readonly, confined, "
                                  "isolated and all\n");
            return false;
        }
    }
    return true;
}

static void choose_series(series_run *run)
{
    const perf_options *options = &run->options;
    if (perf_value_lists(options->modes, ',', "ucx")) {
        ucx = perf_mode_am;
        ucx.name = "ucx";
        ucx.open = open_over_tcp;
        series_run_add(run, &ucx);
    }
    for (unsigned d = 0; d < options->delivery_count; d++) {
        for (unsigned i = 0; node_modes[i] != NULL; i++) {
            const perf_mode *mode = node_modes[i];
            if (perf_value_lists(options->modes, ',', mode->name) && is_possible(mode) &&
                is_protected_there(mode, options->deliveries[d]))
                series_run_add_one(run, mode, options->deliveries[d]);
        }
    }
}

/* --- measuring ---------------------------------------------------------------------------- */

static bool measure_connection(series_run *run, unsigned index, unsigned round)
{
    figures *of = &all_figures[index];
    if (!mode_node_is(run->series[index].mode))
        return true;
    of->is_known[CONNECT] = of->is_known[FIRST_CALL] = true;
    return mode_node_visit(&run->series[index], round, &of->values[CONNECT][round],
                           &of->values[FIRST_CALL][round]);
}

static bool is_sealed_stream(const perf_series *series)
{
    return strcmp(series->mode->name, "sealed") == 0 && strcmp(series->delivery, "stream") == 0;
}

static bool measure_aes(series_run *run, unsigned index)
{
    if (run->options.payload_bytes == LARGE_BYTES && is_sealed_stream(&run->series[index]))
        has_aes = aes_speed_measure(&seal_mb_per_s[run->round], &open_mb_per_s[run->round]);
    return true;
}

static void print_round(const series_run *run, unsigned index, unsigned round)
{
    const series_samples *samples = &run->samples[index];
    (void)fprintf(stderr,
                  "round %3u %-9s %-6s %7zu bytes p50 %9.1f ns %10.3f M/s, connect %7.0f us, "
                  "first call %7.0f us\n",
                  round + 1, run->series[index].mode->name, run->series[index].delivery,
                  run->options.payload_bytes, samples->p50_ns[round],
                  samples->rate_per_s[round] / 1e6,
                  all_figures[index].values[CONNECT][round] / 1e3,
                  all_figures[index].values[FIRST_CALL][round] / 1e3);
}

static void keep_latency(figures *of, const series_samples *samples, unsigned round)
{
    of->values[LATENCY][round] = samples->p50_ns[round];
    of->tail[P99][round] = samples->p99_ns[round];
    of->tail[P999][round] = samples->p999_ns[round];
    of->tail[MAX][round] = samples->max_ns[round];
}

/* The next payload's samples replace these. */
static void keep(const series_run *run, unsigned index)
{
    figures *of = &all_figures[index];
    const series_samples *samples = &run->samples[index];
    const bool large = run->options.payload_bytes > SMALL_BYTES;
    for (unsigned i = 0; i < run->options.rounds; i++) {
        of->values[large ? BANDWIDTH : RATE][i] =
            large ? samples->rate_per_s[i] * (LARGE_BYTES / MB) : samples->rate_per_s[i];
        if (!large)
            keep_latency(of, samples, i);
    }
    of->is_known[large ? BANDWIDTH : RATE] = true;
    of->is_known[LATENCY] = true;
}

/* --- the report --------------------------------------------------------------------------- */

/* Round by round; `base` NULL: of the figures themselves. Sorts the run's buffer. */
static perf_spread spread_of(const series_run *run, const double *values, const double *base)
{
    const unsigned count = run->options.rounds;
    for (unsigned i = 0; i < count; i++)
        run->buffer[i] = base != NULL ? values[i] / base[i] : values[i];
    return perf_stats_spread(run->buffer, count);
}

/* The series that a series is compared with: of mode "off" by the same delivery, or plain UCX,
 * for series that could travel over a network as well. -1: no series, or itself. */
static int find_base(const series_run *run, unsigned index, bool to_ucx)
{
    const perf_series *series = &run->series[index];
    for (unsigned i = 0; i < run->series_count; i++) {
        const perf_series *other = &run->series[i];
        bool fits = to_ucx ? other->mode == &ucx && strcmp(series->delivery, "direct") != 0
                           : other->mode == node_modes[0] &&
                                 strcmp(other->delivery, series->delivery) == 0;
        if (fits && i != index && mode_node_is(series->mode))
            return (int)i;
    }
    return -1;
}

static void print_spread(const perf_spread *ratio)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.2f (%.2f-%.2f)", ratio->median, ratio->quarter,
                   ratio->three_quarters);
    (void)printf(" %18s", text);
}

/* Into the row's JSON, the flat list of ratios, and the table. */
static void report_ratios(const series_run *run, unsigned index, unsigned base, const char *to,
                          json_t *row)
{
    const perf_series *series = &run->series[index];
    const bool quiet = perf_report_is_quiet(&run->options);
    json_t *object = json_object();
    char name[96];
    if (!quiet)
        (void)printf("%-9s %-8s", series->mode->name, series->delivery);
    for (unsigned m = 0; m < METRICS; m++) {
        if (!all_figures[index].is_known[m] || !all_figures[base].is_known[m]) {
            if (!quiet)
                (void)printf(" %18s", "-");
            continue;
        }
        perf_spread ratio =
            spread_of(run, all_figures[index].values[m], all_figures[base].values[m]);
        (void)snprintf(name, sizeof name, "%s_to_%s_%s_%s", series->mode->name,
                       run->series[base].mode->name, metrics[m].name, series->delivery);
        (void)json_object_set_new(run->ratios, name, perf_report_number(ratio.median));
        (void)json_object_set_new(object, metrics[m].name,
                                  json_pack("[o, o, o]", perf_report_number(ratio.quarter),
                                            perf_report_number(ratio.median),
                                            perf_report_number(ratio.three_quarters)));
        if (!quiet)
            print_spread(&ratio);
    }
    if (!quiet)
        (void)putchar('\n');
    (void)json_object_set_new(row, to, object);
}

static void report_tail(const series_run *run, unsigned index, json_t *row)
{
    const figures *of = &all_figures[index];
    if (!of->is_known[LATENCY])
        return;
    const perf_spread p99 = spread_of(run, of->tail[P99], NULL);
    const perf_spread p999 = spread_of(run, of->tail[P999], NULL);
    const double max = series_report_max(run, of->tail[MAX]);
    perf_report_spread(row, "latency_ns_p99", p99, 1);
    perf_report_spread(row, "latency_ns_p999", p999, 1);
    (void)json_object_set_new(row, "latency_ns_max", perf_report_number(max));
    if (!perf_report_is_quiet(&run->options))
        (void)printf(" %10.1f %10.1f %10.0f", p99.median, p999.median, max);
}

static void report_figures(const series_run *run, unsigned index)
{
    const perf_series *series = &run->series[index];
    const bool quiet = perf_report_is_quiet(&run->options);
    json_t *row =
        json_pack("{s:s, s:s}", "mode", series->mode->name, "delivery", series->delivery);
    if (!quiet)
        (void)printf("%-9s %-8s", series->mode->name, series->delivery);
    for (unsigned m = 0; m < METRICS; m++) {
        if (!all_figures[index].is_known[m]) {
            if (!quiet)
                (void)printf(" %11s", "-");
            continue;
        }
        perf_spread figure = spread_of(run, all_figures[index].values[m], NULL);
        perf_report_spread(row, metrics[m].member, figure, m == RATE ? 1 : metrics[m].scale);
        if (!quiet)
            (void)printf(m == RATE ? " %11.3f" : " %11.1f", figure.median * metrics[m].scale);
    }
    report_tail(run, index, row);
    if (!quiet)
        (void)putchar('\n');
    (void)json_array_append_new(run->rows, row);
}

static void print_head(const series_run *run, const char *above, int width)
{
    if (perf_report_is_quiet(&run->options))
        return;
    (void)printf("%s%-9s %-8s", above, "mode", "delivery");
    for (unsigned m = 0; m < METRICS; m++)
        (void)printf(" %*s", width, width > 11 ? metrics[m].name : metrics[m].title);
    if (width <= 11)
        (void)printf(" %10s %10s %10s", "p99 ns", "p99.9 ns", "max ns");
    (void)putchar('\n');
}

static void report_all(const series_run *run, bool to_ucx)
{
    for (unsigned i = 0; i < run->series_count; i++) {
        int base = find_base(run, i, to_ucx);
        if (base >= 0)
            report_ratios(run, i, (unsigned)base, to_ucx ? "to_ucx" : "to_off",
                          json_array_get(run->rows, i));
    }
}

static void report_payload(series_run *run)
{
    for (unsigned i = 0; i < run->series_count; i++)
        keep(run, i);
    if (!series_run_is_last_payload(run))
        return;
    print_head(run, "", 11);
    for (unsigned i = 0; i < run->series_count; i++)
        report_figures(run, i);
    print_head(run, "\nto off, round by round: median (quartiles)\n", 18);
    report_all(run, false);
    print_head(run, "\nto ucx\n", 18);
    report_all(run, true);
    if (!perf_report_is_quiet(&run->options))
        (void)printf("\np50: half round trip of a call; rate: 8 bytes, MB/s: 1 MB; %u rounds\n",
                     run->options.rounds);
}

/* Bounds of a round's rate: the smaller of clear and AES, and one after the other, as one
 * thread does them. */
static double smaller_of(double clear, double aes)
{
    return clear < aes ? clear : aes;
}

static double in_turn(double clear, double aes)
{
    return 1 / (1 / clear + 1 / aes);
}

static void report_bound(const series_run *run, unsigned index, const char *name,
                         double (*bound_of)(double clear, double aes))
{
    static double bounds[ROUNDS_MAX];
    const double *clear = all_figures[find_base(run, index, false)].values[BANDWIDTH];
    for (unsigned i = 0; i < run->options.rounds; i++)
        bounds[i] = bound_of(clear[i], smaller_of(seal_mb_per_s[i], open_mb_per_s[i]));
    perf_spread ratio = spread_of(run, all_figures[index].values[BANDWIDTH], bounds);
    (void)json_object_set_new(run->ratios, name, perf_report_number(ratio.median));
    if (!perf_report_is_quiet(&run->options))
        (void)printf("%-27s %.2f (%.2f-%.2f)\n", name, ratio.median, ratio.quarter,
                     ratio.three_quarters);
}

/* In the row of `sealed`, and below the table. */
static void report_aes(const series_run *run, json_t *row)
{
    perf_spread seal = spread_of(run, seal_mb_per_s, NULL);
    perf_spread open = spread_of(run, open_mb_per_s, NULL);
    perf_report_spread(row, "aes_seal_mb_per_s", seal, 1);
    perf_report_spread(row, "aes_open_mb_per_s", open, 1);
    if (!perf_report_is_quiet(&run->options))
        (void)printf("\nAES-256-GCM, records of %u bytes, one thread: seals %.1f MB/s, opens "
                     "%.1f\n",
                     AES_SPEED_RECORD_BYTES, seal.median, open.median);
}

static void finish(const series_run *run, json_t *report)
{
    (void)report;
    for (unsigned i = 0; i < run->series_count && has_aes; i++) {
        if (!is_sealed_stream(&run->series[i]))
            continue;
        report_aes(run, json_array_get(run->rows, i));
        if (find_base(run, i, false) < 0)
            continue;
        report_bound(run, i, "sealed_to_smaller_stream", smaller_of);
        report_bound(run, i, "sealed_to_in_turn_stream", in_turn);
    }
}

static int run_protection(const perf_options *options)
{
    static const series_kind kind = {.latency_bytes_max = SMALL_BYTES,
                                     .choose_counts = series_run_choose_counts,
                                     .measure_connection = measure_connection,
                                     .prepare = measure_aes,
                                     .print_round = print_round,
                                     .report_payload = report_payload,
                                     .finish = finish};
    series_run run = {.kind = &kind, .options = *options};
    run.options.payloads = (perf_list){.values = {SMALL_BYTES, LARGE_BYTES}, .count = 2};
    int status = EXIT_FAILURE;
    if (!are_known(options->modes))
        return 2;
    perf_report_progress("keys and signatures");
    if (node_files_make(&made, options, options->rounds)) {
        mode_node_use(&made);
        choose_series(&run);
        status = series_run_all(&run);
    }
    node_files_remove(&made);
    return status;
}

const perf_experiment protection_experiment = {
    .name = "protection",
    .summary = "what keys, signatures, rules and walls cost, beside none",
    .options = "iterations warmup rounds modes pin",
    .defaults = {{"delivery", "direct,am,stream"},
                 {"modes",
                  "ucx,off,sealed,certified,signed,policy,readonly,confined,isolated,all"},
                 {"rounds", "20"},
                 {"warmup", "200"}},
    .iterations_max = 10000000,
    .run = run_protection,
};
