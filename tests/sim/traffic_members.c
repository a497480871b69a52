/* Messages to members of the group by their ranks, the own one included. The endpoint to the
 * own rank ends with the context alone: faults of others excuse nothing there. */
#include "traffic_node.h"

#include <inttypes.h>

static void send_to(node *n, unsigned rank, bool may_be_lost)
{
    tc_error error = {0};
    const unsigned function = node_draw_function(n);
    const size_t size = sizeof(flow_header) + draw(n, SMALL_MAX);
    const uint32_t number = node_route(n, rank, rank);
    flows_write(number, function, FLOW_SEND, n->payload, size);
    tc_status status = tc_group_send(n->group, rank, n->functions[function], n->payload, size);
    if (status == TC_OK) {
        flows_get(number)->sent++;
        return;
    }
    (void)tc_send_error(n->ctx, &error);
    if (status != TC_E_AGAIN && !node_is_refusal(n, status) &&
        !(may_be_lost && node_is_loss(n, status)))
        flows_fail("node %u: send to rank %u: %s: %s", n->number, rank, tc_status_name(status),
                   error.text);
}

void node_send_member(node *n, unsigned to)
{
    if (n->group != NULL && node_of(to) < plan_members(n->all->plan))
        send_to(n, node_of(to), true);
}

/* All messages to the own rank have run when a flush of its endpoint has succeeded. */
static void flush_self(node *n)
{
    tc_ep *ep;
    tc_error error = {0};
    const flow *f = flows_get(node_route(n, n->number, n->number));
    tc_status status = tc_group_ep(n->group, n->number, &ep, &error);
    if (status == TC_OK)
        status = tc_ep_flush(ep, TIMEOUT_NS, &error);
    if (status != TC_OK && n->all->plan->fail_at == 0)
        flows_fail("node %u: flush of the own rank: %s: %s", n->number, tc_status_name(status),
                   error.text);
    if (status == TC_OK && f->run != f->sent && !plan_may_refuse(n->all->plan))
        flows_fail("node %u: a flush of the own rank succeeded when %" PRIu64 " of %" PRIu64
                   " messages had run",
                   n->number, f->run, f->sent);
}

void node_send_self(node *n, unsigned to)
{
    (void)to;
    if (n->group == NULL)
        return;
    for (uint64_t left = 1 + draw(n, 4); left > 0; left--)
        send_to(n, n->number, n->all->plan->fail_at != 0);
    if (draw(n, 4) == 0)
        flush_self(n);
}

/* --- calls of all ------------------------------------------------------------------------ */

static void check_answer(const node *n, const flow *f, unsigned rank, tc_status status,
                         uint64_t answer, const tc_error *error)
{
    if (status == TC_OK && answer != 1)
        flows_fail("node %u: a call of all: rank %u returned %" PRIu64, n->number, rank,
                   answer);
    if (status == TC_OK && (f->run_at >> rank & 1) == 0)
        flows_fail("node %u: a call of all succeeded at rank %u and has not run there",
                   n->number, rank);
    if (status == TC_OK || node_is_refusal(n, status))
        return;
    if (!node_is_loss(n, status) || !node_is_disturbed(n))
        flows_fail("node %u: a call of all, rank %u: %s without a fault: %s", n->number, rank,
                   tc_status_name(status), error->text);
}

void node_call_all(node *n, unsigned to)
{
    tc_error error = {0};
    uint64_t answers[PLAN_NODES_MAX] = {0};
    tc_status statuses[PLAN_NODES_MAX];
    const unsigned count = plan_members(n->all->plan);
    (void)to;
    if (n->group == NULL || n->other != NULL)
        return;
    for (unsigned i = 0; i < count; i++)
        statuses[i] = TC_E_AGAIN; /* none of the call's */
    const unsigned function = node_draw_function(n);
    const size_t size = sizeof(flow_header) + draw(n, SMALL_MAX);
    const uint32_t number = flows_open(n->number, n->all->lives[n->number], n->number);
    flows_write(number, function, FLOW_ALL, n->payload, size);
    const tc_group_call_params params = {.results = answers,
                                         .result_capacity = sizeof answers[0],
                                         .statuses = statuses,
                                         .timeout_ns = TIMEOUT_NS};
    tc_status status =
        tc_group_call_all(n->group, n->functions[function], n->payload, size, &params, &error);
    if (status == TC_E_NO_MEMORY && n->all->plan->fail_at != 0)
        return; /* nothing was called */
    bool all = true;
    for (unsigned i = 0; i < count; i++) {
        check_answer(n, flows_get(number), i, statuses[i], answers[i], &error);
        all &= statuses[i] == TC_OK;
    }
    if (all != (status == TC_OK))
        flows_fail("node %u: a call of all: %s: %s, and %s rank has failed", n->number,
                   tc_status_name(status), error.text, all ? "no" : "some");
}

/* --- barriers ---------------------------------------------------------------------------- */

#define BARRIER_NS (10 * TIMEOUT_NS)
#define BARRIER_LATE_NS (2 * TIMEOUT_NS) /* after its time is over, with faults on the way */

/* No member leaves before all have entered. */
static void check_all_entered(const node *n)
{
    for (unsigned i = 0; i < plan_members(n->all->plan); i++) {
        if (n->all->entered[i] < n->barriers)
            flows_fail("node %u left barrier %" PRIu64 " and node %u has entered %" PRIu64,
                       n->number, n->barriers, i, n->all->entered[i]);
    }
}

static void check_barrier_failed(const node *n, tc_status status, const tc_error *error)
{
    if (!node_is_loss(n, status))
        flows_fail("node %u: barrier: %s: %s", n->number, tc_status_name(status), error->text);
    if (!node_is_disturbed(n))
        flows_fail("node %u: barrier: %s without a fault: %s", n->number,
                   tc_status_name(status), error->text);
    if (error->status != status || error->text[0] == '\0')
        flows_fail("node %u: barrier: %s, and the error is %s: '%s'", n->number,
                   tc_status_name(status), tc_status_name(error->status), error->text);
}

static void enter_barrier(node *n)
{
    tc_error error = {0};
    const uint64_t begin_ns = tc_sim_now_ns(n->world);
    n->barriers++;
    if (n->all->entered[n->number] < n->barriers)
        n->all->entered[n->number] = n->barriers;
    tc_status status = tc_group_barrier(n->group, BARRIER_NS, &error);
    const uint64_t took_ns = tc_sim_now_ns(n->world) - begin_ns;
    if (status == TC_OK)
        check_all_entered(n);
    else
        check_barrier_failed(n, status, &error);
    if (took_ns > BARRIER_NS + BARRIER_LATE_NS)
        flows_fail("node %u: a barrier of 40 s took %llu ms", n->number, took_ns / MS);
}

void node_meet(node *n, unsigned action)
{
    const unsigned actions = n->all->plan->actions;
    if (has(n, PLAN_barriers) && n->group != NULL &&
        (action == actions / 3 || action == 2 * actions / 3))
        enter_barrier(n);
}
