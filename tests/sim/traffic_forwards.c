/* Calls in a group of all nodes, which a member forwards to another one. Where nothing disturbs
 * the world, those by the same way arrive in order; else each has a flow of its own, as members
 * connect again. */
#include "traffic_node.h"

#include <string.h>

#define GROUP_ID 77u

bool node_has_group(const node *n)
{
    return has(n, PLAN_forwards) || has(n, PLAN_local) || has(n, PLAN_members) ||
           has(n, PLAN_barriers);
}

tc_status node_make_group(node *n, tc_error *error)
{
    char addresses[PLAN_NODES_MAX][TC_SIM_ADDRESS_BYTES];
    tc_group_member members[PLAN_NODES_MAX];
    const unsigned size = plan_members(n->all->plan);
    for (unsigned i = 0; i < size; i++) {
        const char *text = node_address(n, i, addresses[i]);
        members[i] = (tc_group_member){text, strlen(text)};
    }
    const tc_group_params params = {
        .id = GROUP_ID, .rank = n->number, .size = size, .members = members};
    return tc_group_create(n->ctx, &params, &n->group, error);
}

uint32_t node_route(node *n, unsigned via, unsigned last)
{
    uint32_t *route = &n->routes[via][last];
    if (*route == 0 || (node_is_disturbed(n) && (via != n->number || last != n->number)))
        *route = 1 + flows_open(n->number, n->all->lives[n->number], last);
    return *route - 1;
}

void node_call_by_way(node *n, unsigned to)
{
    tc_ep *ep;
    tc_error error = {0};
    const unsigned via = node_of(to);
    const unsigned last = (unsigned)draw(n, plan_members(n->all->plan));
    const unsigned function = node_draw_function(n);
    const size_t size = sizeof(flow_header) + draw(n, SMALL_MAX);
    started *s = node_unused_call(n);
    if (s == NULL || n->group == NULL || via >= plan_members(n->all->plan))
        return;
    *s = (started){
        .node = n, .rank = last, .hops = via != last, .flow = node_route(n, via, last)};
    s->number = flows_get(s->flow)->sent + 1;
    flows_write(s->flow, function, FLOW_FORWARDED, n->payload, size);
    const tc_call_params params = {.result = &s->answer,
                                   .result_capacity = sizeof s->answer,
                                   .timeout_ns = TIMEOUT_NS,
                                   .done = node_call_done,
                                   .user = s};
    tc_status status = tc_group_ep(n->group, via, &ep, &error);
    s->used = true;
    if (status == TC_OK)
        status =
            tc_call_start(ep, n->functions[function], n->payload, size, &params, NULL, &error);
    if (status == TC_OK) {
        flows_get(s->flow)->sent++;
        return;
    }
    s->used = false;
    if (status != TC_E_AGAIN && !node_is_refusal(n, status) && !node_is_loss(n, status))
        flows_fail("node %u: a call in the group: %s: %s", n->number, tc_status_name(status),
                   error.text);
}

bool node_forward(node *n, void *payload, size_t size)
{
    const unsigned target = flows_target(n->number, payload, size);
    if (target == n->number)
        return false;
    tc_status status = tc_forward(target, payload, size);
    if (status != TC_OK && status != TC_E_AGAIN && !node_is_refusal(n, status) &&
        !node_is_loss(n, status))
        flows_fail("node %u: forward to node %u: %s", n->number, target,
                   tc_status_name(status));
    return true;
}
