#include "lu_matrix.h"

static double fraction(uint64_t number)
{
    uint64_t x = (number + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return (double)(x >> 11) / 9007199254740992.0; /* 2 to the 53rd */
}

void lu_matrix_initial(uint64_t seed, uint32_t rows, uint32_t row, uint32_t column,
                       lu_block *block_out)
{
    const uint64_t side = (uint64_t)rows * LU_SIDE;
    for (uint32_t i = 0; i < LU_SIDE; i++) {
        for (uint32_t j = 0; j < LU_SIDE; j++) {
            const uint64_t line = (uint64_t)row * LU_SIDE + i;
            const uint64_t number = line * side + (uint64_t)column * LU_SIDE + j;
            block_out->at[i][j] = fraction(seed + number);
        }
        if (row == column)
            block_out->at[i][i] += (double)side;
    }
}

void lu_matrix_factor(lu_block *pivot)
{
    for (uint32_t k = 0; k < LU_SIDE; k++) {
        for (uint32_t i = k + 1; i < LU_SIDE; i++) {
            pivot->at[i][k] /= pivot->at[k][k];
            for (uint32_t j = k + 1; j < LU_SIDE; j++)
                pivot->at[i][j] -= pivot->at[i][k] * pivot->at[k][j];
        }
    }
}

void lu_matrix_divide_column(lu_block *block, const lu_block *pivot)
{
    for (uint32_t i = 0; i < LU_SIDE; i++) {
        for (uint32_t k = 0; k < LU_SIDE; k++) {
            block->at[i][k] /= pivot->at[k][k];
            for (uint32_t j = k + 1; j < LU_SIDE; j++)
                block->at[i][j] -= block->at[i][k] * pivot->at[k][j];
        }
    }
}

void lu_matrix_divide_row(lu_block *block, const lu_block *pivot)
{
    for (uint32_t k = 0; k < LU_SIDE; k++) {
        for (uint32_t i = k + 1; i < LU_SIDE; i++) {
            for (uint32_t j = 0; j < LU_SIDE; j++)
                block->at[i][j] -= pivot->at[i][k] * block->at[k][j];
        }
    }
}

void lu_matrix_update(lu_block *block, const lu_block *column, const lu_block *row)
{
    for (uint32_t i = 0; i < LU_SIDE; i++) {
        for (uint32_t k = 0; k < LU_SIDE; k++) {
            for (uint32_t j = 0; j < LU_SIDE; j++)
                block->at[i][j] -= column->at[i][k] * row->at[k][j];
        }
    }
}

void lu_matrix_run_serial(lu_block *blocks, uint32_t rows)
{
    for (uint32_t k = 0; k < rows; k++) {
        const lu_block *pivot = &blocks[k * rows + k];
        lu_matrix_factor(&blocks[k * rows + k]);
        for (uint32_t i = k + 1; i < rows; i++) {
            lu_matrix_divide_column(&blocks[i * rows + k], pivot);
            lu_matrix_divide_row(&blocks[k * rows + i], pivot);
        }
        for (uint32_t i = k + 1; i < rows; i++) {
            for (uint32_t j = k + 1; j < rows; j++)
                lu_matrix_update(&blocks[i * rows + j], &blocks[i * rows + k],
                                 &blocks[k * rows + j]);
        }
    }
}
