#include "fft_plan.h"

#include <math.h>
#include <stdlib.h>

#define TWO_PI 6.283185307179586476925

bool fft_plan_create(uint64_t points, uint32_t ranks, fft_plan *plan_out)
{
    *plan_out = (fft_plan){.points = points, .ranks = ranks};
    plan_out->roots = malloc(points / 2 * sizeof *plan_out->roots);
    if (plan_out->roots == NULL)
        return false;
    for (uint64_t j = 0; j < points / 2; j++) {
        const double angle = -TWO_PI * (double)j / (double)points;
        plan_out->roots[j] = (fft_point){cos(angle), sin(angle)};
    }
    return true;
}

void fft_plan_destroy(fft_plan *plan)
{
    free(plan->roots);
    plan->roots = NULL;
}

static double fraction(uint64_t number)
{
    uint64_t x = (number + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return (double)(x >> 11) / 4503599627370496.0 - 1; /* 2 to the 52nd */
}

fft_point fft_plan_initial(uint64_t seed, uint64_t row)
{
    return (fft_point){fraction(seed * 3 + row * 2), fraction(seed * 3 + row * 2 + 1)};
}

/* Butterflies of points `half` apart; the k-th of a group has the root first + k * stride. */
static void run_step(fft_point *points, uint64_t count, uint64_t half, const fft_point *roots,
                     uint64_t first, uint64_t stride)
{
    for (uint64_t begin = 0; begin < count; begin += 2 * half) {
        fft_point *low = points + begin, *high = low + half;
        for (uint64_t k = 0; k < half; k++) {
            const fft_point a = low[k], b = high[k], w = roots[first + k * stride];
            const double re = a.re - b.re, im = a.im - b.im;
            low[k] = (fft_point){a.re + b.re, a.im + b.im};
            high[k] = (fft_point){re * w.re - im * w.im, re * w.im + im * w.re};
        }
    }
}

void fft_plan_run_cyclic(const fft_plan *plan, uint32_t rank, fft_point *own)
{
    const uint64_t count = plan->points / plan->ranks;
    for (uint64_t half = count / 2; half > 0; half /= 2) {
        const uint64_t stride = plan->points / 2 / half; /* of rows `ranks` apart */
        run_step(own, count, half, plan->roots, rank * (stride / plan->ranks), stride);
    }
}

void fft_plan_run_blocked(const fft_plan *plan, fft_point *block)
{
    for (uint64_t half = plan->ranks / 2; half > 0; half /= 2)
        run_step(block, plan->points / plan->ranks, half, plan->roots, 0,
                 plan->points / 2 / half);
}

void fft_plan_run_serial(const fft_plan *plan, fft_point *all)
{
    for (uint64_t half = plan->points / 2; half > 0; half /= 2)
        run_step(all, plan->points, half, plan->roots, 0, plan->points / 2 / half);
}
