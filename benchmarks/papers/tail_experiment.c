/* How far single messages are from the usual one: percentiles of many round trips, quiet and
 * with other programs on the same processors, with frames that are read from the sender's
 * cache, the receiver's own or memory. Figures 9 to 12 of Two-Chains. */
#include "frame_place.h"
#include "paper_modes.h"
#include "perf_clock.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_value.h"
#include "series_run.h"
#include "tail_load.h"
#include "tail_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIAL_COUNT 4096u

static const perf_mode *const modes[] = {&perf_mode_am, &perf_mode_placed_cached,
                                         &perf_mode_placed_inject};

#define MODE_COUNT (sizeof modes / sizeof modes[0])
#define MODES "am,cached,inject"
#define LOAD_COUNT 3u

static tail_load loads[LOAD_COUNT]; /* for none there is nothing to start */
static tail_load *running;          /* NULL: all is quiet */
static frame_place places[FRAME_PLACEMENTS];
static tail_pool pools[SERIES_MAX]; /* of the present payload */
static bool counts;                 /* false during trials */

/* --- the load ----------------------------------------------------------------------------- */

static bool set_load(tail_load *wanted)
{
    if (wanted == running)
        return true;
    if (running != NULL && !tail_load_set(running, false))
        return false;
    running = NULL;
    if (wanted != NULL && !tail_load_set(wanted, true))
        return false;
    running = wanted;
    return true;
}

static bool prepare(series_run *run, unsigned index)
{
    tail_load *load = pools[index].load;
    (void)run;
    counts = true;
    return set_load(load->count > 0 ? load : NULL);
}

static bool start_loads(const perf_options *options)
{
    static const char *const names[LOAD_COUNT] = {"none", "vm", "cpu"};
    for (unsigned i = 0; i < LOAD_COUNT; i++) {
        if (perf_value_lists(options->load, ',', names[i]) &&
            !tail_load_start(&loads[i], names[i], options->stressor, options->cpus))
            return false;
    }
    return true;
}

/* --- measurements ----------------------------------------------------------------------- */

static bool choose_counts(series_run *run, unsigned index)
{
    const uint64_t rounds = run->options.rounds;
    const uint64_t each = (run->options.iterations + rounds - 1) / rounds;
    const uint64_t trial = each < TRIAL_COUNT ? each : TRIAL_COUNT;
    perf_latency latency;
    double rate;
    counts = false;
    run->latency_count[index] = run->rate_count[index] = each;
    pools[index].count = pools[index].seen = 0;
    return set_load(NULL) && series_run_latency(run, index, trial, &latency) &&
           series_run_rate(run, index, trial, &rate);
}

/* The work of both sides between a signal and the library is no part of the trip. */
static void take_out(series_run *run, unsigned index, uint64_t warmup, uint64_t count)
{
    const frame_log *log = run->series[index].place->log;
    uint64_t *stamps = run->stamps, before = stamps[warmup], sum = stamps[warmup];
    for (uint64_t i = warmup; i < warmup + count; i++) {
        const uint64_t spent = log->spent[PERF_SOURCE][i] + log->spent[PERF_TARGET][i];
        const uint64_t trip = stamps[i + 1] - before;
        before = stamps[i + 1];
        sum += trip > spent ? trip - spent : 0;
        stamps[i + 1] = sum;
        pools[index].seen += counts && log->spent[PERF_TARGET][i] != 0;
    }
}

static void note_latency(series_run *run, unsigned index, uint64_t warmup, uint64_t count)
{
    tail_pool *pool = &pools[index];
    if (run->series[index].mode != &perf_mode_am)
        take_out(run, index, warmup, count);
    for (uint64_t i = warmup; counts && i < warmup + count; i++)
        pool->ticks[pool->count++] = run->stamps[i + 1] - run->stamps[i];
}

/* For the library's modes the target reports its time for the messages. */
static void note_rate(series_run *run, unsigned index, uint64_t count)
{
    const double ns =
        (double)run->series[index].place->log->handle_ticks * perf_clock_ns_per_tick();
    if (counts && run->series[index].mode != &perf_mode_am)
        pools[index].handled_per_s[run->round] = (double)count * 1e9 / ns;
}

/* --- series ------------------------------------------------------------------------------- */

/* UCX does not reveal its messages' addresses: they lie in a cache. */
static bool has_place(const perf_mode *mode, frame_placement place, const perf_options *options)
{
    return perf_value_lists(options->placement, ',', frame_place_name(place)) &&
           (place == FRAME_IN_CACHE || mode != &perf_mode_am);
}

