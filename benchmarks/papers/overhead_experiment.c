/* Where the time of a call goes (Tables I to III of the Three-Chains paper): transmission, from
 * before the send until the target has seen the message; lookup and execution, from there until
 * its loop goes on; and the total, half of the round trip, of the same messages. */
#include "overhead_jit.h"
#include "message_experiment.h"
#include "paper_modes.h"
#include "paper_tables.h"
#include "perf_clock.h"
#include "perf_experiment.h"
#include "perf_process.h"
#include "perf_report.h"
#include "perf_value.h"
#include "series_report.h"
#include "series_run.h"
#include "target_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX 1000u

static const perf_mode *const modes[] = {&perf_mode_direct, &perf_mode_am, &perf_mode_uncached,
                                         &perf_mode_cached, &perf_mode_image};

#define MODE_COUNT (sizeof modes / sizeof modes[0])
#define MODES "direct,am,uncached,cached,image"
#define DIRECT 0 /* the first series is always that */

/* Figures of one series' rounds. */
typedef struct stage_samples {
    double lookup_exec_ns[ROUNDS_MAX];
    double transmission_ns[ROUNDS_MAX];
    bool is_split; /* its target saw messages come */
} stage_samples;

static stage_samples all[SERIES_MAX];
static overhead_jit jit;
static target_log target_times; /* memory of both processes */
static uint64_t *times;         /* for medians */

/* --- measurements ---------------------------------------------------------------------- */

static bool make_log(const perf_options *options)
{
    const uint64_t most =
        options->iterations > SERIES_LATENCY_MAX ? options->iterations : SERIES_LATENCY_MAX;
    const size_t bytes = (options->warmup + most + 1) * sizeof(uint64_t);
    void *shared = perf_process_share(2 * bytes);
    times = malloc(bytes);
    if (shared == NULL || times == NULL)
        return false;
    target_times.seen = shared;
    target_times.done = (uint64_t *)((unsigned char *)shared + bytes);
    return true;
}

/* The median of the messages that were seen to come; 0: of too few. `from` NULL: since seen. */
static double median_ns(const uint64_t *from, uint64_t first, uint64_t count)
{
    const target_log *log = &target_times;
    uint64_t known = 0;
    for (uint64_t i = first; i < first + count; i++) {
        if (log->seen[i] == 0)
            continue;
        /* Processors' counters differ by some ticks. */
        int64_t ticks = from != NULL ? (int64_t)(log->seen[i] - from[i])
                                     : (int64_t)(log->done[i] - log->seen[i]);
        times[known++] = ticks > 0 ? (uint64_t)ticks : 0;
    }
    if (known == 0 || known < count / 8)
        return 0;
    perf_stats_sort(times, known);
    return perf_clock_ns_per_tick() * (double)perf_stats_percentile(times, known, 50);
}

static void note_latency(series_run *run, unsigned index, uint64_t warmup, uint64_t count)
{
    stage_samples *of = &all[index];
    of->lookup_exec_ns[run->round] = median_ns(NULL, warmup, count);
    of->transmission_ns[run->round] =
        index == DIRECT ? 0 : median_ns(run->stamps, warmup, count);
    of->is_split = (run->round == 0 || of->is_split) && of->lookup_exec_ns[run->round] > 0;
}

static bool choose_series(series_run *run)
{
    if (!series_run_knows_modes(run, MODES))
        return false;
    for (size_t i = 0; i < MODE_COUNT; i++) {
        if (i == DIRECT || perf_value_lists(run->options.modes, ',', modes[i]->name))
            series_run_add(run, modes[i]);
    }
    for (unsigned i = 0; i < run->series_count; i++)
        run->series[i].log = &target_times;
    return true;
}

/* --- the report -------------------------------------------------------------------------- */

/* How much of a lookup and an execution is not the function itself. */
static perf_spread above_direct(const series_run *run, unsigned index)
{
    for (unsigned i = 0; i < run->options.rounds; i++)
        run->buffer[i] = all[index].lookup_exec_ns[i] - all[DIRECT].lookup_exec_ns[i];
    return perf_stats_spread(run->buffer, run->options.rounds);
}

