/* EM3D, an application of the paper on MRPC: the field values of a graph that is spread over
 * several processes, in versions that move values by one-sided operations and by functions.
 *
 *   tc-run -n RANKS em3d_run [options]
 *
 * The versions take turns in each round. Each begins with the same values, and ends with values
 * that every rank compares, bit by bit, with a run in one process. */
#include "em3d_report.h"

#include "perf_clock.h"
#include "perf_value.h"
#include "tool_options.h"
#include "tool_status.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define JOIN_TIMEOUT_NS TC_SECONDS(30)
#define NODES_MAX (1u << 20)
#define DEGREE_MAX 64u

static const tool_option rows[] = {
    {.name = "nodes",
     .letter = 'n',
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "of both fields and all ranks (800)",
     .offset = offsetof(em3d_options, nodes),
     .min = 2,
     .max = NODES_MAX},
    {.name = "degree",
     .letter = 'd',
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "edges into each node (20)",
     .offset = offsetof(em3d_options, degree),
     .min = 1,
     .max = DEGREE_MAX},
    {.name = "remote",
     .letter = 'p',
     .kind = TOOL_NUMBER,
     .value = "PERCENT",
     .help = "of the edges come from other ranks (40)",
     .offset = offsetof(em3d_options, remote_percent),
     .min = 0,
     .max = 100},
    {.name = "steps",
     .letter = 's',
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "of each run (100)",
     .offset = offsetof(em3d_options, steps),
     .min = 1,
     .max = 1000000},
    {.name = "rounds",
     .letter = 'r',
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "of all versions (10)",
     .offset = offsetof(em3d_options, rounds),
     .min = 1,
     .max = EM3D_ROUNDS_MAX},
    {.name = "seed",
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "of the graph (1)",
     .offset = offsetof(em3d_options, seed),
     .min = 0,
     .max = INT64_MAX},
    {.name = "versions",
     .kind = TOOL_NAMES,
     .value = "NAMES",
     .help = "that take turns (all)",
     .offset = offsetof(em3d_options, versions),
     .words = EM3D_VERSION_NAMES},
    {.name = "json",
     .letter = 'j',
     .kind = TOOL_TEXT,
     .value = "FILE",
     .help = "the figures",
     .offset = offsetof(em3d_options, json_path)},
};

static const tool_command command = {
    .name = "em3d_run",
    .usage = "[options], started by tc-run -n RANKS",
    .about = "Measures EM3D of the paper on MRPC: values of other ranks by one-sided\n"
             "operations (window, view) and by functions.",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
};

/* A run of all versions at one rank. */
typedef struct em3d_run {
    em3d_rank rank;
    em3d_report report;
    double *expected[EM3D_KINDS]; /* the serial run's values */
} em3d_run;

/* --- rounds ------------------------------------------------------------------------------ */

static bool run_steps(em3d_rank *r, const em3d_version *version, uint64_t steps)
{
    for (uint64_t step = 0; step < steps; step++) {
        for (uint32_t kind = 0; kind < EM3D_KINDS; kind++) {
            if (!version->phase(r, kind))
                return false;
        }
    }
    return true;
}

/* Rank 0's clock runs from a barrier to a barrier, so it has the time of the slowest rank. */
static bool run_version(em3d_run *run, const em3d_version *version, em3d_result *result,
                        double *ns_out)
{
    em3d_rank *r = &run->rank;
    const em3d_graph_params *p = &r->graph.params;
    const uint64_t steps = run->report.options->steps, wrong = em3d_rank_wrong(r);
    tc_error err = {TC_OK, ""};
    em3d_rank_reset(r);
    if (!em3d_rank_barrier(r))
        return false;
    const uint64_t begin_ns = perf_now_ns();
    if (!run_steps(r, version, steps) || !em3d_rank_barrier(r))
        return false;
    const double ns = (double)(perf_now_ns() - begin_ns);
    *ns_out = ns / ((double)steps * EM3D_KINDS * p->own * p->degree);
    if (!em3d_rank_check(tc_calls_wait(r->ctx, EM3D_TIMEOUT_NS), &err, "the last answers") ||
        !em3d_rank_compare(r, run->expected) || !em3d_rank_barrier(r))
        return false;
    result->wrong = result->wrong || em3d_rank_wrong(r) != wrong;
    return true;
}

