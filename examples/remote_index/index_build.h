/* The shape of an index, and an owner's part of it. */
#ifndef INDEX_BUILD_H
#define INDEX_BUILD_H

#include "index.h"

#include <stdbool.h>

#define INDEX_KEYS_MAX 1000000u
#define INDEX_VALUES_MAX (256ul << 20) /* bytes of all values together */

/* A mistake that is made on purpose, in the middle key, so that the comparison finds it. */
typedef enum index_damage { INDEX_INTACT, INDEX_WRONG_VALUE, INDEX_NO_MIDDLE } index_damage;

/* Key number i. The numbers between are no keys. */
static inline uint64_t index_key(uint64_t i)
{
    return 3 * i + 1;
}

/* Word number i of a key's value. */
static inline uint64_t index_word(uint64_t key, uint64_t i)
{
    return key * key + 7 + i;
}

/* Fills in all that depends on keys, clients, owners, fanout and value_bytes.
 *
 *   per_bucket  as many keys for each bucket, or fewer: there are a power of two */
void index_shape_init(index_shape *shape, uint64_t per_bucket);

/* Makes an owner's part: its table, and the nodes of the tree that it has. Returns memory for
 * free, and its bytes; NULL: there is not so much. */
index_part *index_build(const index_shape *shape, uint32_t rank, index_damage damage,
                        uint64_t *bytes_out);

#endif
