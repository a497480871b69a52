/* The runtime of the processes of a window: a context with its thread, their group, and the
 * operations that they have registered. Windows of the same processes share it. It stays until
 * MPI_Finalize.
 *
 * Whatever tchains has is used under the lock of the context. `entries` and `types` are read by
 * handlers, which run under it. */
#ifndef TCM_MPIX_RUNTIME_H
#define TCM_MPIX_RUNTIME_H

#include "mpix_wire.h"

#include <mpi.h>
#include <tc/mpix_am.h>

#define TCM_RUNTIMES_MAX 64u
#define TCM_TYPES_MAX 256u                         /* derived types of others that were built */
#define TCM_FOREVER_NS (24ull * 3600 * 1000000000) /* the longest timeout of a call */

typedef struct tcm_entry {
    MPIX_Am_user_function *function;
    tc_am_op *op;
} tcm_entry;

/* A type that was built for a description of these runs. */
typedef struct tcm_built {
    tcm_run runs[TCM_WIRE_RUNS_MAX];
    uint32_t count;
    int64_t extent;
    MPI_Datatype handle;
} tcm_built;

typedef struct tcm_runtime {
    MPI_Group processes;
    MPI_Comm comm;
    tc_context *ctx;
    tc_group *group;
    tc_ams *ams;
    uint64_t id;  /* of the group */
    int multiple; /* all processes have MPI_THREAD_MULTIPLE */
    tcm_entry *entries;
    uint32_t count;
    uint32_t capacity;
    tcm_built *types;
    uint32_t type_count;
} tcm_runtime;

/* Returns the runtime of a group of processes, made if it is the first use. Collective over the
 * group. On failure NULL, at all processes, and err has the reason of one. */
tcm_runtime *tcm_runtime_open(MPI_Group processes, tc_error *err);

/* Registers the next operation. Collective in the order of calls; under the lock. The
 * trampoline runs for each unit. */
tc_status tcm_runtime_register(tcm_runtime *runtime, MPIX_Am_user_function *function,
                               uint32_t *number_out, tc_error *err);

/* Finds a runtime by its group's id, for handlers; or NULL. */
tcm_runtime *tcm_runtime_find(uint64_t id);

/* The lock of the context, which is free or becomes free. Returns 0 after a failure, with a
 * text: only a fork, or a library without the module `serving`, has one. */
int tcm_runtime_lock(tcm_runtime *runtime, tc_error *err);
void tcm_runtime_unlock(tcm_runtime *runtime);

/* Returns whether all processes of the communicator are well. If not, err has the text of one
 * that is not. */
int tcm_runtime_agree(MPI_Comm comm, int well, tc_error *err);

/* Closes all. Before PMPI_Finalize. */
void tcm_runtime_close_all(void);

#endif
