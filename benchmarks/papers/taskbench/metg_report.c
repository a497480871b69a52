#include "metg_report.h"

#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART 0.5  /* of the peak rate */
#define ASKED 0.5 /* METG of functions to that of MPI, at most: stencil and fft */

static const char *const ways[] = {"mpi", "function", "view"};

bool metg_report_is_verified(const metg_report *report)
{
    for (unsigned pattern = 0; pattern < METG_PATTERNS; pattern++) {
        for (unsigned i = 0; i < METG_VERSIONS; i++) {
            if (report->series[pattern][i].is_wrong)
                return false;
        }
    }
    return true;
}

/* --- figures ----------------------------------------------------------------------------- */

static double peak_flops(const metg_report *report)
{
    return METG_KERNEL_FLOPS / report->iteration_ns * 1e9;
}

/* The kernel's own time of a task, by the time that the task takes with all that surrounds
 * it. */
static metg_point point_of(const metg_report *report, size_t point, double elapsed_ns)
{
    const double tasks = (double)report->steps[point] * (double)report->options->width;
    const double ns = elapsed_ns * report->rank->ranks / tasks;
    return (metg_point){ns, (double)report->iterations[point] * report->iteration_ns / ns};
}

static void reduce(const metg_report *report, metg_series *series)
{
    for (size_t point = 0; point < report->point_count; point++) {
        double sorted[METG_ROUNDS_MAX];
        memcpy(sorted, series->elapsed_ns[point], report->options->rounds * sizeof *sorted);
        const double median = perf_stats_median(sorted, report->options->rounds);
        series->least[point] = point_of(report, point, sorted[0]);
        series->median[point] = point_of(report, point, median);
    }
}

static double metg_of(const metg_report *report, const metg_point *points, bool *is_bound)
{
    return metg_curve_cross(points, report->point_count, PART, is_bound);
}

/* METG of a version to that of another one. 0: one of them was not measured, or stays below
 * half of the rate. */
static double ratio_of(const metg_report *report, unsigned pattern, unsigned over,
                       unsigned under, bool of_medians)
{
    const metg_series *a = &report->series[pattern][over], *b = &report->series[pattern][under];
    bool is_bound;
    if (!a->is_run || !b->is_run)
        return 0;
    const double to = metg_of(report, of_medians ? b->median : b->least, &is_bound);
    return to > 0 ? metg_of(report, of_medians ? a->median : a->least, &is_bound) / to : 0;
}

/* The target is for functions beside a message for each dependence, where there are any. */
static bool is_asked(unsigned pattern, unsigned over, unsigned under)
{
    return pattern != METG_TRIVIAL && strcmp(metg_versions[over].name, "function") == 0 &&
           strcmp(metg_versions[under].name, "mpi") == 0;
}

/* --- the table --------------------------------------------------------------------------- */

static void print_head(const metg_report *report)
{
    const metg_options *o = report->options;
    double words[METG_ROUNDS_MAX];
    memcpy(words, report->word_ns, o->rounds * sizeof *words);
    printf("taskbench: %llu points at %u ranks, %llu bytes per dependence, %llu steps at most, "
           "%llu rounds\n",
           (unsigned long long)o->width, report->rank->ranks, (unsigned long long)o->bytes,
           (unsigned long long)o->steps, (unsigned long long)o->rounds);
    printf(
        "kernel %s, %.1f GFLOP/s at each rank (an iteration takes %.2f ns); a word takes %.0f "
        "ns; load %s before, %s after\n",
        report->kernel, peak_flops(report) / 1e9, report->iteration_ns,
        perf_stats_median(words, o->rounds), report->load_before, report->load_after);
    if (*metg_mpi_library() != '\0')
        printf("%s\n", metg_mpi_library());
}

static void print_series(const metg_report *report, unsigned pattern, unsigned i)
{
    const metg_series *series = &report->series[pattern][i];
    const size_t last = report->point_count - 1;
    bool is_bound, is_median_bound;
    if (!series->is_run) {
        printf("%-9s%-17snot run: %s\n", metg_pattern_names[pattern], metg_versions[i].name,
               metg_versions[i].way == METG_MPI ? metg_mpi_missing()
                                                : "windows cannot be mapped");
        return;
    }
    const double metg = metg_of(report, series->least, &is_bound);
    const double median = metg_of(report, series->median, &is_median_bound);
    printf("%-9s%-17s%s%9.1f%s%9.1f%14.1f%14.3f  %s\n", metg_pattern_names[pattern],
           metg_versions[i].name, is_bound ? " <=" : "   ", metg,
           is_median_bound ? " <=" : "   ", median, series->least[last].granularity_ns,
           series->least[0].efficiency, series->is_wrong ? "WRONG" : "verified");
}

