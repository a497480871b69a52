/* Searches: over all ranks, by the function bfs, and in one process. */
#ifndef BFS_SEARCH_H
#define BFS_SEARCH_H

#include "rmat_graph.h"

#include <tc/group.h>

#define BFS_LEVELS_MAX 64u

typedef struct bfs_result {
    uint32_t depth;                 /* levels that found something */
    uint32_t found[BFS_LEVELS_MAX]; /* vertices, by level; the root's is 0 and 1 */
    uint64_t reached;
    uint64_t edges;    /* looked at */
    uint64_t messages; /* from member to member */
} bfs_result;

/* Leaves the distances with the ranks. Prints errors. */
bool bfs_search(tc_group *group, tc_ifunc *bfs, uint32_t root, uint64_t timeout_ns,
                bfs_result *result_out);

/* The distances of the newest search, for each of the graph's vertices. */
bool bfs_fetch_distances(tc_group *group, tc_ifunc *bfs, uint32_t vertices, uint64_t timeout_ns,
                         uint32_t *distances_out);

/* The same in this process, on a whole graph. False: no memory. */
bool bfs_search_here(const rmat_graph *graph, uint32_t root, uint32_t *distances_out);

#endif
