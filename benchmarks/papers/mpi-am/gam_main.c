/* mpi-am-bench: active messages beside MPI, in one run.
 *
 *   mpirun -n RANKS mpi-am-bench [options]
 *
 * All ways take turns in each round (gam_run.c), so the processes of MPI's ways are those of
 * the others, on the same processors, and a ratio is of times that were neighbours. */
#include "gam_mpi.h"
#include "gam_rank.h"
#include "gam_run.h"
#include "perf_clock.h"
#include "tool_options.h"
#include "tool_status.h"

#include <stddef.h>

#define MESSAGES_MAX 1000000u

static const tool_option rows[] = {
    {.name = "parts",
     .letter = 'm',
     .kind = TOOL_NAMES,
     .value = "NAMES",
     .help = "of the measurement (single,hundred,rate)",
     .offset = offsetof(gam_options, parts),
     .words = GAM_PART_NAMES},
    {.name = "ways",
     .letter = 'w',
     .kind = TOOL_TEXT,
     .value = "NAMES",
     .help = "that take turns, of those of the parts (all)",
     .offset = offsetof(gam_options, ways)},
    {.name = "messages",
     .letter = 'n',
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "active messages of an epoch (2000)",
     .offset = offsetof(gam_options, messages),
     .min = 1,
     .max = MESSAGES_MAX},
    {.name = "awaited",
     .letter = 'a',
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "active messages that are awaited one by one (200)",
     .offset = offsetof(gam_options, awaited),
     .min = 1,
     .max = MESSAGES_MAX},
    {.name = "rounds",
     .letter = 'r',
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "of all ways (10)",
     .offset = offsetof(gam_options, rounds),
     .min = 1,
     .max = GAM_ROUNDS_MAX},
    {.name = "unpinned",
     .kind = TOOL_FLAG,
     .help = "ranks may change their processor",
     .offset = offsetof(gam_options, unpinned)},
    {.name = "json",
     .letter = 'j',
     .kind = TOOL_TEXT,
     .value = "FILE",
     .help = "the figures",
     .offset = offsetof(gam_options, json_path)},
};

static const tool_command command = {
    .name = "mpi-am-bench",
    .usage = "[options], started by mpirun -n RANKS",
    .about = "Measures active messages beside servers, windows and accumulations of MPI.",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
};

int main(int argc, char **argv)
{
    gam_options options = {.parts = "single,hundred,rate",
                           .messages = 2000,
                           .awaited = 200,
                           .rounds = 10,
                           .origins = GAM_ORIGINS_MAX};
    tc_context *ctx = NULL;
    tc_group *group;
    tc_error err = {TC_OK, ""};
    const int parsed = tool_options_parse(&command, argc, argv, &options);
    if (parsed != TOOL_GO_ON)
        return parsed;
    perf_clock_init();
    if (!gam_rank_check(tc_context_create(NULL, &ctx, &err), &err, "context") ||
        !gam_mpi_join(ctx, &argc, &argv, &group))
        return TOOL_FAILED;
    const gam_mpi_part mpi = {gam_mpi_ways, gam_mpi_library(), gam_mpi_open};
    const bool ok = gam_run(ctx, group, &options, "mpi-am-bench", &mpi);
    tc_context_destroy(ctx);
    if (ok)
        gam_mpi_leave();
    return ok ? TOOL_OK : TOOL_FAILED;
}
