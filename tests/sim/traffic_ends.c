/* Ends of endpoints and contexts: those that are lost, those that are closed, and those that
 * report how many messages may not have run. */
#include "traffic_node.h"

#include "panes.h"

#include <inttypes.h>

/* The errors that a peer's death or a cut may give, or the call that fails in this world;
 * nothing else is taken. */
bool node_is_loss(const node *n, tc_status status)
{
    return status == TC_E_PEER_LOST || status == TC_E_CLOSED || status == TC_E_TIMEOUT ||
           status == TC_E_UNREACHABLE ||
           (n->all->plan->fail_at != 0 &&
            (status == TC_E_NO_MEMORY || status == TC_E_IO || status == TC_E_REFUSED ||
             (status == TC_E_UNSUPPORTED && has(n, PLAN_ucx_put)) || status == TC_E_UCX));
}

bool node_is_refusal(const node *n, tc_status status)
{
    return n->all->plan->fail_at == 0 && plan_may_refuse(n->all->plan) &&
           (status == TC_E_REFUSED || status == TC_E_TOO_LARGE || status == TC_E_NO_MEMORY);
}

bool node_is_disturbed(const node *n)
{
    return plan_is_disturbed(n->all->plan);
}

bool node_may_fail(const node *n, const flow *f)
{
    return node_is_disturbed(n) || f->target_ended;
}

/* `missing`: messages that the library took and that have not run. */
static void check_lost(const node *n, tc_status status, uint64_t lost, uint64_t missing,
                       const tc_error *error)
{
    if ((status == TC_OK) != (lost == 0))
        flows_fail("node %u: an end with %s and %" PRIu64 " lost messages: %s", n->number,
                   tc_status_name(status), lost, error->text);
    if (lost < missing && !plan_may_refuse(n->all->plan)) /* refused messages do not count */
        flows_fail("node %u: an end with %" PRIu64 " lost messages when %" PRIu64
                   " had not run",
                   n->number, lost, missing);
}

static uint64_t missing_of(const flow *f)
{
    return f->sent > f->run ? f->sent - f->run : 0;
}

static void finish_peer(node *n, tc_ep *ep, flow *f)
{
    tc_error error = {0};
    uint64_t lost = UINT64_MAX;
    const bool gives_up = draw(n, 4) == 0;
    f->may_be_cut |= gives_up;
    tc_status status =
        tc_ep_finish(ep, gives_up ? 1 + draw(n, 3 * MS) : TIMEOUT_NS, &lost, &error);
    check_lost(n, status, lost, missing_of(f), &error);
    if (status != TC_OK && !gives_up && !node_may_fail(n, f))
        flows_fail("node %u: an end without a fault: %s: %s", n->number, tc_status_name(status),
                   error.text);
}

static void expect_calls_ended(const node *n, uint32_t number)
{
    for (const started *s = n->calls; s < n->calls + STARTED_MAX; s++) {
        if (s->used && !s->done && s->flow == number)
            flows_fail("node %u: call %" PRIu64 " outlives its endpoint, flow %u", n->number,
                       s->number, number);
    }
}

void node_close_peer(node *n, unsigned to)
{
    peer *p = &n->peers[to];
    flow *f = flows_get(p->flow);
    tc_ep *ep = p->ep;
    f->ended = true;
    p->ep = NULL;
    n->closing = ep;
    if (has(n, PLAN_finishes) && draw(n, 2) == 0)
        finish_peer(n, ep, f);
    else
        tc_ep_close(ep);
    n->closing = NULL;
    expect_calls_ended(n, p->flow);
    panes_expect_ended(p->flow);
}

/* A call that could not be confirmed ends its flow. */
void node_lose(node *n, unsigned to, tc_status status, const tc_error *error, const char *what)
{
    if (node_is_refusal(n, status))
        return;
    if (!node_is_loss(n, status))
        flows_fail("node %u: %s: %s: %s", n->number, what, tc_status_name(status), error->text);
    if (n->all->plan->fail_at != 0 && plan_has_ucx(n->all->plan) && status == TC_E_TIMEOUT)
        flows_fail("node %u: %s: no end after a call that failed", n->number, what);
    if (error->status != status || error->text[0] == '\0')
        flows_fail("node %u: %s: %s, and the error is %s: '%s'", n->number, what,
                   tc_status_name(status), tc_status_name(error->status), error->text);
    if (!node_may_fail(n, flows_get(n->peers[to].flow)))
        flows_fail("node %u: %s: %s without a fault: %s", n->number, what,
                   tc_status_name(status), error->text);
    node_close_peer(n, to);
}

/* Peers end at the same time, and may close before they run these. */
static void send_last(node *n, unsigned to)
{
    flow *f = flows_get(n->peers[to].flow);
    for (uint64_t left = draw(n, 4); left > 0; left--) {
        const unsigned function = node_draw_function(n);
        const size_t size = sizeof(flow_header) + draw(n, SMALL_MAX);
        flows_write(n->peers[to].flow, function, FLOW_SEND, n->payload, size);
        if (tc_send(n->peers[to].ep, n->functions[function], n->payload, size) != TC_OK)
            return;
        f->sent++;
    }
}

/* Returns how many messages of open endpoints have not run. */
static uint64_t end_flows(node *n)
{
    uint64_t missing = 0;
    for (unsigned to = 0; to < TRAFFIC_CONTEXTS; to++) {
        if (n->peers[to].ep == NULL)
            continue;
        flow *f = flows_get(n->peers[to].flow);
        f->ended = true;
        missing += missing_of(f);
    }
    return missing;
}

/* Functions of their targets may have been waiting for this context. */
static void note_ends(node *n)
{
    for (unsigned to = 0; to < TRAFFIC_CONTEXTS; to++) {
        if (n->peers[to].ep != NULL)
            flows_get(n->peers[to].flow)->ended = true;
    }
}

void node_finish(node *n)
{
    tc_error error = {0};
    uint64_t lost = UINT64_MAX;
    for (unsigned to = 0; to < TRAFFIC_CONTEXTS; to++) {
        if (n->peers[to].ep != NULL)
            send_last(n, to);
    }
    note_ends(n);
    if (n->guest != NULL)
        note_ends(n->guest);
    tc_status status = tc_context_finish(n->ctx, TIMEOUT_NS, &lost, &error);
    const uint64_t missing = end_flows(n) + (n->guest != NULL ? end_flows(n->guest) : 0);
    check_lost(n, status, lost, missing, &error);
}
