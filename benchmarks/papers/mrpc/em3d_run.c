/* EM3D, an application of the paper on MRPC: the field values of a graph that is spread over
 * several processes, in versions that move values by one-sided operations and by functions.
 *
 *   tc-run -n RANKS em3d_run [options] */
#include "em3d_version.h"
#include "mrpc_run.h"

#include <stdio.h>

#define NODES_MAX (1u << 20)
#define DEGREE_MAX 64u

typedef struct em3d_options {
    mrpc_options common;
    uint64_t nodes;
    uint64_t degree;
    uint64_t remote_percent;
} em3d_options;

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
    MRPC_RUN_STEPS(em3d_options, "of each run (100)"),
    MRPC_RUN_OPTIONS(em3d_options, EM3D_VERSION_NAMES),
};

static const tool_command command = {
    .name = "em3d_run",
    .usage = "[options], started by tc-run -n RANKS",
    .about = "Measures EM3D of the paper on MRPC: values of other ranks by one-sided\n"
             "operations (window, view), by functions and by ONC RPC.",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
};

static bool create(void *state, const void *options)
{
    em3d_rank *r = state;
    const em3d_options *o = options;
    const uint32_t ranks = r->base.ranks;
    const em3d_graph_params params = {.ranks = ranks,
                                      .own = (uint32_t)o->nodes / EM3D_KINDS / ranks,
                                      .degree = (uint32_t)o->degree,
                                      .remote_percent = (uint32_t)o->remote_percent,
                                      .seed = o->common.seed};
    if (params.own == 0)
        return mrpc_rank_fail("%llu nodes, expected a node of each field for each of %u ranks",
                              (unsigned long long)o->nodes, ranks);
    return em3d_rank_create(r, &params, o->common.steps);
}

static void destroy(void *state)
{
    em3d_rank_destroy(state);
}

static void reset(void *state)
{
    em3d_rank_reset(state);
}

static bool run(void *state, unsigned version)
{
    em3d_rank *r = state;
    for (uint64_t step = 0; step < r->steps; step++) {
        for (uint32_t kind = 0; kind < EM3D_KINDS; kind++) {
            if (!em3d_version_phases[version](r, kind))
                return false;
        }
    }
    return true;
}

static bool is_right(const void *state)
{
    return em3d_rank_is_right(state);
}

static size_t body_max(const void *state)
{
    (void)state;
    return 0;
}

/* Edges of one rank, in all steps. */
static double units(const void *state)
{
    const em3d_rank *r = state;
    return (double)r->steps * EM3D_KINDS * r->graph.params.own * r->graph.params.degree;
}

static void describe(const void *state, json_t *json)
{
    const em3d_rank *r = state;
    const em3d_graph_params *p = &r->graph.params;
    const uint64_t nodes = (uint64_t)EM3D_KINDS * p->own * p->ranks, edges = nodes * p->degree;
    const uint32_t ghosts = r->share.ghosts[0] + r->share.ghosts[1];
    if (json == NULL) {
        printf(
            "em3d: %llu nodes of degree %u at %u ranks, %llu edges, of rank 0's %.1f %% from "
            "other ranks, %u ghosts there\n",
            (unsigned long long)nodes, p->degree, p->ranks, (unsigned long long)edges,
            100.0 * (double)r->graph.remote_edges * p->ranks / (double)edges, ghosts);
        return;
    }
    (void)json_object_set_new(json, "nodes", json_integer((json_int_t)nodes));
    (void)json_object_set_new(json, "degree", json_integer(p->degree));
    (void)json_object_set_new(json, "remote_percent", json_integer(p->remote_percent));
    (void)json_object_set_new(json, "edges", json_integer((json_int_t)edges));
    (void)json_object_set_new(json, "ghosts", json_integer(ghosts));
}

static const mrpc_app app = {
    .name = "em3d",
    .unit = "ns_per_edge",
    .state_bytes = sizeof(em3d_rank),
    .versions = em3d_versions,
    .version_count = EM3D_VERSIONS,
    .create = create,
    .destroy = destroy,
    .reset = reset,
    .serve = em3d_pull_serve,
    .body_max = body_max,
    .run = run,
    .is_right = is_right,
    .units = units,
    .describe = describe,
};

int main(int argc, char **argv)
{
    em3d_options options = {.common = {.steps = 100,
                                       .rounds = 10,
                                       .stamped = 3,
                                       .seed = 1,
                                       .versions = EM3D_VERSION_NAMES},
                            .nodes = 800,
                            .degree = 20,
                            .remote_percent = 40};
    return mrpc_run_main(&app, &command, &options, &options.common, argc, argv);
}