/* The paper's equations: whether the stages are all that there is. */
static perf_spread sum_to_total(const series_run *run, unsigned index)
{
    for (unsigned i = 0; i < run->options.rounds; i++)
        run->buffer[i] = (all[index].lookup_exec_ns[i] + all[index].transmission_ns[i]) /
                         run->samples[index].p50_ns[i];
    return perf_stats_spread(run->buffer, run->options.rounds);
}

/* Below 0: nothing has to be made for that mode. */
static double jit_ns_of(const perf_series *series)
{
    return series->mode == &perf_mode_uncached ? jit.compile_ns
           : series->mode == &perf_mode_image  ? jit.image_ns
                                               : -1;
}

static void add_ratio(const series_run *run, const perf_series *series, perf_spread ratio)
{
    char name[64], delivery[24] = "";
    if (run->options.delivery_count > 1)
        (void)snprintf(delivery, sizeof delivery, "_%s", series->delivery);
    (void)snprintf(name, sizeof name, "sum_to_total_%s%s", series->mode->name, delivery);
    (void)json_object_set_new(run->ratios, name, perf_report_number(ratio.median));
}

static void report_stages(const series_run *run, unsigned index, json_t *row)
{
    const perf_series *series = &run->series[index];
    const stage_samples *of = &all[index];
    perf_report_spread(row, "lookup_exec_ns", series_report_spread(run, of->lookup_exec_ns), 1);
    if (index == DIRECT)
        return;
    const perf_spread ratio = sum_to_total(run, index);
    perf_report_spread(row, "transmission_ns", series_report_spread(run, of->transmission_ns),
                       1);
    perf_report_spread(row, "above_direct_ns", above_direct(run, index), 1);
    perf_report_spread(row, "sum_to_total", ratio, 1);
    add_ratio(run, series, ratio);
}

static void report_row(const series_run *run, unsigned index, overhead_figures *figures)
{
    const perf_series *series = &run->series[index];
    const double jit_ns = jit_ns_of(series);
    json_t *row =
        json_pack("{s:s, s:s, s:I, s:o}", "mode", series->mode->name, "delivery",
                  series->delivery, "payload_bytes", (json_int_t)series->payload_bytes,
                  "frame_bytes", perf_report_number(series->frame_bytes));
    if (index != DIRECT)
        series_report_latency(run, index, row);
    if (all[index].is_split)
        report_stages(run, index, row);
    if (jit_ns >= 0)
        (void)json_object_set_new(row, "jit_ns", perf_report_number(jit_ns));
    (void)json_array_append_new(run->rows, row);
    const bool split = all[index].is_split && index != DIRECT;
    *figures = (overhead_figures){
        .mode = series->mode->name,
        .lookup_exec_us =
            split ? series_report_spread(run, all[index].lookup_exec_ns).median / 1e3 : -1,
        .transmission_us =
            split ? series_report_spread(run, all[index].transmission_ns).median / 1e3 : -1,
        .total_us = series_report_spread(run, run->samples[index].p50_ns).median / 1e3,
        .jit_us = jit_ns >= 0 ? jit_ns / 1e3 : -1};
}

static void print_row(const series_run *run, unsigned index)
{
    const perf_series *series = &run->series[index];
    const stage_samples *of = &all[index];
    const series_samples *samples = &run->samples[index];
    (void)printf("%-9s %-8s %8.0f", series->mode->name, series->delivery, series->frame_bytes);
    if (of->is_split)
        (void)printf(" %10.1f", series_report_spread(run, of->lookup_exec_ns).median);
    else
        (void)printf(" %10s", "-");
    if (index == DIRECT) {
        (void)printf("\n");
        return;
    }
    if (of->is_split)
        (void)printf(" %9.1f %12.1f", above_direct(run, index).median,
                     series_report_spread(run, of->transmission_ns).median);
    else
        (void)printf(" %9s %12s", "-", "-");
    (void)printf(" %9.1f %9.1f %9.1f %9.0f", series_report_spread(run, samples->p50_ns).median,
                 series_report_spread(run, samples->p99_ns).median,
                 series_report_spread(run, samples->p999_ns).median,
                 series_report_max(run, samples->max_ns));
    if (of->is_split)
        (void)printf(" %8.3f\n", sum_to_total(run, index).median);
    else
        (void)printf(" %8s\n", "-");
}

