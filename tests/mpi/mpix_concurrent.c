/* The assertion of concurrency: origins compute themselves where they may, and nothing is
 * lost. */
#include "mpix_job.h"

#include <stdlib.h>
#include <unistd.h>

/* Answers with the process that runs it. */
static void run_where(const void *in, int in_count, MPI_Datatype in_type, void *range,
                      int range_count, MPI_Datatype range_type, void *out, int out_count,
                      MPI_Datatype out_type, int segments, int first)
{
    int64_t *pids = out;
    (void)in_count, (void)in_type, (void)range_count, (void)range_type, (void)out_count;
    (void)out_type, (void)first;
    for (int i = 0; i < segments; i++) {
        __atomic_add_fetch((int64_t *)range, ((const int64_t *)in)[i], __ATOMIC_SEQ_CST);
        pids[i] = getpid();
    }
}

static const int64_t one = 1;

/* The process that ran an active message to a rank. */
static int64_t ask(const mpix_job *job, int rank)
{
    int64_t pid = 0;
    CHECK(mpix_job_send(job, &one, &pid, rank, 0) == MPI_SUCCESS);
    CHECK(MPI_Win_flush(rank, job->win) == MPI_SUCCESS);
    return pid;
}

static void check_where(mpix_job *job, const int64_t *pids, int allocate)
{
    int to = (job->rank + 1) % job->size, other = (job->rank + 2) % job->size;
    mpix_job_open(job, "sameop,diffop,sameam", allocate, run_where);
    CHECK(MPI_Win_lock_all(MPIX_MODE_CONCURRENT_AM, job->win) == MPI_SUCCESS);
    CHECK(ask(job, to) == (allocate ? getpid() : pids[to]));
    CHECK(MPI_Win_unlock_all(job->win) == MPI_SUCCESS);
    CHECK(MPI_Win_lock_all(0, job->win) == MPI_SUCCESS);
    CHECK(ask(job, to) == pids[to]);
    CHECK(MPI_Win_unlock_all(job->win) == MPI_SUCCESS);
    CHECK(MPI_Win_lock(MPI_LOCK_SHARED, to, MPIX_MODE_CONCURRENT_AM, job->win) == MPI_SUCCESS);
    if (other != to)
        CHECK(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, job->win) == MPI_SUCCESS);
    for (int i = 0; i < 5; i++) {
        CHECK(ask(job, to) == (allocate ? getpid() : pids[to]));
        CHECK(other == to || ask(job, other) == pids[other]);
    }
    CHECK(MPI_Win_unlock(to, job->win) == MPI_SUCCESS);
    if (other != to)
        CHECK(MPI_Win_unlock(other, job->win) == MPI_SUCCESS);
    mpix_job_close(job);
}

static void send_all(const mpix_job *job)
{
    for (long i = 0; i < job->count; i++)
        CHECK(mpix_job_send(job, &one, NULL, (int)(i % job->size), 1) == MPI_SUCCESS);
}

static void check_sum(const mpix_job *job, int64_t times)
{
    int64_t mine = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (long i = 0; i < job->count; i++)
        mine += i % job->size == job->rank;
    CHECK(job->memory[1] == times * job->size * mine);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_epochs(mpix_job *job, const char *ordering)
{
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    mpix_job_open(job, ordering, 1, mpix_job_add_atomic);
    CHECK(MPI_Win_fence(MPIX_MODE_CONCURRENT_AM | MPI_MODE_NOPRECEDE, job->win) == MPI_SUCCESS);
    send_all(job);
    CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, job->win) == MPI_SUCCESS);
    check_sum(job, 1);
    CHECK(MPI_Win_post(all, 0, job->win) == MPI_SUCCESS);
    CHECK(MPI_Win_start(all, MPIX_MODE_CONCURRENT_AM, job->win) == MPI_SUCCESS);
    send_all(job);
    CHECK(MPI_Win_complete(job->win) == MPI_SUCCESS);
    CHECK(MPI_Win_wait(job->win) == MPI_SUCCESS);
    check_sum(job, 2);
    CHECK(MPI_Win_lock_all(MPIX_MODE_CONCURRENT_AM, job->win) == MPI_SUCCESS);
    send_all(job);
    CHECK(MPI_Win_unlock_all(job->win) == MPI_SUCCESS);
    check_sum(job, 3);
    MPI_Group_free(&all);
    mpix_job_close(job);
}

void mpix_suite_concurrent(mpix_job *job)
{
    int64_t mine = getpid(), *pids = calloc((size_t)job->size, sizeof *pids);
    MPI_Allgather(&mine, 1, MPI_INT64_T, pids, 1, MPI_INT64_T, MPI_COMM_WORLD);
    check_where(job, pids, 0);
    check_where(job, pids, 1);
    check_epochs(job, "sameop,diffop,sameam");
    check_epochs(job, "none");
    free(pids);
}
