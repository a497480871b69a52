/* A query as bytes: terms in postfix order, as a stack machine takes them. Part of both
 * functions that answer it: `generic` reads it for every row; in the code of `filter` it is a
 * constant. */
#ifndef FILTER_PROGRAM_H
#define FILTER_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

/* The name under which a server publishes its table: the columns, one behind the other. */
#define FILTER_TABLE "filter_table"
#define FILTER_COLUMNS 6u

#define FILTER_TERMS_MAX 12u
#define FILTER_MARK_BYTES 16u
#define FILTER_HEAD_BYTES 24u
#define FILTER_TERM_BYTES 8u
#define FILTER_PROGRAM_BYTES (FILTER_HEAD_BYTES + FILTER_TERMS_MAX * FILTER_TERM_BYTES)

/* How every program begins. Found in the code of `filter`, it marks the position of the
 * query. */
#define FILTER_MARK                                                                            \
    0xf1, 0x17, 0xe4, 0x9b, 0xd2, 0x6e, 0xc7, 0x35, 0xa8, 0x5c, 0xb3, 0x41, 0x9e, 0x72, 0xe9,  \
        0x8d

/* Behind the mark: the number of terms, and seven bytes of nothing. */
#define FILTER_COUNT_AT FILTER_MARK_BYTES

typedef enum filter_op {
    FILTER_LESS, /* pushes: column < value */
    FILTER_EQUAL,
    FILTER_GREATER,
    FILTER_AND, /* takes two, pushes one */
    FILTER_OR,
    FILTER_NOT /* of the uppermost */
} filter_op;

/* A term: op, column, two bytes of nothing, value. */
#define FILTER_OP_AT 0u
#define FILTER_COLUMN_AT 1u
#define FILTER_VALUE_AT 4u

typedef struct filter_answer {
    uint64_t rows; /* that were looked at */
    uint64_t matches;
    int64_t sum; /* of column 0 of those that matched */
} filter_answer;

#endif
