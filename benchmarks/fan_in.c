/* Several senders into one target: the sum of their rates. Sets of all sizes are open at once
 * and take turns, so that their figures compare. */
#include "worker_set.h"
#include "perf_clock.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <stdio.h>
#include <stdlib.h>

#define SETS_MAX (PERF_LIST_MAX * PERF_DELIVERIES_MAX)
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

static bool start_sets(fan_in *run)
{
    const perf_options *options = run->options;
    for (unsigned d = 0; d < options->delivery_count; d++) {
        const char *delivery = options->deliveries[d];
        const worker_config config = {.delivery = *delivery != '\0' ? delivery : NULL,
                                      .path = options->ifunc_path,
                                      .payload_bytes = options->payload_bytes};
        for (unsigned i = 0; i < options->senders.count; i++) {
            unsigned at = run->set_count++;
            perf_report_progress("starting %u senders", (unsigned)options->senders.values[i]);
            run->rates[at] = calloc(options->rounds, sizeof(double));
            if (!worker_set_start(&run->sets[at], (unsigned)options->senders.values[i],
                                  &config) ||
                run->rates[at] == NULL)
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

static void report_set(const fan_in *run, unsigned at, double alone, json_t *report)
{
    const worker_set *set = &run->sets[at];
    char name[64];
    perf_spread spread = perf_stats_spread(run->rates[at], run->options->rounds);
    double rate = spread.median;
    json_t *row = json_pack("{s:s, s:s, s:i, s:I}", "mode", "cached", "delivery", set->delivery,
                            "senders", (int)set->source_count, "payload_bytes",
                            (json_int_t)set->config.payload_bytes);
    perf_report_spread(row, "rate_per_s", spread, 1);
    (void)json_array_append_new(json_object_get(report, "rows"), row);
    (void)snprintf(name, sizeof name, "senders_%u_to_%u_rate_%s", set->source_count,
                   (unsigned)run->options->senders.values[0], set->delivery);
    (void)json_object_set_new(json_object_get(report, "ratios"), name,
                              perf_report_number(rate / alone));
    if (!perf_report_is_quiet(run->options))
        (void)printf("%-9s %-8s %8u %8zu %12.3f %8.3f\n", "cached", set->delivery,
                     set->source_count, set->config.payload_bytes, rate / 1e6, rate / alone);
}

static bool report_all(const fan_in *run)
{
    json_t *report = perf_report_create(run->options);
    double alone = 1;
    if (!perf_report_is_quiet(run->options))
        (void)printf("%-9s %-8s %8s %8s %12s %8s\n", "mode", "delivery", "senders", "payload",
                     "rate M/s", "ratio");
    for (unsigned i = 0; i < run->set_count; i++) {
        if (i % run->options->senders.count == 0)
            alone = perf_stats_median(run->rates[i], run->options->rounds);
        report_set(run, i, alone, report);
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
