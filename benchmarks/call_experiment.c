/* The round trip of a call: from the caller's start of it until its answer is there, blocking
 * and with a completion, for 1 to 1,024 calls at once, beside a request and a reply of UCX's
 * active messages, and calls by other systems (peer_modes.h). */
#include "peer_modes.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_value.h"
#include "series_report.h"
#include "series_run.h"

#include <stdio.h>
#include <string.h>

/* Modes of others come first: ratios are to modes in front. */
static const perf_mode *const ucx_modes[] = {&perf_mode_request_am, &perf_mode_request_am_safe,
                                             &perf_mode_get};
static const perf_mode *const own_modes[] = {
    &perf_mode_call,         &perf_mode_start,      &perf_mode_window,
    &perf_mode_window_start, &perf_mode_window_get, &perf_mode_window_put,
    &perf_mode_threaded,     &perf_mode_task,       &perf_mode_atomic,
    &perf_mode_hand,         &perf_mode_hand_word,  &perf_mode_hand_two,
    &perf_mode_hand_doubles};

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define OF_UCX "am,am-safe,get"
#define OWN "call,start,window,window-start,window-get,window-put,threaded,task,atomic"
#define HAND "hand,hand-word,hand-two,hand-doubles"
#define OUT_OF "out of " OF_UCX ", " OWN ", " HAND ", " TYPED_MODES " and " PEER_MODES
#define MODES OF_UCX "," PEER_MODES "," OWN "," HAND "," TYPED_MODES

static bool is_asked_for(const series_run *run, const char *name)
{
    return perf_value_lists(run->options.modes, ',', name);
}

static void add_modes(series_run *run, const perf_mode *const *modes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_asked_for(run, modes[i]->name))
            series_run_add(run, modes[i]);
    }
}

static bool add_peers(series_run *run, const peer_mode *modes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const peer_mode *peer = &modes[i];
        if (!is_asked_for(run, peer->name))
            continue;
        if (peer->mode == NULL) {
            (void)fprintf(stderr, "tc-perf: --modes %s: not in this build: %s\n", peer->name,
                          peer->missing);
            return false;
        }
        series_run_add(run, peer->mode);
    }
    return true;
}

/* Calls send nothing that a function would read: tsi counts them. */
static bool choose_series(series_run *run)
{
    if (!series_run_knows_modes(run, MODES))
        return false;
    add_modes(run, ucx_modes, COUNT(ucx_modes));
    if (!add_peers(run, peer_modes, peer_mode_count))
        return false;
    add_modes(run, own_modes, COUNT(own_modes));
    if (!add_peers(run, typed_modes, typed_mode_count))
        return false;
    for (unsigned i = 0; i < run->series_count; i++)
        run->series[i].work = ifunc_work_find("tsi");
    return true;
}

/* --- the report -------------------------------------------------------------------------- */

static bool is_left_out(const series_run *run, unsigned index)
{
    return run->series[index].is_left_out;
}

static void print_row(const series_run *run, unsigned index, perf_spread rate)
{
    const perf_series *series = &run->series[index];
    const series_samples *of = &run->samples[index];
    const perf_spread p50 = series_report_spread(run, of->p50_ns);
    const perf_spread p99 = series_report_spread(run, of->p99_ns);
    const perf_spread p999 = series_report_spread(run, of->p999_ns);
    (void)printf("%-13s %-8s %11llu %10s %10s %10s %10.0f %12s %s\n", series->mode->name,
                 series->delivery, (unsigned long long)run->options.calls_at_once,
                 series_report_figure(run, INTERFERENCE_MEDIAN, p50, p50.median, 1).text,
                 series_report_figure(run, INTERFERENCE_TAIL, p99, p99.median, 1).text,
                 series_report_figure(run, INTERFERENCE_TAIL, p999, p999.median, 1).text,
                 series_report_max(run, of->max_ns),
                 series_report_figure(run, INTERFERENCE_RATE, rate, rate.median / 1e6, 3).text,
                 series_report_placement(run));
}

static void report_row(const series_run *run, unsigned index)
{
    const perf_series *series = &run->series[index];
    const series_samples *samples = &run->samples[index];
    const perf_spread rate = series_report_spread(run, samples->rate_per_s);
    json_t *row =
        json_pack("{s:s, s:s, s:I, s:I, s:o}", "mode", series->mode->name, "delivery",
                  series->delivery, "outstanding", (json_int_t)run->options.calls_at_once,
                  "payload_bytes", (json_int_t)series->payload_bytes, "frame_bytes",
                  perf_report_number(series->frame_bytes));
    series_report_latency(run, index, row);
    perf_report_spread(row, "rate_per_s", rate, 1);
    (void)json_array_append_new(run->rows, row);
    if (!series_report_is_quiet(run))
        print_row(run, index, rate);
}

typedef enum metric { LATENCY, RATE } metric;

static const double *values_of(const series_run *run, unsigned index, metric which)
{
    return which == LATENCY ? run->samples[index].p50_ns : run->samples[index].rate_per_s;
}

/* Round by round, as everywhere. */
static perf_spread ratio_of(const series_run *run, unsigned over, unsigned under, metric which)
{
    const double *upper = values_of(run, over, which), *lower = values_of(run, under, which);
    for (unsigned i = 0; i < run->options.rounds; i++)
        run->buffer[i] = upper[i] / lower[i];
    return series_report_spread(run, run->buffer);
}

