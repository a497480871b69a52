/* The blocks of LU: the product of both triangles is the matrix. */
#include "../../../benchmarks/papers/mrpc/lu_matrix.h"
#include "../../support/test.h"

#include <math.h>
#include <string.h>

#define ROWS 3u
#define SIZE (ROWS * LU_SIDE)

static double at(const lu_block blocks[ROWS * ROWS], uint32_t line, uint32_t column)
{
    return blocks[line / LU_SIDE * ROWS + column / LU_SIDE]
        .at[line % LU_SIDE][column % LU_SIDE];
}

/* Numbers are up to 49, so rounding changes a sum of 48 products by far less than 1e-11. */
TEST(triangles_have_the_matrix_as_product)
{
    lu_block matrix[ROWS * ROWS], factored[ROWS * ROWS];
    for (uint32_t slot = 0; slot < ROWS * ROWS; slot++)
        lu_matrix_initial(9, ROWS, slot / ROWS, slot % ROWS, &matrix[slot]);
    memcpy(factored, matrix, sizeof matrix);
    lu_matrix_run_serial(factored, ROWS);
    for (uint32_t line = 0; line < SIZE; line++) {
        for (uint32_t column = 0; column < SIZE; column++) {
            const uint32_t least = line < column ? line : column;
            double sum = line <= column ? at(factored, line, column) : 0;
            for (uint32_t k = 0; k < (line <= column ? least : least + 1); k++)
                sum += at(factored, line, k) * at(factored, k, column);
            assert_true(fabs(sum - at(matrix, line, column)) < 1e-11);
        }
    }
}

int main(void)
{
    return test_run(NULL, NULL);
}
