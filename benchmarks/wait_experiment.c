/* The cost of waiting, and the time until it ends, for each policy of the library: a target
 * with many silent peers, the same target woken by one of them, and pairs of processes that
 * together are more than the machine's processors. */
#include "worker_set.h"
#include "ifuncs/wakeup.h"
#include "perf_clock.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_stats.h"
#include "perf_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tc/advanced.h>
#include <tc/context.h>
#include <tc/options.h>

#define PAIRS_MAX (WORKER_SOURCES_MAX / 2)
#define IDLE_NS (1 * PERF_NS_PER_S)
#define WAKEUPS 200u
#define PAYLOAD_BYTES 8u
#define TRIAL_COUNT 2000u
#define MEASUREMENT_S 0.1
#define COUNT_MAX 5000000.0
#define RATE_ROUNDS 3u

typedef struct wait_run {
    const perf_options *options;
    worker_set sets[PAIRS_MAX];
    json_t *rows;
} wait_run;

typedef struct idle_figures {
    double cpu_pct;
    perf_tail wakeup_ns;
} idle_figures;

/* "spin|adaptive|block", or the policy of a library without the option. */
static const char *known_policies(void)
{
    for (size_t i = 0; i < tc_options_count(); i++) {
        if (strcmp(tc_options_info(i)->name, "wait") == 0)
            return tc_options_info(i)->range;
    }
    return "adaptive";
}

static bool measure_target(wait_run *run, const worker_config *config, idle_figures *out)
{
    worker_set *target = &run->sets[0];
    const uint64_t wanted = run->options->iterations, wakeups = wanted != 0 ? wanted : WAKEUPS;
    /* The first message, for which the target prepares the code, is not part of the figures. */
    bool ok = worker_set_start(target, run->options->peers, config) &&
              worker_set_wake(target, 1, &out->wakeup_ns) &&
              worker_set_idle(target, IDLE_NS, &out->cpu_pct) &&
              worker_set_wake(target, wakeups, &out->wakeup_ns);
    return worker_set_stop(target) && ok;
}

static bool measure_rate(wait_run *run, unsigned pairs, perf_spread *per_s_out)
{
    double rates[RATE_ROUNDS], trial = 0;
    for (unsigned i = 0; i < 2; i++) {
        if (!worker_set_rate(run->sets, pairs, TRIAL_COUNT, &trial))
            return false;
    }
    double fits = trial * MEASUREMENT_S / pairs;
    uint64_t count = (uint64_t)(fits < COUNT_MAX ? fits : COUNT_MAX) + 1;
    for (unsigned i = 0; i < RATE_ROUNDS; i++) {
        if (!worker_set_rate(run->sets, pairs, count, &rates[i]))
            return false;
    }
    *per_s_out = perf_stats_spread(rates, RATE_ROUNDS);
    return true;
}

static bool measure_pairs(wait_run *run, const worker_config *config, unsigned pairs,
                          perf_spread *per_s_out)
{
    unsigned started = 0;
    bool ok = true;
    while (ok && started < pairs)
        ok = worker_set_start(&run->sets[started++], 1, config);
    ok = ok && measure_rate(run, pairs, per_s_out);
    while (started > 0)
        ok = worker_set_stop(&run->sets[--started]) && ok;
    return ok;
}

static void report_row(wait_run *run, const char *policy, unsigned processes,
                       const idle_figures *idle, perf_spread rate)
{
    const perf_tail *wakeup = &idle->wakeup_ns;
    json_t *row = json_pack("{s:s, s:i, s:o}", "policy", policy, "processes", (int)processes,
                            "idle_cpu_pct", perf_report_number(idle->cpu_pct));
    perf_report_tail(row, "wakeup_us", wakeup, 1e-3);
    perf_report_spread(row, "rate_per_s", rate, 1);
    (void)json_array_append_new(run->rows, row);
    if (!perf_report_is_quiet(run->options))
        (void)printf("%-9s %9u %9.2f %10.1f %10.1f %10.1f %10.1f %12.3f\n", policy, processes,
                     idle->cpu_pct, (double)wakeup->p50 / 1e3, (double)wakeup->p99 / 1e3,
                     (double)wakeup->p999 / 1e3, (double)wakeup->max / 1e3, rate.median / 1e6);
}

static bool measure_policy(wait_run *run, const char *policy)
{
    const perf_options *options = run->options;
    const char *delivery = options->deliveries[0];
    const worker_config config = {.delivery = *delivery != '\0' ? delivery : NULL,
                                  .policy = policy,
                                  .path = options->ifunc_path,
                                  .payload_bytes = PAYLOAD_BYTES};
    idle_figures idle = {0};
    perf_spread rate = {0};
    if (strcmp(policy, "line") == 0 && tc_wait_instruction() == NULL) {
        if (!perf_report_is_quiet(options))
            (void)printf("%-9s left out: this processor shows no instruction for it\n", policy);
        return true;
    }
    perf_report_progress("%s: a target with %u peers", policy, options->peers);
    if (!measure_target(run, &config, &idle))
        return false;
    for (unsigned i = 0; i < options->processes.count; i++) {
        unsigned processes = (unsigned)options->processes.values[i];
        perf_report_progress("%s: %u processes", policy, processes);
        if (!measure_pairs(run, &config, processes / 2, &rate))
            return false;
        perf_report_progress(NULL);
        report_row(run, policy, processes, &idle, rate);
    }
    return true;
}

static int run_wait(const perf_options *options)
{
    static wait_run run;
    char policy[32];
    bool ok = true;
    run.options = options;
    run.rows = json_array();
    if (!perf_report_is_quiet(options))
        (void)printf("%-9s %9s %9s %10s %10s %10s %10s %12s\n", "policy", "processes", "idle %",
                     "wake p50", "wake p99", "wake p99.9", "wake max", "rate M/s");
    for (const char *at = known_policies(); ok && at != NULL;)
        ok = perf_value_name(&at, '|', policy, sizeof policy) && measure_policy(&run, policy);
    perf_report_progress(NULL);
    if (ok && !perf_report_is_quiet(options))
        (void)printf(
            "\nidle: %% of a processor, target of %u peers; wake-up in us; rate of all "
            "pairs\n",
            options->peers);
    if (ok) {
        json_t *report = perf_report_create(options);
        (void)json_object_set(report, "rows", run.rows);
        ok = perf_report_write(options, report);
    }
    json_decref(run.rows);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

const perf_experiment wait_experiment = {
    .name = "wait",
    .summary = "what a waiting target costs, and how soon it wakes",
    .options = "iterations peers processes",
    .told = {{"iterations", "(200)"}},
    .defaults = {{"peers", "16"}, {"processes", "2..16"}},
    .iterations_max = WAKEUP_SAMPLES_MAX,
    .run = run_wait,
};
