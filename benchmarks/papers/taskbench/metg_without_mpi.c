/* A build that has found no MPI: the job is one of tc-run's. */
#include "metg_version.h"

#include <stdio.h>

const char *metg_mpi_missing(void)
{
    return "built without MPI (Debian: openmpi-bin, libopenmpi-dev)";
}

const char *metg_mpi_library(void)
{
    return "";
}

bool metg_mpi_join(tc_context *ctx, int *argc, char ***argv, tc_group **group_out)
{
    tc_error err = {TC_OK, ""};
    (void)argc, (void)argv;
    return metg_rank_check(tc_group_join(ctx, METG_TIMEOUT_NS, group_out, &err), &err, "group");
}

void metg_mpi_leave(void)
{
}

bool metg_mpi_run(metg_rank *r)
{
    (void)r;
    fprintf(stderr, "metg: %s\n", metg_mpi_missing());
    return false;
}

bool metg_mpi_run_gathered(metg_rank *r)
{
    return metg_mpi_run(r);
}
