/* The graph of EM3D: a part of it for each rank, made from a seed without any message.
 *
 * Every edge is a hash of the seed, its node and its number, so a rank finds out by itself
 * which of its nodes the others need, and in which order they keep them. */
#ifndef TC_EM3D_GRAPH_H
#define TC_EM3D_GRAPH_H

#include "em3d.h"

#include <stdbool.h>

#define EM3D_RANKS_MAX 64u /* MRPC_RANKS_MAX */

typedef struct em3d_graph_params {
    uint32_t ranks;
    uint32_t own; /* nodes of each kind at each rank */
    uint32_t degree;
    uint32_t remote_percent; /* of the edges lead to another rank */
    uint64_t seed;
} em3d_graph_params;

/* A node of another rank. */
typedef struct em3d_graph_node {
    uint32_t rank;
    uint32_t node;
} em3d_graph_node;

/* Own nodes that another rank keeps as ghosts. */
typedef struct em3d_graph_sends {
    uint32_t *nodes;
    uint32_t count;
    uint32_t first; /* ghost there; the others follow it */
} em3d_graph_sends;

/* A rank's nodes of one kind. */
typedef struct em3d_graph_side {
    double *weights; /* of the edges into its nodes, `degree` of each, in order */
    uint32_t *slots; /* where the values at their other ends are, in the other kind's array */
    em3d_graph_node *ghosts; /* of this kind, by rank and node */
    em3d_graph_sends sends[EM3D_RANKS_MAX];
    uint32_t ghosts_of[EM3D_RANKS_MAX]; /* how many each rank has */
} em3d_graph_side;

typedef struct em3d_graph {
    em3d_graph_params params;
    uint32_t rank;
    uint64_t remote_edges; /* into this rank's nodes */
    em3d_graph_side sides[EM3D_KINDS];
} em3d_graph;

/* False when out of memory. em3d_graph_destroy is owed all the same. */
bool em3d_graph_create(const em3d_graph_params *params, uint32_t rank, em3d_graph *graph_out);
void em3d_graph_destroy(em3d_graph *graph);

/* The value of a rank's node before the first step. */
double em3d_graph_initial(const em3d_graph_params *params, uint32_t kind, uint32_t rank,
                          uint32_t node);

/* The whole graph's values after some steps, by one process: rank 0's nodes first. Each array
 * has ranks * own values. False when out of memory. */
bool em3d_graph_run_serial(const em3d_graph_params *params, uint32_t steps,
                           double *values_out[EM3D_KINDS]);

/* Reduces the neighbours' values of `count` nodes, each in the order of its edges. */
static inline void em3d_graph_update(double *out, uint32_t count, uint32_t degree,
                                     const double *weights, const uint32_t *slots,
                                     const double *in)
{
    for (uint32_t node = 0; node < count; node++) {
        double sum = 0;
        for (uint32_t i = 0; i < degree; i++)
            sum += *weights++ * in[*slots++];
        out[node] = sum;
    }
}

#endif
