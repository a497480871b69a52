#include "index_find.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Checks numbers that another process wrote: a search ends, whatever it finds. */
static tc_status must_be_below(index_client *c, const char *what, uint64_t found,
                               uint64_t bound)
{
    if (found < bound)
        return TC_OK;
    c->err.status = TC_E_CORRUPT;
    (void)snprintf(c->err.text, sizeof c->err.text,
                   "%s is %" PRIu64 ", expected less than %" PRIu64, what, found, bound);
    return TC_E_CORRUPT;
}

static tc_status answer(index_client *c, const uint64_t *value, uint64_t *value_out,
                        bool *is_found_out)
{
    *is_found_out = value != NULL;
    if (value != NULL)
        memcpy(value_out, value, c->shape.value_bytes);
    return TC_OK;
}

/* --- the table ---------------------------------------------------------------------------- */

/* Gets the entry at the end of the list before, or nearer, until one has the key. */
static tc_status follow_list(index_client *c, uint32_t rank, uint64_t key, uint64_t before,
                             uint64_t next)
{
    tc_status status = must_be_below(c, "an entry's offset", next, before);
    while (status == TC_OK) {
        status = index_get(c, rank, next, c->entry, c->shape.entry_bytes);
        if (status != TC_OK || c->entry->key == key || c->entry->key == INDEX_NO_KEY)
            break;
        before = next;
        next = c->entry->next;
        status = must_be_below(c, "an entry's offset", next, before);
    }
    return status;
}

static tc_status answer_entry(index_client *c, uint64_t key, tc_status status,
                              uint64_t *value_out, bool *is_found_out)
{
    const bool is_there = c->entry->key == key && key != INDEX_NO_KEY;
    return status != TC_OK
               ? status
               : answer(c, is_there ? c->entry->value : NULL, value_out, is_found_out);
}

/* One round trip for the bucket, and one for each entry of its list, which may be empty. */
static tc_status table_by_gets(index_client *c, uint64_t key, uint64_t *value_out,
                               bool *is_found_out)
{
    const uint32_t rank = index_key_rank(&c->shape, key);
    uint64_t first;
    tc_status status =
        index_get(c, rank, index_bucket_at(&c->shape, key), &first, sizeof first);
    c->entry->key = INDEX_NO_KEY;
    if (status == TC_OK && first != c->shape.entries_at)
        status = follow_list(c, rank, key, UINT64_MAX, first);
    return answer_entry(c, key, status, value_out, is_found_out);
}

/* One round trip for bucket and first entry together, and one for each further entry. */
static tc_status table_by_indirect_get(index_client *c, uint64_t key, uint64_t *value_out,
                                       bool *is_found_out)
{
    const uint32_t rank = index_key_rank(&c->shape, key);
    tc_window_step steps[2];
    tc_window_steps_get_indirect(tc_gptr_add(c->windows[rank], index_bucket_at(&c->shape, key)),
                                 0, c->entry, c->shape.entry_bytes, steps);
    tc_status status = index_chain(c, rank, steps, 2);
    if (status == TC_OK && c->entry->key != key && c->entry->next != c->shape.entries_at)
        status = follow_list(c, rank, key, UINT64_MAX, c->entry->next);
    return answer_entry(c, key, status, value_out, is_found_out);
}

static tc_status ask(index_client *c, uint32_t rank, int function, uint64_t key,
                     uint64_t *value_out, bool *is_found_out)
{
    const index_order order = {key, c->shape.nodes - 1};
    size_t size = c->shape.value_bytes;
    tc_status status = index_call(c, rank, function, &order, sizeof order, value_out, &size);
    *is_found_out = size == c->shape.value_bytes;
    return status;
}

/* One round trip. */
static tc_status table_by_function(index_client *c, uint64_t key, uint64_t *value_out,
                                   bool *is_found_out)
{
    return ask(c, index_key_rank(&c->shape, key), TABLE_FIND, key, value_out, is_found_out);
}

/* --- the tree ----------------------------------------------------------------------------- */

/* Returns the child that has the key in *number_io, which is the node's number. */
static tc_status go_down(index_client *c, const index_node *node, uint64_t key,
                         uint64_t *number_io)
{
    const uint64_t child = index_child(&c->shape, node, key);
    const tc_status status = must_be_below(c, "a child's number", child, *number_io);
    if (status == TC_OK)
        *number_io = child;
    return status;
}

