/* Served contexts: a thread of the library's progresses the context, and a second thread of the
 * node, its guest, uses it with endpoints and functions of its own. */
#include "traffic_node.h"

#include <tc/thread.h>

#include <stdlib.h>

#define LOCK_NS (10 * TIMEOUT_NS)

void node_lock(const node *n)
{
    tc_error error = {0};
    if (n->is_served && tc_context_lock(n->ctx, LOCK_NS, &error) != TC_OK)
        flows_fail("node %u: the lock of its context: %s", n->number, error.text);
}

void node_unlock(const node *n)
{
    if (n->is_served)
        tc_context_unlock(n->ctx);
}

static void *guest_main(void *argument)
{
    node *n = argument;
    tc_error error = {0};
    node_lock(n);
    tc_status status = node_open_functions(n, &error);
    if (!node_is_refusal(n, status))
        node_expect(n, status, &error, "open");
    node_unlock(n);
    for (unsigned i = 0; i < n->all->plan->actions / 2 && status == TC_OK; i++) {
        node_lock(n);
        node_act(n);
        node_unlock(n);
    }
    node_lock(n);
    node_settle(n);
    if (draw(n, 2) == 0) /* or with the context */
        node_close_peers(n);
    node_unlock(n);
    return NULL;
}

void node_serve(node *n)
{
    tc_error error = {0};
    tc_status status = tc_context_start_thread(n->ctx, NULL, &error);
    node_expect(n, status, &error, "serving thread");
    n->is_served = status == TC_OK;
    node *guest = n->is_served ? calloc(1, sizeof *guest) : NULL;
    if (guest == NULL)
        return;
    guest->all = n->all;
    guest->number = n->number;
    guest->world = n->world;
    guest->ctx = n->ctx;
    guest->group = n->group;
    guest->incarnation = n->incarnation;
    guest->is_served = true;
    n->guest = guest;
    if (pthread_create(&n->guest_thread, NULL, guest_main, guest) == 0)
        return;
    n->guest = NULL;
    free(guest);
}

void node_join_guest(node *n)
{
    if (n->guest != NULL)
        (void)pthread_join(n->guest_thread, NULL);
}
