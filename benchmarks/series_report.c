#include "series_report.h"

#include "perf_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- figures ----------------------------------------------------------------------------- */

/* Rounds are chosen in their order, so values may be the buffer. */
perf_spread series_report_spread(const series_run *run, const double *values)
{
    const series_watch *watch = &run->watch;
    for (unsigned i = 0; i < watch->chosen_count; i++)
        run->buffer[i] = values[watch->chosen[i]];
    return perf_stats_spread(run->buffer, watch->chosen_count);
}

double series_report_max(const series_run *run, const double *values)
{
    double max = 0;
    for (unsigned i = 0; i < run->watch.chosen_count; i++)
        max = fmax(max, values[run->watch.chosen[i]]);
    return max;
}

unsigned series_report_rounds(const series_run *run)
{
    return run->watch.chosen_count;
}

void series_report_latency(const series_run *run, unsigned index, json_t *row)
{
    const series_samples *of = &run->samples[index];
    perf_report_spread(row, "latency_ns_p50", series_report_spread(run, of->p50_ns), 1);
    perf_report_spread(row, "latency_ns_p99", series_report_spread(run, of->p99_ns), 1);
    perf_report_spread(row, "latency_ns_p999", series_report_spread(run, of->p999_ns), 1);
    (void)json_object_set_new(row, "latency_ns_max",
                              perf_report_number(series_report_max(run, of->max_ns)));
}

bool series_report_is_quiet(const series_run *run)
{
    return run->is_silent || perf_report_is_quiet(&run->options);
}

series_text series_report_figure(const series_run *run, interference_figure what,
                                 perf_spread spread, double shown, int decimals)
{
    series_text made;
    if (run->kind->is_watched &&
        interference_spoils(run->watch.state, what, spread, run->watch.chosen_count))
        (void)snprintf(made.text, sizeof made.text, "busy");
    else
        (void)snprintf(made.text, sizeof made.text, "%.*f", decimals, shown);
    return made;
}

const char *series_report_placement(const series_run *run)
{
    return placement_name(run->watch.placement);
}

/* --- one point --------------------------------------------------------------------------- */

/* Members of every row. */
static void mark_rows(const series_run *run, json_t *rows)
{
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row)
    {
        (void)json_object_set_new(row, "placement", json_string(series_report_placement(run)));
        (void)json_object_set_new(row, "rounds", json_integer(run->watch.chosen_count));
        if (run->watch.state != INTERFERENCE_NONE)
            (void)json_object_set_new(row, "busy", json_true());
    }
}

/* The report of the chosen rounds, added to rows and ratios. */
static void report_chosen(series_run *run, json_t *rows, json_t *ratios)
{
    json_t *all_rows = run->rows, *all_ratios = run->ratios;
    run->rows = json_array();
    run->ratios = json_object();
    run->kind->report_payload(run);
    mark_rows(run, run->rows);
    (void)json_array_extend(rows, run->rows);
    (void)json_object_update(ratios, run->ratios);
    json_decref(run->rows);
    json_decref(run->ratios);
    run->rows = all_rows;
    run->ratios = all_ratios;
}

static json_t *part_of(const series_run *run, placement_kind of, const char *member)
{
    json_t *parts = run->placements;
    if (json_object_get(parts, placement_name(of)) == NULL)
        (void)json_object_set_new(parts, placement_name(of),
                                  json_pack("{s:[], s:{}}", "rows", "ratios"));
    return json_object_get(json_object_get(parts, placement_name(of)), member);
}

static void report_part(series_run *run, placement_kind of)
{
    if (series_watch_choose(&run->watch, of) > 0)
        report_chosen(run, part_of(run, of, "rows"), part_of(run, of, "ratios"));
}

void series_report_point(series_run *run)
{
    series_watch *watch = &run->watch;
    const bool is_split = run->kind->is_split &&
                          series_watch_choose(watch, PLACEMENT_NEAR) > 0 &&
                          series_watch_choose(watch, PLACEMENT_FAR) > 0;
    (void)series_watch_choose(watch, PLACEMENT_COUNT);
    series_watch_note(watch);
    run->is_silent = is_split;
    if (run->kind->is_watched)
        report_chosen(run, run->rows, run->ratios);
    else
        run->kind->report_payload(run);
    run->is_silent = !is_split;
    if (run->kind->is_split) {
        report_part(run, PLACEMENT_NEAR);
        report_part(run, PLACEMENT_FAR);
    }
    run->is_silent = false;
    (void)series_watch_choose(watch, PLACEMENT_COUNT);
}

/* --- the whole run ----------------------------------------------------------------------- */

static void print_placement(const series_run *run)
{
    const unsigned *counts = run->watch.counts;
    const char *joint = "";
    (void)printf("\nprocessors: ");
    for (unsigned i = 0; i < PLACEMENT_COUNT; i++) {
        if (counts[i] == 0)
            continue;
        (void)printf("%s%s in %u rounds", joint, placement_name(i), counts[i]);
        joint = ", ";
    }
    (void)printf("\n");
}

static void describe_state(const series_run *run, char *text, size_t size)
{
    (void)snprintf(text, size,
                   "source and target waited for a processor for %.0f%% of their time, "
                   "expected at most %.0f%%",
                   100 * run->watch.worst_share, 100 * INTERFERENCE_BUSY);
}

static void add_placements(const series_run *run, json_t *report)
{
    const unsigned *counts = run->watch.counts;
    placement_kind only = PLACEMENT_COUNT;
    unsigned kinds = 0;
    for (unsigned i = 0; i < PLACEMENT_COUNT; i++) {
        kinds += counts[i] > 0;
        only = counts[i] > 0 ? i : only;
    }
    (void)json_object_set_new(report, "placement",
                              json_string(placement_name(kinds == 1 ? only : PLACEMENT_MIXED)));
    (void)json_object_set_new(
        report, "placement_rounds",
        json_pack("{s:i, s:i, s:i, s:i}", "near", (int)counts[PLACEMENT_NEAR], "far",
                  (int)counts[PLACEMENT_FAR], "shared", (int)counts[PLACEMENT_SHARED], "mixed",
                  (int)counts[PLACEMENT_MIXED]));
    if (counts[PLACEMENT_NEAR] > 0 && counts[PLACEMENT_FAR] > 0)
        (void)json_object_set(report, "placements", run->placements);
}

static void add_pairs(const series_run *run, json_t *report)
{
    json_t *pairs = json_array();
    for (unsigned i = 0; i < run->pair_count; i++)
        (void)json_array_append_new(pairs,
                                    json_pack("[i, i]", run->pairs[i][0], run->pairs[i][1]));
    (void)json_object_set_new(report, "pairs", pairs);
}

void series_report_machine(const series_run *run, json_t *report)
{
    char reason[160];
    const bool is_busy = run->watch.worst_share > INTERFERENCE_BUSY;
    const bool prints = !perf_report_is_quiet(&run->options);
    add_placements(run, report);
    if (run->pair_count > 0)
        add_pairs(run, report);
    (void)json_object_set_new(report, "busy", json_boolean(is_busy));
    if (prints)
        print_placement(run);
    if (!is_busy)
        return;
    describe_state(run, reason, sizeof reason);
    (void)json_object_set_new(report, "busy_reason", json_string(reason));
    if (prints)
        (void)printf("BUSY: %s; figures that this spoils are left out\n", reason);
}
