/* The ways to count, which take turns. */
#ifndef TC_KMER_VERSION_H
#define TC_KMER_VERSION_H

#include "kmer_rank.h"

typedef enum kmer_way { KMER_SERIAL, KMER_MPI, KMER_FUNCTION, KMER_AM } kmer_way;

#define KMER_VERSIONS 6u
#define KMER_VERSION_NAMES "serial,mpi-probe,mpi-posted,function,am,am-concurrent"

typedef struct kmer_version {
    const char *name;
    kmer_way way;
    /* Called by all ranks between two barriers; returns when all of this rank's words are
     * counted at their owners, or will be when the others return. */
    bool (*run)(kmer_rank *r);
} kmer_version;

extern const kmer_version kmer_versions[KMER_VERSIONS];

/* A message that is received, for those of MPI. */
bool kmer_mpi_run_probe(kmer_rank *r);
bool kmer_mpi_run_posted(kmer_rank *r);

/* Returns why there are no versions of MPI, or NULL. */
const char *kmer_mpi_missing(void);
/* The library and its version, or "". */
const char *kmer_mpi_library(void);

/* Begins the job: under mpirun by MPI, else as tc-run's. */
bool kmer_mpi_join(tc_context *ctx, int *argc, char ***argv, tc_group **group_out);
/* After the context is destroyed. */
void kmer_mpi_leave(void);

#endif
