/* The butterflies of a discrete Fourier transform by decimation in frequency: rows in their
 * natural order become coefficients in the order of their reversed bits.
 *
 * Steps go from butterflies of rows half the transform apart to those of neighbours. With P
 * ranks, rows P apart and more are a rank's own in the cyclic layout, nearer ones in the
 * blocked layout. Each step computes the same sums and products whichever rank has the rows,
 * so results of any number of ranks have the same bits. */
#ifndef TC_FFT_PLAN_H
#define TC_FFT_PLAN_H

#include "fft.h"

#include <stdbool.h>

typedef struct fft_plan {
    uint64_t points;  /* a power of two */
    uint32_t ranks;   /* a power of two; ranks * ranks <= points */
    fft_point *roots; /* points / 2: exp(-2 pi i j / points) */
} fft_plan;

/* False when out of memory. */
bool fft_plan_create(uint64_t points, uint32_t ranks, fft_plan *plan_out);
void fft_plan_destroy(fft_plan *plan);

/* The value of a row before the first step, from -1 to 1 in both parts. */
fft_point fft_plan_initial(uint64_t seed, uint64_t row);

/* The first steps, on the rows of one rank of the cyclic layout. */
void fft_plan_run_cyclic(const fft_plan *plan, uint32_t rank, fft_point *own);

/* The last steps, on the rows of one rank of the blocked layout. */
void fft_plan_run_blocked(const fft_plan *plan, fft_point *block);

/* All steps, on all rows. */
void fft_plan_run_serial(const fft_plan *plan, fft_point *all);

#endif
