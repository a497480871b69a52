/* A graph of edges drawn at random, the same from the same seed: R-MAT with the probabilities
 * of Graph500 (0.57, 0.19, 0.19, 0.05), undirected, no edges from a vertex to itself. A few
 * vertices have most of the edges, and many have no edges. */
#ifndef RMAT_GRAPH_H
#define RMAT_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#define RMAT_SCALE_MAX 26u

typedef struct rmat_params {
    unsigned scale; /* 2 to its power is the number of vertices */
    unsigned edges_per_vertex;
    uint64_t seed;
} rmat_params;

/* Some vertices of the graph with all of their neighbours: those of the numbers v with v %
 * shares == share. The first of them is number 0 here, the next 1, and so on. */
typedef struct rmat_graph {
    uint32_t vertices;    /* here */
    uint64_t *first;      /* of each, and one more: where in `neighbours` its own begin */
    uint32_t *neighbours; /* numbers of the whole graph; the same one may be there twice */
} rmat_graph;

/* False: no memory. */
bool rmat_graph_create(const rmat_params *params, uint32_t share, uint32_t shares,
                       rmat_graph *graph_out);
void rmat_graph_destroy(rmat_graph *graph);

/* A number of a sequence: the same for the same seed and index in it. */
uint64_t rmat_random(uint64_t seed, uint64_t place);

#endif
