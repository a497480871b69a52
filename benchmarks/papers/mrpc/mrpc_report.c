/* The report of a run: figures of each version, ratios, and parts of the time.
 *
 * Each version has a figure of every round. A figure alone depends on the machine's load in its
 * round, so versions are compared by the ratios of figures of one round: reports have their
 * median and quartiles, never a ratio of medians. Parts of the time come from rounds of their
 * own. There the mean over the middle half of the rounds is taken, of all parts alike, so that
 * parts sum up to the total.
 *
 * A version that did not run has a row with the reason, and is in no ratio. A version with
 * wrong results in some round is marked, and fails the program after the report is written.
 *
 * Rank 0 alone writes a report. Nothing here may send or wait: other ranks are in a barrier. */
#include "mrpc_report.h"

#include "perf_report.h"
#include "perf_stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORMAT 1      /* of the JSON */
#define NEAR_NS 120.0 /* as tc-perf has it */
#define ASKED_ONE 0.8 /* function to one-sided, of one version at most */
#define NAME_MAX_BYTES 64u

static const char *const ways[MRPC_WAYS] = {"window", "view", "function", "rpc"};

bool mrpc_report_is_verified(const mrpc_report *report)
{
    for (unsigned i = 0; i < report->app->version_count; i++) {
        if (report->results[i].wrong)
            return false;
    }
    return true;
}

/* --- figures ----------------------------------------------------------------------------- */

static bool has_run(const mrpc_result *result)
{
    return result->chosen && result->skipped == NULL;
}

static perf_spread spread_of(const double *values, size_t count)
{
    double sorted[MRPC_ROUNDS_MAX];
    memcpy(sorted, values, count * sizeof *values);
    return perf_stats_spread(sorted, count);
}

/* Processors of a virtual machine may move while it runs. */
static const char *placement_of(const mrpc_report *report)
{
    const perf_spread word = spread_of(report->word_ns, report->options->rounds);
    return !report->rank->mapped           ? "unknown"
           : word.three_quarters < NEAR_NS ? "near"
           : word.quarter >= NEAR_NS       ? "far"
                                           : "mixed";
}

static const mrpc_result *find(const mrpc_report *report, const char *name)
{
    for (unsigned i = 0; name != NULL && i < report->app->version_count; i++) {
        if (strcmp(report->app->versions[i].name, name) == 0)
            return &report->results[i];
    }
    return NULL;
}

/* The function's version to that one, round by round, as both were measured one soon after the
 * other. False: one of them did not run. */
static bool ratio_of(const mrpc_report *report, unsigned i, char name_out[NAME_MAX_BYTES],
                     perf_spread *ratio_out)
{
    const mrpc_version *version = &report->app->versions[i];
    const mrpc_result *over = find(report, version->function), *under = &report->results[i];
    double each[MRPC_ROUNDS_MAX];
    if (over == NULL || !has_run(over) || !has_run(under))
        return false;
    for (uint64_t round = 0; round < report->options->rounds; round++)
        each[round] = over->figures[round] / under->figures[round];
    *ratio_out = perf_stats_spread(each, report->options->rounds);
    (void)snprintf(name_out, NAME_MAX_BYTES, "function_to_%s_%s", ways[version->way],
                   version->method);
    return true;
}

/* --- parts of the time ------------------------------------------------------------------- */

static const char *const parts[MRPC_PARTS] = {"cpu", "net", "barrier", "copy"};

static double total_of(const mrpc_stamped *stamped)
{
    double total = 0;
    for (unsigned k = 0; k < MRPC_PARTS; k++)
        total += stamped->parts[k];
    return total;
}

static int compare_totals(const void *a, const void *b)
{
    const double x = total_of(a), y = total_of(b);
    return (x > y) - (x < y);
}

/* The mean of the middle half of the runs by their totals, so that parts sum up to the total.
 * False: there are none. */
