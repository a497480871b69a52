#include "index_find.h"

#include <stddef.h>

#define TIMEOUT_NS TC_SECONDS(60)

static tc_gptr at(const index_client *c, uint32_t rank, uint64_t offset)
{
    return tc_gptr_add(c->windows[rank], offset);
}

static tc_gptr at_node(const index_client *c, uint64_t number)
{
    return at(c, (uint32_t)(number % c->own.ranks),
              offsetof(index_part, nodes) + number * sizeof(index_node));
}

static tc_status rank_of(index_client *c, uint64_t number, tc_ep **ep_out)
{
    return tc_group_ep(c->group, (uint32_t)(number % c->own.ranks), ep_out, &c->err);
}

/* --- the table ---------------------------------------------------------------------------- */

/* One round trip for the bucket, and one for each entry of its list. */
tc_status table_by_gets(index_client *c, uint64_t key, uint64_t *value_out)
{
    const uint32_t rank = (uint32_t)(key % c->own.ranks);
    const uint64_t end = offsetof(index_part, entries);
    index_entry entry;
    uint64_t next;
    tc_ep *ep;
    tc_status status = rank_of(c, key, &ep);
    if (status == TC_OK)
        status = tc_window_get(
            ep, at(c, rank, offsetof(index_part, buckets) + 8 * index_bucket(key)), &next,
            sizeof next, TIMEOUT_NS, &c->err);
    *value_out = 0;
    while (status == TC_OK && next != end) {
        status =
            tc_window_get(ep, at(c, rank, next), &entry, sizeof entry, TIMEOUT_NS, &c->err);
        if (status == TC_OK && entry.key == key)
            *value_out = entry.value;
        next = entry.key == key ? end : entry.next;
    }
    return status;
}

/* One round trip for bucket and first entry together, and one for each further entry. */
tc_status table_by_indirect_get(index_client *c, uint64_t key, uint64_t *value_out)
{
    const uint32_t rank = (uint32_t)(key % c->own.ranks);
    index_entry entry;
    tc_ep *ep;
    tc_status status = rank_of(c, key, &ep);
    if (status == TC_OK)
        status = tc_window_get_indirect(
            ep, at(c, rank, offsetof(index_part, buckets) + 8 * index_bucket(key)), 0, &entry,
            sizeof entry, TIMEOUT_NS, &c->err);
    while (status == TC_OK && entry.key != key && entry.key != UINT64_MAX)
        status = tc_window_get(ep, at(c, rank, entry.next), &entry, sizeof entry, TIMEOUT_NS,
                               &c->err);
    *value_out = status == TC_OK && entry.key == key ? entry.value : 0;
    return status;
}

static tc_status ask(index_client *c, uint64_t rank, int function, uint64_t key,
                     uint64_t *value_out)
{
    const index_order order = {key, c->own.part->root};
    size_t size = sizeof *value_out;
    tc_ep *ep;
    tc_status status = rank_of(c, rank, &ep);
    return status != TC_OK ? status
                           : tc_call(ep, c->functions[function], &order, sizeof order,
                                     value_out, &size, TIMEOUT_NS, &c->err);
}

/* One round trip. */
tc_status table_by_function(index_client *c, uint64_t key, uint64_t *value_out)
{
    return ask(c, key, TABLE_FIND, key, value_out);
}

/* --- the tree ----------------------------------------------------------------------------- */

static tc_status get_node(index_client *c, uint64_t number, index_node *node)
{
    tc_ep *ep;
    tc_status status = rank_of(c, number, &ep);
    return status != TC_OK
               ? status
               : tc_window_get(ep, at_node(c, number), node, sizeof *node, TIMEOUT_NS, &c->err);
}

/* One round trip for each level. */
tc_status tree_by_gets(index_client *c, uint64_t key, uint64_t *value_out)
{
    uint64_t number = c->own.part->root;
    index_node node;
    tc_status status;
    while ((status = get_node(c, number, &node)) == TC_OK && !node.is_leaf)
        number = index_child(&node, key);
    *value_out = status == TC_OK ? index_value(&node, key) : 0;
    return status;
}

/* Descends as far as the copy goes. Returns the number of the first node that it lacks. */
static uint64_t descend(const index_client *c, uint64_t key)
{
    uint64_t number = c->own.part->root;
    while (c->is_known[number])
        number = index_child(&c->inner[number], key);
    return number;
}

/* One round trip: inner nodes are copied, and a chain gets the version beside the leaf. Another
 * version drops the copy. */
tc_status tree_by_chain(index_client *c, uint64_t key, uint64_t *value_out)
{
    *value_out = 0;
    for (;;) {
        const uint64_t number = descend(c, key);
        index_node node;
        uint64_t version;
        tc_ep *ep;
        tc_status status = rank_of(c, number, &ep);
        const tc_window_step steps[] = {
            tc_window_step_get(
                at(c, (uint32_t)(number % c->own.ranks), offsetof(index_part, version)),
                &version, sizeof version),
            tc_window_step_get(at_node(c, number), &node, sizeof node)};
        if (status == TC_OK)
            status = tc_window_chain(ep, steps, 2, TIMEOUT_NS, NULL, &c->err);
        if (status != TC_OK)
            return status;
        if (version != c->version) {
            for (uint64_t i = 0; i < INDEX_NODES_MAX; i++)
                c->is_known[i] = false;
            c->version = version;
        } else if (node.is_leaf) {
            *value_out = index_value(&node, key);
            return TC_OK;
        } else {
            c->inner[number] = node;
            c->is_known[number] = true;
        }
    }
}

/* One message to each rank on the way, and one back. */
tc_status tree_by_travelling(index_client *c, uint64_t key, uint64_t *value_out)
{
    return ask(c, c->own.part->root, TREE_FIND, key, value_out);
}

/* One round trip for the caller; the root's rank gets the other nodes and waits for them. */
tc_status tree_by_waiting(index_client *c, uint64_t key, uint64_t *value_out)
{
    return ask(c, c->own.part->root, TREE_WALK, key, value_out);
}
