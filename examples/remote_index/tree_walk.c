/* Descends the tree by gets, each from the rank of the next node, and waits for them here: the
 * caller's rank has one message to send and one to receive. */
#include "index.h"

#include <string.h>
#include <tc/task.h>

/* Gets a node. The window of each rank begins at the same offset, and has the same number. */
static tc_status get(const index_rank *own, uint64_t number, index_node *node, tc_error *err)
{
    const uint32_t rank = (uint32_t)(number % own->ranks);
    tc_gptr at = tc_gptr_add(own->at, offsetof(index_part, nodes) + number * sizeof *node);
    tc_ep *ep;
    if (rank == own->rank) {
        *node = own->part->nodes[number];
        return TC_OK;
    }
    at.rank = rank;
    tc_status status = tc_group_ep(tc_self_group(), rank, &ep, err);
    return status != TC_OK ? status : tc_window_get(ep, at, node, sizeof *node, 0, err);
}

TC_THREADED(tree_walk)(void *payload, size_t size, void *target_args)
{
    const index_rank *own = index_here();
    index_order order;
    index_node node;
    tc_error err = {TC_OK, ""};
    (void)target_args;
    if (own == NULL || size != sizeof order) {
        tc_self_fail(TC_E_INVALID, "no index here, or a damaged order");
        return;
    }
    memcpy(&order, payload, sizeof order);
    do {
        if (order.node >= INDEX_NODES_MAX || get(own, order.node, &node, &err) != TC_OK) {
            tc_self_fail(err.status != TC_OK ? err.status : TC_E_CORRUPT, err.text);
            return;
        }
        order.node = node.is_leaf ? order.node : index_child(&node, order.key);
    } while (!node.is_leaf);
    const uint64_t value = index_value(&node, order.key);
    tc_reply(&value, sizeof value);
}
