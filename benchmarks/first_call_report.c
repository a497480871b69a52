#include "first_call.h"

#include "perf_report.h"
#include "perf_stats.h"

#include <stdio.h>
#include <string.h>

/* In their order, with the names that reports have. */
static const struct {
    int stage;
    const char *name;
} stage_rows[] = {
    {CALL_TRANSMISSION, "transmission"},
    {TC_STAGE_WAIT, "wait"},
    {TC_STAGE_LIBRARIES, "libraries"},
    {TC_STAGE_CACHE, "cache load"},
    {TC_STAGE_PARSE, "parse"},
    {TC_STAGE_VERIFY, "verify"},
    {TC_STAGE_PASSES, "passes"},
    {TC_STAGE_CODEGEN, "codegen"},
    {TC_STAGE_LINK, "link"},
    {TC_STAGE_IMAGE, "image load"},
    {TC_STAGE_EXECUTION, "execution"},
    {CALL_TOTAL, "total"},
};

#define STAGE_ROWS (sizeof stage_rows / sizeof stage_rows[0])

call_series *first_call_report_series(first_call_run *run, const call_function *function,
                                      const call_path *path)
{
    return &run->series[function - first_call_functions][path - first_call_paths];
}

/* LLVM's own part of a call: what the same bitcode takes with no library around it. */
static uint64_t llvm_ns(const call_sample *sample)
{
    return sample->ns[TC_STAGE_PARSE] + sample->ns[TC_STAGE_VERIFY] +
           sample->ns[TC_STAGE_PASSES] + sample->ns[TC_STAGE_CODEGEN];
}

void first_call_report_add(call_series *series, const call_sample *sample)
{
    if (series->count == CALL_SAMPLES_MAX)
        return;
    for (int i = 0; i < CALL_STAGES; i++)
        series->ns[i][series->count] = sample->ns[i];
    if (llvm_ns(sample) > 0)
        series->to_llvm_ppm[series->count] = sample->ns[CALL_TOTAL] * 1000000 / llvm_ns(sample);
    series->count++;
}

static double us(const call_series *series, int stage, unsigned percent)
{
    return (double)perf_stats_percentile(series->ns[stage], series->count, percent) / 1e3;
}

static double p50_of(first_call_run *run, size_t function, const char *path)
{
    for (size_t i = 0; i < first_call_path_count; i++) {
        const call_series *series = &run->series[function][i];
        if (strcmp(first_call_paths[i].name, path) == 0 && series->count > 0)
            return us(series, CALL_TOTAL, 50);
    }
    return 0;
}

/* --- JSON ---------------------------------------------------------------------------- */

static void add_rows(json_t *rows, const call_function *function, const call_path *path,
                     call_series *series)
{
    for (size_t i = 0; i < STAGE_ROWS; i++) {
        int stage = stage_rows[i].stage;
        const perf_tail tail = perf_stats_tail(series->ns[stage], series->count);
        json_t *row = json_pack("{s:s, s:s, s:s, s:[o, o]}", "function", function->name, "path",
                                path->name, "stage", stage_rows[i].name, "us_p50_quartiles",
                                perf_report_number(us(series, stage, 25)),
                                perf_report_number(us(series, stage, 75)));
        perf_report_tail(row, "us", &tail, 1e-3);
        (void)json_array_append_new(rows, row);
    }
}

/* The total of each call by LLVM's part of the same call; the median of these. */
static void add_to_llvm(first_call_run *run, size_t function, json_t *ratios)
{
    char name[64];
    for (size_t p = 0; p < first_call_path_count; p++) {
        call_series *series = &run->series[function][p];
        double ppm = (double)perf_stats_percentile(series->to_llvm_ppm, series->count, 50);
        (void)snprintf(name, sizeof name, "%s_to_llvm_%s", first_call_paths[p].name,
                       first_call_functions[function].name);
        if (series->count > 0 && ppm > 0)
            (void)json_object_set_new(ratios, name, perf_report_number(ppm / 1e6));
    }
}

