/* Suites of active messages under mpirun: mpix_main SUITE [COUNT]. */
#include "mpix_job.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    void (*run)(mpix_job *job);
    int level;
} suites[] = {{"epochs", mpix_suite_epochs, MPI_THREAD_SINGLE},
              {"orders", mpix_suite_orders, MPI_THREAD_SINGLE},
              {"concurrent", mpix_suite_concurrent, MPI_THREAD_SINGLE},
              {"types", mpix_suite_types, MPI_THREAD_SINGLE},
              {"arrays", mpix_suite_arrays, MPI_THREAD_SINGLE},
              {"derived", mpix_suite_derived, MPI_THREAD_MULTIPLE},
              {"errors", mpix_suite_errors, MPI_THREAD_SINGLE},
              {"fatal", mpix_suite_fatal, MPI_THREAD_SINGLE},
              {"windows", mpix_suite_windows, MPI_THREAD_SINGLE},
              {"unused", mpix_suite_unused, MPI_THREAD_SINGLE}};

int main(int argc, char **argv)
{
    mpix_job job = {.count = argc > 2 ? atol(argv[2]) : 10000};
    for (size_t i = 0; argc > 1 && i < sizeof suites / sizeof *suites; i++) {
        int level;
        if (strcmp(suites[i].name, argv[1]) != 0)
            continue;
        MPI_Init_thread(&argc, &argv, suites[i].level, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
        MPI_Comm_size(MPI_COMM_WORLD, &job.size);
        if (level < suites[i].level) {
            printf("skipped: this MPI has no MPI_THREAD_MULTIPLE\n");
            MPI_Finalize();
            return 77;
        }
        suites[i].run(&job);
        MPI_Finalize();
        if (job.rank == 0)
            printf("%s: passed\n", argv[1]);
        return 0;
    }
    fprintf(stderr, "usage: mpix_main SUITE [COUNT]\n");
    return 2;
}
