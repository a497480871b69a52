#include "message_ratios.h"

#include "language.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "series_report.h"

#include <stdio.h>
#include <string.h>

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
    return series_report_spread(run, run->buffer);
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
    return series_report_spread(run, run->buffer);
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

/* Empty for the only delivery. */
static void ratio_delivery(const series_run *run, int series, char *text, size_t size)
{
    text[0] = '\0';
    if (run->options.delivery_count > 1)
        (void)snprintf(text, size, "_%s", run->series[series].delivery);
}

/* A sweep prints only the table. */
static void print_one_ratio(const series_run *run, const char *name, metric which,
                            perf_spread ratio, const char *note)
{
    if (run->options.payloads.count > 1 || series_report_is_quiet(run))
        return;
    (void)printf(
        "%-34s %8s  %s\n", name,
        series_report_figure(run, which == LATENCY ? INTERFERENCE_MEDIAN : INTERFERENCE_RATE,
                             ratio, ratio.median, 3)
            .text,
        note);
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
    const perf_spread ratio =
        (row->is_loss ? spread_loss : spread_ratio)(run, row->metric, upper, lower);
    (void)snprintf(name, sizeof name, "%s%s%s", row->name, delivery, payload);
    (void)json_object_set_new(run->ratios, name, perf_report_number(ratio.median));
    print_one_ratio(run, name, row->metric, ratio, "");
}

/* Other systems' messages, which run no code that came by one. */
static bool is_peer(const perf_mode *mode)
{
    static const char *const peers[] = {"am", "mpi", "mpi-tcp", "mpich", "mpich-tcp"};
    for (size_t i = 0; i < sizeof peers / sizeof peers[0]; i++) {
        if (strcmp(mode->name, peers[i]) == 0)
            return true;
    }
    return false;
}

/* To whichever of several is ahead in the rounds of this report. */
static void report_fastest(const series_run *run, metric which)
{
    const int own = find_series(run, "cached", 0);
    int best = -1;
    unsigned peers = 0;
    char name[64];
    for (unsigned i = 0; i < run->series_count; i++) {
        if (!is_peer(run->series[i].mode) || series_run_skips(run, i))
            continue;
        const double value = series_report_spread(run, values_of(run, (int)i, which)).median;
        const double most =
            best < 0 ? 0 : series_report_spread(run, values_of(run, best, which)).median;
        if (best < 0 || (which == LATENCY ? value < most : value > most))
            best = (int)i;
        peers++;
    }
    if (own < 0 || peers < 2 || series_run_skips(run, (unsigned)own))
        return;
    const perf_spread ratio = spread_ratio(run, which, own, best);
    (void)snprintf(name, sizeof name, "cached_to_fastest_%s",
                   which == LATENCY ? "latency" : "rate");
    if (run->options.payloads.count > 1)
        (void)snprintf(name + strlen(name), sizeof name - strlen(name), "_%zu",
                       run->options.payload_bytes);
    (void)json_object_set_new(run->ratios, name, perf_report_number(ratio.median));
    print_one_ratio(run, name, which, ratio, run->series[best].mode->name);
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
void message_ratios_print(const series_run *run)
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

void message_ratios_add(const series_run *run, unsigned index, json_t *row)
{
    report_to_am(run, index, row);
    report_loss(run, index, row);
}

void message_ratios_report(const series_run *run)
{
    for (size_t i = 0; i < RATIO_COUNT; i++) {
        for (unsigned nth = 0; nth < run->options.delivery_count; nth++)
            report_ratio(run, &ratio_rows[i], nth);
    }
    report_fastest(run, LATENCY);
    report_fastest(run, RATE);
}
