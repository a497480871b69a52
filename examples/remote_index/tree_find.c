/* Descends the tree from a node that this owner has, and goes on to the owner of each next one.
 * The owner of the leaf answers with the value. */
#include "index.h"

void tree_find_main(void *payload, size_t size, void *target_args)
{
    index_order order;
    const index_rank *own = index_take(payload, size, &order);
    (void)target_args;
    if (own == NULL)
        return;
    if (order.node >= own->shape.nodes) {
        tc_self_fail(TC_E_INVALID, "the order's node is beyond the tree's root");
        return;
    }
    while (index_node_rank(&own->shape, order.node) == own->rank) {
        const index_node *node =
            (const void *)((const char *)own->part + index_node_at(&own->shape, order.node));
        if (index_is_leaf(&own->shape, order.node)) {
            index_answer(&own->shape, index_value(&own->shape, node, order.key));
            return;
        }
        order.node = index_child(&own->shape, node, order.key);
    }
    const uint32_t next = index_node_rank(&own->shape, order.node);
    if (tc_forward(next, &order, sizeof order) != TC_OK)
        return; /* the caller gets the reason */
}
