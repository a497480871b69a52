#include "library_perf.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <stdio.h>

static const char *const stage_names[PUSH_STAGES] = {"push", "first call", "total"};

static double us(const library_run *run, size_t path, int stage, unsigned percent)
{
    const uint64_t *ns = run->push_ns[path][stage];
    return (double)perf_stats_percentile(ns, run->push_count[path], percent) / 1e3;
}

static void add_push(library_run *run, json_t *rows, size_t path, int stage)
{
    const perf_tail tail = perf_stats_tail(run->push_ns[path][stage], run->push_count[path]);
    json_t *row = json_pack("{s:s, s:s, s:s, s:[o, o]}", "part", "push", "path",
                            library_paths[path].name, "stage", stage_names[stage],
                            "us_p50_quartiles", perf_report_number(us(run, path, stage, 25)),
                            perf_report_number(us(run, path, stage, 75)));
    perf_report_tail(row, "us", &tail, 1e-3);
    (void)json_array_append_new(rows, row);
}

static void print_push(const library_run *run, size_t path)
{
    (void)printf("%-15s", library_paths[path].name);
    for (int stage = 0; stage < PUSH_STAGES; stage++)
        (void)printf(" %9.1f %9.1f", us(run, path, stage, 50), us(run, path, stage, 99));
    (void)printf(" %9.0f\n", library_paths[path].goal_us);
}

static void report_pushes(library_run *run, json_t *rows, json_t *ratios)
{
    char name[64];
    const bool quiet = perf_report_is_quiet(run->options);
    if (run->push_count[0] == 0)
        return;
    if (!quiet)
        (void)printf("%-15s %9s %9s %9s %9s %9s %9s %9s\n", "path", "push p50", "p99",
                     "call p50", "p99", "total p50", "p99", "goal");
    for (size_t path = 0; path < PUSH_PATHS; path++) {
        for (int stage = 0; stage < PUSH_STAGES; stage++)
            add_push(run, rows, path, stage);
        if (!quiet)
            print_push(run, path);
        (void)snprintf(name, sizeof name, "%s_total_to_goal", library_paths[path].name);
        (void)json_object_set_new(
            ratios, name,
            perf_report_number(us(run, path, PUSH_TOTAL, 50) / library_paths[path].goal_us));
    }
    if (!quiet)
        (void)printf(
            "us; a library of 50 symbols, and the first call of a function that is new "
            "and uses all\n\n");
}

bool library_report(library_run *run)
{
    json_t *document = perf_report_create(run->options);
    json_t *rows = json_object_get(document, "rows");
    json_t *ratios = json_object_get(document, "ratios");
    report_pushes(run, rows, ratios);
    return perf_report_write(run->options, document);
}
