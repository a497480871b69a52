/* The rows of a table that a program matches: the common source of `generic` and `filter`. */
#ifndef FILTER_ROWS_H
#define FILTER_ROWS_H

#include "filter_program.h"

#include <tc/entry.h>

#ifndef FILTER_EACH_TERM
#define FILTER_EACH_TERM
#endif

static inline unsigned filter_matches(const uint8_t *program, const int32_t *table, size_t rows,
                                      size_t row)
{
    unsigned stack = 0; /* a bit for each value, the uppermost lowest */
    FILTER_EACH_TERM
    for (unsigned i = 0; i < program[FILTER_COUNT_AT]; i++) {
        const uint8_t *term = program + FILTER_HEAD_BYTES + i * FILTER_TERM_BYTES;
        const int32_t cell = table[term[FILTER_COLUMN_AT] * rows + row];
        int32_t value;
        __builtin_memcpy(&value, term + FILTER_VALUE_AT, sizeof value);
        switch (term[FILTER_OP_AT]) {
        case FILTER_LESS:
            stack = stack << 1 | (cell < value);
            break;
        case FILTER_EQUAL:
            stack = stack << 1 | (cell == value);
            break;
        case FILTER_GREATER:
            stack = stack << 1 | (cell > value);
            break;
        case FILTER_AND:
            stack = stack >> 1 & (stack | ~1u);
            break;
        case FILTER_OR:
            stack = stack >> 1 | (stack & 1);
            break;
        default:
            stack ^= 1;
            break;
        }
    }
    return stack & 1;
}

static inline void filter_reply(const uint8_t *program)
{
    filter_answer answer = {.rows = 0};
    size_t bytes = 0;
    const int32_t *table = tc_self_data(FILTER_TABLE, &bytes);
    const size_t rows = bytes / (FILTER_COLUMNS * sizeof *table);
    answer.rows = rows;
    for (size_t row = 0; row < rows; row++) {
        const unsigned match = filter_matches(program, table, rows, row);
        answer.matches += match;
        answer.sum += match ? table[row] : 0;
    }
    (void)tc_reply(&answer, sizeof answer);
}

#endif
