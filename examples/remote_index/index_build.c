#include "index_build.h"

#include <stdlib.h>

static uint64_t nodes_above(const index_shape *shape, uint64_t below)
{
    return (below + shape->fanout - 1) / shape->fanout;
}

void index_shape_init(index_shape *shape, uint64_t per_bucket)
{
    const uint64_t value = shape->value_bytes;
    shape->bucket_bits = 1;
    while ((per_bucket * shape->owners) << shape->bucket_bits < shape->keys)
        shape->bucket_bits++;
    shape->leaves = nodes_above(shape, shape->keys);
    shape->nodes = shape->leaves;
    shape->levels = 1;
    for (uint64_t level = shape->leaves; level > 1; shape->levels++)
        shape->nodes += level = nodes_above(shape, level);
    shape->entry_bytes = sizeof(index_entry) + value;
    shape->leaf_bytes = sizeof(index_node) + shape->fanout * (8 + value);
    shape->inner_bytes = sizeof(index_node) + shape->fanout * 16ul;
    shape->leaves_at = sizeof(index_part) + (8ul << shape->bucket_bits);
    shape->inner_at = shape->leaves_at + shape->leaves * shape->leaf_bytes;
    shape->entries_at = shape->inner_at + (shape->nodes - shape->leaves) * shape->inner_bytes;
}

/* --- values ------------------------------------------------------------------------------- */

static bool is_left_out(const index_shape *shape, uint64_t i, index_damage damage)
{
    return damage == INDEX_NO_MIDDLE && i == shape->keys / 2;
}

static void fill_value(const index_shape *shape, uint64_t i, index_damage damage,
                       uint64_t *value)
{
    const uint64_t words = shape->value_bytes / 8;
    for (uint64_t k = 0; k < words; k++)
        value[k] = index_word(index_key(i), k);
    if (damage == INDEX_WRONG_VALUE && i == shape->keys / 2)
        value[words - 1] ^= 1;
}

/* --- the table ---------------------------------------------------------------------------- */

static void build_table(const index_shape *shape, uint32_t rank, index_damage damage,
                        index_part *part)
{
    uint64_t at = shape->entries_at;
    index_entry *entry = (void *)((char *)part + at);
    *entry = (index_entry){.key = INDEX_NO_KEY, .next = at};
    for (uint64_t i = 0; i < 1ul << shape->bucket_bits; i++)
        part->buckets[i] = at;
    for (uint64_t i = 0; i < shape->keys; i++) {
        const uint64_t key = index_key(i);
        if (index_key_rank(shape, key) != rank || is_left_out(shape, i, damage))
            continue;
        uint64_t *bucket = &part->buckets[index_bucket(shape, key)];
        at += shape->entry_bytes;
        entry = (void *)((char *)part + at);
        entry->key = key;
        entry->next = *bucket;
        fill_value(shape, i, damage, entry->value);
        *bucket = at;
    }
}

/* --- the tree ----------------------------------------------------------------------------- */

static index_node *node_of(const index_shape *shape, index_part *part, uint64_t number)
{
    return (void *)((char *)part + index_node_at(shape, number));
}

static void fill_leaf(const index_shape *shape, uint64_t number, index_damage damage,
                      index_node *leaf)
{
    const uint64_t words = shape->value_bytes / 8;
    const uint64_t first = number * shape->fanout;
    for (uint64_t i = first; i < first + shape->fanout && i < shape->keys; i++) {
        if (is_left_out(shape, i, damage))
            continue;
        fill_value(shape, i, damage, leaf->words + shape->fanout + leaf->count * words);
        leaf->words[leaf->count++] = index_key(i);
    }
}

/* Fills a node with the children from `child` on, each of which has `keys` keys. */
static void fill_inner(const index_shape *shape, uint64_t child, uint64_t count, uint64_t first,
                       uint64_t keys, index_node *node)
{
    node->count = count;
    for (uint64_t i = 0; i < count; i++) {
        node->words[shape->fanout + i] = child + i;
        if (i + 1 < count)
            node->words[i] = index_key(first + (i + 1) * keys);
    }
}

/* Each level from the leaves on has all nodes full but the last. */
static void build_tree(const index_shape *shape, uint32_t rank, index_damage damage,
                       index_part *part)
{
    for (uint64_t i = 0; i < shape->leaves; i++) {
        if (index_node_rank(shape, i) == rank)
            fill_leaf(shape, i, damage, node_of(shape, part, i));
    }
    uint64_t below = 0, count = shape->leaves, keys = shape->fanout;
    while (count > 1) {
        const uint64_t first = below + count, above = nodes_above(shape, count);
        for (uint64_t i = 0; i < above; i++) {
            const uint64_t child = i * shape->fanout;
            const uint64_t left = count - child;
            if (index_node_rank(shape, first + i) == rank)
                fill_inner(shape, below + child, left < shape->fanout ? left : shape->fanout,
                           child * keys, keys, node_of(shape, part, first + i));
        }
        below = first;
        count = above;
        keys *= shape->fanout;
    }
}

index_part *index_build(const index_shape *shape, uint32_t rank, index_damage damage,
                        uint64_t *bytes_out)
{
    uint64_t entries = 1;
    for (uint64_t i = 0; i < shape->keys; i++)
        entries += index_key_rank(shape, index_key(i)) == rank;
    const uint64_t bytes = shape->entries_at + entries * shape->entry_bytes;
    index_part *part = calloc(1, bytes);
    if (part == NULL)
        return NULL;
    part->version = 1;
    build_table(shape, rank, damage, part);
    build_tree(shape, rank, damage, part);
    *bytes_out = bytes;
    return part;
}
