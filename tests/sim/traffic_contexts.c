/* Second contexts of nodes, with endpoints and functions of their own. Each has a thread of its
 * own, or shares that of the first one. Some end while the first one works, and open again. */
#include "traffic_node.h"

#include <tc/advanced.h>

#include <stdlib.h>

#define OPENED_MAX 3u /* second contexts of a node, one after another */
#define TURN_NS (20 * MS)

unsigned node_draw_target(node *n)
{
    const plan *p = n->all->plan;
    if (!has(n, PLAN_contexts))
        return (unsigned)draw(n, p->nodes);
    const unsigned drawn = (unsigned)draw(n, 2 * p->nodes), to = drawn % p->nodes;
    return drawn >= p->nodes && plan_has_second(p, to) ? to + PLAN_NODES_MAX : to;
}

node *node_running(node *n)
{
    const tc_ep *ep = tc_self_endpoint();
    if (n->second != NULL && ep != NULL && tc_ep_context(ep) == n->second->ctx)
        return n->second;
    return n;
}

/* --- one thread for two contexts --------------------------------------------------------- */

/* Called while a call of the one context blocks. */
static int progress_other(void *user)
{
    const node *other = user;
    (void)tc_wait(other->ctx, TURN_NS);
    return 0;
}

static void share_thread(node *n, node *second)
{
    n->other = second;
    second->other = n;
    tc_context_set_interrupt(n->ctx, progress_other, second);
    tc_context_set_interrupt(second->ctx, progress_other, n);
}

tc_status node_await_send(node *n, unsigned to, unsigned function, size_t size, tc_error *error)
{
    const uint64_t until_ns = tc_sim_now_ns(n->world) + TIMEOUT_NS;
    for (;;) {
        tc_status status = tc_send_wait(n->peers[to].ep, n->functions[function], n->payload,
                                        size, n->other != NULL ? MS : TIMEOUT_NS, error);
        if (status != TC_E_TIMEOUT || n->other == NULL || tc_sim_now_ns(n->world) > until_ns)
            return status;
        (void)tc_wait(n->other->ctx, MS);
    }
}

tc_status node_await_calls(node *n)
{
    const uint64_t until_ns = tc_sim_now_ns(n->world) + 3 * TIMEOUT_NS;
    for (;;) {
        tc_status status = tc_calls_wait(n->ctx, n->other != NULL ? MS : 3 * TIMEOUT_NS);
        if (status == TC_OK || n->other == NULL || tc_sim_now_ns(n->world) > until_ns)
            return status;
        (void)tc_wait(n->other->ctx, MS);
    }
}

/* --- the life of a second context -------------------------------------------------------- */

/* Returns NULL where there is no memory. */
static node *open_second(node *n)
{
    node *second = calloc(1, sizeof *second);
    if (second == NULL)
        return NULL;
    second->all = n->all;
    second->number = n->number + PLAN_NODES_MAX;
    second->world = n->world;
    versions_forget(second->number);
    tc_sim_note("opens context %u", second->number);
    n->second = second;
    if (node_open(second))
        return second;
    n->second = NULL;
    free(second);
    return NULL;
}

static void end_second(node *n)
{
    node *second = n->second;
    node_end(second);
    node_free_parts(second);
    n->second = n->other = NULL;
    free(second);
}

/* Peers have endpoints to it, and messages under way. */
static void begin_early_end(node *second)
{
    second->all->listens[second->number] = false;
    second->all->ends[second->number]++;
    flows_end_target(second->number);
    tc_sim_note("ends context %u while others work", second->number);
}

static void *second_main(void *argument)
{
    node *n = argument;
    bool again = true;
    for (unsigned i = 0; i < OPENED_MAX && again && flows_error() == NULL; i++) {
        node *second = open_second(n);
        if (second == NULL)
            break;
        if (second->can_send)
            node_run_actions(second);
        again = draw(second, 2) == 0;
        if (again) {
            begin_early_end(second);
        } else {
            n->all->busy[second->number] = false;
            node_serve_others(second);
        }
        end_second(n);
    }
    n->all->busy[n->number + PLAN_NODES_MAX] = false;
    return NULL;
}

/* The other context of the thread is open, or is not opened again. */
static void open_in_thread(node *n)
{
    node *second = open_second(n);
    if (second == NULL)
        return;
    if (second->can_send)
        share_thread(n, second);
    else
        end_second(n);
}

void node_open_second(node *n)
{
    const plan *p = n->all->plan;
    if (!plan_has_second(p, n->number) || !n->can_send)
        return;
    if (plan_has_one_thread(p, n->number)) {
        open_in_thread(n);
        return;
    }
    bool *busy = &n->all->busy[n->number + PLAN_NODES_MAX];
    *busy = true;
    n->has_second_thread = pthread_create(&n->second_thread, NULL, second_main, n) == 0;
    if (!n->has_second_thread)
        *busy = false;
}

/* Ends the thread's other context while this one works. */
static void end_other(node *n)
{
    node_settle(n->other);
    begin_early_end(n->other);
    end_second(n);
    tc_context_set_interrupt(n->ctx, NULL, NULL);
    if (draw(n, 2) == 0)
        open_in_thread(n);
}

node *node_turn(node *n, unsigned action)
{
    if (n->other == NULL)
        return n;
    if (n->number < PLAN_NODES_MAX && action == n->all->plan->actions / 2 && draw(n, 2) == 0)
        end_other(n);
    return n->other != NULL && draw(n, 2) == 0 ? n->other : n;
}

void node_end_second(node *n)
{
    if (n->has_second_thread)
        (void)pthread_join(n->second_thread, NULL);
    if (n->other == NULL)
        return;
    tc_context_set_interrupt(n->other->ctx, NULL, NULL);
    n->other->other = NULL;
    end_second(n);
}