static bool middle_of(const mrpc_report *report, const mrpc_result *result, mrpc_stamped *out)
{
    mrpc_stamped sorted[MRPC_STAMPED_MAX];
    const uint64_t count = report->options->stamped, from = count / 4, end = count - from;
    if (!has_run(result) || count == 0)
        return false;
    memcpy(sorted, result->stamped, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_totals);
    *out = (mrpc_stamped){.stamps = 0};
    for (uint64_t i = from; i < end; i++) {
        out->stamps += sorted[i].stamps / (double)(end - from);
        for (unsigned k = 0; k < MRPC_PARTS; k++)
            out->parts[k] += sorted[i].parts[k] / (double)(end - from);
    }
    return true;
}

/* The time that stamps themselves took, in per cent of all. */
static double stamps_percent(const mrpc_report *report, const mrpc_stamped *stamped)
{
    return 100 * stamped->stamps * report->stamp_cost / total_of(stamped);
}

static void print_parts(const mrpc_report *report)
{
    if (report->options->stamped == 0)
        return;
    printf("\n%-18s%12s%12s%12s%12s%12s%10s\n", "with stamps", "total", parts[0], parts[1],
           parts[2], parts[3], "stamps, %");
    for (unsigned i = 0; i < report->app->version_count; i++) {
        mrpc_stamped stamped;
        if (!middle_of(report, &report->results[i], &stamped))
            continue;
        printf("%-18s%12.3f", report->app->versions[i].name, total_of(&stamped));
        for (unsigned k = 0; k < MRPC_PARTS; k++)
            printf("%12.3f", stamped.parts[k]);
        printf("%10.2f\n", stamps_percent(report, &stamped));
    }
}

static json_t *parts_of(const mrpc_report *report, const mrpc_stamped *stamped)
{
    json_t *all = json_object();
    for (unsigned k = 0; k < MRPC_PARTS; k++)
        (void)json_object_set_new(all, parts[k], perf_report_number(stamped->parts[k]));
    (void)json_object_set_new(all, "total", perf_report_number(total_of(stamped)));
    (void)json_object_set_new(all, "stamps_percent",
                              perf_report_number(stamps_percent(report, stamped)));
    return all;
}

/* --- the table --------------------------------------------------------------------------- */

static void print_versions(const mrpc_report *report)
{
    printf("%-18s%12s%12s%12s  %s\n", "version", report->app->unit, "quarter", "3 quarters",
           "results");
    for (unsigned i = 0; i < report->app->version_count; i++) {
        const mrpc_result *result = &report->results[i];
        const char *name = report->app->versions[i].name;
        if (!result->chosen)
            continue;
        if (result->skipped != NULL) {
            printf("%-18s%12s%12s%12s  not run: %s\n", name, "-", "-", "-", result->skipped);
            continue;
        }
        const perf_spread figure = spread_of(result->figures, report->options->rounds);
        printf("%-18s%12.3f%12.3f%12.3f  %s\n", name, figure.median, figure.quarter,
               figure.three_quarters, result->wrong ? "WRONG" : "verified");
    }
}

static void print_ratios(const mrpc_report *report)
{
    double least[MRPC_WAYS] = {INFINITY, INFINITY, INFINITY, INFINITY};
    static const char *const names[] = {"least_to_window", "least_to_view"};
    char name[NAME_MAX_BYTES];
    putchar('\n');
    for (unsigned i = 0; i < report->app->version_count; i++) {
        const mrpc_version *version = &report->app->versions[i];
        perf_spread ratio;
        if (!ratio_of(report, i, name, &ratio))
            continue;
        printf("%-28s%8.3f (%.3f to %.3f)", name, ratio.median, ratio.quarter,
               ratio.three_quarters);
        if (version->most > 0)
            printf(", asked: at most %.1f: %s", version->most,
                   ratio.median <= version->most ? "yes" : "no");
        putchar('\n');
        if (ratio.median < least[version->way])
            least[version->way] = ratio.median;
    }
    for (mrpc_way way = MRPC_WINDOW; way <= MRPC_VIEW; way++) {
        if (!isinf(least[way]))
            printf("%-28s%8.3f, asked: at most %.1f: %s\n", names[way], least[way], ASKED_ONE,
                   least[way] <= ASKED_ONE ? "yes" : "no");
    }
}

