#include "em3d_report.h"

#include "perf_report.h"
#include "perf_stats.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FORMAT 1       /* of the JSON */
#define NEAR_NS 120.0  /* as tc-perf has it */
#define ASKED 1.3      /* function to one-sided, at most: base and ghost */
#define ASKED_BULK 1.1 /* bulk and signal */
#define ASKED_ONE 0.8  /* one of them, at most */

void em3d_report_load(char *text, size_t size)
{
    double load[3];
    if (getloadavg(load, 3) == 3)
        (void)snprintf(text, size, "%.2f %.2f %.2f", load[0], load[1], load[2]);
    else
        (void)snprintf(text, size, "unknown");
}

bool em3d_report_is_verified(const em3d_report *report)
{
    for (unsigned i = 0; i < EM3D_VERSIONS; i++) {
        if (report->results[i].wrong)
            return false;
    }
    return true;
}

/* --- figures ----------------------------------------------------------------------------- */

static bool has_run(const em3d_result *result)
{
    return result->chosen && !result->skipped;
}

static perf_spread spread_of(const double *values, size_t count)
{
    double sorted[EM3D_ROUNDS_MAX];
    memcpy(sorted, values, count * sizeof *values);
    return perf_stats_spread(sorted, count);
}

/* Processors of a virtual machine may move while it runs. */
static const char *placement_of(const em3d_report *report)
{
    const perf_spread word = spread_of(report->word_ns, report->options->rounds);
    return !report->rank->mapped           ? "unknown"
           : word.three_quarters < NEAR_NS ? "near"
           : word.quarter >= NEAR_NS       ? "far"
                                           : "mixed";
}

static unsigned find(em3d_way way, em3d_method method)
{
    unsigned i = 0;
    while (i < EM3D_VERSIONS &&
           (em3d_versions[i].way != way || em3d_versions[i].method != method))
        i++;
    return i;
}

/* A function's version beside one that is one-sided. */
typedef struct em3d_ratio {
    const char *name;
    em3d_way way;
    em3d_method method;
    double most; /* asked */
} em3d_ratio;

static const em3d_ratio ratios[] = {
    {"function_to_window_base", EM3D_WINDOW, EM3D_BASE, ASKED},
    {"function_to_window_ghost", EM3D_WINDOW, EM3D_GHOST, ASKED},
    {"function_to_window_bulk", EM3D_WINDOW, EM3D_BULK, ASKED_BULK},
    {"function_to_window_signal", EM3D_WINDOW, EM3D_SIGNAL, ASKED_BULK},
    {"function_to_view_base", EM3D_VIEW, EM3D_BASE, ASKED},
    {"function_to_view_ghost", EM3D_VIEW, EM3D_GHOST, ASKED},
    {"function_to_view_bulk", EM3D_VIEW, EM3D_BULK, ASKED_BULK},
    {"function_to_view_signal", EM3D_VIEW, EM3D_SIGNAL, ASKED_BULK},
};

/* Round by round, as both were measured one after the other. False: one of them did not run. */
static bool ratio_of(const em3d_report *report, const em3d_ratio *ratio, perf_spread *out)
{
    const em3d_method method = ratio->method == EM3D_SIGNAL ? EM3D_BULK : ratio->method;
    const em3d_result *over = &report->results[find(EM3D_FUNCTION, method)];
    const em3d_result *under = &report->results[find(ratio->way, ratio->method)];
    double each[EM3D_ROUNDS_MAX];
    if (!has_run(over) || !has_run(under))
        return false;
    for (uint64_t round = 0; round < report->options->rounds; round++)
        each[round] = over->ns[round] / under->ns[round];
    *out = perf_stats_spread(each, report->options->rounds);
    return true;
}

static uint64_t edges_of(const em3d_report *report)
{
    const em3d_graph_params *p = &report->rank->graph.params;
    return (uint64_t)EM3D_KINDS * p->own * p->degree * p->ranks;
}

static uint64_t nodes_of(const em3d_report *report)
{
    const em3d_graph_params *p = &report->rank->graph.params;
    return (uint64_t)EM3D_KINDS * p->own * p->ranks;
}

/* --- the table --------------------------------------------------------------------------- */

static void print_versions(const em3d_report *report)
{
    printf("%-16s%12s%12s%12s  %s\n", "version", "ns", "quarter", "3 quarters", "values");
    for (unsigned i = 0; i < EM3D_VERSIONS; i++) {
        const em3d_result *result = &report->results[i];
        if (!result->chosen)
            continue;
        if (result->skipped) {
            printf("%-16s%12s%12s%12s  not run: windows cannot be mapped\n",
                   em3d_versions[i].name, "-", "-", "-");
            continue;
        }
        const perf_spread ns = spread_of(result->ns, report->options->rounds);
        printf("%-16s%12.3f%12.3f%12.3f  %s\n", em3d_versions[i].name, ns.median, ns.quarter,
               ns.three_quarters, result->wrong ? "WRONG" : "verified");
    }
}

