/* The suite of epochs on a lazy MPI: mpix_lazy COUNT. */
#include "mpix_job.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    mpix_job job = {.count = argc > 1 ? atol(argv[1]) : 5000};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.size);
    mpix_suite_epochs(&job);
    MPI_Finalize();
    return 0;
}
