/* A rank of EM3D: its part of the graph, and the values in its window. */
#ifndef TC_EM3D_RANK_H
#define TC_EM3D_RANK_H

#include "em3d_graph.h"
#include "mrpc_rank.h"

#include <stdbool.h>

typedef struct em3d_rank {
    mrpc_rank base;
    em3d_graph graph;
    em3d_share share;
    tc_ifunc *read, *store;
    double *packed;               /* as many values as a rank has nodes of a kind */
    double *expected[EM3D_KINDS]; /* the serial run's values */
    uint64_t steps;
} em3d_rank;

/* Makes the rank's part of the graph, opens its window and connects to all others. Collective.
 * False after a line on stderr; em3d_rank_destroy is owed all the same. */
bool em3d_rank_create(em3d_rank *r, const em3d_graph_params *params, uint64_t steps);
void em3d_rank_destroy(em3d_rank *r);

/* Bytes from the beginning of a peer's window. */
uint64_t em3d_rank_value_offset(const em3d_rank *r, uint32_t peer, uint32_t kind,
                                uint32_t slot);

/* Gives own nodes their first values, and ghosts one that no result survives. */
void em3d_rank_reset(em3d_rank *r);

/* Updates own nodes of a kind, with every value that they need here. Returns true. */
bool em3d_rank_update(em3d_rank *r, uint32_t kind);

/* Returns whether this rank's nodes have the serial run's values. */
bool em3d_rank_is_right(const em3d_rank *r);

#endif
