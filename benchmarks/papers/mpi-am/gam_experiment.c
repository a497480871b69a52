/* tc-perf am: processes of one machine as ranks, without MPI. */
#include "gam_rank.h"
#include "gam_run.h"
#include "perf_clock.h"
#include "perf_experiment.h"
#include "perf_process.h"
#include "perf_value.h"
#include "tool_status.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GROUP_ID 0x616d5f6772ull
#define ADDRESS_SIZE 32u
#define LOOK_US 1000u
#define AWAITED_PART 10u /* of the messages */
#define AWAITED_LEAST 10u

/* Shared by all ranks. */
typedef struct gam_job {
    const perf_options *options;
    uint32_t ranks;
    uint32_t next; /* rank to start */
    uint32_t ports[GAM_ORIGINS_MAX + 1];
} gam_job;

/* Waits for the ports of all ranks. */
static bool await_ports(gam_job *job)
{
    const uint64_t end_ns = perf_now_ns() + GAM_TIMEOUT_NS;
    for (uint32_t rank = 0; rank < job->ranks; rank++) {
        while (__atomic_load_n(&job->ports[rank], __ATOMIC_ACQUIRE) == 0) {
            if (perf_now_ns() > end_ns)
                return gam_rank_complain("a rank did not start in time");
            (void)usleep(LOOK_US);
        }
    }
    return true;
}

static bool join(gam_job *job, tc_context *ctx, uint32_t rank, tc_group **group_out)
{
    char addresses[GAM_ORIGINS_MAX + 1][ADDRESS_SIZE];
    tc_group_member members[GAM_ORIGINS_MAX + 1];
    tc_error err = {TC_OK, ""};
    tc_listener *listener = NULL;
    if (!gam_rank_check(tc_listener_open(ctx, "127.0.0.1:0", &listener, &err), &err,
                        "listener"))
        return false;
    __atomic_store_n(&job->ports[rank], tc_listener_port(listener), __ATOMIC_RELEASE);
    if (!await_ports(job))
        return false;
    for (uint32_t i = 0; i < job->ranks; i++) {
        (void)snprintf(addresses[i], ADDRESS_SIZE, "127.0.0.1:%u", job->ports[i]);
        members[i] = (tc_group_member){addresses[i], strlen(addresses[i])};
    }
    const tc_group_params params = {GROUP_ID, rank, job->ranks, members};
    return gam_rank_check(tc_group_create(ctx, &params, group_out, &err), &err, "group");
}

static gam_options options_of(const perf_options *o)
{
    gam_options options = {.parts = o->modes,
                           .messages = o->iterations,
                           .awaited = o->iterations / AWAITED_PART,
                           .rounds = o->rounds < GAM_ROUNDS_MAX ? o->rounds : GAM_ROUNDS_MAX,
                           .origins = GAM_ORIGINS_MAX,
                           .json_path = o->json_path,
                           .unpinned = o->cpus[0] < 0,
                           .quiet = o->json_path != NULL && strcmp(o->json_path, "-") == 0};
    if (options.awaited < AWAITED_LEAST)
        options.awaited = AWAITED_LEAST;
    return options;
}

static bool be_rank(void *user)
{
    gam_job *job = user;
    const uint32_t rank = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
    const gam_options options = options_of(job->options);
    const gam_mpi_part none = {0};
    tc_context *ctx = NULL;
    tc_group *group;
    tc_error err = {TC_OK, ""};
    if (setenv("TC_IFUNC_PATH", job->options->ifunc_path, 1) != 0 ||
        (job->options->delivery_count > 0 && *job->options->deliveries[0] != '\0' &&
         setenv("TC_DELIVERY", job->options->deliveries[0], 1) != 0) ||
        !gam_rank_check(tc_context_create(NULL, &ctx, &err), &err, "context"))
        return false;
    const bool ok =
        join(job, ctx, rank, &group) && gam_run(ctx, group, &options, "tc-perf", &none);
    tc_context_destroy(ctx);
    return ok;
}

static int run_am(const perf_options *options)
{
    bool (*parts[GAM_ORIGINS_MAX + 1])(void *user);
    char name[16];
    for (const char *at = options->modes; at != NULL;) {
        if (!perf_value_name(&at, ',', name, sizeof name) ||
            !perf_value_lists(GAM_PART_NAMES, ',', name)) {
            fprintf(stderr, "tc-perf: --modes %s: expected some of " GAM_PART_NAMES "\n",
                    options->modes);
            return TOOL_USAGE;
        }
    }
    gam_job *job = perf_process_share(sizeof *job);
    if (job == NULL)
        return EXIT_FAILURE;
    job->options = options;
    job->ranks = options->origins + 1;
    for (uint32_t i = 0; i < job->ranks; i++)
        parts[i] = be_rank;
    const bool ok = perf_process_run_all(parts, job->ranks, job);
    (void)munmap(job, sizeof *job);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

const perf_experiment am_experiment = {
    .name = "am",
    .summary = "active messages: searches and sums, in units, by the target or the origin",
    .options = "modes iterations rounds origins pin",
    .defaults = {{"modes", "single,hundred,rate,units,credit,ordering"},
                 {"iterations", "2000"},
                 {"rounds", "5"},
                 {"origins", "1"},
                 {"delivery", "auto"}},
    .told = {{"modes", "of " GAM_PART_NAMES}, {"iterations", "(active messages of an epoch)"}},
    .iterations_max = 1000000u,
    .run = run_am,
};
