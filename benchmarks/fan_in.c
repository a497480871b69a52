/* Several senders into one target: the sum of their rates. Sets of all sizes are open at once
 * and take turns, so that their figures compare. */
#include "worker_set.h"
#include "perf_clock.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <stdio.h>
#include <stdlib.h>

#define SETS_MAX (2 * PERF_LIST_MAX * PERF_DELIVERIES_MAX) /* processes and threads */
#define TRIAL_COUNT 20000u
#define MEASUREMENT_S 0.1
#define COUNT_MAX 10000000.0

typedef struct fan_in {
    const perf_options *options;
    unsigned set_count;
    worker_set sets[SETS_MAX];
    uint64_t counts[SETS_MAX];
    double *rates[SETS_MAX]; /* one per round */
} fan_in;

static bool start_set(fan_in *run, unsigned sources, worker_config config)
{
    const unsigned at = run->set_count++;
    run->rates[at] = calloc(run->options->rounds, sizeof(double));
    return worker_set_start(&run->sets[at], sources, &config) && run->rates[at] != NULL;
}

/* Threads of one process follow as many processes. */
static bool start_sets(fan_in *run)
{
    const perf_options *options = run->options;
    for (unsigned d = 0; d < options->delivery_count; d++) {
        const char *delivery = options->deliveries[d];
        worker_config config = {.delivery = *delivery != '\0' ? delivery : NULL,
                                .path = options->ifunc_path,
                                .payload_bytes = options->payload_bytes};
        for (unsigned i = 0; i < options->senders.count; i++) {
            const unsigned senders = (unsigned)options->senders.values[i];
            perf_report_progress("starting %u senders", senders);
            config.threads = 0;
            if (!start_set(run, senders, config))
                return false;
            config.threads = senders;
            if (options->threads && !start_set(run, 1, config))
                return false;
        }
    }
    return true;
}

/* The first calls, for which a target prepares the code, are part of the trial. */
static bool choose_count(fan_in *run, unsigned at)
{
    double rate;
    uint64_t wanted = run->options->iterations;
    for (int i = 0; i < 2; i++) {
        uint64_t trial = wanted != 0 && wanted < TRIAL_COUNT ? wanted : TRIAL_COUNT;
        if (!worker_set_rate(&run->sets[at], 1, trial, &rate))
            return false;
    }
    double fits = rate * MEASUREMENT_S;
    run->counts[at] = wanted != 0 ? wanted : (uint64_t)(fits < COUNT_MAX ? fits : COUNT_MAX);
    return true;
}

static bool measure(fan_in *run)
{
    for (unsigned i = 0; i < run->set_count; i++) {
        if (!choose_count(run, i))
            return false;
    }
    for (unsigned round = 0; round < run->options->rounds; round++) {
        perf_report_progress("round %u of %u", round + 1, run->options->rounds);
        for (unsigned turn = 0; turn < run->set_count; turn++) {
            unsigned i = (turn + round) % run->set_count;
            if (!worker_set_rate(&run->sets[i], 1, run->counts[i], &run->rates[i][round]))
                return false;
        }
    }
    return true;
}

static void add_ratio(json_t *report, const char *name, double ratio)
{
    (void)json_object_set_new(json_object_get(report, "ratios"), name,
                              perf_report_number(ratio));
}

/* Returns the median rate, which a set of threads divides by that of as many processes. */
static double report_set(const fan_in *run, unsigned at, double alone, double processes,
                         json_t *report)
{
    const worker_set *set = &run->sets[at];
    const bool threads = set->config.threads > 0;
    const unsigned senders = threads ? set->config.threads : set->source_count;
    char name[64];
    perf_spread spread = perf_stats_spread(run->rates[at], run->options->rounds);
    json_t *row = json_pack("{s:s, s:s, s:i, s:I}", "mode", threads ? "threads" : "cached",
                            "delivery", set->delivery, "senders", (int)senders, "payload_bytes",
                            (json_int_t)set->config.payload_bytes);
    perf_report_spread(row, "rate_per_s", spread, 1);
    (void)json_array_append_new(json_object_get(report, "rows"), row);
    if (threads)
        (void)snprintf(name, sizeof name, "threads_to_processes_rate_%u_%s", senders,
                       set->delivery);
    else
        (void)snprintf(name, sizeof name, "senders_%u_to_%u_rate_%s", senders,
                       (unsigned)run->options->senders.values[0], set->delivery);
    const double ratio = spread.median / (threads ? processes : alone);
    add_ratio(report, name, ratio);
    if (!perf_report_is_quiet(run->options))
        (void)printf("%-9s %-8s %8u %8zu %12.3f %8.3f\n", threads ? "threads" : "cached",
                     set->delivery, senders, set->config.payload_bytes, spread.median / 1e6,
                     ratio);
    return spread.median;
}

static bool report_all(const fan_in *run)
{
    json_t *report = perf_report_create(run->options);
    const unsigned variants = run->options->threads ? 2 : 1;
    double alone = 1, processes = 1;
    if (!perf_report_is_quiet(run->options))
        (void)printf("%-9s %-8s %8s %8s %12s %8s\n", "mode", "delivery", "senders", "payload",
                     "rate M/s", "ratio");
    for (unsigned i = 0; i < run->set_count; i++) {
        if (i % (variants * run->options->senders.count) == 0)
            alone = perf_stats_median(run->rates[i], run->options->rounds);
        const double rate = report_set(run, i, alone, processes, report);
        processes = i % variants == 0 ? rate : processes;
    }
    return perf_report_write(run->options, report);
}

int fan_in_run(const perf_options *options)
{
    static fan_in run;
    run.options = options;
    bool ok = start_sets(&run) && measure(&run);
    perf_report_progress(NULL);
    for (unsigned i = 0; i < run.set_count; i++)
        ok = worker_set_stop(&run.sets[i]) && ok;
    ok = ok && report_all(&run);
    for (unsigned i = 0; i < run.set_count; i++)
        free(run.rates[i]);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
