/* Checks whether untrusted bytes are a program. */
#ifndef FILTER_CHECK_H
#define FILTER_CHECK_H

#include "filter_program.h"

#include <stdbool.h>

/* Every term finds its operands, and one value is left. */
static inline bool filter_check(const uint8_t *program, size_t size)
{
    static const uint8_t mark[FILTER_MARK_BYTES] = {FILTER_MARK};
    unsigned depth = 0;
    if (size < FILTER_PROGRAM_BYTES || __builtin_memcmp(program, mark, sizeof mark) != 0 ||
        program[FILTER_COUNT_AT] > FILTER_TERMS_MAX)
        return false;
    for (unsigned i = 0; i < program[FILTER_COUNT_AT]; i++) {
        const uint8_t *term = program + FILTER_HEAD_BYTES + i * FILTER_TERM_BYTES;
        const unsigned op = term[FILTER_OP_AT];
        const unsigned takes = op == FILTER_AND || op == FILTER_OR ? 2 : op == FILTER_NOT;
        if (op > FILTER_NOT || term[FILTER_COLUMN_AT] >= FILTER_COLUMNS || depth < takes)
            return false;
        depth = depth - takes + 1;
    }
    return depth == 1;
}

#endif
