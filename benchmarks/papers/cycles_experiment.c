/* The cost of waiting for a message to the processor, beside the message's latency, by each
 * way to wait (Figures 13 and 14 of the Two-Chains paper): Indirect Put and Server-Side Sum in
 * round trips of two processes that wait alike. */
#include "mode_wait.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_value.h"
#include "series_report.h"
#include "series_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/advanced.h>

#define ROUNDS_MAX 1000u
#define TRIAL_COUNT 100u
#define COUNT_MIN 50.0
#define MEASUREMENT_NS 25e6

static const char *const works[] = {"iput", "ssum"};

#define WORK_COUNT (sizeof works / sizeof works[0])

/* The target's, per message. */
typedef enum spent_figure {
    CPU_NS,
    CYCLES,
    INSTRUCTIONS,
    LOOKS,
    YIELDS,
    SLEEPS,
    FIGURE_COUNT
} spent_figure;

static const char *const figure_names[] = {"cpu_ns", "cycles", "instructions",
                                           "looks",  "yields", "sleeps"};

static double spent[SERIES_MAX][FIGURE_COUNT][ROUNDS_MAX];
static wait_spent newest; /* for how it was counted */

/* --- measurements ------------------------------------------------------------------------ */

static void note_latency(series_run *run, unsigned index, uint64_t warmup, uint64_t count)
{
    newest = *mode_wait_spent(run->session);
    const uint64_t values[FIGURE_COUNT] = {[CPU_NS] = newest.sample.cpu_ns,
                                           [CYCLES] = newest.sample.cycles,
                                           [INSTRUCTIONS] = newest.sample.instructions,
                                           [LOOKS] = newest.looks,
                                           [YIELDS] = newest.yields,
                                           [SLEEPS] = newest.sleeps};
    for (unsigned f = 0; f < FIGURE_COUNT; f++)
        spent[index][f][run->round] = (double)values[f] / (double)(warmup + count);
}

/* The first calls, for which the target prepares the code, are over after the trial. */
static bool choose_count(series_run *run, unsigned index)
{
    const uint64_t wanted = run->options.iterations;
    perf_latency latency;
    for (unsigned i = 0; i < 2; i++) {
        if (!series_run_latency(run, index, TRIAL_COUNT, &latency))
            return false;
    }
    double fits = MEASUREMENT_NS / (2 * latency.p50_ns);
    fits = fits < COUNT_MIN ? COUNT_MIN : fits;
    run->latency_count[index] =
        wanted != 0 ? wanted
                    : (uint64_t)(fits < SERIES_LATENCY_MAX ? fits : SERIES_LATENCY_MAX);
    return true;
}

/* --- the report -------------------------------------------------------------------------- */

static bool has_cycles(void)
{
    return newest.scope != CYCLES_NONE;
}

static bool is_reported(spent_figure figure)
{
    return has_cycles() || (figure != CYCLES && figure != INSTRUCTIONS);
}

/* The series that others of the same function, delivery and endpoints are compared with. */
static int find_poll(const series_run *run, const perf_series *like)
{
    for (unsigned i = 0; i < run->series_count; i++) {
        const perf_series *series = &run->series[i];
        if (series->mode == wait_modes[0] && series->work == like->work &&
            series->endpoints == like->endpoints &&
            series->delivery_wanted == like->delivery_wanted)
            return (int)i;
    }
    return -1;
}

static double ratio_of(const series_run *run, const double *upper, const double *lower)
{
    for (unsigned i = 0; i < run->options.rounds; i++)
        run->buffer[i] = lower[i] > 0 ? upper[i] / lower[i] : 0;
    return perf_stats_median(run->buffer, run->options.rounds);
}

static void report_ratio(const series_run *run, const perf_series *series, const char *what,
                         double ratio)
{
    char name[128], delivery[24] = "", endpoints[16] = "", payload[24] = "";
    if (run->options.delivery_count > 1)
        (void)snprintf(delivery, sizeof delivery, "_%s", series->delivery);
    if (run->options.endpoints.count > 1)
        (void)snprintf(endpoints, sizeof endpoints, "_e%u", series->endpoints);
    if (run->options.payloads.count > 1)
        (void)snprintf(payload, sizeof payload, "_%zu", run->options.payload_bytes);
    (void)snprintf(name, sizeof name, "%s_%s_to_poll_%s%s%s%s", series->work->name,
                   series->mode->name, what, delivery, endpoints, payload);
    (void)json_object_set_new(run->ratios, name, perf_report_number(ratio));
}

