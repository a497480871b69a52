/* The round trip of a call: from the caller's start of it until its answer is there, blocking
 * and with a completion, for 1 to 1,024 calls at once, beside a request and a reply of UCX's
 * active messages, and calls by other systems (peer_modes.h). */
#include "peer_modes.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_value.h"
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

static void report_row(const series_run *run, unsigned index)
{
    const perf_series *series = &run->series[index];
    const series_samples *samples = &run->samples[index];
    const perf_spread rate = series_run_spread(run, samples->rate_per_s);
    json_t *row =
        json_pack("{s:s, s:s, s:I, s:I, s:o}", "mode", series->mode->name, "delivery",
                  series->delivery, "outstanding", (json_int_t)run->options.calls_at_once,
                  "payload_bytes", (json_int_t)series->payload_bytes, "frame_bytes",
                  perf_report_number(series->frame_bytes));
    series_run_report_latency(run, index, row);
    perf_report_spread(row, "rate_per_s", rate, 1);
    (void)json_array_append_new(run->rows, row);
    if (!perf_report_is_quiet(&run->options))
        (void)printf("%-13s %-8s %11llu %10.1f %10.1f %10.1f %10.0f %12.3f\n",
                     series->mode->name, series->delivery,
                     (unsigned long long)run->options.calls_at_once,
                     series_run_spread(run, samples->p50_ns).median,
                     series_run_spread(run, samples->p99_ns).median,
                     series_run_spread(run, samples->p999_ns).median,
                     series_run_max(run, samples->max_ns), rate.median / 1e6);
}

/* Round by round, as everywhere. */
static double ratio_of(const series_run *run, const double *over, const double *under)
{
    for (unsigned i = 0; i < run->options.rounds; i++)
        run->buffer[i] = over[i] / under[i];
    return perf_stats_median(run->buffer, run->options.rounds);
}

static void add_ratio(const series_run *run, unsigned over, unsigned under, const char *what,
                      double value)
{
    char name[96], delivery[24] = "";
    if (run->options.delivery_count > 1)
        (void)snprintf(delivery, sizeof delivery, "_%s", run->series[over].delivery);
    (void)snprintf(name, sizeof name, "%s_to_%s_%s%s_o%llu", run->series[over].mode->name,
                   run->series[under].mode->name, what, delivery,
                   (unsigned long long)run->options.calls_at_once);
    (void)json_object_set_new(run->ratios, name, perf_report_number(value));
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
            const series_samples *a = &run->samples[over], *b = &run->samples[under];
            if (is_left_out(run, under) ||
                !is_compared(&run->series[over], &run->series[under]))
                continue;
            add_ratio(run, over, under, "latency", ratio_of(run, a->p50_ns, b->p50_ns));
            add_ratio(run, over, under, "rate", ratio_of(run, a->rate_per_s, b->rate_per_s));
        }
    }
}

static void print_ratios(const series_run *run)
{
    const char *name;
    json_t *value;
    (void)printf("\nround trip of one call; medians of %u rounds, max: of all\n\n",
                 run->options.rounds);
    json_object_foreach(run->ratios, name, value)(void)
        printf("%-42s %8.3f\n", name, json_real_value(value));
}

static void report_point(series_run *run)
{
    const bool quiet = perf_report_is_quiet(&run->options);
    if (!quiet && run->payload_index == 0)
        (void)printf("%-13s %-8s %11s %10s %10s %10s %10s %12s\n", "mode", "delivery",
                     "outstanding", "p50 ns", "p99 ns", "p99.9 ns", "max ns", "rate M/s");
    for (unsigned i = 0; i < run->series_count; i++) {
        if (!is_left_out(run, i))
            report_row(run, i);
    }
    report_ratios(run);
    if (!quiet && series_run_is_last_payload(run))
        print_ratios(run);
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
