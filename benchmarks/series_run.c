#include "series_run.h"

#include "perf_clock.h"
#include "pair_search.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_value.h"
#include "series_report.h"
#include "series_steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEASUREMENT_NS (25 * PERF_NS_PER_MS)
#define RATE_COUNT_MAX 5000000u
#define TRIAL_LATENCY_COUNT 200u
#define TRIAL_RATE_COUNT 1000u
#define LEAST_RATE_BYTES (16u << 20)

void series_run_add_one(series_run *run, const perf_mode *mode, const char *delivery)
{
    run->series[run->series_count++] =
        (perf_series){.mode = mode,
                      .work = ifunc_work_find(run->options.experiment->name),
                      .delivery_wanted = *delivery != '\0' ? delivery : NULL,
                      .options = &run->options};
}

void series_run_add(series_run *run, const perf_mode *mode)
{
    unsigned count = mode->has_deliveries ? run->options.delivery_count : 1;
    for (unsigned i = 0; i < count; i++)
        series_run_add_one(run, mode, mode->has_deliveries ? run->options.deliveries[i] : "");
}

/* --- one measurement --------------------------------------------------------------------- */

/* Warm-up and measurement are one chain of round trips; only the stamps distinguish them. */
bool series_run_latency(series_run *run, unsigned index, uint64_t count, perf_latency *out)
{
    perf_series *series = &run->series[index];
    uint64_t warmup = run->options.warmup;
    if (!perf_session_command(run->session, SERIES_STEP_LATENCY, index, warmup + count) ||
        !perf_session_await_ready(run->session) ||
        !series->mode->source_latency(series, warmup + count, run->stamps))
        return false;
    perf_session_set_ended(run->session);
    if (!perf_session_reply(run->session))
        return false;
    if (run->kind->note_latency != NULL)
        run->kind->note_latency(run, index, warmup, count);
    *out = run->kind->of_calls ? perf_stats_calls(run->stamps + warmup, count)
                               : perf_stats_latency(run->stamps + warmup, count);
    return true;
}

bool series_run_rate(series_run *run, unsigned index, uint64_t count, double *per_s_out)
{
    perf_series *series = &run->series[index];
    if (!perf_session_command(run->session, SERIES_STEP_RATE, index, count) ||
        !perf_session_await_ready(run->session))
        return false;
    uint64_t start = perf_now_ns();
    if (!series->mode->source_rate(series, count) || !perf_session_await_done(run->session))
        return false;
    uint64_t took_ns = series->took_ns != 0 ? series->took_ns : perf_now_ns() - start;
    perf_session_set_ended(run->session);
    *per_s_out = (double)count * (double)PERF_NS_PER_S / (double)took_ns;
    bool ok = perf_session_reply(run->session);
    if (ok && run->kind->note_rate != NULL)
        run->kind->note_rate(run, index, count);
    return ok;
}

static bool has_latency(const series_run *run)
{
    return run->options.payload_bytes <= run->kind->latency_bytes_max;
}

/* Large messages need not be as many for a trial to take a measurable time. */
static uint64_t least_rate_count(const series_run *run)
{
    uint64_t count = LEAST_RATE_BYTES / run->options.payload_bytes;
    return count > TRIAL_RATE_COUNT ? TRIAL_RATE_COUNT : count;
}

static uint64_t count_that_fits(double each_ns, uint64_t min, uint64_t max)
{
    double count = (double)MEASUREMENT_NS / each_ns;
    return count < (double)min ? min : count > (double)max ? max : (uint64_t)count;
}

bool series_run_choose_counts(series_run *run, unsigned index)
{
    perf_latency latency;
    double rate = 0;
    uint64_t least = least_rate_count(run);
    uint64_t wanted = run->options.iterations;
    for (int i = 0; i < 2; i++) {
        uint64_t trial = i == 0 ? least : count_that_fits(1e10 / rate, least, RATE_COUNT_MAX);
        if (wanted != 0 && trial > wanted)
            trial = wanted;
        if (!series_run_rate(run, index, trial, &rate))
            return false;
    }
    run->rate_count[index] =
        wanted != 0 ? wanted : count_that_fits(1e9 / rate, least, RATE_COUNT_MAX);
    if (run->kind->of_calls) /* of calls at once, the time of each is less meaningful */
        run->latency_count[index] = run->rate_count[index] < SERIES_LATENCY_MAX
                                        ? run->rate_count[index]
                                        : SERIES_LATENCY_MAX;
    if (run->kind->of_calls || !has_latency(run))
        return true;
    uint64_t trial = wanted != 0 && wanted < TRIAL_LATENCY_COUNT ? wanted : TRIAL_LATENCY_COUNT;
    if (!series_run_latency(run, index, trial, &latency))
        return false;
    run->latency_count[index] =
        wanted != 0
            ? wanted
            : count_that_fits(2 * latency.p50_ns, TRIAL_LATENCY_COUNT, SERIES_LATENCY_MAX);
    return true;
}