static void print_table(const mrpc_report *report)
{
    report->app->describe(report->rank, NULL);
    printf("%llu rounds of %llu steps; processors %s (a word takes %.0f ns); load %s before, "
           "%s after\n\n",
           (unsigned long long)report->options->rounds,
           (unsigned long long)report->options->steps, placement_of(report),
           spread_of(report->word_ns, report->options->rounds).median, report->load_before,
           report->load_after);
    print_versions(report);
    print_ratios(report);
    print_parts(report);
}

/* --- JSON -------------------------------------------------------------------------------- */

static json_t *row_of(const mrpc_report *report, unsigned i)
{
    const mrpc_version *version = &report->app->versions[i];
    const mrpc_result *result = &report->results[i];
    json_t *row = json_pack("{s:s, s:s, s:s}", "version", version->name, "way",
                            ways[version->way], "method", version->method);
    if (result->skipped != NULL) {
        (void)json_object_set_new(row, "skipped", json_string(result->skipped));
        return row;
    }
    perf_report_spread(row, report->app->unit,
                       spread_of(result->figures, report->options->rounds), 1);
    (void)json_object_set_new(row, "verified", json_boolean(!result->wrong));
    mrpc_stamped stamped;
    if (middle_of(report, result, &stamped))
        (void)json_object_set_new(row, "parts", parts_of(report, &stamped));
    return row;
}

static json_t *ratios_of(const mrpc_report *report)
{
    json_t *all = json_object();
    for (unsigned i = 0; i < report->app->version_count; i++) {
        char name[NAME_MAX_BYTES];
        perf_spread ratio;
        if (!ratio_of(report, i, name, &ratio))
            continue;
        json_t *one = json_object();
        if (report->app->versions[i].most > 0)
            (void)json_object_set_new(one, "asked", json_real(report->app->versions[i].most));
        perf_report_spread(one, "ratio", ratio, 1);
        (void)json_object_set_new(all, name, one);
    }
    return all;
}

static json_t *json_of(const mrpc_report *report)
{
    const mrpc_options *o = report->options;
    json_t *rows = json_array();
    for (unsigned i = 0; i < report->app->version_count; i++) {
        if (report->results[i].chosen)
            (void)json_array_append_new(rows, row_of(report, i));
    }
    json_t *json = json_pack(
        "{s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:s, s:o, s:s, s:s, s:s, s:o, s:o}", "program",
        report->app->name, "format", FORMAT, "ranks", (json_int_t)report->rank->ranks, "steps",
        (json_int_t)o->steps, "rounds", (json_int_t)o->rounds, "stamped",
        (json_int_t)o->stamped, "seed", (json_int_t)o->seed, "placement", placement_of(report),
        "word_ns", perf_report_number(spread_of(report->word_ns, o->rounds).median),
        "load_before", report->load_before, "load_after", report->load_after, "unit",
        report->app->unit, "rows", rows, "ratios", ratios_of(report));
    if (json != NULL)
        report->app->describe(report->rank, json);
    return json;
}

static bool write_json(const mrpc_report *report)
{
    const char *path = report->options->json_path;
    json_t *json = json_of(report);
    bool ok;
    if (json == NULL)
        return mrpc_rank_has_memory(false);
    ok = json_dump_file(json, path, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0 ||
         mrpc_rank_fail("%s: %s", path, strerror(errno));
    json_decref(json);
    return ok;
}

bool mrpc_report_write(const mrpc_report *report)
{
    print_table(report);
    return report->options->json_path == NULL || write_json(report);
}
