/* Types that the function of FFT shares with the ranks at which it runs. */
#ifndef TC_FFT_H
#define TC_FFT_H

#include "mrpc_share.h"

typedef struct fft_point {
    double re, im;
} fft_point;

/* The target's arguments. */
typedef struct fft_share {
    mrpc_share base;
    fft_point *block; /* this rank's part of the blocked layout */
    uint64_t chunk;   /* points that each rank sends to each other one */
} fft_share;

/* A message of fft_store: `count` points of the sender's chunk follow. */
typedef struct fft_head {
    uint64_t exchange;
    uint32_t first; /* point of the chunk */
    uint32_t count;
    uint32_t is_last; /* 1: no more of this exchange follow */
    uint32_t rank;    /* of the sender, in a call of ONC RPC */
    uint32_t zero[2];
} fft_head;

/* The source's arguments: head.count points, which are copied right into the message. */
typedef struct fft_source {
    fft_head head;
    const fft_point *points;
} fft_source;

/* Puts points of the chunk of one rank, from `first` on, into a block: point k of rank p of the
 * cyclic layout stands for row p + ranks * k. */
static inline void fft_scatter(fft_point *block, uint32_t rank, uint32_t ranks, uint64_t first,
                               const fft_point *points, uint64_t count)
{
    block += rank + first * ranks;
    for (uint64_t i = 0; i < count; i++)
        block[i * ranks] = points[i];
}

#endif