static void add_ratio(const series_run *run, unsigned over, unsigned under, const char *of,
                      metric which)
{
    char name[96], delivery[24] = "";
    const char *what = which == LATENCY ? "latency" : "rate";
    const perf_spread ratio = ratio_of(run, over, under, which);
    if (run->options.delivery_count > 1)
        (void)snprintf(delivery, sizeof delivery, "_%s", run->series[over].delivery);
    (void)snprintf(name, sizeof name, "%s_to_%s_%s%s_o%llu", run->series[over].mode->name, of,
                   what, delivery, (unsigned long long)run->options.calls_at_once);
    (void)json_object_set_new(run->ratios, name, perf_report_number(ratio.median));
    if (!series_report_is_quiet(run))
        (void)printf("%-42s %8s  %s\n", name,
                     series_report_figure(
                         run, which == LATENCY ? INTERFERENCE_MEDIAN : INTERFERENCE_RATE, ratio,
                         ratio.median, 3)
                         .text,
                     of == run->series[under].mode->name ? "" : run->series[under].mode->name);
}

/* To the other system that is ahead in the rounds of this report, where there are several. */
static void add_fastest(const series_run *run, unsigned over, metric which)
{
    unsigned peers = 0, best = 0;
    double most = 0;
    for (unsigned i = 0; i < over; i++) {
        if (run->series[i].mode->has_deliveries || is_left_out(run, i))
            continue;
        const double value = series_report_spread(run, values_of(run, i, which)).median;
        if (peers++ == 0 || (which == LATENCY ? value < most : value > most)) {
            best = i;
            most = value;
        }
    }
    if (peers > 1)
        add_ratio(run, over, best, "fastest", which);
}

/* Another system's, or of the library's own one that both measure the same call by. */
static bool is_compared(const perf_series *over, const perf_series *under)
{
    if (!under->mode->has_deliveries)
        return true;
    return over->mode->beside != NULL && strcmp(over->mode->beside, under->mode->name) == 0 &&
           strcmp(over->delivery, under->delivery) == 0;
}

/* The library's modes to those that they are compared with, which come first. */
static void report_ratios(const series_run *run)
{
    for (unsigned over = 0; over < run->series_count; over++) {
        if (!run->series[over].mode->has_deliveries || is_left_out(run, over))
            continue;
        for (unsigned under = 0; under < over; under++) {
            if (is_left_out(run, under) ||
                !is_compared(&run->series[over], &run->series[under]))
                continue;
            const char *of = run->series[under].mode->name;
            add_ratio(run, over, under, of, LATENCY);
            add_ratio(run, over, under, of, RATE);
        }
        add_fastest(run, over, LATENCY);
        add_fastest(run, over, RATE);
    }
}

static void report_point(series_run *run)
{
    const bool quiet = series_report_is_quiet(run);
    if (!quiet)
        (void)printf("%s%-13s %-8s %11s %10s %10s %10s %10s %12s %s\n",
                     run->has_head ? "\n" : "", "mode", "delivery", "outstanding", "p50 ns",
                     "p99 ns", "p99.9 ns", "max ns", "rate M/s", "processors");
    run->has_head = run->has_head || !quiet;
    for (unsigned i = 0; i < run->series_count; i++) {
        if (!is_left_out(run, i))
            report_row(run, i);
    }
    if (!quiet)
        (void)printf("\nround trip of one call; medians of %u rounds, max: of all\n\n",
                     series_report_rounds(run));
    report_ratios(run);
}

static void print_round(const series_run *run, unsigned index, unsigned round)
{
    const series_samples *samples = &run->samples[index];
    (void)fprintf(stderr, "round %3u %-13s %-8s p50 %9.1f ns %10.3f M/s\n", round + 1,
                  run->series[index].mode->name, run->series[index].delivery,
                  samples->p50_ns[round], samples->rate_per_s[round] / 1e6);
}

static void finish(const series_run *run, json_t *report)
{
    (void)run;
    peer_modes_report_versions(report);
}

static int run_calls(const perf_options *options)
{
    static const series_kind kind = {.latency_bytes_max = SIZE_MAX,
                                     .of_calls = true,
                                     .is_watched = true,
                                     .is_split = true,
                                     .choose_counts = series_run_choose_counts,
                                     .print_round = print_round,
                                     .report_payload = report_point,
                                     .finish = finish};
    series_run run = {.kind = &kind, .options = *options};
    if (options->payloads.count > 1) {
        (void)fprintf(stderr, "tc-perf: call --size: found %u payloads, expected one\n",
                      options->payloads.count);
        return 2;
    }
    return choose_series(&run) ? series_run_all(&run) : 2;
}

/* The smallest request has its number in eight bytes. */
const perf_experiment call_experiment = {
    .name = "call",
    .takes_pairs = true,
    .summary = "round trip and rate of calls that are answered, beside UCX, MPI and RPC",
    .options = "size outstanding iterations warmup rounds modes pin",
    .told = {{"iterations", "(what fits 25 ms)"}, {"modes", OUT_OF}},
    .defaults = {{"size", "8"},
                 {"outstanding", "1,4,16,64,256,1024"},
                 {"modes", "am,call,start"},
                 {"warmup", "1000"},
                 {"rounds", "10"}},
    .payload_bytes = {8, 4096},
    .iterations_max = 10000000,
    .run = run_calls,
};
