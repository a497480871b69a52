/* A node's program: a context, a listener, and actions drawn from the world's numbers. After
 * its own actions it serves until all nodes have done theirs. */
#include "traffic_node.h"

#include <tc/advanced.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void node_expect(const node *n, tc_status status, const tc_error *error, const char *what)
{
    if (status != TC_OK && n->all->plan->fail_at == 0)
        flows_fail("node %u: %s: %s: %s", n->number, what, tc_status_name(status), error->text);
}

static bool connect_to(node *n, unsigned to)
{
    char address[TC_SIM_ADDRESS_BYTES];
    tc_error error = {0};
    peer *p = &n->peers[to];
    if (p->ep != NULL)
        return true;
    const bool listens = n->all->listens[to]; /* it may begin to, meanwhile */
    tc_status status =
        tc_ep_connect(n->ctx, tc_sim_address(n->all->nodes[to], (uint16_t)(PORT + to), address),
                      TIMEOUT_NS, &p->ep, &error);
    if (status != TC_OK) {
        p->ep = NULL;
        if (!node_is_loss(n, status) && (status != TC_E_REFUSED || !has(n, PLAN_kills)))
            flows_fail("node %u: connect: %s: %s", n->number, tc_status_name(status),
                       error.text);
        if (!node_is_disturbed(n) && listens)
            flows_fail("node %u: connect to node %u: %s without a fault: %s", n->number, to,
                       tc_status_name(status), error.text);
        if (error.status != status || error.text[0] == '\0')
            flows_fail("node %u: connect: %s, and the error is %s: '%s'", n->number,
                       tc_status_name(status), tc_status_name(error.status), error.text);
        return false;
    }
    p->has_ended = false;
    memset(p->used_ns, 0, sizeof p->used_ns);
    p->flow = flows_open(n->number, n->all->lives[n->number], to);
    return true;
}

size_t node_draw_size(node *n)
{
    const size_t least = sizeof(flow_header);
    if (has(n, PLAN_large) && draw(n, has(n, PLAN_bursts) ? 2 : 4) == 0)
        return least + 3000 + draw(n, LARGE_MAX - 3000 - least);
    return least + draw(n, SMALL_MAX);
}

unsigned node_draw_function(node *n)
{
    unsigned function = (unsigned)draw(n, FLOW_FUNCTIONS);
    while (n->functions[function] == NULL)
        function = (function + 1) % FLOW_FUNCTIONS;
    return function;
}

static void send(node *n, unsigned to)
{
    tc_error error = {0};
    const unsigned function = node_draw_function(n);
    const size_t size = node_draw_size(n);
    flow *f;
    flows_write(n->peers[to].flow, function, FLOW_SEND, n->payload, size);
    tc_status status = tc_send_wait(n->peers[to].ep, n->functions[function], n->payload, size,
                                    TIMEOUT_NS, &error);
    f = flows_get(n->peers[to].flow);
    if (status == TC_OK)
        f->sent++;
    else
        node_lose(n, to, status, &error, "send");
}

static bool is_refused(const node *n, unsigned to)
{
    tc_error error;
    return tc_ep_refusal(n->peers[to].ep, &error) > 0;
}

static void flush(node *n, unsigned to)
{
    tc_error error = {0};
    tc_status status = tc_ep_flush(n->peers[to].ep, TIMEOUT_NS, &error);
    const flow *f = flows_get(n->peers[to].flow);
    if (status != TC_OK)
        node_lose(n, to, status, &error, "flush");
    else if ((f->run != f->sent || f->dropped > 0) &&
             (!plan_may_refuse(n->all->plan) || !is_refused(n, to)))
        flows_fail("node %u: a flush succeeded when %" PRIu64 " of %" PRIu64
                   " messages to node %u had run",
                   n->number, f->run, f->sent, to);
}

static void prepare(node *n, unsigned to)
{
    tc_error error = {0};
    tc_status status =
        tc_ep_prepare(n->peers[to].ep, n->functions[node_draw_function(n)], TIMEOUT_NS, &error);
    if (status != TC_OK)
        node_lose(n, to, status, &error, "prepare");
}

static bool is_opened(const node *n, unsigned function)
{
    return !has(n, PLAN_few_functions) || (function + n->number) % 2 == 0;
}