/* One round trip for each level. */
static tc_status tree_by_gets(index_client *c, uint64_t key, uint64_t *value_out,
                              bool *is_found_out)
{
    uint64_t number = c->shape.nodes - 1;
    for (;;) {
        tc_status status =
            index_get(c, index_node_rank(&c->shape, number), index_node_at(&c->shape, number),
                      c->node, index_node_bytes(&c->shape, number));
        if (status == TC_OK && index_is_leaf(&c->shape, number))
            return answer(c, index_value(&c->shape, c->node, key), value_out, is_found_out);
        if (status == TC_OK)
            status = go_down(c, c->node, key, &number);
        if (status != TC_OK)
            return status;
    }
}

static index_node *copy_of(const index_client *c, uint64_t number)
{
    return (void *)(c->inner + (number - c->shape.leaves) * c->shape.inner_bytes);
}

/* Descends as far as the copy goes. Sets the number of the first node that it lacks. */
static tc_status descend(index_client *c, uint64_t key, uint64_t *number_out)
{
    tc_status status = TC_OK;
    *number_out = c->shape.nodes - 1;
    while (status == TC_OK && !index_is_leaf(&c->shape, *number_out) &&
           c->is_known[*number_out - c->shape.leaves])
        status = go_down(c, copy_of(c, *number_out), key, number_out);
    return status;
}

static tc_status get_node_and_version(index_client *c, uint64_t number, uint64_t *version_out)
{
    const uint32_t rank = index_node_rank(&c->shape, number);
    const tc_window_step steps[] = {
        tc_window_step_get(tc_gptr_add(c->windows[rank], offsetof(index_part, version)),
                           version_out, sizeof *version_out),
        tc_window_step_get(tc_gptr_add(c->windows[rank], index_node_at(&c->shape, number)),
                           c->node, index_node_bytes(&c->shape, number))};
    return index_chain(c, rank, steps, 2);
}

/* One round trip: inner nodes are copied, and a chain gets the version beside the leaf. Another
 * version drops the copy. */
static tc_status tree_by_chain(index_client *c, uint64_t key, uint64_t *value_out,
                               bool *is_found_out)
{
    for (;;) {
        uint64_t number, version;
        tc_status status = descend(c, key, &number);
        if (status == TC_OK)
            status = get_node_and_version(c, number, &version);
        if (status != TC_OK)
            return status;
        if (version != c->version) {
            memset(c->is_known, 0, c->shape.nodes - c->shape.leaves);
            c->version = version;
        } else if (index_is_leaf(&c->shape, number)) {
            return answer(c, index_value(&c->shape, c->node, key), value_out, is_found_out);
        } else {
            memcpy(copy_of(c, number), c->node, c->shape.inner_bytes);
            c->is_known[number - c->shape.leaves] = true;
        }
    }
}

tc_status index_change(index_client *c)
{
    tc_status status = TC_OK;
    for (uint32_t i = 0; i < c->shape.owners && status == TC_OK; i++) {
        const uint32_t rank = c->shape.clients + i;
        const tc_window_step step = tc_window_step_fetch_add(
            tc_gptr_add(c->windows[rank], offsetof(index_part, version)), 1, NULL);
        status = index_chain(c, rank, &step, 1);
    }
    return status;
}

/* One message to the owner of each node on the way, and one back. */
static tc_status tree_by_travelling(index_client *c, uint64_t key, uint64_t *value_out,
                                    bool *is_found_out)
{
    return ask(c, index_node_rank(&c->shape, c->shape.nodes - 1), TREE_FIND, key, value_out,
               is_found_out);
}

/* One round trip for the client; the root's owner gets the other nodes and waits for them. */
static tc_status tree_by_waiting(index_client *c, uint64_t key, uint64_t *value_out,
                                 bool *is_found_out)
{
    return ask(c, index_node_rank(&c->shape, c->shape.nodes - 1), TREE_WALK, key, value_out,
               is_found_out);
}

const index_way index_ways[INDEX_WAYS] = {
    {"table, gets", table_by_gets},
    {"table, indirect get", table_by_indirect_get},
    {"table, function", table_by_function},
    {"tree, gets", tree_by_gets},
    {"tree, chain to the leaf", tree_by_chain},
    {"tree, function that travels", tree_by_travelling},
    {"tree, function that waits", tree_by_waiting},
};
