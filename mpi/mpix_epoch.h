/* Access epochs of one process in a window: which targets it may reach, and how. Pure state. */
#ifndef TCM_MPIX_EPOCH_H
#define TCM_MPIX_EPOCH_H

#include <stdint.h>

/* A kind of epoch, opened with these. `granted`: MPI has done all that it may delay; always 1
 * for epochs without delays. */
typedef struct tcm_epoch_state {
    uint8_t open;
    uint8_t concurrent;
    uint8_t granted;
} tcm_epoch_state;

typedef struct tcm_epoch_rank {
    tcm_epoch_state lock;
    uint8_t started;     /* in the group of MPI_Win_start */
    uint8_t all_granted; /* of MPI_Win_lock_all */
} tcm_epoch_rank;

typedef struct tcm_epoch {
    tcm_epoch_rank *ranks;
    uint32_t size;
    uint32_t locks;           /* ranks that are locked */
    tcm_epoch_state fence;    /* of all ranks */
    tcm_epoch_state start;    /* of those that have `started` */
    tcm_epoch_state lock_all; /* granted: by MPI_MODE_NOCHECK */
} tcm_epoch;

/* 0: memory is missing. */
int tcm_epoch_init(tcm_epoch *epoch, uint32_t size);
void tcm_epoch_fini(tcm_epoch *epoch);

/* open: another epoch begins (no MPI_MODE_NOSUCCEED) */
void tcm_epoch_fence(tcm_epoch *epoch, int open, int concurrent);
void tcm_epoch_start(tcm_epoch *epoch, const int *ranks, int count, int concurrent);
void tcm_epoch_complete(tcm_epoch *epoch);

/* unchecked: MPI_MODE_NOCHECK, no other process holds or asks for the lock. Ranks that the
 * window does not have change nothing. */
void tcm_epoch_lock(tcm_epoch *epoch, int rank, int concurrent, int unchecked);
void tcm_epoch_unlock(tcm_epoch *epoch, int rank);
void tcm_epoch_lock_all(tcm_epoch *epoch, int concurrent, int unchecked);
void tcm_epoch_unlock_all(tcm_epoch *epoch);

/* The epoch by which a rank can be reached: `open` is 0 without one. A lock comes first,
 * then a lock of all, then a start, then a fence. */
tcm_epoch_state tcm_epoch_find(const tcm_epoch *epoch, uint32_t rank);

/* Records that MPI has given the lock that tcm_epoch_find found. */
void tcm_epoch_grant(tcm_epoch *epoch, uint32_t rank);

/* Returns whether an epoch is open that a program has to close before it frees its window. */
int tcm_epoch_is_held(const tcm_epoch *epoch);

#endif