static void report_ratios(const series_run *run, unsigned index)
{
    const perf_series *series = &run->series[index];
    int poll = find_poll(run, series);
    if (poll < 0 || (unsigned)poll == index)
        return;
    report_ratio(run, series, "latency",
                 ratio_of(run, run->samples[index].p50_ns, run->samples[poll].p50_ns));
    static const spent_figure compared[] = {CPU_NS, CYCLES, INSTRUCTIONS, LOOKS};
    for (unsigned i = 0; i < sizeof compared / sizeof compared[0]; i++) {
        spent_figure f = compared[i];
        if (is_reported(f))
            report_ratio(run, series, figure_names[f],
                         ratio_of(run, spent[index][f], spent[poll][f]));
    }
}

static json_t *make_row(const series_run *run, const perf_series *series)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:I}", "function", series->work->name, "mode",
                     series->mode->name, "delivery", series->delivery, "endpoints",
                     (int)series->endpoints, "payload_bytes",
                     (json_int_t)run->options.payload_bytes);
}

static void report_skipped(const series_run *run, const perf_series *series)
{
    static const char why[] = "this processor shows no instruction that waits for a line";
    json_t *row = json_pack("{s:s, s:s, s:I, s:s}", "function", series->work->name, "mode",
                            series->mode->name, "payload_bytes",
                            (json_int_t)run->options.payload_bytes, "skipped", why);
    (void)json_array_append_new(run->rows, row);
    if (!perf_report_is_quiet(&run->options))
        (void)printf("%-6s %-9s skipped: %s\n", series->work->name, series->mode->name, why);
}

static void report_row(const series_run *run, unsigned index)
{
    const perf_series *series = &run->series[index];
    double medians[FIGURE_COUNT];
    json_t *row = make_row(run, series);
    series_report_latency(run, index, row);
    for (unsigned f = 0; f < FIGURE_COUNT; f++) {
        perf_spread spread = series_report_spread(run, spent[index][f]);
        medians[f] = spread.median;
        if (is_reported(f))
            perf_report_spread(row, figure_names[f], spread, 1);
    }
    (void)json_array_append_new(run->rows, row);
    if (perf_report_is_quiet(&run->options))
        return;
    (void)printf("%-6s %-9s %-8s %4u %8zu %10.1f %10.1f %10.1f", series->work->name,
                 series->mode->name, series->delivery, series->endpoints,
                 run->options.payload_bytes,
                 series_report_spread(run, run->samples[index].p50_ns).median,
                 series_report_spread(run, run->samples[index].p99_ns).median, medians[CPU_NS]);
    if (has_cycles())
        (void)printf(" %10.0f %10.0f", medians[CYCLES], medians[INSTRUCTIONS]);
    (void)printf(" %8.2f %7.3f %7.3f\n", medians[LOOKS], medians[YIELDS], medians[SLEEPS]);
}

static void print_head(const series_run *run)
{
    if (run->payload_index > 0 || perf_report_is_quiet(&run->options))
        return;
    (void)printf("%-6s %-9s %-8s %4s %8s %10s %10s %10s", "", "mode", "delivery", "eps",
                 "payload", "p50 ns", "p99 ns", "cpu ns");
    if (has_cycles())
        (void)printf(" %10s %10s", "cycles", "instr.");
    (void)printf(" %8s %7s %7s\n", "looks", "yields", "sleeps");
}

static void print_foot(const series_run *run)
{
    if (!series_run_is_last_payload(run) || perf_report_is_quiet(&run->options))
        return;
    (void)printf("\nhalf round trip; per message at the target: processor time, %s"
                 "looks in vain, yields, sleeps\n",
                 has_cycles() ? "cycles and instructions, " : "");
    if (has_cycles())
        (void)printf("counted: %s\n", cycle_scope_text(newest.scope));
    else
        (void)printf("no cycles nor instructions, processor time alone: %s\n", newest.reason);
}

