/* A hash table and a B+-tree over the owners of a group, the ranks behind its clients: the
 * layout of the memory that each owner opens to others as a window, and the messages of the
 * functions that search it.
 *
 * An owner's part is an index_part, buckets, leaves, inner nodes and entries. All offsets but
 * the part's end mean the same at each owner. A key is in the table of one owner; a node of
 * the tree is at the owner of its number, leaves first. Two rules bound every search, also
 * one in memory that somebody else fills: an entry's list goes on at a lower offset, and a
 * child has a lower number than its parent. */
#ifndef INDEX_H
#define INDEX_H

#include <stdint.h>
#include <string.h>
#include <tc/entry.h>
#include <tc/window.h>

/* The name under which each owner publishes its index_rank. */
#define INDEX_RANK "index_rank"

#define INDEX_FANOUT_MAX 64u
#define INDEX_VALUE_MAX 4096u

/* The same at all ranks. */
typedef struct index_shape {
    uint64_t keys;
    uint32_t clients; /* ranks that only look up; the others are the owners */
    uint32_t owners;
    uint32_t fanout;      /* keys of a leaf, children of an inner node */
    uint32_t value_bytes; /* a multiple of 8 */
    uint32_t bucket_bits; /* 2 to that power buckets for each owner; at least 1 */
    uint32_t levels;      /* of the tree, the leaves' among them */
    uint64_t leaves;      /* nodes 0 to leaves - 1 */
    uint64_t nodes;       /* the last one is the root */
    uint64_t entry_bytes, leaf_bytes, inner_bytes;
    uint64_t leaves_at, inner_at, entries_at; /* offsets in a part */
} index_shape;

/* The head of a part. */
typedef struct index_part {
    uint64_t version; /* changes with the inner nodes */
    uint64_t ended;   /* not 0: no client has further questions */
    uint64_t buckets[];
} index_part;

/* Lists end at entry 0, which has the key INDEX_NO_KEY. A bucket is the offset of its first
 * entry. */
typedef struct index_entry {
    uint64_t key;
    uint64_t next; /* offset of an entry */
    uint64_t value[];
} index_entry;

#define INDEX_NO_KEY UINT64_MAX

/* Behind the keys, at words[fanout], a leaf has its values, and an inner node the numbers of
 * its children. Child i has the keys below words[i], the last child all others. */
typedef struct index_node {
    uint64_t count; /* of keys in a leaf, of children */
    uint64_t words[];
} index_node;

/* Published by each owner. */
typedef struct index_rank {
    index_part *part;
    tc_gptr at; /* the window */
    uint32_t rank;
    index_shape shape;
} index_rank;

/* To table_find, tree_find and tree_walk. */
typedef struct index_order {
    uint64_t key;
    uint64_t node; /* of the tree: where to go on */
} index_order;

/* Returns the running function's owner, or NULL: there is no index. */
static inline const index_rank *index_here(void)
{
    size_t size = 0;
    const index_rank *own = tc_self_data(INDEX_RANK, &size);
    return size == sizeof *own ? own : NULL;
}

/* Copies a message's order. Returns the owner, or NULL: the function has failed. */
static inline const index_rank *index_take(const void *payload, size_t size,
                                           index_order *order_out)
{
    const index_rank *own = index_here();
    if (own == NULL || size != sizeof *order_out) {
        tc_self_fail(TC_E_INVALID, "no index here, or a damaged order");
        return NULL;
    }
    memcpy(order_out, payload, sizeof *order_out);
    return own;
}

static inline uint64_t index_hash(uint64_t number)
{
    return (number + 1) * 0x9e3779b97f4a7c15u;
}

/* Returns the rank of the owner that has the key in its table. */
static inline uint32_t index_key_rank(const index_shape *shape, uint64_t key)
{
    return shape->clients + (uint32_t)((index_hash(key) >> 16 & UINT32_MAX) % shape->owners);
}

static inline uint32_t index_node_rank(const index_shape *shape, uint64_t number)
{
    return shape->clients + (uint32_t)(number % shape->owners);
}

static inline uint64_t index_bucket(const index_shape *shape, uint64_t key)
{
    return index_hash(key) >> (64 - shape->bucket_bits);
}

static inline uint64_t index_bucket_at(const index_shape *shape, uint64_t key)
{
    return sizeof(index_part) + 8 * index_bucket(shape, key);
}

static inline int index_is_leaf(const index_shape *shape, uint64_t number)
{
    return number < shape->leaves;
}

static inline uint64_t index_node_at(const index_shape *shape, uint64_t number)
{
    return index_is_leaf(shape, number)
               ? shape->leaves_at + number * shape->leaf_bytes
               : shape->inner_at + (number - shape->leaves) * shape->inner_bytes;
}

static inline uint64_t index_node_bytes(const index_shape *shape, uint64_t number)
{
    return index_is_leaf(shape, number) ? shape->leaf_bytes : shape->inner_bytes;
}

/* Returns the child of an inner node that has the key. Its number is not checked. */
static inline uint64_t index_child(const index_shape *shape, const index_node *node,
                                   uint64_t key)
{
    uint32_t i = 0;
    while (i + 1 < node->count && i + 1 < shape->fanout && key >= node->words[i])
        i++;
    return node->words[shape->fanout + i];
}

/* Returns the key's value in a leaf, or NULL. */
static inline const uint64_t *index_value(const index_shape *shape, const index_node *leaf,
                                          uint64_t key)
{
    for (uint32_t i = 0; i < leaf->count && i < shape->fanout; i++) {
        if (leaf->words[i] == key)
            return leaf->words + shape->fanout + i * (shape->value_bytes / 8);
    }
    return NULL;
}

/* Replies with a value; NULL: with 0 bytes, the key is not there. */
static inline void index_answer(const index_shape *shape, const uint64_t *value)
{
    tc_reply(value, value != NULL ? shape->value_bytes : 0);
}

#endif