static bool run_round(em3d_run *run, uint64_t round)
{
    for (unsigned i = 0; i < EM3D_VERSIONS; i++) {
        em3d_result *result = &run->report.results[i];
        if (result->chosen && !result->skipped &&
            !run_version(run, &em3d_versions[i], result, &result->ns[round]))
            return false;
    }
    return em3d_rank_measure_word(&run->rank, &run->report.word_ns[round]);
}

static bool run_rounds(em3d_run *run)
{
    for (unsigned i = 0; i < EM3D_VERSIONS; i++) {
        em3d_result *result = &run->report.results[i];
        result->chosen =
            perf_value_lists(run->report.options->versions, ',', em3d_versions[i].name);
        result->skipped = em3d_versions[i].way == EM3D_VIEW && !run->rank.mapped;
    }
    em3d_report_load(run->report.load_before, sizeof run->report.load_before);
    if (!run_round(run, 0)) /* the first messages carry code */
        return false;
    for (uint64_t round = 0; round < run->report.options->rounds; round++) {
        if (!run_round(run, round))
            return false;
    }
    em3d_report_load(run->report.load_after, sizeof run->report.load_after);
    return true;
}

/* --- a rank ------------------------------------------------------------------------------ */

static bool expect(em3d_run *run, const em3d_graph_params *params)
{
    bool ok = true;
    for (uint32_t kind = 0; kind < EM3D_KINDS; kind++) {
        run->expected[kind] =
            malloc((size_t)params->ranks * params->own * sizeof *run->expected[kind]);
        ok = ok && run->expected[kind] != NULL;
    }
    ok = ok &&
         em3d_graph_run_serial(params, (uint32_t)run->report.options->steps, run->expected);
    if (!ok)
        fprintf(stderr, "em3d: no memory\n");
    return ok;
}

static bool run_rank(em3d_run *run, tc_context *ctx, tc_group *group)
{
    const em3d_options *o = run->report.options;
    const uint32_t ranks = tc_group_size(group);
    const em3d_graph_params params = {.ranks = ranks,
                                      .own = (uint32_t)o->nodes / EM3D_KINDS / ranks,
                                      .degree = (uint32_t)o->degree,
                                      .remote_percent = (uint32_t)o->remote_percent,
                                      .seed = o->seed};
    if (ranks < 2 || ranks > EM3D_RANKS_MAX || params.own == 0) {
        fprintf(stderr,
                "em3d: %u ranks and %llu nodes, expected 2 to %u ranks, and a node of "
                "each field for each\n",
                ranks, (unsigned long long)o->nodes, EM3D_RANKS_MAX);
        return false;
    }
    bool ok = expect(run, &params) && em3d_rank_create(ctx, group, &params, &run->rank) &&
              run_rounds(run);
    if (ok && run->rank.rank == 0)
        ok = em3d_report_write(&run->report) && em3d_report_is_verified(&run->report);
    ok = ok && em3d_rank_barrier(&run->rank);
    em3d_rank_destroy(&run->rank);
    for (uint32_t kind = 0; kind < EM3D_KINDS; kind++)
        free(run->expected[kind]);
    return ok;
}

int main(int argc, char **argv)
{
    em3d_options options = {.nodes = 800,
                            .degree = 20,
                            .remote_percent = 40,
                            .steps = 100,
                            .rounds = 10,
                            .seed = 1,
                            .versions = EM3D_VERSION_NAMES};
    tc_context *ctx = NULL;
    tc_group *group;
    tc_error err = {TC_OK, ""};
    const int parsed = tool_options_parse(&command, argc, argv, &options);
    if (parsed != TOOL_GO_ON)
        return parsed;
    em3d_run *run = calloc(1, sizeof *run);
    if (run == NULL)
        return TOOL_FAILED;
    run->report.options = &options;
    run->report.rank = &run->rank;
    perf_clock_init();
    const bool ok =
        em3d_rank_check(tc_context_create(NULL, &ctx, &err), &err, "context") &&
        em3d_rank_check(tc_group_join(ctx, JOIN_TIMEOUT_NS, &group, &err), &err, "group") &&
        run_rank(run, ctx, group);
    tc_context_destroy(ctx);
    free(run);
    return ok ? TOOL_OK : TOOL_FAILED;
}
