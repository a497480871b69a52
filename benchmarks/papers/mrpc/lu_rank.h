/* A rank of LU: its blocks in its window, and the ways to move blocks. */
#ifndef TC_LU_RANK_H
#define TC_LU_RANK_H

#include "lu_matrix.h"
#include "mrpc_rank.h"

typedef struct lu_rank {
    mrpc_rank base;
    lu_share share;
    uint32_t rows;       /* of blocks */
    uint32_t down, over; /* ranks own blocks cyclically, by row % down and column % over */
    lu_block *initial;   /* all blocks; those of this rank are filled in */
    lu_block *expected;  /* the serial run's */
    tc_ifunc *read, *store;
} lu_rank;

static inline uint32_t lu_rank_owner(const lu_rank *r, uint32_t row, uint32_t column)
{
    return row % r->down * r->over + column % r->over;
}

static inline uint32_t lu_rank_slot(const lu_rank *r, uint32_t row, uint32_t column)
{
    return row * r->rows + column;
}

/* A way to move blocks. All return false after a line on stderr. */
typedef struct lu_way {
    /* Moves own blocks into the slots of a peer; behind them the mark arrives. */
    bool (*store)(lu_rank *r, uint32_t peer, const uint32_t *slots, uint32_t count,
                  uint64_t mark);
    /* Starts to get a block of a peer. */
    bool (*fetch)(lu_rank *r, uint32_t peer, uint32_t slot);
    /* Blocks until a peer's mark has arrived. */
    bool (*await)(mrpc_rank *r, uint32_t peer, uint64_t mark);
} lu_way;

extern const lu_way lu_rank_window, lu_rank_view, lu_rank_function;

#endif
