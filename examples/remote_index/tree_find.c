/* Descends the tree from a node that this rank has, and goes on to the rank of each next one.
 * The rank of the leaf answers with the value, or 0. */
#include "index.h"

#include <string.h>

void tree_find_main(void *payload, size_t size, void *target_args)
{
    const index_rank *own = index_here();
    index_order order;
    (void)target_args;
    if (own == NULL || size != sizeof order) {
        tc_self_fail(TC_E_INVALID, "no index here, or a damaged order");
        return;
    }
    memcpy(&order, payload, sizeof order);
    while (order.node < INDEX_NODES_MAX && order.node % own->ranks == own->rank) {
        const index_node *node = &own->part->nodes[order.node];
        if (node->is_leaf) {
            const uint64_t value = index_value(node, order.key);
            tc_reply(&value, sizeof value);
            return;
        }
        order.node = index_child(node, order.key);
    }
    if (tc_forward((uint32_t)(order.node % own->ranks), &order, sizeof order) != TC_OK)
        return; /* the caller gets the reason */
}
