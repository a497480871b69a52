/* A node's program: a context, a listener, and actions drawn from the world's numbers. After
 * its own actions it serves until all nodes have done theirs. */
#include "traffic_node.h"

#include "old/old_peer.h"
#include "panes.h"

#include <tc/advanced.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void node_expect(const node *n, tc_status status, const tc_error *error, const char *what)
{
    if (status != TC_OK && n->all->plan->fail_at == 0)
        flows_fail("node %u: %s: %s: %s", n->number, what, tc_status_name(status), error->text);
}

const char *node_address(const node *n, unsigned to, char text[TC_SIM_ADDRESS_BYTES])
{
    return tc_sim_address(n->all->nodes[node_of(to)], (uint16_t)(PORT + to), text);
}

static bool connect_to(node *n, unsigned to)
{
    char address[TC_SIM_ADDRESS_BYTES];
    tc_error error = {0};
    peer *p = &n->peers[to];
    if (p->ep != NULL)
        return true;
    if (!node_shares_key(n, to)) {
        if (draw(n, 4) == 0)
            node_try_outsider(n, to);
        return false;
    }
    const unsigned ends = n->all->ends[to];
    const bool listens = n->all->listens[to]; /* it may begin to, meanwhile */
    tc_status status =
        tc_ep_connect(n->ctx, node_address(n, to, address), TIMEOUT_NS, &p->ep, &error);
    const bool has_ended = n->all->ends[to] != ends || !n->all->listens[to];
    if (status != TC_OK) {
        p->ep = NULL;
        if (!node_is_loss(n, status) &&
            (status != TC_E_REFUSED || !(has(n, PLAN_kills) || has_ended || !listens)))
            flows_fail("node %u: connect: %s: %s", n->number, tc_status_name(status),
                       error.text);
        if (!node_is_disturbed(n) && listens && !has_ended)
            flows_fail("node %u: connect to node %u: %s without a fault: %s", n->number, to,
                       tc_status_name(status), error.text);
        if (error.status != status || error.text[0] == '\0')
            flows_fail("node %u: connect: %s, and the error is %s: '%s'", n->number,
                       tc_status_name(status), tc_status_name(error.status), error.text);
        return false;
    }
    node_expect_identity(n, p->ep);
    p->has_ended = false;
    memset(p->used_ns, 0, sizeof p->used_ns);
    p->flow = flows_open(n->number, n->all->lives[node_of(n->number)], to);
    flows_get(p->flow)->target_ended = has_ended;
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
    tc_status status = node_await_send(n, to, function, size, &error);
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
    const unsigned content = n->number + n->number / PLAN_NODES_MAX;
    const tc_code code = node_code(plan_may_refuse(n->all->plan) ? 0 : content, function);
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
    if (status == TC_OK && has(n, PLAN_windows) && !has(n, PLAN_few_functions))
        status = node_open_windows(n, error);
    if (status == TC_OK && has(n, PLAN_tasks) && !has(n, PLAN_few_functions))
        status = node_open_tasks(n, error);
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
/* Those that wait for the target, which may be the other context of their thread. */
#define WAITING (plan_bit(PLAN_calls) | plan_bit(PLAN_prepares) | plan_bit(PLAN_libraries))
#define SENDS 4u /* draws that are plain sends */

static bool is_possible(const node *n, plan_feature feature)
{
    return has(n, feature) && (n->other == NULL || (WAITING & plan_bit(feature)) == 0);
}

void node_act(node *n)
{
    const unsigned to = node_draw_target(n);
    if (!has(n, PLAN_bursts) || draw(n, 4) == 0)
        (void)tc_wait(n->ctx, draw(n, 2 * MS));
    if (!connect_to(n, to))
        return;
    if (has(n, PLAN_windows) && draw(n, 3) == 0) {
        node_use_windows(n, to);
        return;
    }
    if (has(n, PLAN_tasks) && draw(n, 4) == 0) {
        node_use_tasks(n, to);
        return;
    }
    const uint64_t drawn = draw(n, ACTIONS + SENDS);
    if (drawn >= ACTIONS)
        send(n, to);
    else if (is_possible(n, actions[drawn].feature) &&
             (actions[drawn].one_in == 1 || draw(n, actions[drawn].one_in) == 0))
        actions[drawn].run(n, to);
}

/* --- its program ------------------------------------------------------------------------- */

void node_set(const node *n, tc_options *options, const char *name, const char *value)
{
    tc_error error = {0};
    node_expect(n, tc_options_set(options, name, value, &error), &error, name);
}

bool node_open(node *n)
{
    tc_options *options;
    tc_listener *listener;
    tc_error error = {0};
    char address[TC_SIM_ADDRESS_BYTES];
    if (tc_options_create(&options, &error) != TC_OK)
        return false;
    node_set(n, options, "listen_any", "yes");
    node_set(n, options, "delivery", plan_delivery(n->all->plan));
    node_set(n, options, "wait", has(n, PLAN_adaptive) ? "adaptive" : "block");
    node_set(n, options, "connect_timeout", "4s");
    if (has(n, PLAN_small_rings))
        node_set(n, options, "ring_bytes", "4K");
    if (has(n, PLAN_long_sleeps))
        node_set(n, options, "sleep_max", "60s");
    if (has(n, PLAN_evictions))
        node_set(n, options, "code_memory_max", has(n, PLAN_tasks) ? "36K" : "24K");
    if (has(n, PLAN_few_functions))
        node_set(n, options, "functions_max", "6");
    if (has(n, PLAN_quotas)) {
        node_set(n, options, "quota_functions", "6");
        node_set(n, options, "quota_message_rate", "1000");
        node_set(n, options, "quota_queue_bytes", "64K");
    }
    node_set_key(n, options);
    tc_status status = tc_context_create(options, &n->ctx, &error);
    tc_options_destroy(options);
    if (status != TC_OK)
        return false;
    node_begin_windows(n);
    node_begin_tasks(n);
    if (has(n, PLAN_events))
        tc_context_set_ep_callback(n->ctx, node_on_event, n);
    status = node_open_functions(n, &error);
    node_expect(n, status, &error, "open");
    n->can_send = status == TC_OK;
    if (!n->can_send)
        return true; /* to close what is open */
    status = tc_listener_open(n->ctx, node_address(n, n->number, address), &listener, &error);
    node_expect(n, status, &error, "listener");
    n->all->listens[n->number] = status == TC_OK;
    if (status == TC_OK && n->number < PLAN_NODES_MAX && node_has_group(n) &&
        !plan_is_outsider(n->all->plan, n->number))
        node_expect(n, node_make_group(n, &error), &error, "group");
    return true;
}

bool node_all_are_done(const traffic *all)
{
    for (unsigned i = 0; i < TRAFFIC_CONTEXTS; i++) {
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
    for (unsigned to = 0; to < TRAFFIC_CONTEXTS; to++) {
        if (n->peers[to].ep == NULL)
            continue;
        if (has_detached(n, to))
            send(n, to); /* answers them */
        if (n->peers[to].ep != NULL)
            flush(n, to);
        if (n->peers[to].ep != NULL && tc_ep_error(n->peers[to].ep, &error) != TC_OK)
            node_close_peer(n, to);
    }
    if (node_await_calls(n) != TC_OK)
        flows_fail("node %u: calls do not end", n->number);
    for (unsigned i = 0; i < STARTED_MAX; i++) {
        if (n->calls[i].used && !n->calls[i].done)
            flows_fail("node %u: a call has not ended", n->number);
    }
    node_expect_parts_ended(n);
    panes_expect_ended_of(n->number, n);
}

void node_close_peers(node *n)
{
    for (unsigned to = 0; to < TRAFFIC_CONTEXTS; to++) {
        if (n->peers[to].ep != NULL)
            node_close_peer(n, to);
    }
}

void node_run_actions(node *n)
{
    const unsigned count = n->all->plan->actions / (n->number < PLAN_NODES_MAX ? 1 : 2);
    for (unsigned i = 0; i < count && flows_error() == NULL; i++) {
        node_lock(n);
        node_meet(n, i);
        node_act(node_turn(n, i));
        node_look_at_tasks(n);
        node_unlock(n);
    }
    node_lock(n);
    node_settle(n);
    if (n->other != NULL)
        node_settle(n->other);
    node_unlock(n);
}

void node_serve_others(node *n)
{
    const uint64_t sleep_ns = n->other != NULL           ? MS
                              : has(n, PLAN_long_sleeps) ? 2 * TIMEOUT_NS
                                                         : 100 * MS;
    while (!node_all_are_done(n->all) && flows_error() == NULL) {
        (void)tc_wait(n->ctx, sleep_ns);
        node_look_at_tasks(n);
        if (n->other != NULL)
            (void)tc_wait(n->other->ctx, sleep_ns);
    }
    (void)tc_wait(n->ctx, 10 * MS);
}

void node_end(node *n)
{
    n->ends = true;
    if (has(n, PLAN_finishes) && draw(n, 2) == 0) {
        node_finish(n);
    } else {
        node_close_peers(n);
        tc_context_destroy(n->ctx);
    }
    node_end_windows(n);
    node_end_tasks(n);
}

static void run_node(node *n)
{
    node_open_second(n);
    if (n->can_send && has(n, PLAN_served))
        node_serve(n);
    if (n->can_send)
        node_run_actions(n);
    node_join_guest(n);
    n->all->busy[n->number] = false;
    node_lock(n);
    node_serve_others(n);
    node_end(n);
    node_end_second(n);
    if (n->guest != NULL)
        node_free_parts(n->guest);
    node_free_parts(n);
    free(n->guest);
}

void traffic_main(tc_sim_node *self, void *argument)
{
    traffic_node *own = argument;
    if (plan_is_old(own->all->plan, own->number)) {
        old_peer_run();
        return;
    }
    node *n = calloc(1, sizeof *n);
    own->program = n;
    if (n != NULL) {
        n->all = own->all;
        n->number = own->number;
        n->world = tc_sim_node_world(self);
        versions_forget(n->number);
    }
    if (n != NULL && node_open(n))
        run_node(n);
    else
        own->all->busy[own->number] = false;
    free(n);
}
