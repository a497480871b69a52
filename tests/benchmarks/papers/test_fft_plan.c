/* The butterflies of FFT: a serial transform has the coefficients of the definition, and ranks
 * that exchange their chunks have its bits. */
#include "../../../benchmarks/papers/mrpc/fft_plan.h"
#include "../../support/test.h"

#include <math.h>
#include <string.h>

#define POINTS 64u
#define BITS 6u
#define RANKS_MAX 8u
#define TWO_PI 6.283185307179586476925

static void make_rows(fft_point rows[POINTS])
{
    for (uint64_t row = 0; row < POINTS; row++)
        rows[row] = fft_plan_initial(5, row);
}

static uint64_t reversed(uint64_t row)
{
    uint64_t result = 0;
    for (unsigned bit = 0; bit < BITS; bit++)
        result |= (row >> bit & 1) << (BITS - 1 - bit);
    return result;
}

/* Sums of 64 products of numbers up to 1.5 in size differ by rounding alone. */
TEST(coefficients_are_those_of_the_definition)
{
    fft_plan plan;
    fft_point rows[POINTS], results[POINTS];
    make_rows(rows);
    make_rows(results);
    assert_true(fft_plan_create(POINTS, 1, &plan));
    fft_plan_run_serial(&plan, results);
    for (uint64_t number = 0; number < POINTS; number++) {
        double re = 0, im = 0;
        for (uint64_t row = 0; row < POINTS; row++) {
            const double angle = -TWO_PI * (double)(number * row) / POINTS;
            re += rows[row].re * cos(angle) - rows[row].im * sin(angle);
            im += rows[row].re * sin(angle) + rows[row].im * cos(angle);
        }
        assert_true(fabs(results[reversed(number)].re - re) < 1e-12);
        assert_true(fabs(results[reversed(number)].im - im) < 1e-12);
    }
    fft_plan_destroy(&plan);
}

static void run_ranks(const fft_plan *plan, const fft_point rows[POINTS],
                      fft_point blocks[POINTS])
{
    const uint32_t ranks = plan->ranks, count = POINTS / ranks, chunk = count / ranks;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        fft_point own[POINTS];
        for (uint32_t k = 0; k < count; k++)
            own[k] = rows[rank + ranks * k];
        fft_plan_run_cyclic(plan, rank, own);
        for (uint32_t to = 0; to < ranks; to++)
            fft_scatter(blocks + to * count, rank, ranks, 0, own + to * chunk, chunk);
    }
    for (uint32_t rank = 0; rank < ranks; rank++)
        fft_plan_run_blocked(plan, blocks + rank * count);
}

TEST(ranks_have_the_bits_of_a_serial_run)
{
    for (uint32_t ranks = 1; ranks <= RANKS_MAX; ranks *= 2) {
        fft_plan plan;
        fft_point rows[POINTS], serial[POINTS], blocks[POINTS];
        make_rows(rows);
        make_rows(serial);
        assert_true(fft_plan_create(POINTS, ranks, &plan));
        fft_plan_run_serial(&plan, serial);
        run_ranks(&plan, rows, blocks);
        assert_memory_equal(blocks, serial, sizeof serial);
        fft_plan_destroy(&plan);
    }
}

int main(void)
{
    return test_run(NULL, NULL);
}
