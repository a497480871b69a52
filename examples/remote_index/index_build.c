#include "index_build.h"

#include <stddef.h>

static void add_entry(index_part *part, uint64_t place, uint64_t key)
{
    uint64_t *bucket = &part->buckets[index_bucket(key)];
    part->entries[place] = (index_entry){key, index_value_of(key), *bucket};
    *bucket = offsetof(index_part, entries) + place * sizeof(index_entry);
}

static void build_table(index_part *part, uint64_t keys, uint32_t rank, uint32_t ranks)
{
    const uint64_t end = offsetof(index_part, entries);
    uint64_t place = 0;
    part->entries[0] = (index_entry){UINT64_MAX, 0, end};
    for (uint64_t i = 0; i < INDEX_BUCKETS; i++)
        part->buckets[i] = end;
    for (uint64_t i = 0; i < keys; i++) {
        if (index_key(i) % ranks == rank)
            add_entry(part, ++place, index_key(i));
    }
}

/* Makes the leaves, then each level above, until one node is left: the root. */
static bool build_tree(index_part *part, uint64_t keys)
{
    uint64_t count = 0, first = 0;
    uint64_t lowest[INDEX_NODES_MAX]; /* the lowest key below each node */
    for (uint64_t i = 0; i < keys; i++) {
        index_node *leaf = &part->nodes[i / INDEX_FANOUT];
        if (i / INDEX_FANOUT == INDEX_NODES_MAX)
            return false;
        if (i % INDEX_FANOUT == 0) {
            *leaf = (index_node){.is_leaf = 1};
            lowest[count++] = index_key(i);
        }
        leaf->keys[leaf->count] = index_key(i);
        leaf->places[leaf->count++] = index_value_of(index_key(i));
    }
    while (count - first > 1) {
        const uint64_t end = count;
        for (uint64_t child = first; child < end; child++) {
            const uint64_t at = (child - first) % INDEX_FANOUT;
            if (at == 0 && count == INDEX_NODES_MAX)
                return false;
            if (at == 0) {
                lowest[count] = lowest[child];
                part->nodes[count++] = (index_node){0};
            } else {
                part->nodes[count - 1].keys[at - 1] = lowest[child];
            }
            part->nodes[count - 1].places[part->nodes[count - 1].count++] = child;
        }
        first = end;
    }
    part->root = first;
    return true;
}

bool index_build(index_part *part, uint64_t keys, uint32_t rank, uint32_t ranks)
{
    if (keys == 0 || keys > INDEX_KEYS_MAX)
        return false;
    part->version = 1;
    build_table(part, keys, rank, ranks);
    return build_tree(part, keys);
}
