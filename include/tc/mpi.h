/* A group of the processes of an MPI communicator, for programs that use MPI.
 *
 * Only this header needs MPI; the library does not. Compile the program with mpicc, or link MPI
 * as it does anyway. MPI carries addresses, in one collective call, and no messages. */
#ifndef TC_MPI_H
#define TC_MPI_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/advanced.h>
#include <tc/group.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names with tc_mpi_internal_ are parts of tc_group_create_mpi and may change. This is the
 * contribution of one process, and the data that it receives. */
struct tc_mpi_internal_table {
    MPI_Comm comm;
    int rank;
    int size;
    int *sizes;   /* bytes of each member's address */
    int *offsets; /* of each in `bytes` */
    char *bytes;
    tc_group_member *members;
};

static inline tc_status tc_mpi_internal_fail(tc_error *err, tc_status status, const char *text)
{
    if (err != NULL) {
        err->status = status;
        snprintf(err->text, sizeof err->text, "MPI: %s", text);
    }
    return status;
}

/* The status of an MPI call, if the communicator's error handler returns. */
static inline tc_status tc_mpi_internal_check(int code, tc_error *err)
{
    char text[MPI_MAX_ERROR_STRING + 1];
    int length = 0;
    if (code == MPI_SUCCESS)
        return TC_OK;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        length = 0;
    text[length] = '\0';
    return tc_mpi_internal_fail(err, TC_E_IO, text);
}

/* Returns TC_OK if all processes can continue: none may wait for one that has failed. */
static inline tc_status tc_mpi_internal_agree(const struct tc_mpi_internal_table *t, int mine,
                                              tc_error *err)
{
    int all = 0;
    tc_status status =
        tc_mpi_internal_check(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, t->comm), err);
    if (status != TC_OK)
        return status;
    return all ? TC_OK : tc_mpi_internal_fail(err, TC_E_NO_MEMORY, "a member is out of memory");
}

static inline tc_status tc_mpi_internal_exchange(struct tc_mpi_internal_table *t,
                                                 const void *own, int own_size, tc_error *err)
{
    int total = 0, rank;
    size_t count = (size_t)t->size;
    t->sizes = (int *)calloc(count, sizeof(int));
    t->offsets = (int *)calloc(count, sizeof(int));
    t->members = (tc_group_member *)calloc(count, sizeof(tc_group_member));
    tc_status status = tc_mpi_internal_agree(
        t, t->sizes != NULL && t->offsets != NULL && t->members != NULL, err);
    if (status == TC_OK)
        status = tc_mpi_internal_check(
            MPI_Allgather(&own_size, 1, MPI_INT, t->sizes, 1, MPI_INT, t->comm), err);
    if (status != TC_OK)
        return status;
    for (rank = 0; rank < t->size; rank++) {
        t->offsets[rank] = total;
        total += t->sizes[rank];
    }
    t->bytes = (char *)malloc((size_t)total + 1);
    status = tc_mpi_internal_agree(t, t->bytes != NULL, err);
    if (status == TC_OK)
        status = tc_mpi_internal_check(MPI_Allgatherv((void *)own, own_size, MPI_BYTE, t->bytes,
                                                      t->sizes, t->offsets, MPI_BYTE, t->comm),
                                       err);
    for (rank = 0; status == TC_OK && rank < t->size; rank++) {
        t->members[rank].address = t->bytes + t->offsets[rank];
        t->members[rank].size = (size_t)t->sizes[rank];
    }
    return status;
}

/* An id of this group alone, from rank 0's time and the addresses of all members. */
static inline tc_status tc_mpi_internal_draw_id(const struct tc_mpi_internal_table *t,
                                                uint64_t *id_out, tc_error *err)
{
    double now = MPI_Wtime();
    uint64_t id = 0;
    int at;
    memcpy(&id, &now, sizeof now < sizeof id ? sizeof now : sizeof id);
    for (at = 0; at < t->offsets[t->size - 1] + t->sizes[t->size - 1]; at++)
        id = (id ^ (unsigned char)t->bytes[at]) * 1099511628211u;
    id |= 1;
    tc_status status =
        tc_mpi_internal_check(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, t->comm), err);
    if (status == TC_OK)
        *id_out = id;
    return status;
}

/* Creates a group whose ranks are those of a communicator. This is a collective call after
 * MPI_Init: every process of `comm` makes it, and it blocks without a deadline, as MPI does.
 * With MPI_THREAD_MULTIPLE any thread may call it.
 *
 *   address         how the others reach a listener that this process opened ("node7:7000");
 *                   NULL: by tc_context_address, over any transport of UCX. All give one or
 *                   none does
 *   group_out       owned by the context; see tc_group_destroy
 *
 *   TC_OK           the group can be used
 *   TC_E_IO         an MPI call failed, and the communicator's error handler returned
 *   TC_E_NO_MEMORY  an allocation failed, here or in another process
 *   as tc_group_create */
TC_MUST_CHECK static inline tc_status tc_group_create_mpi(tc_context *ctx, MPI_Comm comm,
                                                          const char *address,
                                                          tc_group **group_out, tc_error *err)
{
    struct tc_mpi_internal_table t = {comm, 0, 0, NULL, NULL, NULL, NULL};
    tc_group_params params = {0, 0, 0, NULL};
    size_t size = address != NULL ? strlen(address) : 0;
    const void *own = address != NULL ? address : tc_context_address(ctx, &size);
    tc_status status = tc_mpi_internal_check(MPI_Comm_rank(comm, &t.rank), err);
    if (status == TC_OK)
        status = tc_mpi_internal_check(MPI_Comm_size(comm, &t.size), err);
    if (status == TC_OK)
        status = tc_mpi_internal_exchange(&t, own, (int)size, err);
    if (status == TC_OK)
        status = tc_mpi_internal_draw_id(&t, &params.id, err);
    if (status == TC_OK) {
        params.rank = (uint32_t)t.rank;
        params.size = (uint32_t)t.size;
        params.members = t.members;
        status = tc_group_create(ctx, &params, group_out, err);
    }
    free(t.sizes);
    free(t.offsets);
    free(t.bytes);
    free(t.members);
    return status;
}

#ifdef __cplusplus
}
#endif
#endif
