/* The target_args of ranks, which the function kmer_count gets. */
#ifndef TC_KMER_H
#define TC_KMER_H

#include "kmer_table.h"

typedef struct kmer_share {
    kmer_table table; /* this rank's part */
    uint64_t is_full; /* 1: a word was not counted */
} kmer_share;

#endif
