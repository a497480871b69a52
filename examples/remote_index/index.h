/* A hash table and a B+-tree over all ranks of a group: the layout that each rank opens to the
 * others as a window, and the messages of the functions that search them.
 *
 * Each key has a rank, key % ranks, whose table has it. A node of the tree is at the rank of
 * its number, number % ranks. An offset and a number mean the same at each rank. */
#ifndef INDEX_H
#define INDEX_H

#include <stdint.h>
#include <tc/entry.h>
#include <tc/window.h>

/* The name under which each rank publishes its index_rank. */
#define INDEX_RANK "index_rank"

#define INDEX_BUCKETS 8192u
#define INDEX_KEYS_MAX 16384u
#define INDEX_FANOUT 16u
#define INDEX_NODES_MAX 4096u

/* An entry of a table. Lists end at entry 0, whose key no lookup has. */
typedef struct index_entry {
    uint64_t key;
    uint64_t value;
    uint64_t next; /* offset of an entry, in the window */
} index_entry;

/* 264 bytes. Child i of an inner node has the keys below keys[i], the last one all others. */
typedef struct index_node {
    uint32_t count; /* of children, or of keys of a leaf */
    uint32_t is_leaf;
    uint64_t keys[INDEX_FANOUT];
    uint64_t places[INDEX_FANOUT]; /* numbers of children; in a leaf: values */
} index_node;

/* The window of a rank. */
typedef struct index_part {
    uint64_t version;                /* changes with the inner nodes; never, in this example */
    uint64_t root;                   /* the number of the root */
    uint64_t buckets[INDEX_BUCKETS]; /* offsets of entries */
    index_entry entries[INDEX_KEYS_MAX + 1];
    index_node nodes[INDEX_NODES_MAX];
} index_part;

/* Published by each rank. */
typedef struct index_rank {
    index_part *part;
    tc_gptr at; /* the window */
    uint32_t rank;
    uint32_t ranks;
} index_rank;

/* To table_find and tree_find. */
typedef struct index_order {
    uint64_t key;
    uint64_t node; /* of the tree: where to go on */
} index_order;

/* Returns the running function's rank, or NULL: there is no index. */
static inline const index_rank *index_here(void)
{
    size_t size = 0;
    const index_rank *own = tc_self_data(INDEX_RANK, &size);
    return size == sizeof *own ? own : NULL;
}

static inline uint64_t index_bucket(uint64_t key)
{
    return (key * 0x9e3779b97f4a7c15u) >> 51; /* of INDEX_BUCKETS */
}

/* Returns the child of an inner node that has the key. */
static inline uint64_t index_child(const index_node *node, uint64_t key)
{
    uint32_t i = 0;
    while (i + 1 < node->count && i + 1 < INDEX_FANOUT && key >= node->keys[i])
        i++;
    return node->places[i];
}

/* Returns the value in a leaf, or 0. */
static inline uint64_t index_value(const index_node *leaf, uint64_t key)
{
    for (uint32_t i = 0; i < leaf->count && i < INDEX_FANOUT; i++) {
        if (leaf->keys[i] == key)
            return leaf->places[i];
    }
    return 0;
}

#endif
