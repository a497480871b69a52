/* Types that the functions of LU share with the ranks at which they run.
 *
 * Each rank has memory for the whole matrix, block after block. Its own blocks are there, and
 * the blocks of others that it needs, in the same slots: a block that another rank needs does
 * not change any more. */
#ifndef TC_LU_H
#define TC_LU_H

#include "mrpc_share.h"

#define LU_SIDE 16u /* rows and columns of a block */
#define LU_MESSAGE_MAX 16u

typedef struct lu_block {
    double at[LU_SIDE][LU_SIDE];
} lu_block;

/* The target's arguments. */
typedef struct lu_share {
    mrpc_share base;
    lu_block *blocks; /* by row and column */
    uint32_t count;   /* of all blocks */
} lu_share;

/* A message of lu_store: `count` blocks follow. */
typedef struct lu_head {
    uint64_t mark; /* arrives with this message; 0: no mark */
    uint32_t count;
    uint32_t zero;
    uint32_t slots[LU_MESSAGE_MAX];
} lu_head;

/* The source's arguments: blocks are copied right into the message. */
typedef struct lu_source {
    lu_head head;
    const lu_block *blocks; /* of the matrix */
} lu_source;

#endif