static void print_ratios(const em3d_report *report)
{
    double least[EM3D_WAYS] = {INFINITY, INFINITY, INFINITY};
    static const char *const names[] = {"least_to_window", "least_to_view"};
    putchar('\n');
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
        perf_spread ratio;
        if (!ratio_of(report, &ratios[i], &ratio))
            continue;
        printf("%-28s%8.3f (%.3f to %.3f), asked: at most %.1f: %s\n", ratios[i].name,
               ratio.median, ratio.quarter, ratio.three_quarters, ratios[i].most,
               ratio.median <= ratios[i].most ? "yes" : "no");
        if (ratio.median < least[ratios[i].way])
            least[ratios[i].way] = ratio.median;
    }
    for (em3d_way way = EM3D_WINDOW; way <= EM3D_VIEW; way++) {
        if (!isinf(least[way]))
            printf("%-28s%8.3f, asked: at most %.1f: %s\n", names[way], least[way], ASKED_ONE,
                   least[way] <= ASKED_ONE ? "yes" : "no");
    }
}

static void print_table(const em3d_report *report)
{
    const em3d_rank *r = report->rank;
    printf("em3d: %llu nodes of degree %u at %u ranks, %llu edges, of rank 0's %.1f %% from "
           "other ranks, %u ghosts there\n",
           (unsigned long long)nodes_of(report), r->graph.params.degree, r->ranks,
           (unsigned long long)edges_of(report),
           100.0 * (double)r->graph.remote_edges * r->ranks / (double)edges_of(report),
           r->share.ghosts[0] + r->share.ghosts[1]);
    printf("%llu rounds of %llu steps; processors %s (a word takes %.0f ns); load %s before, "
           "%s after\n\n",
           (unsigned long long)report->options->rounds,
           (unsigned long long)report->options->steps, placement_of(report),
           spread_of(report->word_ns, report->options->rounds).median, report->load_before,
           report->load_after);
    print_versions(report);
    print_ratios(report);
}

/* --- JSON -------------------------------------------------------------------------------- */

static json_t *row_of(const em3d_report *report, unsigned i)
{
    static const char *const ways[] = {"window", "view", "function"};
    static const char *const methods[] = {"base", "ghost", "bulk", "signal"};
    const em3d_result *result = &report->results[i];
    json_t *row =
        json_pack("{s:s, s:s, s:s}", "version", em3d_versions[i].name, "way",
                  ways[em3d_versions[i].way], "method", methods[em3d_versions[i].method]);
    if (result->skipped) {
        (void)json_object_set_new(row, "skipped", json_string("windows cannot be mapped"));
        return row;
    }
    const perf_spread ns = spread_of(result->ns, report->options->rounds);
    perf_report_spread(row, "ns_per_edge", ns, 1);
    (void)json_object_set_new(row, "verified", json_boolean(!result->wrong));
    return row;
}

static json_t *json_of(const em3d_report *report)
{
    const em3d_options *o = report->options;
    const em3d_rank *r = report->rank;
    json_t *rows = json_array(), *all_ratios = json_object();
    for (unsigned i = 0; i < EM3D_VERSIONS; i++) {
        if (report->results[i].chosen)
            (void)json_array_append_new(rows, row_of(report, i));
    }
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
        json_t *one = json_pack("{s:f}", "asked", ratios[i].most);
        perf_spread ratio;
        if (ratio_of(report, &ratios[i], &ratio)) {
            perf_report_spread(one, "ratio", ratio, 1);
            (void)json_object_set(all_ratios, ratios[i].name, one);
        }
        json_decref(one);
    }
    return json_pack(
        "{s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:o, s:s, s:s, s:o, s:o}",
        "program", "em3d", "format", FORMAT, "ranks", (json_int_t)r->ranks, "nodes",
        (json_int_t)nodes_of(report), "degree", (json_int_t)o->degree, "remote_percent",
        (json_int_t)o->remote_percent, "edges", (json_int_t)edges_of(report), "ghosts",
        (json_int_t)(r->share.ghosts[0] + r->share.ghosts[1]), "steps", (json_int_t)o->steps,
        "rounds", (json_int_t)o->rounds, "seed", (json_int_t)o->seed, "placement",
        placement_of(report), "word_ns",
        perf_report_number(spread_of(report->word_ns, o->rounds).median), "load_before",
        report->load_before, "load_after", report->load_after, "rows", rows, "ratios",
        all_ratios);
}

static bool write_json(const em3d_report *report)
{
    const char *path = report->options->json_path;
    json_t *json = json_of(report);
    bool ok;
    if (json == NULL) {
        fprintf(stderr, "em3d: no memory for the report\n");
        return false;
    }
    ok = json_dump_file(json, path, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
    if (!ok)
        fprintf(stderr, "em3d: %s: %s\n", path, strerror(errno));
    json_decref(json);
    return ok;
}

bool em3d_report_write(const em3d_report *report)
{
    print_table(report);
    return report->options->json_path == NULL || write_json(report);
}