/* --- rounds ---------------------------------------------------------------------------- */

bool series_run_skips(const series_run *run, unsigned index)
{
    return run->series[index].payload_max != 0 || run->series[index].is_left_out;
}

static bool measure_latency(series_run *run, unsigned index, unsigned round)
{
    perf_latency latency;
    if (!series_run_latency(run, index, run->latency_count[index], &latency))
        return false;
    run->samples[index].p50_ns[round] = latency.p50_ns;
    run->samples[index].p99_ns[round] = latency.p99_ns;
    run->samples[index].p999_ns[round] = latency.p999_ns;
    run->samples[index].max_ns[round] = latency.max_ns;
    return true;
}

static bool measure_rate(series_run *run, unsigned index, unsigned round)
{
    return series_run_rate(run, index, run->rate_count[index],
                           &run->samples[index].rate_per_s[round]);
}

/* The first one changes. */
static bool take_turns(series_run *run, unsigned round, const char *what,
                       bool (*measure)(series_run *run, unsigned index, unsigned round))
{
    for (unsigned turn = 0; turn < run->series_count; turn++) {
        unsigned i = (turn + round) % run->series_count;
        if (series_run_skips(run, i))
            continue;
        perf_report_progress("%zu bytes, round %u of %u: %s, %s", run->options.payload_bytes,
                             round + 1, run->options.rounds, what, run->series[i].mode->name);
        if (run->kind->prepare != NULL && !run->kind->prepare(run, i))
            return false;
        const series_moment began = series_watch_moment(run->session);
        if (!measure(run, i, round))
            return false;
        if (!run->series[i].mode->has_sleepers)
            series_watch_polled(&run->watch, run->session, began,
                                run->series[i].mode->has_ranks);
    }
    return true;
}

/* Figures of connections, not of messages, are measured once. */
static bool measure_connections(series_run *run, unsigned round)
{
    return run->kind->measure_connection == NULL || run->payload_index > 0 ||
           take_turns(run, round, "connect", run->kind->measure_connection);
}

/* Latencies first, then rates, so that the values of a ratio lie close in time. */
static bool measure_round(series_run *run, unsigned round)
{
    if (!measure_connections(run, round) ||
        (has_latency(run) && !take_turns(run, round, "latency", measure_latency)) ||
        (!run->kind->no_rates && !take_turns(run, round, "rate", measure_rate)))
        return false;
    for (unsigned i = 0; run->options.verbose && i < run->series_count; i++) {
        if (!series_run_skips(run, i))
            run->kind->print_round(run, i, round);
    }
    return true;
}

static bool choose_counts(series_run *run)
{
    for (unsigned i = 0; i < run->series_count; i++) {
        perf_report_progress("trial, %s", run->series[i].mode->name);
        if (!series_run_skips(run, i) && !run->kind->choose_counts(run, i))
            return false;
    }
    return true;
}

static bool measure_rounds(series_run *run, unsigned from, unsigned to)
{
    if (!series_steps_look(run))
        return false;
    for (unsigned round = from; round < to; round++) {
        const double before_ns = run->watch.word_ns;
        run->round = round;
        series_watch_begin(&run->watch, run->session);
        if (!measure_round(run, round) || !series_steps_look(run))
            return false;
        series_watch_end(&run->watch, run->session, round, before_ns);
    }
    perf_report_progress(NULL);
    return true;
}

/* On each pair of processors all is opened again, so memory lies where it is used. */
static bool measure_payload(series_run *run, uint64_t point)
{
    const unsigned parts = run->pair_count > 0 ? run->pair_count : 1;
    const unsigned rounds = run->options.rounds / parts;
    if (!series_steps_point(run, point))
        return false;
    for (unsigned pair = 0; pair < parts; pair++) {
        if (!series_steps_move(run, pair) || !series_steps_open(run) || !choose_counts(run) ||
            !measure_rounds(run, pair * rounds, (pair + 1) * rounds) ||
            !series_steps_close(run))
            return false;
    }
    series_report_point(run);
    (void)fflush(stdout);
    return true;
}

