/* Calls of a node: those that wait, and those that are started. */
#include "traffic_node.h"

#include <inttypes.h>

void node_call(node *n, unsigned to)
{
    tc_error error = {0};
    const unsigned function = node_draw_function(n);
    const size_t size = node_draw_size(n);
    uint64_t answer = 0;
    size_t answer_size = sizeof answer;
    const uint32_t number = n->peers[to].flow;
    flows_write(number, function, FLOW_CALL, n->payload, size);
    tc_status status = tc_call(n->peers[to].ep, n->functions[function], n->payload, size,
                               &answer, &answer_size, TIMEOUT_NS, &error);
    flow *f = flows_get(number);
    if (status != TC_OK) {
        node_lose(n, to, status, &error, "call");
        return;
    }
    f->sent++;
    if (answer != f->sent || f->run < f->sent)
        flows_fail("node %u: a call of message %" PRIu64 " returned %" PRIu64, n->number,
                   f->sent, answer);
}

/* The message that was to answer it was for a function that the target has refused. */
static bool is_unanswered(const started *s, tc_status status)
{
    return s->detached && status == TC_E_TIMEOUT && plan_may_refuse(s->node->all->plan);
}

void node_call_done(void *user, const tc_call_outcome *outcome)
{
    started *s = user;
    if (!s->used || s->done)
        flows_fail("flow %u: the end of call %" PRIu64 " was reported twice", s->flow,
                   s->number);
    s->done = true;
    if (outcome->status != TC_OK && !flows_get(s->flow)->ended &&
        !node_is_refusal(s->node, outcome->status) && !is_unanswered(s, outcome->status) &&
        !node_may_fail(s->node, flows_get(s->flow)))
        flows_fail("flow %u: call %" PRIu64 ": %s without a fault: %s", s->flow, s->number,
                   tc_status_name(outcome->status), outcome->text);
    if (outcome->status == TC_OK && s->answer != s->number)
        flows_fail("flow %u: call %" PRIu64 " returned %" PRIu64, s->flow, s->number,
                   s->answer);
    if (outcome->status == TC_OK && (outcome->rank != s->rank || outcome->hops != s->hops))
        flows_fail("flow %u: call %" PRIu64 " was answered by rank %u after %u hops", s->flow,
                   s->number, outcome->rank, outcome->hops);
    if (outcome->status == TC_OK && flows_get(s->flow)->run < s->number)
        flows_fail("flow %u: call %" PRIu64 " succeeded and has not run", s->flow, s->number);
}

started *node_unused_call(node *n)
{
    for (started *s = n->calls; s < n->calls + STARTED_MAX; s++) {
        if (!s->used || s->done)
            return s;
    }
    return NULL;
}

void node_start_call(node *n, unsigned to)
{
    tc_error error = {0};
    const unsigned function = node_draw_function(n);
    const size_t size = node_draw_size(n);
    started *s = node_unused_call(n);
    if (s == NULL)
        return;
    *s = (started){.used = true, .node = n, .rank = TC_RANK_NONE, .flow = n->peers[to].flow};
    s->number = flows_get(s->flow)->sent + 1;
    s->detached = has(n, PLAN_detached) && draw(n, 2) == 0;
    flows_write(s->flow, function, s->detached ? FLOW_DETACHED : FLOW_CALL, n->payload, size);
    const tc_call_params params = {.result = &s->answer,
                                   .result_capacity = sizeof s->answer,
                                   .timeout_ns = TIMEOUT_NS,
                                   .done = node_call_done,
                                   .user = s};
    tc_status status = tc_call_start(n->peers[to].ep, n->functions[function], n->payload, size,
                                     &params, NULL, &error);
    if (status == TC_OK) {
        flows_get(n->peers[to].flow)->sent++;
        return;
    }
    s->used = false;
    if (status != TC_E_AGAIN)
        node_lose(n, to, status, &error, "start of a call");
}
