/* The pointer chase: for each number of servers and each depth the modes take turns, so that
 * their figures compare. */
#include "dapc_need.h"
#include "dapc_workers.h"
#include "perf_clock.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEASUREMENT_NS (50 * PERF_NS_PER_MS)
#define TRIAL_NS (10 * PERF_NS_PER_MS) /* the least time of a meaningful trial */
#define BATCH_MAX 200000.0
/* The end of a batch with many at once, where there are fewer, must not count for much. */
#define BATCH_PER_SLOT 4u
/* So that quickly compiled code was replaced by better code, which takes a while. */
#define WARMING_NS (200 * PERF_NS_PER_MS)

static bool add_plans(dapc_run *run, const dapc_mode *mode, const language *of)
{
    for (const char *at = run->options->wait; at != NULL;) {
        dapc_plan *plan = &run->plans[run->plan_count];
        if (run->plan_count == DAPC_PLANS_MAX ||
            !perf_value_name(&at, ',', plan->wait, sizeof plan->wait)) {
            (void)fprintf(stderr, "tc-perf: dapc: more than %u modes, policies and languages\n",
                          DAPC_PLANS_MAX);
            return false;
        }
        plan->mode = mode;
        plan->language = of;
        run->plan_count++;
    }
    return true;
}

/* A mode that moves no code is in C, whatever is beside it. */
static bool add_mode(dapc_run *run, const char *name, const language_choice *languages)
{
    const dapc_mode *mode = dapc_mode_find(name);
    if (mode == NULL) {
        (void)fprintf(stderr, "tc-perf: no mode of dapc is called '%s'\n", name);
        return false;
    }
    for (unsigned i = 0; i < (mode->moves_code ? languages->count : 1); i++) {
        if (!add_plans(run, mode, languages->of[i]))
            return false;
    }
    return true;
}

static bool choose_plans(dapc_run *run)
{
    char name[32];
    language_choice languages;
    const bool by_ifunc = strcmp(run->options->answer, "ifunc") == 0;
    if (!language_choose(run->options, by_ifunc ? "chase_return" : "chase_reply", &languages))
        return false;
    for (const char *at = run->options->modes; at != NULL;) {
        if (!perf_value_name(&at, ',', name, sizeof name) || !add_mode(run, name, &languages))
            return false;
    }
    return true;
}

static bool make_samples(dapc_run *run)
{
    size_t size = run->options->rounds;
    for (unsigned q = 0; q < run->options->inflight.count; q++) {
        for (unsigned i = 0; i < run->plan_count; i++) {
            dapc_samples *samples = &run->samples[q][i];
            samples->chases_per_s = calloc(size, sizeof(double));
            samples->first_us = calloc(size, sizeof(double));
            samples->second_us = calloc(size, sizeof(double));
            if (samples->chases_per_s == NULL || samples->first_us == NULL ||
                samples->second_us == NULL) {
                (void)fprintf(stderr, "tc-perf: out of memory\n");
                return false;
            }
        }
    }
    return true;
}

static void free_samples(dapc_run *run)
{
    for (unsigned q = 0; q < PERF_LIST_MAX; q++) {
        for (unsigned i = 0; i < DAPC_PLANS_MAX; i++) {
            free(run->samples[q][i].chases_per_s);
            free(run->samples[q][i].first_us);
            free(run->samples[q][i].second_us);
        }
    }
}

/* --- one series ------------------------------------------------------------------------- */

static bool is_cold(const dapc_run *run)
{
    return strcmp(run->options->cache, "cold") == 0;
}

static bool run_batch(dapc_run *run, unsigned series, uint64_t count, uint64_t inflight,
                      uint64_t *took_ns_out)
{
    const dapc_batch batch = {.first = run->number,
                              .count = count,
                              .depth = run->depth,
                              .inflight = (uint32_t)inflight};
    run->number += count;
    return dapc_workers_run(&run->workers, series, &batch, took_ns_out);
}

