/* Messages that bring their code along, in order among the others of their endpoint. */
#include "traffic_node.h"

#include <tc/advanced.h>

void node_send_injected(node *n, unsigned to)
{
    tc_error error = {0};
    const unsigned function = node_draw_function(n);
    const size_t size = node_draw_size(n);
    const uint32_t number = n->peers[to].flow;
    flows_write(number, function, FLOW_INJECTED, n->payload, size);
    tc_status status =
        tc_send_injected(n->peers[to].ep, n->functions[function], n->payload, size);
    if (status == TC_OK) {
        flows_get(number)->sent++;
        return;
    }
    (void)tc_send_error(n->ctx, &error);
    const bool is_large = size > sizeof(flow_header) + SMALL_MAX;
    if (status != TC_E_AGAIN && !(status == TC_E_TOO_LARGE && is_large))
        node_lose(n, to, status, &error, "injected send");
}

void node_expect_code(const node *n, const flow_header *header)
{
    const bool is_injected = header->kind == FLOW_INJECTED;
    if ((tc_self_ifunc() == NULL) != is_injected && header->size > 0)
        flows_fail("node %u: flow %u: the code of a message %s its message", n->number,
                   header->flow, is_injected ? "outlives" : "came with");
}
