/* Latency of puts between two processes: put_latency ROUNDS prints nanoseconds for one put with
 * its flush, and for an empty fence, the fastest of ROUNDS rounds. The same source is linked
 * with libtchains-mpi and without it; compare_puts.py runs both by turns. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define PUTS 2000
#define FENCES 500

static double put_round(MPI_Win win)
{
    static const double value = 1;
    double begin = MPI_Wtime();
    for (int i = 0; i < PUTS; i++) {
        MPI_Put(&value, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
        MPI_Win_flush(1, win);
    }
    return (MPI_Wtime() - begin) / PUTS;
}

static double fence_round(MPI_Win win)
{
    double begin = MPI_Wtime();
    for (int i = 0; i < FENCES; i++)
        MPI_Win_fence(0, win);
    return (MPI_Wtime() - begin) / FENCES;
}

int main(int argc, char **argv)
{
    int rank, rounds = argc > 1 ? atoi(argv[1]) : 20;
    double put = 1e9, fence = 1e9, *memory;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4096, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int i = 0; i < rounds; i++) {
        MPI_Win_fence(0, win);
        double took = fence_round(win);
        fence = took < fence ? took : fence;
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        if (rank == 0) {
            MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
            took = put_round(win);
            put = took < put ? took : put;
            MPI_Win_unlock(1, win);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("put %.2f fence %.2f\n", put * 1e9, fence * 1e9);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
