#include "library_perf.h"
#include "perf_report.h"
#include "perf_stats.h"
#include "perf_value.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* --- pushes ------------------------------------------------------------------------------ */

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

/* --- calls ------------------------------------------------------------------------------- */

static const char *const way_names[CALLS_WAYS] = {"travelling", "host"};

/* Over the rounds: median and quartiles of one figure, which is at `offset` of each sample. */
static perf_spread spread_of(const library_run *run, unsigned way, size_t offset)
{
    static double values[LIBRARY_ROUNDS_MAX];
    for (unsigned i = 0; i < run->options->rounds; i++)
        memcpy(&values[i], (const char *)&run->board->calls[way][i] + offset, sizeof *values);
    return perf_stats_spread(values, run->options->rounds);
}

/* Round by round, as everywhere. */
static double ratio_of(const library_run *run, size_t offset)
{
    static double values[LIBRARY_ROUNDS_MAX];
    double figures[CALLS_WAYS];
    for (unsigned i = 0; i < run->options->rounds; i++) {
        for (unsigned way = 0; way < CALLS_WAYS; way++)
            memcpy(&figures[way], (const char *)&run->board->calls[way][i] + offset,
                   sizeof *figures);
        values[i] = figures[CALLS_TRAVELLING] / figures[CALLS_HOST];
    }
    return perf_stats_median(values, run->options->rounds);
}

static void report_calls(const library_run *run, json_t *rows, json_t *ratios)
{
    static const struct {
        const char *name;
        size_t offset;
    } figures[] = {
        {"latency_ns_p50", offsetof(library_call_sample, p50_ns)},
        {"latency_ns_p99", offsetof(library_call_sample, p99_ns)},
        {"latency_ns_p999", offsetof(library_call_sample, p999_ns)},
        {"latency_ns_max", offsetof(library_call_sample, max_ns)},
        {"rate_per_s", offsetof(library_call_sample, rate_per_s)},
    };
    const size_t count = sizeof figures / sizeof figures[0];
    const double latency = ratio_of(run, figures[0].offset);
    const double rate = ratio_of(run, figures[count - 1].offset);
    const bool quiet = perf_report_is_quiet(run->options);
    if (!quiet)
        (void)printf("%-15s %9s %9s %9s %9s %9s\n", "library", "p50 ns", "p99 ns", "p99.9 ns",
                     "max ns", "rate M/s");
    for (unsigned way = 0; way < CALLS_WAYS; way++) {
        json_t *row = json_pack("{s:s, s:s}", "part", "call", "library", way_names[way]);
        if (!quiet)
            (void)printf("%-15s", way_names[way]);
        for (size_t i = 0; i < count; i++) {
            const perf_spread spread = spread_of(run, way, figures[i].offset);
            perf_report_spread(row, figures[i].name, spread, 1);
            if (!quiet && i + 1 < count)
                (void)printf(" %9.1f", spread.median);
            else if (!quiet)
                (void)printf(" %9.3f\n", spread.median / 1e6);
        }
        (void)json_array_append_new(rows, row);
    }
    (void)json_object_set_new(ratios, "travelling_to_host_latency",
                              perf_report_number(latency));
    (void)json_object_set_new(ratios, "travelling_to_host_rate", perf_report_number(rate));
    if (!quiet)
        (void)printf("cached messages; travelling_to_host_latency %.3f, _rate %.3f; goal: 1.00 "
                     "to 1.05\n\n",
                     latency, rate);
}

/* --- upgrades ---------------------------------------------------------------------------- */

static const char *const turn_names[UPGRADE_TURNS] = {"quiet", "upgraded"};

static bool report_upgrades(const library_run *run, json_t *rows, json_t *ratios)
{
    library_board *board = run->board;
    const bool quiet = perf_report_is_quiet(run->options);
    double p50[UPGRADE_TURNS], p99[UPGRADE_TURNS];
    uint64_t lost = 0;
    if (!quiet)
        (void)printf("turn          calls    us p50    us p99  us p99.9    us max\n");
    for (int turn = 0; turn < UPGRADE_TURNS; turn++) {
        const uint64_t count = board->upgrade_calls[turn];
        const perf_tail tail = perf_stats_tail(board->upgrade_ns[turn], count);
        const json_int_t upgrades = turn == UPGRADE_BUSY ? UPGRADES : 0;
        p50[turn] = (double)tail.p50;
        p99[turn] = (double)tail.p99;
        json_t *row = json_pack("{s:s, s:s, s:I, s:I, s:I}", "part", "upgrade", "turn",
                                turn_names[turn], "calls", (json_int_t)count, "upgrades",
                                upgrades, "lost", (json_int_t)board->upgrade_lost[turn]);
        lost += board->upgrade_lost[turn];
        perf_report_tail(row, "us", &tail, 1e-3);
        (void)json_array_append_new(rows, row);
        if (!quiet)
            (void)printf("%-9s %9llu %9.2f %9.2f %9.2f %9.2f\n", turn_names[turn],
                         (unsigned long long)count, p50[turn] / 1e3, p99[turn] / 1e3,
                         (double)tail.p999 / 1e3, (double)tail.max / 1e3);
    }
    const double p50_ratio = p50[UPGRADE_BUSY] / p50[UPGRADE_QUIET];
    const double p99_ratio = p99[UPGRADE_BUSY] / p99[UPGRADE_QUIET];
    (void)json_object_set_new(ratios, "upgraded_to_quiet_p50", perf_report_number(p50_ratio));
    (void)json_object_set_new(ratios, "upgraded_to_quiet_p99", perf_report_number(p99_ratio));
    if (!quiet)
        (void)printf("%u upgrades; upgraded_to_quiet_p50 %.3f, _p99 %.3f; goal: below 2; calls "
                     "lost: %llu\n",
                     UPGRADES, p50_ratio, p99_ratio, (unsigned long long)lost);
    if (lost > 0)
        (void)fprintf(stderr, "tc-perf: upgrades: found %llu calls lost, expected none\n",
                      (unsigned long long)lost);
    return lost == 0;
}

bool library_report(library_run *run)
{
    const char *modes = run->options->modes;
    bool ok = true;
    json_t *document = perf_report_create(run->options);
    json_t *rows = json_object_get(document, "rows");
    json_t *ratios = json_object_get(document, "ratios");
    report_pushes(run, rows, ratios);
    if (perf_value_lists(modes, ',', "call"))
        report_calls(run, rows, ratios);
    if (perf_value_lists(modes, ',', "upgrade"))
        ok = report_upgrades(run, rows, ratios);
    return perf_report_write(run->options, document) && ok;
}
