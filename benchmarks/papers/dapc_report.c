/* The results of a run of the pointer chase: medians over rounds, and ratios as medians of each
 * round's own ratio. */
#include "dapc_workers.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const ratio_names[][2] = {
    {"am", "get"},   {"bitcode", "get"},     {"image", "get"},    {"bitcode", "am"},
    {"image", "am"}, {"bitcode", "am-safe"}, {"image", "am-safe"}};

#define RATIO_COUNT (sizeof ratio_names / sizeof ratio_names[0])

static bool is_quiet(const dapc_run *run)
{
    return perf_report_is_quiet(run->options);
}

/* One machine runs both, so one of two architectures is not its own. */
static bool is_emulated(const dapc_run *run)
{
    return strcmp(run->workers.client_arch, run->workers.server_arch) != 0;
}

static perf_spread spread_of(const dapc_run *run, const double *values, double *buffer)
{
    memcpy(buffer, values, run->options->rounds * sizeof *buffer);
    return perf_stats_spread(buffer, run->options->rounds);
}

static double median_ratio(const dapc_run *run, const dapc_samples *over,
                           const dapc_samples *under, double *buffer)
{
    for (unsigned i = 0; i < run->options->rounds; i++)
        buffer[i] = over->chases_per_s[i] / under->chases_per_s[i];
    return perf_stats_median(buffer, run->options->rounds);
}

/* In C of all modes? Then languages are not reported. */
static bool has_languages(const dapc_run *run)
{
    for (unsigned i = 0; i < run->plan_count; i++) {
        if (run->plans[i].language != language_c)
            return true;
    }
    return false;
}

static void print_language(const dapc_run *run, const char *text)
{
    if (has_languages(run))
        (void)printf("%-8s ", text);
}

static void report_row(dapc_run *run, unsigned q, unsigned series, double *buffer)
{
    const dapc_samples *samples = &run->samples[q][series];
    const dapc_plan *plan = &run->plans[series];
    uint64_t inflight = run->options->inflight.values[q];
    perf_spread rate = spread_of(run, samples->chases_per_s, buffer);
    perf_spread first_us = spread_of(run, samples->first_us, buffer);
    perf_spread second_us = spread_of(run, samples->second_us, buffer);
    double step_us = 1e6 / rate.median / (double)run->depth;
    json_t *row = json_pack("{s:s, s:i, s:I, s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:o}",
                            "mode", plan->mode->name, "servers", (int)run->workers.server_count,
                            "depth", (json_int_t)run->depth, "inflight", (json_int_t)inflight,
                            "wait", plan->wait, "transport", run->options->transport, "cache",
                            run->options->cache, "start", run->options->start, "client_arch",
                            run->workers.client_arch, "server_arch", run->workers.server_arch,
                            "emulated", is_emulated(run), "us_per_step", json_real(step_us));
    perf_report_spread(row, "chases_per_s", rate, 1);
    perf_report_spread(row, "first_chase_us", first_us, 1);
    perf_report_spread(row, "second_chase_us", second_us, 1);
    if (has_languages(run))
        (void)json_object_set_new(row, "language", json_string(plan->language->name));
    (void)json_array_append_new(run->rows, row);
    if (is_quiet(run))
        return;
    (void)printf("%-8s ", plan->mode->name);
    print_language(run, plan->mode->moves_code ? plan->language->name : "-");
    (void)printf("%-9s %7u %6llu %8llu %12.1f %10.3f %12.1f %12.1f\n", plan->wait,
                 run->workers.server_count, (unsigned long long)run->depth,
                 (unsigned long long)inflight, rate.median, step_us, first_us.median,
                 second_us.median);
}

static void report_ratio(dapc_run *run, const char *name, double value)
{
    (void)json_object_set_new(run->ratios, name, perf_report_number(value));
    if (run->options->depths.count == 1 && !is_quiet(run))
        (void)printf("  %-48s %8.3f\n", name, value);
}

/* The series of a mode with that policy, in C, which comes first; plan_count: no series. */
static unsigned find_series(const dapc_run *run, const char *mode, const char *wait)
{
    unsigned i = 0;
    while (i < run->plan_count && (strcmp(run->plans[i].mode->name, mode) != 0 ||
                                   strcmp(run->plans[i].wait, wait) != 0))
        i++;
    return i;
}

/* "bitcode_to_get_s8_d4096_q1", and with several policies the policy behind it: servers, depth,
 * chases at once. */
