/* Windows: nodes have each other open panes, operate on them and on those of others, on closed
 * ones, and on those of lives that have ended. */
#include "traffic_node.h"

#include "codes.h"
#include "panes.h"

#include <tc/window.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_MAX 4u /* panes of an owner */
#define NO_PANE UINT32_MAX

/* A request for a pane. The answer is its number, or NO_PANE. */
typedef struct request {
    uint32_t flow, for_group;
    uint64_t random;
} request;

static tc_code opens_code;

/* --- at the owner ------------------------------------------------------------------------- */

static void close_pane(node *n, uint32_t number)
{
    const pane *p = panes_get(number);
    panes_expect(number);
    if (tc_window_close(n->ctx, p->data) != TC_OK || tc_window_close(n->ctx, p->log) != TC_OK)
        flows_fail("context %u: a window that is open cannot be closed", n->number);
    if (tc_window_close(n->ctx, p->log) != TC_E_NOT_FOUND)
        flows_fail("context %u: a window was closed twice", n->number);
    panes_close(number);
}

static void close_oldest(node *n)
{
    unsigned open = 0;
    for (uint32_t i = 0; i < panes_count(); i++)
        open += panes_get(i)->incarnation == n->incarnation && !panes_get(i)->is_closed;
    if (open >= OPEN_MAX)
        close_pane(n, panes_find(n->incarnation, 0));
}

/* Opens the two windows of a pane. */
static tc_status open_both(node *n, tc_window_params *log, tc_window_params *data,
                           tc_gptr at_out[2], tc_error *error)
{
    tc_status status = tc_window_open(n->ctx, log, &at_out[0], error);
    if (status != TC_OK)
        return status;
    status = tc_window_open(n->ctx, data, &at_out[1], error);
    if (status != TC_OK)
        (void)!tc_window_close(n->ctx, at_out[0]);
    return status;
}

uint32_t node_open_pane(node *n, tc_ep *ep, uint32_t to, bool for_group, uint64_t random)
{
    tc_error error = {0};
    tc_gptr at[2];
    uint32_t number;
    tc_window_params log, data;
    close_oldest(n);
    if (!panes_make(n->number, n->incarnation, to, random, &number, &log, &data))
        return NO_PANE;
    log.peer = data.peer = ep;
    log.group = data.group = for_group ? n->group : NULL;
    tc_status status = open_both(n, &log, &data, at, &error);
    node_expect(n, status, &error, "window");
    if (status != TC_OK)
        return NO_PANE;
    tc_sim_note("context %u opens pane %u for flow %u", n->number, number, to);
    panes_open(number, log.group != NULL, at[0], at[1]);
    return number;
}

static void opens(void *payload, size_t size, void *target_args)
{
    const traffic_node *own = tc_sim_node_argument(tc_sim_self());
    node *n = node_running(own->program);
    request r;
    (void)target_args;
    if (size != sizeof r) {
        flows_fail("node %u: a request of %zu bytes for a pane", n->number, size);
        return;
    }
    memcpy(&r, payload, sizeof r);
    node_enter(n, "a request for a window");
    node_look_at_windows(n);
    const uint32_t number =
        node_open_pane(n, tc_self_endpoint(), r.flow, r.for_group != 0, r.random);
    (void)tc_reply(&number, sizeof number); /* its caller sees a failure */
    node_leave(n);
}

void traffic_prepare_windows(void)
{
    tc_error error;
    opens_code = codes_function("opens", 160, NULL);
    if (tc_sim_function("opens", opens, &error) != TC_OK)
        abort();
}

tc_status node_open_windows(node *n, tc_error *error)
{
    return tc_ifunc_open_code(n->ctx, &opens_code, &n->opens, error);
}

void node_begin_windows(node *n)
{
    n->incarnation = panes_begin_owner(n->number);
}

void node_look_at_windows(const node *n)
{
    if (has(n, PLAN_windows))
        panes_look(n->incarnation);
}

void node_end_windows(const node *n)
{
    panes_end_owner(n->incarnation);
    panes_expect_ended_of(n->number, n);
}

/* --- at the sender ------------------------------------------------------------------------ */

static void ask_for_pane(node *n, unsigned to)
{
    tc_error error = {0};
    uint32_t number = NO_PANE;
    size_t size = sizeof number;
    if (n->opens == NULL || n->other != NULL)
        return;
    const request r = {.flow = n->peers[to].flow,
                       .for_group = draw(n, 2) == 0,
                       .random = tc_sim_random(n->world)};
    tc_status status =
        tc_call(n->peers[to].ep, n->opens, &r, sizeof r, &number, &size, TIMEOUT_NS, &error);
    if (status != TC_OK)
        node_lose(n, to, status, &error, "request for a window");
    else if (number != NO_PANE && panes_get(number)->flow != r.flow)
        flows_fail("node %u: the pane %u is another flow's", n->number, number);
}

