/* The stage of first calls that the paper's tables name beside their total. */
#include "first_call.h"
#include "overhead_jit.h"
#include "perf_process.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <string.h>
#include <sys/mman.h>

#define PAIRS 3u

static const call_path *path_named(const char *name)
{
    const call_path *path = first_call_paths;
    while (strcmp(path->name, name) != 0)
        path++;
    return path;
}

static uint64_t made_in(const call_sample *sample)
{
    static const int stages[] = {TC_STAGE_PARSE,   TC_STAGE_VERIFY, TC_STAGE_PASSES,
                                 TC_STAGE_CODEGEN, TC_STAGE_LINK,   TC_STAGE_IMAGE};
    uint64_t ns = 0;
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
        ns += sample->ns[stages[i]];
    return ns;
}

static bool measure(const perf_options *options, call_board *board, const char *path,
                    double *ns_out)
{
    double values[PAIRS * CALLS_MEASURED];
    size_t count = 0;
    const call_plan plan = {.options = options,
                            .function = &first_call_functions[0], /* tsi */
                            .path = path_named(path),
                            .calls = CALLS_MAX,
                            .cache_dir = "",
                            .board = board};
    for (unsigned i = 0; i < PAIRS; i++) {
        perf_report_progress("first calls, %s, %u of %u", path, i + 1, PAIRS);
        if (!first_call_pair_run(&plan))
            return false;
        for (unsigned n = CALLS_WARMING; n < CALLS_MAX; n++)
            values[count++] = (double)made_in(&board->samples[n]);
    }
    perf_report_progress(NULL);
    *ns_out = perf_stats_median(values, count);
    return true;
}

bool overhead_jit_measure(const perf_options *options, overhead_jit *out)
{
    call_board *board = perf_process_share(sizeof *board);
    if (board == NULL)
        return false;
    bool ok = measure(options, board, "jit-warm", &out->compile_ns) &&
              measure(options, board, "image", &out->image_ns);
    (void)munmap(board, sizeof *board);
    return ok;
}