static void print_ratio(const metg_report *report, unsigned pattern, unsigned over,
                        unsigned under)
{
    const double ratio = ratio_of(report, pattern, over, under, false);
    const double of_medians = ratio_of(report, pattern, over, under, true);
    if (ratio <= 0)
        return;
    printf("%-9s%s to %s: %.3f (by medians ", metg_pattern_names[pattern],
           metg_versions[over].name, metg_versions[under].name, ratio);
    if (of_medians > 0)
        printf("%.3f)", of_medians);
    else
        printf("-)");
    if (is_asked(pattern, over, under))
        printf(", asked: at most %.1f: %s", ASKED, ratio <= ASKED ? "yes" : "no");
    printf("\n");
}

/* Calls back with each pair of a version of this library's and one of MPI. */
static void each_pair(const metg_report *report, unsigned pattern,
                      void (*take)(const metg_report *, unsigned, unsigned, unsigned))
{
    for (unsigned over = 0; over < METG_VERSIONS; over++) {
        for (unsigned under = 0; under < METG_VERSIONS; under++) {
            if (metg_versions[over].way != METG_MPI && metg_versions[under].way == METG_MPI)
                take(report, pattern, over, under);
        }
    }
}

static bool is_chosen(const metg_report *report, unsigned pattern, unsigned i)
{
    return report->series[pattern][i].elapsed_ns[0] != NULL;
}

static void print_table(const metg_report *report)
{
    print_head(report);
    printf("\n%-9s%-17s%12s%12s%14s%14s  %s\n", "", "", "METG(50%)", "by medians", "least task",
           "efficiency", "");
    printf("%-9s%-17s%12s%12s%14s%14s  %s\n", "pattern", "version", "ns", "ns", "ns",
           "largest task", "values");
    for (unsigned pattern = 0; pattern < METG_PATTERNS; pattern++) {
        for (unsigned i = 0; i < METG_VERSIONS; i++) {
            if (is_chosen(report, pattern, i))
                print_series(report, pattern, i);
        }
    }
    printf("\n");
    for (unsigned pattern = 0; pattern < METG_PATTERNS; pattern++)
        each_pair(report, pattern, print_ratio);
}

/* --- JSON -------------------------------------------------------------------------------- */

static void add_rows(json_t *rows, const metg_report *report, unsigned pattern, unsigned i)
{
    const metg_series *series = &report->series[pattern][i];
    for (size_t point = 0; series->is_run && point < report->point_count; point++) {
        const metg_point *least = &series->least[point], *median = &series->median[point];
        (void)json_array_append_new(
            rows,
            json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "pattern",
                      metg_pattern_names[pattern], "version", metg_versions[i].name, "way",
                      ways[metg_versions[i].way], "transport", "shared memory", "iterations",
                      (json_int_t)report->iterations[point], "steps",
                      (json_int_t)report->steps[point], "granularity_ns",
                      perf_report_number(least->granularity_ns), "efficiency_percent",
                      perf_report_number(100 * least->efficiency), "granularity_ns_median",
                      perf_report_number(median->granularity_ns), "efficiency_percent_median",
                      perf_report_number(100 * median->efficiency)));
    }
}

static json_t *metg_json(const metg_report *report, unsigned pattern, unsigned i)
{
    const metg_series *series = &report->series[pattern][i];
    bool is_bound, is_median_bound;
    json_t *one = json_pack("{s:s, s:s}", "pattern", metg_pattern_names[pattern], "version",
                            metg_versions[i].name);
    if (!series->is_run) {
        const bool is_mpi = metg_versions[i].way == METG_MPI;
        (void)json_object_set_new(
            one, "skipped",
            json_string(is_mpi ? metg_mpi_missing() : "windows cannot be mapped"));
        return one;
    }
    const double least = metg_of(report, series->least, &is_bound);
    const double median = metg_of(report, series->median, &is_median_bound);
    (void)json_object_set_new(one, "metg_ns", perf_report_number(least));
    (void)json_object_set_new(one, "is_bound", json_boolean(is_bound));
    (void)json_object_set_new(one, "metg_ns_median", perf_report_number(median));
    (void)json_object_set_new(
        one, "least_task_ns",
        perf_report_number(series->least[report->point_count - 1].granularity_ns));
    (void)json_object_set_new(one, "largest_efficiency_percent",
                              perf_report_number(100 * series->least[0].efficiency));
    (void)json_object_set_new(one, "verified", json_boolean(!series->is_wrong));
    return one;
}

