/* A build that has found no MPI: the job is one of tc-run's. */
#include "kmer_version.h"

#include <stdio.h>

const char *kmer_mpi_missing(void)
{
    return "built without MPI (Debian: openmpi-bin, libopenmpi-dev)";
}

const char *kmer_mpi_library(void)
{
    return "";
}

bool kmer_mpi_join(tc_context *ctx, int *argc, char ***argv, tc_group **group_out)
{
    tc_error err = {TC_OK, ""};
    (void)argc, (void)argv;
    return kmer_rank_check(tc_group_join(ctx, KMER_TIMEOUT_NS, group_out, &err), &err, "group");
}

void kmer_mpi_leave(void)
{
}

bool kmer_mpi_run_probe(kmer_rank *r)
{
    (void)r;
    fprintf(stderr, "kmer: %s\n", kmer_mpi_missing());
    return false;
}

bool kmer_mpi_run_posted(kmer_rank *r)
{
    return kmer_mpi_run_probe(r);
}
