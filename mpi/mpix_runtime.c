/* Making a runtime is a collective call in steps. After each step the processes agree on
 * whether all of them could do it: so a process never waits for one that has given up.
 * Communicators are made by MPI_Comm_create_group, as a window's own communicator is not MPI's
 * to give.
 *
 * Runtimes are published in an array that only grows until MPI_Finalize, so the threads that
 * serve read it without a lock. */
#include "mpix_runtime.h"
#include "mpix_handler.h"
#include "base/error_text.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/options.h>
#include <tc/thread.h>

/* Another tool's definitions are not for the library's own messages. */
#define MPI_Allgather PMPI_Allgather
#define MPI_Allgatherv PMPI_Allgatherv
#define MPI_Allreduce PMPI_Allreduce
#define MPI_Bcast PMPI_Bcast
#define MPI_Comm_rank PMPI_Comm_rank
#define MPI_Comm_size PMPI_Comm_size
#define MPI_Error_string PMPI_Error_string
#define MPI_Wtime PMPI_Wtime
#include <tc/mpi.h>

#define GROUP_TAG 0x7463 /* of the communicator's creation */

static tcm_runtime *_Atomic runtimes[TCM_RUNTIMES_MAX];
static _Atomic uint32_t runtime_count;
static pthread_mutex_t runtime_lock = PTHREAD_MUTEX_INITIALIZER;

/* --- agreement ---------------------------------------------------------------------------- */

/* The text of the lowest rank that failed reaches all. */
int tcm_runtime_agree(MPI_Comm comm, int well, tc_error *err)
{
    int rank = 0, first = 0, size = 0;
    if (PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS ||
        PMPI_Comm_size(comm, &size) != MPI_SUCCESS)
        return 0;
    int mine = well ? size : rank;
    if (PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS)
        return 0;
    if (first == size)
        return 1;
    tc_error theirs = *err;
    if (PMPI_Bcast(&theirs, sizeof theirs, MPI_BYTE, first, comm) != MPI_SUCCESS || !well)
        return 0;
    theirs.text[sizeof theirs.text - 1] = '\0';
    err->status = theirs.status;
    (void)tci_error_set(err, theirs.status, "rank %d: %.200s", first, theirs.text);
    return 0;
}

/* --- making ------------------------------------------------------------------------------- */

static void free_runtime(tcm_runtime *runtime)
{
    tc_error err;
    if (runtime->ctx != NULL && tc_context_stop_thread(runtime->ctx, &err) != TC_OK)
        fprintf(stderr, "tchains-mpi: %s\n", err.text);
    if (runtime->ams != NULL && tc_ams_close(runtime->ams) != TC_OK)
        fprintf(stderr, "tchains-mpi: active messages are under way in MPI_Finalize\n");
    tc_group_destroy(runtime->group);
    tc_context_destroy(runtime->ctx);
    for (uint32_t i = 0; i < runtime->type_count; i++)
        PMPI_Type_free(&runtime->types[i].handle);
    if (runtime->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&runtime->comm);
    if (runtime->processes != MPI_GROUP_NULL)
        PMPI_Group_free(&runtime->processes);
    free(runtime->entries);
    free(runtime->types);
    free(runtime);
}

static int start_context(tcm_runtime *runtime, tc_error *err)
{
    tc_thread_params thread = {"tchains-mpi", 0, 0};
    tc_ams_params params = {.group = runtime->group};
    runtime->types = calloc(TCM_TYPES_MAX, sizeof *runtime->types);
    if (runtime->types == NULL) {
        (void)tci_error_set(err, TC_E_NO_MEMORY, "memory is missing");
        return 0;
    }
    return tc_ams_open(runtime->ctx, &params, &runtime->ams, err) == TC_OK &&
           tc_context_start_thread(runtime->ctx, &thread, err) == TC_OK;
}

/* Returns whether all processes are on one host. */
static int is_one_host(MPI_Comm comm)
{
    MPI_Comm near = MPI_COMM_NULL;
    int result = MPI_UNEQUAL, mine = 0, all = 0;
    if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near) ==
        MPI_SUCCESS) {
        PMPI_Comm_compare(comm, near, &result);
        PMPI_Comm_free(&near);
    }
    mine = result == MPI_CONGRUENT;
    return PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all;
}

/* On one host processes listen on loopback; otherwise UCX's addresses lead to them. */
static int make_group(tcm_runtime *runtime, tc_error *err)
{
    char address[32];
    tc_listener *listener;
    int local = is_one_host(runtime->comm);
    int well = !local || tc_listener_open(runtime->ctx, "127.0.0.1:0", &listener, err) == TC_OK;
    if (!tcm_runtime_agree(runtime->comm, well, err))
        return 0;
    if (local)
        (void)snprintf(address, sizeof address, "127.0.0.1:%u", tc_listener_port(listener));
    well = tc_group_create_mpi(runtime->ctx, runtime->comm, local ? address : NULL,
                               &runtime->group, err) == TC_OK;
    return tcm_runtime_agree(runtime->comm, well, err);
}

