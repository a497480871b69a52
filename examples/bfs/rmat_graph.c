#include "rmat_graph.h"

#include <stdlib.h>

/* The ends of the quarters a, b and c of a choice, in parts of 65536. */
#define A_END 37356u
#define B_END 49807u
#define C_END 62259u

typedef struct edge {
    uint32_t from, to;
} edge;

/* After splitmix64 by S. Vigna (public domain): neighbouring indices give unrelated numbers. */
uint64_t rmat_random(uint64_t seed, uint64_t place)
{
    uint64_t z = seed + (place + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* R-MAT gives small numbers to the vertices with many edges. This gives them others, one to
 * one, so that no rank has more than its part of those. */
static uint32_t scramble(uint32_t v, unsigned scale)
{
    uint32_t mask = (uint32_t)((1ull << scale) - 1);
    unsigned half = scale / 2 + 1;
    v = (v * 0x9e3779b1u) & mask;
    v ^= v >> half;
    v = (v * 0x85ebca6bu) & mask;
    return v ^ (v >> half);
}

/* Chooses a quarter of the remaining adjacency matrix, again and again. */
static edge make_edge(const rmat_params *params, uint64_t number)
{
    edge e = {0, 0};
    uint64_t bits = 0;
    for (unsigned level = 0; level < params->scale; level++) {
        if (level % 4 == 0)
            bits = rmat_random(params->seed, number * 8 + level / 4);
        uint32_t choice = (uint32_t)(bits >> (level % 4 * 16)) & 0xffffu;
        e.from = e.from << 1 | (choice >= B_END);
        e.to = e.to << 1 | ((choice >= A_END && choice < B_END) || choice >= C_END);
    }
    return (edge){scramble(e.from, params->scale), scramble(e.to, params->scale)};
}

/* Makes every edge of the whole graph again, and of those that concern this share counts (fill
 * is false) or keeps them. `first` moves on by one with each that is kept. */
static void pass(const rmat_params *params, uint32_t share, uint32_t shares,
                 const rmat_graph *graph, bool fill)
{
    uint64_t edges = (uint64_t)params->edges_per_vertex << params->scale;
    for (uint64_t i = 0; i < edges; i++) {
        edge e = make_edge(params, i);
        for (unsigned way = 0; way < 2 && e.from != e.to; way++) {
            uint64_t *first = &graph->first[e.from / shares];
            if (e.from % shares == share && fill)
                graph->neighbours[(*first)++] = e.to;
            else if (e.from % shares == share)
                (*first)++;
            e = (edge){e.to, e.from};
        }
    }
}

/* Counts become beginnings. Gives their sum. */
static uint64_t sum_up(const rmat_graph *graph)
{
    uint64_t sum = 0;
    for (uint32_t v = 0; v <= graph->vertices; v++) {
        uint64_t count = graph->first[v];
        graph->first[v] = sum;
        sum += count;
    }
    return sum;
}

/* After the second pass each beginning is where the next one was. */
static void step_back(const rmat_graph *graph)
{
    for (uint32_t v = graph->vertices; v > 0; v--)
        graph->first[v] = graph->first[v - 1];
    graph->first[0] = 0;
}

bool rmat_graph_create(const rmat_params *params, uint32_t share, uint32_t shares,
                       rmat_graph *graph_out)
{
    uint32_t all = (uint32_t)(1u << params->scale);
    rmat_graph graph = {.vertices = all / shares + (share < all % shares)};
    /* One more of them: the last one's end. */
    graph.first = calloc((size_t)all / shares + 2, sizeof *graph.first);
    if (graph.first == NULL)
        return false;
    pass(params, share, shares, &graph, false);
    graph.neighbours = malloc((sum_up(&graph) + 1) * sizeof *graph.neighbours);
    if (graph.neighbours == NULL) {
        free(graph.first);
        return false;
    }
    pass(params, share, shares, &graph, true);
    step_back(&graph);
    *graph_out = graph;
    return true;
}

void rmat_graph_destroy(rmat_graph *graph)
{
    free(graph->first);
    free(graph->neighbours);
    *graph = (rmat_graph){.vertices = 0};
}
