/* A library of 50 symbols, which a library of the host has too: 25 functions and 25
 * variables. */
#ifndef CATALOGUE_H
#define CATALOGUE_H

#include <stdint.h>

#define CATALOGUE_NUMBERS(row)                                                                 \
    row(01) row(02) row(03) row(04) row(05) row(06) row(07) row(08) row(09) row(10) row(11)    \
        row(12) row(13) row(14) row(15) row(16) row(17) row(18) row(19) row(20) row(21)        \
            row(22) row(23) row(24)

#define CATALOGUE_ROWS 24u

#define CATALOGUE_DECLARE(number)                                                              \
    extern uint64_t catalogue_sum_##number;                                                    \
    uint64_t catalogue_add_##number(uint64_t n);

CATALOGUE_NUMBERS(CATALOGUE_DECLARE)

extern uint64_t catalogue_calls; /* of catalogue_count; a newer library goes on with it */

/* Adds one there, too. */
void catalogue_count(uint64_t *counter);

/* The answer of consult. */
typedef struct catalogue_answer {
    uint64_t calls; /* catalogue_calls, this one counted */
    uint64_t sums;  /* CATALOGUE_ROWS for each function that has asked since the library came */
} catalogue_answer;

#endif
