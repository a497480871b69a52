/* Counting by a function that is sent with words. */
#ifndef TC_KMER_FUNCTION_H
#define TC_KMER_FUNCTION_H

#include "kmer_rank.h"

/* After kmer_am_open. False after a line on stderr. */
bool kmer_function_open(kmer_rank *r);
bool kmer_function_run(kmer_rank *r);

#endif