/* The servers' knowledge of the code before the following chases. */
static bool prepare(dapc_run *run, unsigned series)
{
    return !run->plans[series].mode->moves_code ||
           dapc_workers_prepare(&run->workers, series, !is_cold(run));
}

/* The first `count` chases at once, and the second. */
static bool time_first(dapc_run *run, unsigned series, uint64_t count, uint64_t *first_ns_out,
                       uint64_t *second_ns_out)
{
    return prepare(run, series) && run_batch(run, series, count, count, first_ns_out) &&
           run_batch(run, series, count, count, second_ns_out);
}

/* For a warm cache: the first chase of the series, then chases until the state is steady. */
static bool warm_series(dapc_run *run, unsigned series)
{
    uint64_t first_ns, second_ns, took_ns = 0, count = 1;
    if (!time_first(run, series, 1, &first_ns, &second_ns))
        return false;
    for (unsigned q = 0; q < run->options->inflight.count; q++) {
        for (unsigned round = 0; round < run->options->rounds; round++) {
            run->samples[q][series].first_us[round] = (double)first_ns / 1e3;
            run->samples[q][series].second_us[round] = (double)second_ns / 1e3;
        }
    }
    if (run->options->iterations != 0)
        return true;
    for (uint64_t all_ns = 0; all_ns < WARMING_NS; all_ns += took_ns) {
        if (!run_batch(run, series, count, 1, &took_ns))
            return false;
        if (took_ns < TRIAL_NS && count < (uint64_t)BATCH_MAX)
            count *= 2;
    }
    return true;
}

/* How many chases fit a measurement. */
static bool choose_batch(dapc_run *run, unsigned q, unsigned series)
{
    uint64_t inflight = run->options->inflight.values[q], took_ns = 0;
    uint64_t count = inflight, least = inflight > 1 ? BATCH_PER_SLOT * inflight : 1;
    dapc_samples *samples = &run->samples[q][series];
    if (run->options->iterations != 0) {
        samples->batch = run->options->iterations;
        return true;
    }
    for (;;) {
        if (!run_batch(run, series, count, inflight, &took_ns))
            return false;
        if (took_ns >= TRIAL_NS || count > (uint64_t)BATCH_MAX / 2)
            break;
        count *= 2;
    }
    double fits = (double)count * (double)MEASUREMENT_NS / (double)took_ns;
    samples->batch = (uint64_t)(fits < BATCH_MAX ? fits : BATCH_MAX);
    if (samples->batch < least)
        samples->batch = least;
    return true;
}

static bool open_series(dapc_run *run, unsigned series)
{
    bool ok =
        dapc_workers_open(&run->workers, series) && dapc_workers_begin(&run->workers, series);
    if (ok && is_cold(run)) {
        /* Processes that compile are started, and connections warm, but no code is known. */
        uint64_t first_ns, second_ns;
        ok = time_first(run, series, 1, &first_ns, &second_ns);
    } else if (ok) {
        ok = warm_series(run, series);
        for (unsigned q = 0; ok && q < run->options->inflight.count; q++)
            ok = choose_batch(run, q, series);
    }
    return ok && dapc_workers_end(&run->workers);
}

/* --- rounds --------------------------------------------------------------------------- */

static bool measure_cold(dapc_run *run, unsigned q, unsigned series, unsigned round)
{
    dapc_samples *samples = &run->samples[q][series];
    uint64_t inflight = run->options->inflight.values[q], first_ns, second_ns;
    if (!time_first(run, series, inflight, &first_ns, &second_ns))
        return false;
    samples->first_us[round] = (double)first_ns / 1e3;
    samples->second_us[round] = (double)second_ns / 1e3;
    samples->chases_per_s[round] = (double)inflight * (double)PERF_NS_PER_S / (double)first_ns;
    return true;
}

static bool measure_warm(dapc_run *run, unsigned q, unsigned series, unsigned round)
{
    dapc_samples *samples = &run->samples[q][series];
    uint64_t took_ns;
    if (!run_batch(run, series, samples->batch, run->options->inflight.values[q], &took_ns))
        return false;
    samples->chases_per_s[round] =
        (double)samples->batch * (double)PERF_NS_PER_S / (double)took_ns;
    return true;
}