/* The level of threads that all processes have, and the group. */
static int meet(tcm_runtime *runtime, tc_error *err)
{
    int level = MPI_THREAD_SINGLE, lowest = MPI_THREAD_SINGLE;
    int well = tc_context_create(NULL, &runtime->ctx, err) == TC_OK;
    if (!tcm_runtime_agree(runtime->comm, well, err))
        return 0;
    if (PMPI_Query_thread(&level) != MPI_SUCCESS)
        level = MPI_THREAD_SINGLE;
    if (PMPI_Allreduce(&level, &lowest, 1, MPI_INT, MPI_MIN, runtime->comm) != MPI_SUCCESS)
        return 0;
    runtime->multiple = lowest == MPI_THREAD_MULTIPLE;
    if (!make_group(runtime, err))
        return 0;
    runtime->id = tc_group_id(runtime->group);
    return tcm_runtime_agree(runtime->comm, start_context(runtime, err), err);
}

static int is_of(const tcm_runtime *runtime, MPI_Group processes)
{
    int result = MPI_UNEQUAL;
    return PMPI_Group_compare(runtime->processes, processes, &result) == MPI_SUCCESS &&
           result == MPI_IDENT;
}

/* Returns whether the processes are of MPI_COMM_WORLD. */
static int are_of_world(MPI_Group processes)
{
    MPI_Group world = MPI_GROUP_NULL, rest = MPI_GROUP_NULL;
    int outside = 1;
    if (PMPI_Comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS)
        return 0;
    if (PMPI_Group_difference(processes, world, &rest) == MPI_SUCCESS) {
        PMPI_Group_size(rest, &outside);
        if (rest != MPI_GROUP_EMPTY)
            PMPI_Group_free(&rest);
    }
    PMPI_Group_free(&world);
    return outside == 0;
}

static tcm_runtime *create(MPI_Group processes, tc_error *err)
{
    tcm_runtime *runtime = calloc(1, sizeof *runtime);
    (void)tci_error_set(err, TC_E_NO_MEMORY, "memory is missing");
    if (runtime == NULL)
        return NULL;
    (void)tci_error_set(err, TC_E_IO, "MPI makes no communicator");
    runtime->comm = MPI_COMM_NULL;
    runtime->processes = MPI_GROUP_NULL;
    if (PMPI_Group_union(processes, MPI_GROUP_EMPTY, &runtime->processes) == MPI_SUCCESS &&
        PMPI_Comm_create_group(MPI_COMM_WORLD, processes, GROUP_TAG, &runtime->comm) ==
            MPI_SUCCESS &&
        meet(runtime, err))
        return runtime;
    free_runtime(runtime);
    return NULL;
}

tcm_runtime *tcm_runtime_open(MPI_Group processes, tc_error *err)
{
    uint32_t count = atomic_load(&runtime_count);
    for (uint32_t i = 0; i < count; i++) {
        if (is_of(runtimes[i], processes))
            return runtimes[i];
    }
    (void)tci_error_set(err, TC_E_UNSUPPORTED,
                        "the window has processes outside MPI_COMM_WORLD");
    if (!are_of_world(processes))
        return NULL;
    tcm_runtime *runtime = create(processes, err);
    if (runtime == NULL)
        return NULL;
    (void)pthread_mutex_lock(&runtime_lock);
    count = atomic_load(&runtime_count);
    if (count < TCM_RUNTIMES_MAX) { /* bound: TCM_RUNTIMES_MAX */
        atomic_store(&runtimes[count], runtime);
        atomic_store(&runtime_count, count + 1);
    }
    (void)pthread_mutex_unlock(&runtime_lock);
    if (count < TCM_RUNTIMES_MAX)
        return runtime;
    (void)tci_error_set(err, TC_E_TOO_LARGE, "there are windows of %u groups of processes",
                        TCM_RUNTIMES_MAX);
    free_runtime(runtime);
    return NULL;
}

tcm_runtime *tcm_runtime_find(uint64_t id)
{
    uint32_t count = atomic_load(&runtime_count);
    for (uint32_t i = 0; i < count; i++) {
        if (runtimes[i]->id == id)
            return runtimes[i];
    }
    return NULL;
}

void tcm_runtime_close_all(void)
{
    uint32_t count = atomic_load(&runtime_count);
    atomic_store(&runtime_count, 0);
    for (uint32_t i = 0; i < count; i++)
        free_runtime(runtimes[i]);
}

/* --- use ---------------------------------------------------------------------------------- */

tc_status tcm_runtime_register(tcm_runtime *runtime, MPIX_Am_user_function *function,
                               uint32_t *number_out, tc_error *err)
{
    char name[32];
    if (runtime->count == runtime->capacity) { /* bound: TC_AM_OPS_MAX, by tc_am_op_register */
        uint32_t capacity = runtime->capacity == 0 ? 8 : 2 * runtime->capacity;
        tcm_entry *grown = realloc(runtime->entries, capacity * sizeof *grown);
        if (grown == NULL) {
            return tci_error_set(err, TC_E_NO_MEMORY, "memory is missing");
        }
        runtime->entries = grown;
        runtime->capacity = capacity;
    }
    tcm_entry *entry = &runtime->entries[runtime->count];
    (void)snprintf(name, sizeof name, "mpix_am %u", runtime->count);
    tc_status status = tc_am_op_register(runtime->ams, name, "MPIX_Am_user_function",
                                         tcm_handler_run, &entry->op, err);
    if (status != TC_OK)
        return status;
    entry->function = function;
    *number_out = runtime->count++;
    return TC_OK;
}

int tcm_runtime_lock(tcm_runtime *runtime, tc_error *err)
{
    return tc_context_lock(runtime->ctx, TCM_FOREVER_NS, err) == TC_OK;
}

void tcm_runtime_unlock(tcm_runtime *runtime)
{
    tc_context_unlock(runtime->ctx);
}
