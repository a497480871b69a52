/* A rank of Water: its molecules in its window, and the ways to read and to add to those of
 * others. */
#ifndef TC_WATER_RANK_H
#define TC_WATER_RANK_H

#include "mrpc_rank.h"
#include "water_model.h"

typedef struct water_rank {
    mrpc_rank base;
    water_share share;
    water_model model;
    uint64_t steps;
    uint32_t first;  /* of this rank's molecules */
    uint32_t widest; /* the most molecules that a rank has */
    water_motion *motions;
    water_positions *all; /* of all molecules: those that were fetched */
    water_forces *sums;   /* on all molecules, of this rank's pairs */
    water_forces *parts;  /* in the window: sums that each rank has put here */
    int64_t energy;       /* of the last step: springs and pairs of own molecules */
    water_positions *expected;
    int64_t expected_energy;
    tc_ifunc *read, *add;
} water_rank;

/* The first molecule of a rank; that of the rank behind the last is their number. */
static inline uint32_t water_rank_first(const water_rank *r, uint32_t rank)
{
    return (uint32_t)((uint64_t)r->model.molecules * rank / r->base.ranks);
}

static inline uint32_t water_rank_owner(const water_rank *r, uint32_t molecule)
{
    uint32_t rank = (uint32_t)((uint64_t)molecule * r->base.ranks / r->model.molecules);
    while (water_rank_first(r, rank + 1) <= molecule)
        rank++;
    return rank;
}

/* Bytes from the beginning of a window: of molecule 0 of its owner. */
uint64_t water_rank_positions_offset(void);
uint64_t water_rank_forces_offset(const water_rank *r);
uint64_t water_rank_parts_offset(const water_rank *r, uint32_t from);

/* A way to reach other ranks' molecules. All return false after a line on stderr. */
typedef struct water_way {
    /* Reads molecules of a rank, by their numbers there, before it returns. */
    bool (*read)(water_rank *r, uint32_t peer, uint32_t first, uint32_t count,
                 water_positions *positions_out);
    /* Adds to one molecule of a rank. */
    bool (*add)(water_rank *r, uint32_t peer, uint32_t molecule, const water_forces *forces);
    /* Moves the sums on all molecules of a rank, which are added there. */
    bool (*add_all)(water_rank *r, uint32_t peer, const water_forces *forces, uint32_t count);
    /* Blocks until all that was added by `add`, or by `add_all`, by any rank, is added. */
    bool (*end_add)(water_rank *r);
    bool (*end_add_all)(water_rank *r);
} water_way;

extern const water_way water_rank_window, water_rank_view, water_rank_function;

#endif
