#include "bfs_search.h"

#include "bfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The same call at every rank, all at a time. */
typedef struct calls {
    tc_group *group;
    tc_ifunc *bfs;
    uint64_t timeout_ns;
    bfs_level *levels; /* the answers of each rank */
} calls;

static bool call_all(calls *all, const bfs_head *head)
{
    const tc_group_call_params params = {.results = all->levels,
                                         .result_capacity = sizeof *all->levels,
                                         .timeout_ns = all->timeout_ns};
    tc_error err = {TC_OK, ""};
    memset(all->levels, 0, tc_group_size(all->group) * sizeof *all->levels);
    if (tc_group_call_all(all->group, all->bfs, head, sizeof *head, &params, &err) == TC_OK)
        return true;
    fprintf(stderr, "bfs: %s: %s\n", tc_status_text(err.status), err.text);
    return false;
}

/* Messages between members are not calls: if one of them fails, its origin is notified. */
static bool complain(const calls *all, const char *what)
{
    tc_error err = {TC_OK, ""};
    fprintf(stderr, "bfs: %s\n", what);
    if (tc_group_failures(all->group, &err) > 0)
        fprintf(stderr, "bfs: a message got stuck: %s\n", err.text);
    return false;
}

static bool search_level(calls *all, uint32_t level, bfs_result *result, uint32_t *found_out)
{
    const bfs_head head = {.kind = BFS_LEVEL, .value = level};
    if (!call_all(all, &head))
        return complain(all, "a level failed");
    *found_out = 0;
    for (uint32_t i = 0; i < tc_group_size(all->group); i++) {
        const bfs_level *answer = &all->levels[i];
        result->edges += answer->edges;
        result->messages += answer->messages;
        *found_out += (uint32_t)answer->found;
    }
    return true;
}

static bool search(calls *all, uint32_t root, bfs_result *result)
{
    const bfs_head head = {.kind = BFS_START, .value = root};
    if (!call_all(all, &head))
        return false;
    for (uint32_t level = 0, found = 1; found > 0; level++) {
        if (level < BFS_LEVELS_MAX)
            result->found[level] = found;
        result->reached += found;
        result->depth = level;
        if (!search_level(all, level, result, &found))
            return false;
    }
    return true;
}

bool bfs_search(tc_group *group, tc_ifunc *bfs, uint32_t root, uint64_t timeout_ns,
                bfs_result *result_out)
{
    bfs_result result = {.depth = 0};
    calls all = {.group = group, .bfs = bfs, .timeout_ns = timeout_ns};
    all.levels = calloc(tc_group_size(group), sizeof *all.levels);
    if (all.levels == NULL)
        return false;
    bool ok = search(&all, root, &result);
    free(all.levels);
    if (ok)
        *result_out = result;
    return ok;
}

/* Those of one rank, some at a time. */
static bool fetch_from(tc_ep *ep, tc_ifunc *bfs, uint32_t own, uint64_t timeout_ns,
                       uint32_t *own_distances)
{
    tc_error err = {TC_OK, ""};
    for (uint32_t at = 0; at < own;) {
        const bfs_head head = {.kind = BFS_DISTANCES, .value = at};
        size_t size = (own - at) * sizeof *own_distances;
        tc_status status =
            tc_call(ep, bfs, &head, sizeof head, own_distances + at, &size, timeout_ns, &err);
        if (status != TC_OK || size == 0) {
            fprintf(stderr, "bfs: distances: %s\n", status != TC_OK ? err.text : "none");
            return false;
        }
        at += (uint32_t)(size / sizeof *own_distances);
    }
    return true;
}

bool bfs_fetch_distances(tc_group *group, tc_ifunc *bfs, uint32_t vertices, uint64_t timeout_ns,
                         uint32_t *distances_out)
{
    uint32_t ranks = tc_group_size(group);
    uint32_t *own_distances = malloc((vertices / ranks + 1) * sizeof *own_distances);
    bool ok = own_distances != NULL;
    for (uint32_t rank = 0; ok && rank < ranks; rank++) {
        uint32_t own = vertices / ranks + (rank < vertices % ranks);
        tc_ep *ep;
        ok = tc_group_ep(group, rank, &ep, NULL) == TC_OK &&
             fetch_from(ep, bfs, own, timeout_ns, own_distances);
        for (uint32_t i = 0; ok && i < own; i++)
            distances_out[i * ranks + rank] = own_distances[i];
    }
    free(own_distances);
    return ok;
}

bool bfs_search_here(const rmat_graph *graph, uint32_t root, uint32_t *distances_out)
{
    uint32_t *queue = malloc((graph->vertices + 1) * sizeof *queue), head = 0, tail = 0;
    if (queue == NULL)
        return false;
    memset(distances_out, 0xff, graph->vertices * sizeof *distances_out);
    distances_out[root] = 0;
    for (queue[tail++] = root; head < tail; head++) {
        uint32_t v = queue[head];
        for (uint64_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
            uint32_t w = graph->neighbours[e];
            if (distances_out[w] != BFS_UNREACHED)
                continue;
            distances_out[w] = distances_out[v] + 1;
            queue[tail++] = w;
        }
    }
    free(queue);
    return true;
}
