/* Events of endpoints: they enclose the messages of a peer, once each. A peer's endpoint
 * has one flow, known from its first message. */
#include "traffic_node.h"

#include <inttypes.h>

static accepted *find(node *n, const tc_ep *ep)
{
    for (accepted *a = n->accepted; a < n->accepted + ACCEPTED_MAX; a++) {
        if (a->ep == ep)
            return a;
    }
    return NULL;
}

/* Finds it among those of both threads. */
static peer *find_own(node *n, const tc_ep *ep)
{
    for (peer *p = n->peers; p < n->peers + TRAFFIC_CONTEXTS; p++) {
        if (p->ep == ep)
            return p;
    }
    return n->guest != NULL ? find_own(n->guest, ep) : NULL;
}

static bool is_closing(const node *n, const tc_ep *ep)
{
    return n->closing == ep || (n->guest != NULL && n->guest->closing == ep);
}

static void opened(node *n, tc_ep *ep)
{
    accepted *unused = find(n, NULL);
    if (find(n, ep) != NULL || find_own(n, ep) != NULL)
        flows_fail("node %u: an endpoint was announced twice", n->number);
    else if (unused == NULL)
        flows_fail("node %u: more than %u peers at a time", n->number, ACCEPTED_MAX);
    else
        *unused = (accepted){.ep = ep};
    node_expect_identity(n, ep);
}

/* A peer that gave up its close leaves an endpoint that failed without a fault. The flow of
 * such an endpoint is not known before its first message has run: a flow to this node that was
 * closed so, and of which nothing has run, explains the end. */
static bool is_cut(const node *n, const flow *f)
{
    return f != NULL ? f->may_be_cut : flows_take_cut(n->number);
}

/* A context that ends drops endpoints of members that are connecting. The other side may have
 * opened such an endpoint, and finds its connection closed without a goodbye. No message came
 * by it. */
static bool is_half_open(const node *n, const flow *f, tc_status status)
{
    return f == NULL && n->group != NULL && node_all_are_done(n->all) &&
           status == TC_E_PEER_LOST;
}

/* A peer's endpoint: after its end in order all messages have run. */
static void ended(node *n, accepted *a, tc_ep_event event)
{
    tc_error error = {0};
    (void)tc_ep_error(a->ep, &error);
    const flow *f = a->has_flow ? flows_get(a->flow) : NULL;
    if (event == TC_EP_CLOSED && f != NULL && f->run < f->sent &&
        !plan_may_refuse(n->all->plan))
        flows_fail("node %u: flow %u closed when %" PRIu64 " of %" PRIu64 " messages had run",
                   n->number, a->flow, f->run, f->sent);
    if (event == TC_EP_FAILED && !node_is_disturbed(n) && !is_cut(n, f) &&
        !is_half_open(n, f, error.status))
        flows_fail("node %u: the endpoint of flow %u failed without a fault: %s", n->number,
                   a->flow, error.text);
    *a = (accepted){0};
}

static void ended_own(node *n, const tc_ep *ep)
{
    tc_error error;
    peer *p = find_own(n, ep);
    if (p == NULL && !is_closing(n, ep) && n->group == NULL) /* it may be the group's */
        flows_fail("node %u: the end of an endpoint that was not announced", n->number);
    else if (p != NULL && p->has_ended)
        flows_fail("node %u: the end of an endpoint was reported twice", n->number);
    else if (p != NULL)
        p->has_ended = true;
    if (tc_ep_error(ep, &error) == TC_OK)
        flows_fail("node %u: an endpoint that has ended reports no reason", n->number);
}

void node_on_event(void *user, tc_ep *ep, tc_ep_event event)
{
    node *n = user;
    accepted *a = find(n, ep);
    if (event == TC_EP_OPENED)
        opened(n, ep);
    else if (a != NULL)
        ended(n, a, event);
    else
        ended_own(n, ep);
}

void node_expect_announced(node *n, uint32_t number)
{
    accepted *a = find(n, tc_self_endpoint());
    if (!has(n, PLAN_events) || tc_self_group() != NULL)
        return;
    if (a == NULL) {
        flows_fail("node %u: a message of flow %u ran outside the events of its endpoint",
                   n->number, number);
        return;
    }
    if (a->has_flow && a->flow != number)
        flows_fail("node %u: messages of flows %u and %u on one endpoint", n->number, a->flow,
                   number);
    a->has_flow = true;
    a->flow = number;
}
