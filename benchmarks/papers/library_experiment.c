/* Libraries that travel: the time until one is in force at a node and used, the cost of a call
 * through one beside a library of the host, and the cost of an upgrade for concurrent
 * callers. */
#include "library_perf.h"
#include "perf_experiment.h"
#include "perf_folder.h"
#include "perf_process.h"
#include "perf_report.h"
#include "perf_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MODES "push,call,upgrade"

static bool measure_push(library_run *run, size_t index)
{
    if (!library_push_run(run, &library_paths[index]))
        return false;
    if (run->board->strayed > 0) {
        (void)fprintf(stderr, "tc-perf: %u first calls were not by way of %s\n",
                      run->board->strayed, library_paths[index].name);
        return false;
    }
    for (unsigned i = PUSHES_WARMING; i < PUSHES_MAX; i++) {
        const uint64_t at = run->push_count[index]++;
        for (int stage = 0; stage < PUSH_STAGES; stage++)
            run->push_ns[index][stage][at] = run->board->pushes[i].ns[stage];
    }
    return true;
}

/* The ways take turns, so that whatever else the machine does hits all of them. */
static bool measure_pushes(library_run *run, const char *folder)
{
    bool filled[PUSH_PATHS] = {false}, ok = true;
    for (unsigned round = 0; ok && round < run->options->rounds; round++) {
        for (size_t i = 0; ok && i < PUSH_PATHS; i++) {
            const library_path *path = &library_paths[i];
            run->cache_dir = path->stored ? folder : "";
            perf_report_progress("push, %s, round %u of %u", path->name, round + 1,
                                 run->options->rounds);
            if (path->stored && !filled[i])
                ok = filled[i] = library_push_run(run, path);
            ok = ok && measure_push(run, i);
        }
    }
    return ok;
}

static bool measure_all(library_run *run)
{
    const char *modes = run->options->modes;
    char folder[PERF_PATH_MAX];
    bool ok = true;
    if (perf_value_lists(modes, ',', "push")) {
        if (!perf_folder_make(folder, sizeof folder))
            return false;
        ok = measure_pushes(run, folder);
        perf_folder_remove(folder);
    }
    if (ok && perf_value_lists(modes, ',', "call")) {
        perf_report_progress("calls");
        ok = library_messages_run(run);
    }
    if (ok && perf_value_lists(modes, ',', "upgrade")) {
        perf_report_progress("upgrades");
        ok = library_upgrades_run(run);
    }
    return ok;
}

static bool knows_modes(const char *modes)
{
    char name[32];
    for (const char *at = modes; at != NULL;) {
        if (!perf_value_name(&at, ',', name, sizeof name) ||
            !perf_value_lists(MODES, ',', name)) {
            (void)fprintf(stderr, "tc-perf: --modes '%s': expected some of " MODES "\n", modes);
            return false;
        }
    }
    return true;
}

static int run_library(const perf_options *options)
{
    static library_run run;
    if (!knows_modes(options->modes))
        return 2;
    run.options = options;
    run.board = perf_process_share(sizeof *run.board);
    if (run.board == NULL)
        return EXIT_FAILURE;
    bool ok = measure_all(&run);
    perf_report_progress(NULL);
    ok = ok && library_report(&run);
    (void)munmap(run.board, sizeof *run.board);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

const perf_experiment library_experiment = {
    .name = "library",
    .summary = "libraries that travel: pushes, calls, and upgrades under load",
    .options = "iterations warmup rounds modes pin",
    .told = {{"iterations", "(of part call, in each round; of part upgrade, for each upgrade)"},
             {"modes", "out of " MODES}},
    .defaults = {{"modes", MODES},
                 {"iterations", "10000"},
                 {"warmup", "1000"},
                 {"rounds", "10"}},
    .iterations_max = 10000000,
    .run = run_library,
};
