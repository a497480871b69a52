#include "kmer_version.h"

#include "kmer_am.h"
#include "kmer_function.h"

const kmer_version kmer_versions[KMER_VERSIONS] = {
    {"serial", KMER_SERIAL, kmer_rank_run_serial},
    {"mpi-probe", KMER_MPI, kmer_mpi_run_probe},
    {"mpi-posted", KMER_MPI, kmer_mpi_run_posted},
    {"function", KMER_FUNCTION, kmer_function_run},
    {"am", KMER_AM, kmer_am_run},
    {"am-concurrent", KMER_AM, kmer_am_run_beside},
};
