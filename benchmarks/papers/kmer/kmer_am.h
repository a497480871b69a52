/* Counting by active messages: the operation runs on the part of the table that a rank has in
 * its window. */
#ifndef TC_KMER_AM_H
#define TC_KMER_AM_H

#include "kmer_rank.h"

/* Makes this rank's part of the table, with so many slots. All ranks call it. */
bool kmer_am_open(kmer_rank *r, uint64_t slots);
/* All ranks call it. */
bool kmer_am_close(kmer_rank *r);

/* The number of batches for others that this rank has counted itself. */
uint64_t kmer_am_here(const kmer_rank *r);

/* Owners count. */
bool kmer_am_run(kmer_rank *r);
/* Ranks count in the tables of others, where they are mapped. */
bool kmer_am_run_beside(kmer_rank *r);

#endif
