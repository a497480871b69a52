/* First calls: the time of each stage from a function's arrival at a target that has never seen
 * it until it has returned, by every way in which it can become callable. */
#include "first_call.h"
#include "perf_experiment.h"
#include "perf_folder.h"
#include "perf_process.h"
#include "perf_report.h"
#include "perf_value.h"
#include "ifuncs/saxpy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* --- functions and ways -------------------------------------------------------------- */

static void fill_tsi(void *payload)
{
    memset(payload, 0, 8);
}

/* One command: put a key. Its layout is that of hash_map.c. */
static void fill_hash_map(void *payload)
{
    static const struct {
        uint32_t kind;
        uint32_t padding;
        char key[24];
        int64_t value;
    } put = {1, 0, "apple", 7};
    memcpy(payload, &put, sizeof put);
}

static void fill_saxpy(void *payload)
{
    saxpy_request *request = payload;
    memset(request, 0, sizeof *request);
    request->rounds = 1;
    request->factor = 1;
}

const call_function first_call_functions[] = {{"tsi", 8, fill_tsi},
                                              {"hash_map", 40, fill_hash_map},
                                              {"saxpy", sizeof(saxpy_request), fill_saxpy}};
const size_t first_call_function_count =
    sizeof first_call_functions / sizeof first_call_functions[0];

_Static_assert(sizeof(saxpy_request) <= CALL_PAYLOAD_MAX, "payloads fit their buffer");

const call_path first_call_paths[] = {
    {"jit-cold", "_bitcode", "auto", "fast", TC_LOAD_JIT, .first_only = true},
    {"jit-warm", "_bitcode", "bitcode", "fast", TC_LOAD_JIT, .stored = false},
    {"jit-best", "_bitcode", "bitcode", "best", TC_LOAD_JIT, .stored = false},
    {"cached", "_bitcode", "bitcode", "auto", TC_LOAD_CACHED, .stored = true},
    {"restart", "_bitcode", "bitcode", "auto", TC_LOAD_CACHED, .stored = true,
     .first_only = true},
    {"image", "", "auto", "fast", TC_LOAD_IMAGE, .stored = false},
    {"prepared", "_bitcode", "bitcode", "fast", TC_LOAD_JIT, .sent_ahead = true},
};
const size_t first_call_path_count = sizeof first_call_paths / sizeof first_call_paths[0];

/* --- the run ------------------------------------------------------------------------- */

static bool fill_cache(const call_plan *plan)
{
    call_plan fill = *plan;
    fill.calls = CALLS_MAX;
    return first_call_pair_run(&fill);
}

static bool measure_round(const call_plan *plan, call_series *series)
{
    if (!first_call_pair_run(plan))
        return false;
    if (plan->board->strayed > 0) {
        (void)fprintf(stderr, "tc-perf: %s: %u first calls were not by way of %s\n",
                      plan->function->name, plan->board->strayed, plan->path->name);
        return false;
    }
    unsigned first = plan->path->first_only ? 0 : CALLS_WARMING;
    for (unsigned i = first; i < plan->calls; i++)
        first_call_report_add(series, &plan->board->samples[i]);
    return true;
}

/* The ways take turns, so that whatever else the machine does hits all of them. */
static bool measure_function(first_call_run *run, const call_function *function)
{
    const perf_options *options = run->options;
    char folder[PERF_PATH_MAX];
    if (!perf_folder_make(folder, sizeof folder))
        return false;
    bool ok = true, filled = false;
    for (unsigned round = 0; ok && round < options->rounds; round++) {
        for (size_t i = 0; ok && i < first_call_path_count; i++) {
            const call_path *path = &first_call_paths[i];
            const call_plan plan = {.options = options,
                                    .function = function,
                                    .path = path,
                                    .calls = path->first_only ? 1 : CALLS_MAX,
                                    .cache_dir = path->stored ? folder : "",
                                    .board = run->board};
            if (!perf_value_lists(options->paths, ',', path->name))
                continue;
            perf_report_progress("%s, %s, round %u of %u", function->name, path->name,
                                 round + 1, options->rounds);
            if (path->stored && !filled)
                ok = filled = fill_cache(&plan);
            ok = ok && measure_round(&plan, first_call_report_series(run, function, path));
        }
    }
    perf_folder_remove(folder);
    return ok;
}

static bool measure_loop(first_call_run *run)
{
    const call_plan plan = {.options = run->options,
                            .function = &first_call_functions[first_call_function_count - 1],
                            .path = &first_call_paths[0],
                            .cache_dir = "",
                            .board = run->board};
    if (!perf_value_lists(run->options->functions, ',', "saxpy") ||
        !perf_value_lists(run->options->paths, ',', "jit-best"))
        return true;
    perf_report_progress("the vector loop");
    if (!first_call_loop_run(&plan))
        return false;
    run->shipped_ns = run->board->shipped_ns;
    run->native_ns = run->board->native_ns;
    return true;
}

static int run_first_call(const perf_options *options)
{
    static first_call_run run;
    if (options->intrusion)
        return intrusion_run(options);
    if (options->holes)
        return holes_run(options);
    run.options = options;
    run.board = perf_process_share(sizeof *run.board);
    if (run.board == NULL)
        return EXIT_FAILURE;
    bool ok = true;
    for (size_t i = 0; ok && i < first_call_function_count; i++) {
        if (perf_value_lists(options->functions, ',', first_call_functions[i].name))
            ok = measure_function(&run, &first_call_functions[i]);
    }
    ok = ok && measure_loop(&run);
    perf_report_progress(NULL);
    ok = ok && first_call_report(&run);
    (void)munmap(run.board, sizeof *run.board);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

const perf_experiment first_call_experiment = {
    .name = "first-call",
    .summary = "stages of the first calls of functions that are new to their target",
    .options = "rounds functions paths intrusion holes",
    .defaults = {{"functions", "tsi,hash_map,saxpy"},
                 {"paths", "jit-cold,jit-warm,jit-best,cached,restart,image,prepared"},
                 {"rounds", "10"}},
    .run = run_first_call,
};