static bool measure(dapc_run *run, unsigned q, unsigned series, unsigned round)
{
    bool ok = dapc_workers_begin(&run->workers, series);
    if (ok)
        ok = is_cold(run) ? measure_cold(run, q, series, round)
                          : measure_warm(run, q, series, round);
    if (ok && run->options->verbose)
        (void)fprintf(stderr, "%u servers, depth %llu, round %u: %s %s, %llu at once: %.1f/s\n",
                      run->workers.server_count, (unsigned long long)run->depth, round,
                      run->plans[series].mode->name, run->plans[series].wait,
                      (unsigned long long)run->options->inflight.values[q],
                      run->samples[q][series].chases_per_s[round]);
    return ok && dapc_workers_end(&run->workers);
}

/* The series that is first in a round is another in the next. */
static bool measure_round(dapc_run *run, unsigned round)
{
    for (unsigned q = 0; q < run->options->inflight.count; q++) {
        for (unsigned i = 0; i < run->plan_count; i++) {
            if (!measure(run, q, (i + round) % run->plan_count, round))
                return false;
        }
    }
    return true;
}

static bool measure_depth(dapc_run *run)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < run->plan_count; i++)
        ok = open_series(run, i);
    for (unsigned round = 0; ok && round < run->options->rounds; round++) {
        perf_report_progress("%u servers, depth %llu: round %u of %u",
                             run->workers.server_count, (unsigned long long)run->depth,
                             round + 1, run->options->rounds);
        ok = measure_round(run, round);
    }
    for (unsigned i = run->plan_count; ok && i-- > 0;)
        ok = dapc_workers_close(&run->workers, i);
    perf_report_progress(NULL);
    return ok && dapc_report_samples(run);
}

static bool measure_servers(dapc_run *run, unsigned servers)
{
    const perf_list *depths = &run->options->depths;
    bool ok =
        dapc_workers_start(&run->workers, run->options, servers, run->plans, run->plan_count);
    for (unsigned i = 0; ok && i < depths->count; i++) {
        run->depth = depths->values[i];
        ok = measure_depth(run);
    }
    return dapc_workers_stop(&run->workers) && ok;
}

static int run_dapc(const perf_options *options)
{
    static dapc_run run;
    bool ok;
    run.options = options;
    run.rows = json_array();
    run.ratios = json_object();
    ok = choose_plans(&run) && make_samples(&run) &&
         (options->server_program == NULL || dapc_member_check(options->server_program));
    for (unsigned i = 0; ok && i < options->servers.count; i++)
        ok = dapc_need_ensure(run.plans, run.plan_count, options,
                              (unsigned)options->servers.values[i]);
    for (unsigned i = 0; ok && i < options->servers.count; i++)
        ok = measure_servers(&run, (unsigned)options->servers.values[i]);
    ok = ok && dapc_report_write(&run);
    free_samples(&run);
    json_decref(run.rows);
    json_decref(run.ratios);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

const perf_experiment dapc_experiment = {
    .name = "dapc",
    .summary = "a chase through a table of pointers that is spread over servers",
    .options =
        "iterations rounds modes servers depth inflight wait transport cache return start "
        "server-program function",
    .functions = LANGUAGE_NAMES,
    .told = {{"iterations", "(what fits 50 ms)"},
             {"modes", "out of get,am,bitcode,image"},
             {"function", LANGUAGE_TOLD}},
    .defaults = {{"servers", "1,4,8"},
                 {"depth", "4096"},
                 {"inflight", "1"},
                 {"wait", "adaptive"},
                 {"transport", "tcp"},
                 {"cache", "warm"},
                 {"return", "reply"},
                 {"start", "owner"},
                 {"function", "c"},
                 {"modes", "get,am,bitcode,image"},
                 {"rounds", "10"}},
    .iterations_max = 200000,
    .run = run_dapc,
    .member = dapc_member_main,
};