/* Draws one of the target's: often one that this flow may use, sometimes any. */
static uint32_t draw_pane(node *n, unsigned to)
{
    const uint32_t count = panes_count();
    const bool any = draw(n, 8) == 0;
    const uint32_t first = count > 0 ? (uint32_t)draw(n, count) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = (first + i) % count;
        const pane *p = panes_get(number);
        if (p->owner == to && p->log.generation != 0 &&
            (any || (!p->is_closed && ((p->flow == n->peers[to].flow && !p->is_back) ||
                                       (p->for_group && n->group != NULL)))))
            return number;
    }
    return NO_PANE;
}

static uint64_t draw_number(void *user)
{
    node *n = user;
    return tc_sim_random(n->world);
}

static void expect_reason(const node *n, const pane_chain *c, tc_status status,
                          const char *text)
{
    const flow *f = c->flow != PANES_NO_FLOW ? flows_get(c->flow) : NULL;
    const bool may_be_lost = f != NULL ? f->ended || node_may_fail(n, f) : node_is_disturbed(n);
    const bool may_fail = may_be_lost || n->all->plan->fail_at != 0;
    if (!node_is_refusal(n, status) && !(may_fail && node_is_loss(n, status)))
        flows_fail("node %u: chain %" PRIu64 ": %s without a reason: %s", n->number, c->number,
                   tc_status_name(status), text);
}

static void chain_done(void *user, tc_status status, uint32_t succeeded, const char *text)
{
    pane_chain *c = user;
    if (!panes_end(c, status, succeeded, text))
        expect_reason(c->user, c, status, text);
}

/* Returns whether the endpoint of the chain's flow may be used on. */
static void start(node *n, unsigned to, tc_ep *ep, pane_chain *c)
{
    tc_error error = {0};
    const tc_window_start_params params = {
        .timeout_ns = TIMEOUT_NS, .done = chain_done, .user = c};
    tc_status status = tc_window_chain_start(ep, c->steps, c->count, &params, &error);
    if (status == TC_OK)
        return;
    panes_drop(c);
    if (status == TC_E_AGAIN || node_is_refusal(n, status))
        return;
    if (c->flow == PANES_NO_FLOW)
        expect_reason(n, c, status, error.text);
    else
        node_lose(n, to, status, &error, "start of a chain");
}

static void wait_for(node *n, unsigned to, tc_ep *ep, pane_chain *c)
{
    tc_error error = {0};
    uint32_t succeeded = 0;
    tc_status status = tc_window_chain(ep, c->steps, c->count, TIMEOUT_NS, &succeeded, &error);
    if (panes_end(c, status, succeeded, error.text))
        return;
    if (c->flow == PANES_NO_FLOW || node_is_refusal(n, status))
        expect_reason(n, c, status, error.text);
    else
        node_lose(n, to, status, &error, "chain");
}

/* Chains of a sender by an endpoint of the group are in order where it does not connect
 * again. */
static void operate(node *n, unsigned to, uint32_t number)
{
    tc_ep *ep = n->peers[to].ep;
    tc_error error = {0};
    const pane *p = panes_get(number);
    const bool in_group =
        n->group != NULL && p->for_group && (p->flow != n->peers[to].flow || draw(n, 2) == 0);
    if (in_group && tc_group_ep(n->group, to, &ep, &error) != TC_OK)
        return;
    pane_chain *c = panes_chain(number, draw_number, n);
    if (c == NULL)
        return;
    c->flow = in_group ? PANES_NO_FLOW : n->peers[to].flow;
    c->from = n->number;
    c->is_ordered = !in_group || !node_is_disturbed(n);
    c->after = in_group ? 0 : flows_get(c->flow)->sent;
    c->user = n;
    c->is_under = true;
    tc_sim_note("chain %" PRIu64 " for pane %u of context %u", c->number, number, to);
    if (n->other != NULL || draw(n, 3) > 0)
        start(n, to, ep, c);
    else
        wait_for(n, to, ep, c);
}

static void close_own(node *n)
{
    const uint32_t count = panes_count();
    const uint32_t number =
        count > 0 ? panes_find(n->incarnation, (uint32_t)draw(n, count)) : NO_PANE;
    if (number != NO_PANE)
        close_pane(n, number);
}

void node_use_windows(node *n, unsigned to)
{
    if (plan_is_old(n->all->plan, node_of(to)) || n->opens == NULL)
        return;
    if (draw(n, 16) == 0)
        close_own(n);
    const uint32_t number = draw_pane(n, to);
    if (number == NO_PANE || draw(n, 8) == 0) {
        ask_for_pane(n, to);
        return;
    }
    for (uint64_t left = 1 + draw(n, 4); left > 0 && n->peers[to].ep != NULL; left--)
        operate(n, to, number);
}