static void add_ratios(first_call_run *run, json_t *ratios)
{
    char name[64];
    for (size_t f = 0; f < first_call_function_count; f++) {
        add_to_llvm(run, f, ratios);
        double best = p50_of(run, f, "jit-best"), quick = p50_of(run, f, "jit-warm");
        (void)snprintf(name, sizeof name, "best_to_quick_%s", first_call_functions[f].name);
        if (best > 0 && quick > 0)
            (void)json_object_set_new(ratios, name, perf_report_number(best / quick));
    }
    if (run->native_ns > 0)
        (void)json_object_set_new(
            ratios, "shipped_to_native_loop",
            perf_report_number((double)run->shipped_ns / (double)run->native_ns));
}

/* --- text ---------------------------------------------------------------------------- */

static void print_head(const first_call_run *run, size_t function)
{
    (void)printf("%-13s", first_call_functions[function].name);
    for (size_t p = 0; p < first_call_path_count; p++) {
        if (run->series[function][p].count > 0)
            (void)printf(" %9s", first_call_paths[p].name);
    }
    (void)printf("\n");
}

/* percent 100: the largest. With as few calls as these p99.9 would be the same. */
static void print_stage(const first_call_run *run, size_t function, const char *name, int stage,
                        unsigned percent)
{
    (void)printf("%-13s", name);
    for (size_t p = 0; p < first_call_path_count; p++) {
        const call_series *series = &run->series[function][p];
        if (series->count == 0)
            continue;
        double value = us(series, stage, percent);
        if (value > 0)
            (void)printf(" %9.1f", value);
        else
            (void)printf(" %9s", "-");
    }
    (void)printf("\n");
}

static void print_function(const first_call_run *run, size_t function)
{
    print_head(run, function);
    for (size_t i = 0; i < STAGE_ROWS; i++)
        print_stage(run, function, stage_rows[i].name, stage_rows[i].stage, 50);
    print_stage(run, function, "total, p99", CALL_TOTAL, 99);
    print_stage(run, function, "total, max", CALL_TOTAL, 100);
    (void)printf("\n");
}

static void print_all(const first_call_run *run, const json_t *ratios)
{
    const char *name;
    const json_t *value;
    for (size_t f = 0; f < first_call_function_count; f++) {
        bool measured = false;
        for (size_t p = 0; p < first_call_path_count; p++)
            measured = measured || run->series[f][p].count > 0;
        if (measured)
            print_function(run, f);
    }
    (void)printf("us, p50; total: from the frame seen to the function returned; transmission: "
                 "before that\n\n");
    json_object_foreach((json_t *)(uintptr_t)ratios, name, value)(void)
        printf("%-28s %8.3f\n", name, json_real_value(value));
    if (run->native_ns > 0)
        (void)printf("the vector loop: %.1f us shipped, %.1f us by " NATIVE_TEXT "\n",
                     (double)run->shipped_ns / 1e3, (double)run->native_ns / 1e3);
    (void)printf("\n");
    (void)fflush(stdout);
}

bool first_call_report(first_call_run *run)
{
    json_t *document = perf_report_create(run->options);
    json_t *rows = json_object_get(document, "rows");
    json_t *ratios = json_object_get(document, "ratios");
    for (size_t f = 0; f < first_call_function_count; f++) {
        for (size_t p = 0; p < first_call_path_count; p++) {
            call_series *series = &run->series[f][p];
            for (int i = 0; i < CALL_STAGES; i++)
                perf_stats_sort(series->ns[i], series->count);
            perf_stats_sort(series->to_llvm_ppm, series->count);
            if (series->count > 0)
                add_rows(rows, &first_call_functions[f], &first_call_paths[p], series);
        }
    }
    add_ratios(run, ratios);
    if (!perf_report_is_quiet(run->options))
        print_all(run, ratios);
    return perf_report_write(run->options, document);
}