static json_t *ratios_json(const metg_report *report)
{
    json_t *ratios = json_object();
    char name[96];
    for (unsigned n = 0; n < METG_PATTERNS * METG_VERSIONS * METG_VERSIONS; n++) {
        const unsigned pattern = n / (METG_VERSIONS * METG_VERSIONS);
        const unsigned over = n / METG_VERSIONS % METG_VERSIONS, under = n % METG_VERSIONS;
        const double ratio = ratio_of(report, pattern, over, under, false);
        if (metg_versions[over].way == METG_MPI || metg_versions[under].way != METG_MPI ||
            ratio <= 0)
            continue;
        (void)snprintf(name, sizeof name, "%s_%s_to_%s", metg_pattern_names[pattern],
                       metg_versions[over].name, metg_versions[under].name);
        const double of_medians = ratio_of(report, pattern, over, under, true);
        json_t *one =
            json_pack("{s:o, s:o}", "ratio", perf_report_number(ratio), "ratio_of_medians",
                      of_medians > 0 ? perf_report_number(of_medians) : json_null());
        if (is_asked(pattern, over, under))
            (void)json_object_set_new(one, "asked", json_real(ASKED));
        (void)json_object_set_new(ratios, name, one);
    }
    return ratios;
}

static json_t *options_json(const metg_report *report)
{
    const metg_options *o = report->options;
    double words[METG_ROUNDS_MAX];
    memcpy(words, report->word_ns, o->rounds * sizeof *words);
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:o, s:o, s:o, s:s, s:s, s:s, s:b}",
                     "ranks", (json_int_t)report->rank->ranks, "width", (json_int_t)o->width,
                     "bytes", (json_int_t)o->bytes, "steps", (json_int_t)o->steps, "iterations",
                     (json_int_t)o->iterations, "repetitions", (json_int_t)o->rounds, "kernel",
                     report->kernel, "iteration_ns", perf_report_number(report->iteration_ns),
                     "peak_gflops", perf_report_number(peak_flops(report) / 1e9), "word_ns",
                     perf_report_number(perf_stats_median(words, o->rounds)), "mpi",
                     metg_mpi_library(), "load_before", report->load_before, "load_after",
                     report->load_after, "pinned", !o->unpinned);
}

static json_t *json_of(const metg_report *report)
{
    static const perf_experiment experiment = {.name = "taskbench", .options = ""};
    const perf_options none = {.experiment = &experiment};
    json_t *json = perf_report_create(&none), *rows = json_array(), *metg = json_array();
    for (unsigned pattern = 0; pattern < METG_PATTERNS; pattern++) {
        for (unsigned i = 0; i < METG_VERSIONS; i++) {
            if (!is_chosen(report, pattern, i))
                continue;
            add_rows(rows, report, pattern, i);
            (void)json_array_append_new(metg, metg_json(report, pattern, i));
        }
    }
    (void)json_object_set_new(json, "program", json_string("metg_run"));
    (void)json_object_set_new(json_object_get(json, "env"), "options", options_json(report));
    (void)json_object_set_new(json, "rows", rows);
    (void)json_object_set_new(json, "metg", metg);
    (void)json_object_set_new(json, "ratios", ratios_json(report));
    return json;
}

static bool write_json(const metg_report *report)
{
    const char *path = report->options->json_path;
    json_t *json = json_of(report);
    const bool ok = json_dump_file(json, path, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
    if (!ok)
        fprintf(stderr, "metg: %s: %s\n", path, strerror(errno));
    json_decref(json);
    return ok;
}

bool metg_report_write(metg_report *report)
{
    for (unsigned pattern = 0; pattern < METG_PATTERNS; pattern++) {
        for (unsigned i = 0; i < METG_VERSIONS; i++) {
            if (report->series[pattern][i].is_run)
                reduce(report, &report->series[pattern][i]);
        }
    }
    print_table(report);
    return report->options->json_path == NULL || write_json(report);
}