static tc_status open_function(node *n, unsigned function, tc_error *error)
{
    const tc_code code = node_code(plan_may_refuse(n->all->plan) ? 0 : n->number, function);
    return tc_ifunc_open_code(n->ctx, &code, &n->functions[function], error);
}

tc_status node_open_functions(node *n, tc_error *error)
{
    tc_status status = TC_OK;
    for (unsigned i = 0; i < FLOW_FUNCTIONS && status == TC_OK; i++) {
        if (is_opened(n, i))
            status = open_function(n, i, error);
    }
    if (status == TC_OK && has(n, PLAN_libraries) && !has(n, PLAN_few_functions))
        status = node_open_libraries(n, error);
    return status;
}

/* The first one stays open. Functions that have arrived may fill the context meanwhile. */
static void reopen(node *n, unsigned to)
{
    (void)to;
    tc_error error = {0};
    const unsigned function = (unsigned)draw(n, FLOW_FUNCTIONS);
    if (!is_opened(n, function) || function < 2)
        return;
    if (n->functions[function] != NULL)
        tc_ifunc_close(n->functions[function]);
    n->functions[function] = NULL;
    tc_status status = open_function(n, function, &error);
    if (status != TC_OK && !node_is_refusal(n, status))
        node_expect(n, status, &error, "open");
    if (status != TC_OK)
        n->functions[function] = NULL;
}

/* The actions that a plan may have. A node does every `one_in`th that it draws. */
typedef struct action {
    plan_feature feature;
    unsigned one_in;
    void (*run)(node *n, unsigned to);
} action;

static const action actions[] = {
    {PLAN_flushes, 1, flush},
    {PLAN_calls, 1, node_call},
    {PLAN_started, 1, node_start_call},
    {PLAN_prepares, 1, prepare},
    {PLAN_closes, 4, node_close_peer},
    {PLAN_parts, 1, node_send_parts},
    {PLAN_few_functions, 1, reopen},
    {PLAN_forwards, 1, node_call_by_way},
    {PLAN_local, 1, node_send_self},
    {PLAN_members, 1, node_send_member},
    {PLAN_members, 4, node_call_all},
    {PLAN_injected, 1, node_send_injected},
    {PLAN_libraries, 1, node_use_library},
    {PLAN_libraries, 2, node_push},
    {PLAN_libraries, 4, node_withdraw},
};

#define ACTIONS (sizeof actions / sizeof actions[0])
#define SENDS 4u /* draws that are plain sends */

void node_act(node *n)
{
    const unsigned to = (unsigned)draw(n, n->all->plan->nodes);
    if (!has(n, PLAN_bursts) || draw(n, 4) == 0)
        (void)tc_wait(n->ctx, draw(n, 2 * MS));
    if (!connect_to(n, to))
        return;
    const uint64_t drawn = draw(n, ACTIONS + SENDS);
    if (drawn >= ACTIONS)
        send(n, to);
    else if (has(n, actions[drawn].feature) &&
             (actions[drawn].one_in == 1 || draw(n, actions[drawn].one_in) == 0))
        actions[drawn].run(n, to);
}

/* --- its program ------------------------------------------------------------------------- */

static void set(const node *n, tc_options *options, const char *name, const char *value)
{
    tc_error error = {0};
    node_expect(n, tc_options_set(options, name, value, &error), &error, name);
}