static const perf_list *points_of(const series_run *run)
{
    return run->kind->of_calls ? &run->options.outstanding : &run->options.payloads;
}

static bool measure_all(series_run *run)
{
    const perf_list *points = points_of(run);
    for (unsigned i = 0; i < points->count; i++) {
        run->payload_index = i;
        if (!measure_payload(run, points->values[i]))
            return false;
    }
    return true;
}

/* --- from beginning to end ------------------------------------------------------------- */

static bool allocate(series_run *run)
{
    const unsigned rounds = run->options.rounds;
    uint64_t count = run->options.iterations > SERIES_LATENCY_MAX ? run->options.iterations
                                                                  : SERIES_LATENCY_MAX;
    size_t stamp_bytes = run->kind->latency_bytes_max > 0
                             ? (run->options.warmup + count + 1) * sizeof *run->stamps
                             : sizeof *run->stamps;
    bool ok = true;
    run->rows = json_array();
    run->ratios = json_object();
    run->placements = json_object();
    run->buffer = calloc(rounds, sizeof(double));
    run->stamps = malloc(stamp_bytes);
    for (unsigned i = 0; i < run->series_count; i++) {
        series_samples *samples = &run->samples[i];
        double *values = calloc(5 * (size_t)rounds, sizeof *values);
        ok = ok && values != NULL;
        if (values == NULL)
            continue;
        samples->p50_ns = values;
        samples->p99_ns = values + rounds;
        samples->p999_ns = values + 2 * (size_t)rounds;
        samples->max_ns = values + 3 * (size_t)rounds;
        samples->rate_per_s = values + 4 * (size_t)rounds;
    }
    ok = series_watch_allocate(&run->watch, rounds) && ok;
    if (!ok || run->rows == NULL || run->ratios == NULL || run->buffer == NULL ||
        run->stamps == NULL)
        return perf_session_complain(run->session, "out of memory");
    /* Touched now: a page fault must not be part of a round trip. */
    memset(run->stamps, 0xff, stamp_bytes);
    return true;
}

static void release(series_run *run)
{
    for (unsigned i = 0; i < run->series_count; i++)
        free(run->samples[i].p50_ns); /* the first of all */
    free(run->stamps);
    free(run->buffer);
    json_decref(run->rows);
    json_decref(run->ratios);
    json_decref(run->placements);
    series_watch_free(&run->watch);
}

static bool write_report(const series_run *run)
{
    json_t *report = perf_report_create(&run->options);
    if (run->kind->print_end != NULL && !perf_report_is_quiet(&run->options))
        run->kind->print_end(run);
    if (run->kind->finish != NULL)
        run->kind->finish(run, report);
    if (run->kind->is_watched)
        series_report_machine(run, report);
    (void)json_object_set(report, "rows", run->rows);
    (void)json_object_set(report, "ratios", run->ratios);
    return perf_report_write(&run->options, report);
}

/* Without --pin, and of more than two processors, a near pair and a far one. */
static void choose_pairs(series_run *run)
{
    perf_options *options = &run->options;
    run->pair_count = options->pair_count;
    memcpy(run->pairs, options->pairs, sizeof run->pairs);
    if (!options->is_pinned && run->kind->is_split)
        run->pair_count = pair_search_find(run->pairs);
    if (run->pair_count == 0)
        return;
    memcpy(options->cpus, run->pairs[0], sizeof options->cpus);
    options->rounds *= run->pair_count; /* so many of each */
}

int series_run_all(series_run *run)
{
    perf_session session;
    choose_pairs(run);
    run->session = &session;
    for (unsigned i = 0; i < run->series_count; i++)
        run->series[i].session = &session;
    bool ok = perf_session_start(&session, run->options.cpus, series_steps_serve, run) &&
              allocate(run) && measure_all(run);
    perf_report_progress(NULL);
    ok = perf_session_end(&session) && ok;
    ok = ok && write_report(run);
    release(run);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

bool series_run_is_last_payload(const series_run *run)
{
    return run->payload_index + 1 == points_of(run)->count;
}

bool series_run_knows_modes(const series_run *run, const char *known)
{
    char name[16];
    for (const char *at = run->options.modes; at != NULL;) {
        if (!perf_value_name(&at, ',', name, sizeof name) ||
            !perf_value_lists(known, ',', name)) {
            (void)fprintf(stderr, "tc-perf: --modes '%s': expected some of %s\n",
                          run->options.modes, known);
            return false;
        }
    }
    return true;
}
