/* A window of MPI with active messages: its runtime, its window there, epochs, operations and
 * attached buffers. Windows are found by their handle in a table that is searched without a
 * lock; while no window has active messages a search is one load. */
#ifndef TCM_MPIX_WINDOW_H
#define TCM_MPIX_WINDOW_H

#include "mpix_epoch.h"
#include "mpix_error.h"
#include "mpix_runtime.h"

#include <stdatomic.h>

#define TCM_WINDOWS_MAX 256u

/* A rank's share. */
typedef struct tcm_share {
    uint64_t bytes;
    uint64_t unit; /* of displacements */
    int started;   /* this process has active messages to it that were not completed */
} tcm_share;

/* An operation that is registered at a window. */
typedef struct tcm_window_op {
    MPI_Op handle; /* MPI_OP_NULL: it was freed */
    uint32_t number;
    tc_am_op *op;
} tcm_window_op;

typedef struct tcm_buffer {
    char *memory; /* NULL: a free row */
    uint64_t bytes;
} tcm_buffer;

typedef struct tcm_window {
    MPI_Win win; /* MPI_WIN_NULL while it is made */
    MPI_Comm comm;
    tcm_runtime *runtime;
    tc_am_window *am;
    tcm_share *shares; /* of all ranks */
    uint32_t size;
    uint32_t unordered;
    int concurrent;   /* as the tc_am_window has it */
    uint32_t started; /* ranks that have it in their share */
    tcm_epoch epoch;
    tcm_window_op ops[MPIX_AM_WIN_OPS_MAX];
    uint32_t op_count;
    tcm_buffer buffers[MPIX_AM_WIN_BUFFERS_MAX];
    MPI_Request *posts; /* messages of MPI_Win_post that are under way */
    int post_count;
    tc_error failure; /* to be reported; TC_OK: all is well */
} tcm_window;

/* The parts of a window, before it has a handle of MPI's. */
typedef struct tcm_window_plan {
    void *memory; /* NULL with `shared`: it is made */
    uint64_t bytes;
    int unit;
    int shared;
    uint32_t unordered; /* TC_AM_UNORDERED_ bits */
} tcm_window_plan;

extern _Atomic uint32_t tcm_window_count;
tcm_window *tcm_window_search(MPI_Win win);

/* Returns whether a window has active messages. Windows are published by collective calls, so a
 * thread that may use one has seen it. */
static inline int tcm_window_any(void)
{
    return atomic_load_explicit(&tcm_window_count, memory_order_relaxed) != 0;
}

/* Returns the window of a handle, or NULL. */
static inline tcm_window *tcm_window_find(MPI_Win win)
{
    return tcm_window_any() ? tcm_window_search(win) : NULL;
}

/* Makes a window of the processes of a group. Collective over them. NULL at all, with one's
 * reason, if one fails. */
tcm_window *tcm_window_open(MPI_Group processes, const tcm_window_plan *plan, tc_error *err);

/* Gives it its handle and puts it into the table. Collective. 0: the table is full at a
 * process. */
int tcm_window_publish(tcm_window *window, MPI_Win win, tc_error *err);

/* Completes and closes it, collectively, and takes it out of the table. */
tc_status tcm_window_close(tcm_window *window, tc_error *err);

/* Records that one was started. */
void tcm_window_start(tcm_window *window, uint32_t rank);

/* Completes this process's active messages to a rank, or to TC_RANK_NONE, all. The first
 * failure since the last call is returned. */
tc_status tcm_window_complete(tcm_window *window, uint32_t rank, tc_error *err);

/* Forgets the handle of an operation in all windows. */
void tcm_window_forget_op(MPI_Op op);

/* Memory of this process for active messages. */
void *tcm_window_memory(const tcm_window *window);

#endif