static void end_name(const dapc_run *run, const char *wait, char *name, size_t size)
{
    size_t at = strlen(name);
    bool several = strchr(run->options->wait, ',') != NULL;
    (void)snprintf(name + at, size - at, "_d%llu%s%s", (unsigned long long)run->depth,
                   several ? "_" : "", several ? wait : "");
}

static void report_mode_ratios(dapc_run *run, unsigned q, double *buffer)
{
    char name[96];
    for (size_t i = 0; i < RATIO_COUNT; i++) {
        for (unsigned under = 0; under < run->plan_count; under++) {
            const dapc_plan *plan = &run->plans[under];
            unsigned over = find_series(run, ratio_names[i][0], plan->wait);
            if (strcmp(plan->mode->name, ratio_names[i][1]) != 0 || over == run->plan_count)
                continue;
            (void)snprintf(name, sizeof name, "%s_to_%s_s%u_q%llu", ratio_names[i][0],
                           ratio_names[i][1], run->workers.server_count,
                           (unsigned long long)run->options->inflight.values[q]);
            end_name(run, plan->wait, name, sizeof name);
            report_ratio(
                run, name,
                median_ratio(run, &run->samples[q][over], &run->samples[q][under], buffer));
        }
    }
}

/* Many chases at once against the first number of the list. */
static void report_inflight_ratios(dapc_run *run, unsigned q, double *buffer)
{
    const uint64_t *inflight = run->options->inflight.values;
    char name[96];
    for (unsigned series = 0; q > 0 && series < run->plan_count; series++) {
        if (run->plans[series].language != language_c)
            continue;
        (void)snprintf(name, sizeof name, "%s_inflight_%llu_to_%llu_s%u",
                       run->plans[series].mode->name, (unsigned long long)inflight[q],
                       (unsigned long long)inflight[0], run->workers.server_count);
        end_name(run, run->plans[series].wait, name, sizeof name);
        report_ratio(
            run, name,
            median_ratio(run, &run->samples[q][series], &run->samples[0][series], buffer));
    }
}

/* "bitcode_rust_to_c_s8_q1_d4096" */
static void report_language_ratios(dapc_run *run, unsigned q, double *buffer)
{
    char name[96];
    for (unsigned series = 0; series < run->plan_count; series++) {
        const dapc_plan *plan = &run->plans[series];
        unsigned of_c = find_series(run, plan->mode->name, plan->wait);
        if (plan->language == language_c)
            continue;
        (void)snprintf(name, sizeof name, "%s_%s_to_c_s%u_q%llu", plan->mode->name,
                       plan->language->name, run->workers.server_count,
                       (unsigned long long)run->options->inflight.values[q]);
        end_name(run, plan->wait, name, sizeof name);
        report_ratio(
            run, name,
            median_ratio(run, &run->samples[q][series], &run->samples[q][of_c], buffer));
    }
}

static void print_head(const dapc_run *run)
{
    if (is_quiet(run) || json_array_size(run->rows) > 0)
        return;
    (void)printf("%-8s ", "mode");
    print_language(run, "language");
    (void)printf("%-9s %7s %6s %8s %12s %10s %12s %12s\n", "wait", "servers", "depth",
                 "inflight", "chases/s", "us/step", "first us", "second us");
}

bool dapc_report_samples(dapc_run *run)
{
    double *buffer = calloc(run->options->rounds, sizeof *buffer);
    if (buffer == NULL) {
        (void)fprintf(stderr, "tc-perf: out of memory\n");
        return false;
    }
    print_head(run);
    for (unsigned q = 0; q < run->options->inflight.count; q++) {
        for (unsigned series = 0; series < run->plan_count; series++)
            report_row(run, q, series, buffer);
    }
    for (unsigned q = 0; q < run->options->inflight.count; q++) {
        report_mode_ratios(run, q, buffer);
        report_language_ratios(run, q, buffer);
        report_inflight_ratios(run, q, buffer);
    }
    (void)fflush(stdout);
    free(buffer);
    return true;
}

bool dapc_report_write(dapc_run *run)
{
    const perf_options *options = run->options;
    json_t *report = perf_report_create(options);
    if (!is_quiet(run) && is_emulated(run))
        (void)printf("\nemulated: the client is %s, servers are %s, on one machine; such "
                     "figures compare with none of a machine\n",
                     run->workers.client_arch, run->workers.server_arch);
    if (!is_quiet(run))
        (void)printf("\n%s, cache %s; medians of %u rounds; every result was checked\n",
                     options->transport, options->cache, options->rounds);
    (void)json_object_set(report, "rows", run->rows);
    (void)json_object_set(report, "ratios", run->ratios);
    return perf_report_write(options, report);
}
