#include "kmer_code.h"

#define NONE_16                                                                                \
    KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE,        \
        KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE,    \
        KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE
/* `@` or a blank, A to Z, and the five signs behind them */
#define LETTERS                                                                                \
    KMER_NO_BASE, 0, KMER_NO_BASE, 1, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, 2,             \
        KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE,    \
        KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, 3, \
        KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE,    \
        KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE, KMER_NO_BASE

const uint8_t kmer_bases[256] = {NONE_16, NONE_16, NONE_16, NONE_16, LETTERS, LETTERS, NONE_16,
                                 NONE_16, NONE_16, NONE_16, NONE_16, NONE_16, NONE_16, NONE_16};