static bool open_all(node *n)
{
    tc_options *options;
    tc_listener *listener;
    tc_error error = {0};
    char address[TC_SIM_ADDRESS_BYTES];
    if (tc_options_create(&options, &error) != TC_OK)
        return false;
    set(n, options, "listen_any", "yes");
    set(n, options, "delivery", plan_delivery(n->all->plan));
    set(n, options, "wait", has(n, PLAN_adaptive) ? "adaptive" : "block");
    set(n, options, "connect_timeout", "4s");
    if (has(n, PLAN_small_rings))
        set(n, options, "ring_bytes", "4K");
    if (has(n, PLAN_long_sleeps))
        set(n, options, "sleep_max", "60s");
    if (has(n, PLAN_evictions))
        set(n, options, "code_memory_max", "24K");
    if (has(n, PLAN_few_functions))
        set(n, options, "functions_max", "6");
    if (has(n, PLAN_quotas)) {
        set(n, options, "quota_functions", "6");
        set(n, options, "quota_message_rate", "1000");
        set(n, options, "quota_queue_bytes", "64K");
    }
    tc_status status = tc_context_create(options, &n->ctx, &error);
    tc_options_destroy(options);
    if (status != TC_OK)
        return false;
    if (has(n, PLAN_events))
        tc_context_set_ep_callback(n->ctx, node_on_event, n);
    status = node_open_functions(n, &error);
    node_expect(n, status, &error, "open");
    n->can_send = status == TC_OK;
    if (!n->can_send)
        return true; /* to close what is open */
    const uint16_t port = (uint16_t)(PORT + n->number);
    status = tc_listener_open(n->ctx, tc_sim_address(tc_sim_self(), port, address), &listener,
                              &error);
    node_expect(n, status, &error, "listener");
    n->all->listens[n->number] = status == TC_OK;
    if (status == TC_OK && node_has_group(n))
        node_expect(n, node_make_group(n, &error), &error, "group");
    return true;
}

bool node_all_are_done(const traffic *all)
{
    for (unsigned i = 0; i < all->plan->nodes; i++) {
        if (all->busy[i])
            return false;
    }
    return true;
}

static bool has_detached(const node *n, unsigned to)
{
    for (unsigned i = 0; i < STARTED_MAX; i++) {
        const started *s = &n->calls[i];
        if (s->used && !s->done && s->detached && s->flow == n->peers[to].flow)
            return true;
    }
    return false;
}

void node_settle(node *n)
{
    tc_error error = {0};
    for (unsigned to = 0; to < n->all->plan->nodes; to++) {
        if (n->peers[to].ep == NULL)
            continue;
        if (has_detached(n, to))
            send(n, to); /* answers them */
        if (n->peers[to].ep != NULL)
            flush(n, to);
        if (n->peers[to].ep != NULL && tc_ep_error(n->peers[to].ep, &error) != TC_OK)
            node_close_peer(n, to);
    }
    if (tc_calls_wait(n->ctx, 3 * TIMEOUT_NS) != TC_OK)
        flows_fail("node %u: calls do not end", n->number);
    for (unsigned i = 0; i < STARTED_MAX; i++) {
        if (n->calls[i].used && !n->calls[i].done)
            flows_fail("node %u: a call has not ended", n->number);
    }
    node_expect_parts_ended(n);
}

void node_close_peers(node *n)
{
    for (unsigned to = 0; to < n->all->plan->nodes; to++) {
        if (n->peers[to].ep != NULL)
            node_close_peer(n, to);
    }
}

static void run_actions(node *n)
{
    for (unsigned i = 0; i < n->all->plan->actions && flows_error() == NULL; i++) {
        node_lock(n);
        node_meet(n, i);
        node_act(n);
        node_unlock(n);
    }
    node_lock(n);
    node_settle(n);
    node_unlock(n);
}

/* Ends the context when all nodes have done their actions. */
static void end(node *n)
{
    node_lock(n);
    while (!node_all_are_done(n->all) && flows_error() == NULL)
        (void)tc_wait(n->ctx, has(n, PLAN_long_sleeps) ? 2 * TIMEOUT_NS : 100 * MS);
    (void)tc_wait(n->ctx, 10 * MS);
    n->ends = true;
    if (has(n, PLAN_finishes) && draw(n, 2) == 0) {
        node_finish(n);
        return;
    }
    node_close_peers(n);
    tc_context_destroy(n->ctx);
}

static void run_node(node *n)
{
    if (n->can_send && has(n, PLAN_served))
        node_serve(n);
    if (n->can_send)
        run_actions(n);
    node_join_guest(n);
    n->all->busy[n->number] = false;
    end(n);
    if (n->guest != NULL)
        node_free_parts(n->guest);
    node_free_parts(n);
    free(n->guest);
}

void traffic_main(tc_sim_node *self, void *argument)
{
    traffic_node *own = argument;
    node *n = calloc(1, sizeof *n);
    own->program = n;
    if (n != NULL) {
        n->all = own->all;
        n->number = own->number;
        n->world = tc_sim_node_world(self);
        versions_forget(n->number);
    }
    if (n != NULL && open_all(n))
        run_node(n);
    else
        own->all->busy[own->number] = false;
    free(n);
}
