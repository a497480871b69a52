/* Descends the tree by gets, each from the owner of the next node, and waits for them here: the
 * client has one message to send and one to receive. */
#include "index.h"

#include <stdio.h>
#include <stdlib.h>
#include <tc/task.h>

/* Returns a node, this owner's own or a copy in `copy`. The windows of all owners have the same
 * number. */
static tc_status get(const index_rank *own, uint64_t number, index_node *copy,
                     const index_node **node_out, tc_error *err)
{
    const uint32_t rank = index_node_rank(&own->shape, number);
    const uint64_t offset = index_node_at(&own->shape, number);
    tc_gptr at = tc_gptr_add(own->at, offset);
    tc_ep *ep;
    if (rank == own->rank) {
        *node_out = (const void *)((const char *)own->part + offset);
        return TC_OK;
    }
    at.rank = rank;
    *node_out = copy;
    tc_status status = tc_group_ep(tc_self_group(), rank, &ep, err);
    return status != TC_OK
               ? status
               : tc_window_get(ep, at, copy, index_node_bytes(&own->shape, number), 0, err);
}

static void fail(tc_error *err, tc_status status, const char *text)
{
    err->status = status;
    snprintf(err->text, sizeof err->text, "%s", text);
}

/* Returns the leaf that has the key, if one has. */
static tc_status descend(const index_rank *own, index_order order, index_node *copy,
                         const index_node **leaf_out, tc_error *err)
{
    uint64_t number = order.node;
    tc_status status;
    if (number >= own->shape.nodes)
        fail(err, status = TC_E_INVALID, "the order's node is beyond the tree's root");
    else
        status = get(own, number, copy, leaf_out, err);
    while (status == TC_OK && !index_is_leaf(&own->shape, number)) {
        const uint64_t child = index_child(&own->shape, *leaf_out, order.key);
        if (child >= number)
            fail(err, status = TC_E_CORRUPT, "a child's number is not below its parent's");
        else
            status = get(own, number = child, copy, leaf_out, err);
    }
    return status;
}

TC_THREADED(tree_walk)(void *payload, size_t size, void *target_args)
{
    const index_node *leaf;
    index_order order;
    const index_rank *own = index_take(payload, size, &order);
    tc_error err = {TC_OK, ""};
    (void)target_args;
    if (own == NULL)
        return;
    /* Not on the stack: a function that waits keeps 64 KiB of it at most. */
    index_node *copy =
        malloc(own->shape.leaf_bytes > own->shape.inner_bytes ? own->shape.leaf_bytes
                                                              : own->shape.inner_bytes);
    if (copy == NULL)
        tc_self_fail(TC_E_NO_MEMORY, "no memory for a node");
    else if (descend(own, order, copy, &leaf, &err) != TC_OK)
        tc_self_fail(err.status, err.text);
    else
        index_answer(&own->shape, index_value(&own->shape, leaf, order.key));
    free(copy);
}
