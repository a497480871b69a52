/* A matrix of blocks, and the operations of its factorisation into a lower and an upper
 * triangle, without an exchange of rows: the matrix has dominant diagonals. */
#ifndef TC_LU_MATRIX_H
#define TC_LU_MATRIX_H

#include "lu.h"

/* The values of a block of a matrix with so many rows of blocks, before the factorisation. */
void lu_matrix_initial(uint64_t seed, uint32_t rows, uint32_t row, uint32_t column,
                       lu_block *block_out);

/* Factors a pivot: U in and above its diagonal, L below it, of which the diagonal is 1. */
void lu_matrix_factor(lu_block *pivot);

/* A block in the pivot's column, and one in its row. */
void lu_matrix_divide_column(lu_block *block, const lu_block *pivot);
void lu_matrix_divide_row(lu_block *block, const lu_block *pivot);

/* block -= column * row */
void lu_matrix_update(lu_block *block, const lu_block *column, const lu_block *row);

/* Factors rows * rows blocks. */
void lu_matrix_run_serial(lu_block *blocks, uint32_t rows);

#endif
