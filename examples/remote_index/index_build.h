/* Fills the part of a rank. */
#ifndef INDEX_BUILD_H
#define INDEX_BUILD_H

#include "index.h"

#include <stdbool.h>

/* Key number i, and its value, which is never 0. */
static inline uint64_t index_key(uint64_t i)
{
    return 3 * i + 1;
}

static inline uint64_t index_value_of(uint64_t key)
{
    return key * key + 7;
}

/* Fills the table with the keys of that rank, and the tree with all of them: each rank makes
 * the same nodes, and opens those of its own to others. False: there are too many keys. */
bool index_build(index_part *part, uint64_t keys, uint32_t rank, uint32_t ranks);

#endif
