/* Rates of active messages between two processes: am_rate COUNT prints, of rank 0's to rank 1,
 * the nanoseconds for one of 2,000 with its flush, and for each of COUNT in one epoch; then for
 * each of COUNT in a concurrent epoch. Every sum is checked. */
#include "mpix_job.h"

#include <stdlib.h>

#define ALONE 2000

static const int64_t one = 1;

static double alone(const mpix_job *job, long count)
{
    double begin = MPI_Wtime();
    int64_t answer;
    for (long i = 0; i < count; i++) {
        CHECK(mpix_job_send(job, &one, &answer, 1, 0) == MPI_SUCCESS);
        CHECK(MPI_Win_flush(1, job->win) == MPI_SUCCESS);
        CHECK(answer == i + 1);
    }
    return (MPI_Wtime() - begin) / (double)count;
}

static double together(const mpix_job *job, long count, int at)
{
    double begin = MPI_Wtime();
    for (long i = 0; i < count; i++)
        CHECK(mpix_job_send(job, &one, NULL, 1, at) == MPI_SUCCESS);
    CHECK(MPI_Win_flush(1, job->win) == MPI_SUCCESS);
    return (MPI_Wtime() - begin) / (double)count;
}

int main(int argc, char **argv)
{
    mpix_job job = {.count = argc > 1 ? atol(argv[1]) : 100000};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    mpix_job_open(&job, "sameop,diffop,sameam", 1, mpix_job_add_atomic);
    if (job.rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, job.win);
        double one_by_one = alone(&job, ALONE), many = together(&job, job.count, 1);
        MPI_Win_unlock(1, job.win);
        MPI_Win_lock(MPI_LOCK_SHARED, 1, MPIX_MODE_CONCURRENT_AM, job.win);
        double here = together(&job, job.count, 2);
        MPI_Win_unlock(1, job.win);
        printf("alone %.0f together %.0f concurrent %.0f\n", one_by_one * 1e9, many * 1e9,
               here * 1e9);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (job.rank == 1)
        CHECK(job.memory[0] == ALONE && job.memory[1] == job.count &&
              job.memory[2] == job.count);
    mpix_job_close(&job);
    MPI_Finalize();
    return 0;
}