static void report_all(series_run *run)
{
    overhead_figures figures[SERIES_MAX];
    const bool quiet = perf_report_is_quiet(&run->options);
    if (!quiet)
        (void)printf("%-9s %-8s %8s %10s %9s %12s %9s %9s %9s %9s %8s\n", "mode", "delivery",
                     "frame", "lookup+ex", "- direct", "transmission", "total", "p99", "p99.9",
                     "max", "sum");
    for (unsigned i = 0; i < run->series_count; i++) {
        report_row(run, i, &figures[i]);
        if (!quiet)
            print_row(run, i);
    }
    if (quiet)
        return;
    (void)printf("\nns, medians of %u rounds (max: of all); total: half round trip; sum: "
                 "lookup+ex and transmission, to the total\n",
                 run->options.rounds);
    paper_tables_print_overheads(figures, run->series_count);
}

static void print_round(const series_run *run, unsigned index, unsigned round)
{
    (void)fprintf(stderr,
                  "round %3u %-9s %-6s lookup+ex %7.1f ns transmission %9.1f total %9.1f\n",
                  round + 1, run->series[index].mode->name, run->series[index].delivery,
                  all[index].lookup_exec_ns[round], all[index].transmission_ns[round],
                  run->samples[index].p50_ns[round]);
}

static void add_paper(const series_run *run, json_t *report)
{
    (void)run;
    (void)json_object_set_new(report, "paper", paper_tables_overheads());
}

/* --- Tables IV to VI ---------------------------------------------------------------------- */

static void add_paper_rates(const series_run *run, json_t *report)
{
    if (!perf_report_is_quiet(&run->options))
        paper_tables_print_rates(run->rows, run->ratios);
    (void)json_object_set_new(report, "paper", paper_tables_rates());
}

/* The report is that of tsi with the paper's payload, and has the paper's rows beside it. */
static int run_rates(const perf_options *options)
{
    perf_options of_tsi = *options;
    of_tsi.experiment = &tsi_experiment;
    of_tsi.payloads = (perf_list){.values = {1}, .count = 1};
    of_tsi.payload_bytes = 1;
    if (strcmp(options->modes, MODES) == 0)
        of_tsi.modes = "am,cached,uncached,image";
    return message_experiment_run(&of_tsi, add_paper_rates);
}

static int run_overhead(const perf_options *options)
{
    if (options->table)
        return run_rates(options);
    static const series_kind kind = {.latency_bytes_max = SIZE_MAX,
                                     .choose_counts = series_run_choose_counts,
                                     .note_latency = note_latency,
                                     .print_round = print_round,
                                     .report_payload = report_all,
                                     .finish = add_paper};
    series_run run = {.kind = &kind, .options = *options};
    if (!choose_series(&run))
        return 2;
    if (!make_log(options) || !overhead_jit_measure(options, &jit))
        return EXIT_FAILURE;
    return series_run_all(&run);
}

const perf_experiment overhead_experiment = {
    .name = "overhead",
    .summary =
        "lookup, execution and transmission of calls, beside the paper's Tables I to III",
    .options = "iterations warmup rounds modes pin table",
    .told = {{"iterations", "(what fits 25 ms)"}, {"modes", "out of " MODES}},
    .defaults = {{"modes", MODES}, {"warmup", "1000"}, {"rounds", "20"}},
    .payload_bytes = {8, 8},
    .iterations_max = 10000000,
    .run = run_overhead,
};