static void report_payload(series_run *run)
{
    print_head(run);
    for (unsigned i = 0; i < run->series_count; i++) {
        if (series_run_skips(run, i)) {
            report_skipped(run, &run->series[i]);
            continue;
        }
        report_ratios(run, i);
        report_row(run, i);
    }
    print_foot(run);
}

static void print_round(const series_run *run, unsigned index, unsigned round)
{
    const perf_series *series = &run->series[index];
    (void)fprintf(stderr, "round %u: %s %s p50 %.1f ns, cpu %.1f ns, %.2f looks\n", round + 1,
                  series->work->name, series->mode->name, run->samples[index].p50_ns[round],
                  spent[index][CPU_NS][round], spent[index][LOOKS][round]);
}

static void add_counters(const series_run *run, json_t *report)
{
    (void)run;
    (void)json_object_set_new(
        report, "counters",
        json_pack("{s:s, s:s?, s:s?}", "counted", cycle_scope_text(newest.scope), "reason",
                  has_cycles() ? NULL : newest.reason, "line", tc_wait_instruction()));
}

/* --- which series ------------------------------------------------------------------------ */

static void add_series(series_run *run, const perf_mode *mode, const char *work,
                       unsigned endpoints)
{
    const unsigned first = run->series_count;
    series_run_add(run, mode);
    for (unsigned i = first; i < run->series_count; i++) {
        run->series[i].work = ifunc_work_find(work);
        run->series[i].endpoints = endpoints;
    }
}

/* Function by function, in the order of the modes' table. */
static bool choose_series(series_run *run)
{
    const perf_options *options = &run->options;
    if (!series_run_knows_modes(run, WAIT_MODES))
        return false;
    unsigned mode_count = 0;
    for (const perf_mode *const *mode = wait_modes; *mode != NULL; mode++)
        mode_count += perf_value_lists(options->modes, ',', (*mode)->name);
    if (options->endpoints.values[options->endpoints.count - 1] > WAIT_ENDPOINTS_MAX) {
        (void)fprintf(stderr, "tc-perf: cycles --endpoints: expected at most %u\n",
                      WAIT_ENDPOINTS_MAX);
        return false;
    }
    const size_t wanted =
        WORK_COUNT * mode_count * options->endpoints.count * options->delivery_count;
    if (wanted > SERIES_MAX) {
        (void)fprintf(stderr,
                      "tc-perf: cycles: %zu series of modes, deliveries and endpoints: "
                      "expected at most %u\n",
                      wanted, (unsigned)SERIES_MAX);
        return false;
    }
    for (size_t work = 0; work < WORK_COUNT; work++) {
        for (unsigned e = 0; e < options->endpoints.count; e++) {
            for (const perf_mode *const *mode = wait_modes; *mode != NULL; mode++) {
                if (perf_value_lists(options->modes, ',', (*mode)->name))
                    add_series(run, *mode, works[work], (unsigned)options->endpoints.values[e]);
            }
        }
    }
    return true;
}

static int run_cycles(const perf_options *options)
{
    static const series_kind kind = {.latency_bytes_max = SIZE_MAX,
                                     .no_rates = true,
                                     .choose_counts = choose_count,
                                     .note_latency = note_latency,
                                     .print_round = print_round,
                                     .report_payload = report_payload,
                                     .finish = add_counters};
    static series_run run;
    run = (series_run){.kind = &kind, .options = *options};
    return choose_series(&run) ? series_run_all(&run) : 2;
}

const perf_experiment cycles_experiment = {
    .name = "cycles",
    .summary = "cycles beside latency of iput and ssum, by each way to wait",
    .options = "size sweep iterations warmup rounds modes endpoints pin",
    .told = {{"iterations", "(what fits 25 ms)"},
             {"modes", "out of " WAIT_MODES},
             {"rounds", "(20; with several payloads 4)"}},
    .defaults = {{"sweep", "64..32K"},
                 {"modes", "poll,pause,line,yield,sleep"},
                 {"warmup", "100"},
                 {"endpoints", "1..1"}},
    .payload_bytes = {16, 1u << 20},
    .iterations_max = SERIES_LATENCY_MAX,
    .run = run_cycles,
};
