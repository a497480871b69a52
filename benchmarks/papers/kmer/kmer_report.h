/* The figures of a run, as a table and as JSON. */
#ifndef TC_KMER_REPORT_H
#define TC_KMER_REPORT_H

#include "kmer_reads.h"
#include "kmer_version.h"

#define KMER_ROUNDS_MAX 200u
#define KMER_BATCHES_MAX 16u

typedef struct kmer_options {
    uint64_t genome;
    uint64_t passes;
    uint64_t seed;
    uint64_t length;
    uint64_t rounds;
    const char *batches; /* numbers with commas */
    const char *versions;
    const char *fasta;
    const char *text;
    const char *write_path;
    const char *json_path;
    bool unpinned;
} kmer_options;

/* A version's runs with batches of one size; a serial one has no batches, and is in the first
 * alone. */
typedef struct kmer_series {
    bool is_run;
    bool is_mapped; /* this rank has counted other ranks' batches in their tables itself */
    double elapsed_ns[KMER_ROUNDS_MAX];
} kmer_series;

typedef struct kmer_report {
    const kmer_options *options;
    const kmer_rank *rank;
    kmer_sum all; /* of all owners */
    uint64_t batches[KMER_BATCHES_MAX];
    unsigned batch_count;
    char load_before[64], load_after[64];
    kmer_series series[KMER_VERSIONS][KMER_BATCHES_MAX];
} kmer_report;

/* Returns why a version is not run, or NULL. */
const char *kmer_report_missing(unsigned version);

/* Prints the table, and writes the JSON if a file is named. False after a line on stderr. */
bool kmer_report_write(kmer_report *report);

#endif