static void add_series(series_run *run, const perf_mode *mode, frame_placement place,
                       tail_load *load)
{
    const unsigned first = run->series_count;
    series_run_add(run, mode);
    for (unsigned i = first; i < run->series_count; i++) {
        run->series[i].work = ifunc_work_find(run->options.function);
        run->series[i].place = &places[place];
        pools[i].load = load;
    }
}

static bool choose_series(series_run *run)
{
    const perf_options *options = &run->options;
    if (!series_run_knows_modes(run, MODES))
        return false;
    if (perf_value_lists(options->placement, ',', "memory") && !frame_place_can_move()) {
        (void)fprintf(stderr, "tc-perf: --placement memory: found a processor whose "
                              "instructions for it are not known, expected cache alone\n");
        return false;
    }
    if (options->delivery_count > 1 || options->rounds > options->iterations) {
        (void)fprintf(stderr, "tc-perf: tail: expected one delivery, and no more rounds than "
                              "iterations\n");
        return false;
    }
    for (unsigned load = 0; load < LOAD_COUNT; load++) {
        for (size_t mode = 0; loads[load].name != NULL && mode < MODE_COUNT; mode++) {
            for (frame_placement place = 0; place < FRAME_PLACEMENTS; place++) {
                if (perf_value_lists(options->modes, ',', modes[mode]->name) &&
                    has_place(modes[mode], place, options))
                    add_series(run, modes[mode], place, &loads[load]);
            }
        }
    }
    return true;
}

static bool make_pools(series_run *run)
{
    const uint64_t rounds = run->options.rounds;
    const uint64_t each = (run->options.iterations + rounds - 1) / rounds;
    const uint64_t most = each > TRIAL_COUNT ? each : TRIAL_COUNT;
    frame_log *log = frame_log_create(run->options.warmup + most);
    for (frame_placement where = 0; where < FRAME_PLACEMENTS; where++)
        places[where] = (frame_place){.log = log, .where = where};
    for (unsigned i = 0; log != NULL && i < run->series_count; i++) {
        pools[i].ticks = malloc(each * rounds * sizeof(uint64_t));
        pools[i].handled_per_s = calloc(rounds, sizeof(double));
        if (pools[i].ticks == NULL || pools[i].handled_per_s == NULL) {
            (void)fprintf(stderr, "tc-perf: out of memory\n");
            return false;
        }
        memset(pools[i].ticks, 0xff, each * rounds * sizeof(uint64_t));
    }
    return log != NULL;
}

static void print_round(const series_run *run, unsigned index, unsigned round)
{
    const series_samples *samples = &run->samples[index];
    (void)fprintf(stderr, "round %3u %-4s %-7s %-6s p50 %9.1f ns p99 %9.1f ns\n", round + 1,
                  pools[index].load->name, run->series[index].mode->name,
                  frame_place_name(run->series[index].place->where), samples->p50_ns[round],
                  samples->p99_ns[round]);
}

static void report_payload(series_run *run)
{
    tail_report_payload(run, pools);
}

static int run_tail(const perf_options *options)
{
    static const series_kind kind = {.latency_bytes_max = SIZE_MAX,
                                     .choose_counts = choose_counts,
                                     .prepare = prepare,
                                     .note_latency = note_latency,
                                     .note_rate = note_rate,
                                     .print_round = print_round,
                                     .report_payload = report_payload};
    series_run run = {.kind = &kind, .options = *options};
    int status = 2;
    if (!start_loads(options))
        status = EXIT_FAILURE;
    else if (choose_series(&run))
        status = make_pools(&run) ? series_run_all(&run) : EXIT_FAILURE;
    for (unsigned i = 0; i < LOAD_COUNT; i++)
        tail_load_end(&loads[i]);
    for (unsigned i = 0; i < run.series_count; i++) {
        free(pools[i].ticks);
        free(pools[i].handled_per_s);
    }
    return status;
}

const perf_experiment tail_experiment = {
    .name = "tail",
    .summary = "percentiles of a million round trips, with other load and without",
    .options = "size sweep function load stressor placement iterations warmup rounds modes pin",
    .functions = "iput,ssum",
    .told = {{"function", "iput or ssum"},
             {"iterations", "(in all rounds)"},
             {"modes", "out of " MODES}},
    .defaults = {{"size", "64"},
                 {"function", "iput"},
                 {"load", "none,vm"},
                 {"stressor", "auto"},
                 {"placement", "cache,memory"},
                 {"iterations", "1000000"},
                 {"warmup", "1000"},
                 {"rounds", "10"},
                 {"modes", MODES}},
    .payload_bytes = {16, 16384},
    .iterations_max = 100000000,
    .run = run_tail,
};
