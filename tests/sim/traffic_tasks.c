/* Functions that wait. An errand is a message for one: it sleeps, calls its sender back, whose
 * function may call in turn, and operates on a window that the sender has opened for it. Each
 * checks what it has after a wait: its payload, the bytes of its stack, its endpoint; that it
 * did not sleep too short; and that no other function runs meanwhile.
 *
 * An endpoint's end ends the waits of its tasks: one that sleeps for longer than the world
 * lasts has to end, too. At any time a context has as many tasks as functions of it wait. */
#include "traffic_node.h"

#include "codes.h"
#include "panes.h"

#include <tc/task.h>
#include <tc/window.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ERRANDS_MAX 2048u /* of a world */
#define STEPS_MAX 4u
#define SLEEP_MAX (30 * MS)
#define LONG_NS (1000000 * MS) /* only an end ends it */
#define DEPTH_MAX 4u           /* of calls there and back */
#define STACK_BYTES_MAX 2048u  /* that a function uses by itself */
#define NO_PANE UINT32_MAX
/* Until an end has been noticed by all: pauses, and processors that do something else. */
#define LATE_NS (20000 * MS)

/* Static, as it outlives the life of its nodes. */
typedef struct errand {
    uint32_t flow; /* UINT32_MAX: it was not sent */
    uint64_t number;
    unsigned to;   /* context */
    uint32_t pane; /* of the sender; or NO_PANE */
    bool is_call, is_long;
    node *at; /* where it waits now, or NULL */
    tc_ep *ep;
    uint64_t ended_ns; /* its endpoint was seen to have ended then, or 0 */
} errand;

typedef struct echo {
    uint32_t flow; /* of the errand that it is for */
    uint32_t depth;
} echo;

static errand errands[ERRANDS_MAX];
static uint32_t count;
static tc_code errand_code, echo_code;

void traffic_forget_tasks(void)
{
    count = 0;
}

/* --- one function at a time --------------------------------------------------------------- */

void node_enter(node *n, const char *function)
{
    if (n->runs != NULL)
        flows_fail("context %u: %s runs while %s does", n->number, function, n->runs);
    n->runs = function;
}

void node_leave(node *n)
{
    n->runs = NULL;
}

/* --- waits -------------------------------------------------------------------------------- */

/* A function's values, which must be the same after a wait. */
typedef struct own {
    node *n;
    errand *e; /* or NULL: an echo */
    const char *name;
    uint32_t flow;
    tc_ep *ep;
    const tc_ifunc *fn;
    const uint8_t *bytes; /* of its stack */
    size_t size;
    tc_status ended; /* of a wait that the endpoint's end has ended */
} own;

static void begin_wait(own *o)
{
    node_leave(o->n);
    o->n->waiting++;
    if (o->e != NULL)
        o->e->at = o->n;
}

/* Statuses of an endpoint that has ended are not of the errand's call alone. */
static bool has_ended(const own *o)
{
    return tc_ep_error(o->ep, NULL) != TC_OK || o->n->ends || flows_get(o->flow)->ended ||
           node_all_are_done(o->n->all);
}

static bool may_fail(const own *o, tc_status status)
{
    if (status == TC_E_BUSY) /* the context has no memory for a stack of tasks */
        return o->n->all->plan->fail_at != 0;
    return node_is_refusal(o->n, status) ||
           (node_is_loss(o->n, status) &&
            (has_ended(o) || node_may_fail(o->n, flows_get(o->flow)) ||
             o->n->all->plan->fail_at != 0));
}

static void end_wait(own *o, tc_status status)
{
    node *n = o->n;
    n->waiting--;
    if (o->e != NULL)
        o->e->at = NULL;
    node_enter(n, o->name);
    node_look_at_windows(n);
    for (size_t i = 0; i < o->size; i++) {
        if (o->bytes[i] == (uint8_t)(o->size + i))
            continue;
        flows_fail("context %u: byte %zu of %zu of a stack has changed", n->number, i, o->size);
        return;
    }
    if (tc_self_endpoint() != o->ep || tc_self_ifunc() != o->fn)
        flows_fail("context %u: a function has another endpoint or function after a wait",
                   n->number);
    if (status != TC_OK && !may_fail(o, status))
        flows_fail("context %u: a wait in %s: %s without a reason", n->number, o->name,
                   tc_status_name(status));
    if (o->ended != TC_OK && status == TC_OK)
        flows_fail("context %u: a wait in %s succeeded after its endpoint's end (%s)",
                   n->number, o->name, tc_status_name(o->ended));
}

static void sleep_for(own *o, uint64_t ns)
{
    const uint64_t begin_ns = tc_sim_now_ns(o->n->world);
    begin_wait(o);
    tc_status status = tc_task_sleep(ns);
    end_wait(o, status);
    const uint64_t took_ns = tc_sim_now_ns(o->n->world) - begin_ns;
    if (status == TC_OK && took_ns < ns)
        flows_fail("context %u: a sleep of %" PRIu64 " ns took %" PRIu64, o->n->number, ns,
                   took_ns);
    if (status != TC_OK)
        o->ended = status;
}

/* Calls the sender's function, which calls this node's again, and so on. */
static void call_back(own *o, uint32_t depth)
{
    tc_error error = {0};
    uint32_t answer = UINT32_MAX;
    size_t size = sizeof answer;
    const echo message = {o->flow, depth};
    begin_wait(o);
    tc_status status = tc_call(o->ep, o->n->echo, &message, sizeof message, &answer, &size,
                               TIMEOUT_NS, &error);
    end_wait(o, status);
    if (status == TC_OK && answer != depth)
        flows_fail("context %u: an echo of %u is %u", o->n->number, depth, answer);
    if (status != TC_OK && (error.status != status || error.text[0] == '\0'))
        flows_fail("context %u: a call in %s: %s, and the error is %s: '%s'", o->n->number,
                   o->name, tc_status_name(status), tc_status_name(error.status), error.text);
}

/* Numbers of the node's, for chains. */
static uint64_t draw_number(void *user)
{
    const node *n = user;
    return tc_sim_random(n->world);
}

static void operate(own *o, uint32_t number)
{
    tc_error error = {0};
    uint32_t succeeded = 0;
    pane_chain *c = panes_chain(number, draw_number, o->n);
    if (c == NULL)
        return;
    c->flow = o->flow;
    c->is_back = true;
    c->from = o->n->number;
    c->user = o->n;
    c->is_under = true;
    begin_wait(o);
    tc_status status =
        tc_window_chain(o->ep, c->steps, c->count, TIMEOUT_NS, &succeeded, &error);
    const bool is_explained = panes_end(c, status, succeeded, error.text);
    end_wait(o, is_explained ? TC_OK : status);
}

/* --- the functions ------------------------------------------------------------------------ */

static errand *find(const flow_header *header)
{
    for (errand *e = errands; e < errands + count; e++) {
        if (e->flow == header->flow && e->number == header->number)
            return e;
    }
    return NULL;
}

static void run_step(own *o)
{
    const errand *e = o->e;
    switch (draw(o->n, 5)) {
    case 0:
        sleep_for(o, 0);
        break;
    case 1:
        call_back(o, (uint32_t)draw(o->n, DEPTH_MAX + 1));
        break;
    case 2:
        if (e != NULL && e->pane != NO_PANE)
            operate(o, e->pane);
        break;
    case 3:
        break; /* it goes on without a wait */
    default:
        sleep_for(o, e != NULL && e->is_long ? LONG_NS : 1 + draw(o->n, SLEEP_MAX));
    }
}

static void fill(own *o, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(size + i);
    o->bytes = bytes;
    o->size = size;
}

static void reply(const own *o, const void *answer, size_t size)
{
    tc_status status = tc_reply(answer, size);
    if (status != TC_OK && !may_fail(o, status))
        flows_fail("context %u: the reply of %s: %s", o->n->number, o->name,
                   tc_status_name(status));
}

static node *self(void)
{
    const traffic_node *program = tc_sim_node_argument(tc_sim_self());
    return node_running(program->program);
}

TC_THREADED(sim_errand)(void *payload, size_t payload_size, void *target_args)
{
    node *n = self();
    (void)target_args;
    node_enter(n, "an errand");
    node_look_at_windows(n);
    const flow_header header = flows_check(n->number, ERRAND_FUNCTION, payload, payload_size);
    node_expect_announced(n, header.flow);
    own o = {.n = n,
             .e = find(&header),
             .name = "an errand",
             .flow = header.flow,
             .ep = tc_self_endpoint(),
             .fn = tc_self_ifunc()};
    uint8_t bytes[STACK_BYTES_MAX];
    fill(&o, bytes, 1 + draw(n, sizeof bytes));
    if (o.e != NULL)
        o.e->ep = o.ep;
    for (uint64_t left = draw(n, STEPS_MAX + 1); left > 0 && o.e != NULL; left--) {
        run_step(&o);
        if (!flows_is_whole(payload, payload_size))
            flows_fail("context %u: the payload of an errand has changed", n->number);
    }
    if (o.e != NULL && o.e->is_call)
        reply(&o, &header.number, sizeof header.number);
    node_leave(n);
}

TC_THREADED(sim_echo)(void *payload, size_t payload_size, void *target_args)
{
    node *n = self();
    echo message;
    (void)target_args;
    node_enter(n, "an echo");
    node_look_at_windows(n);
    if (payload_size != sizeof message) {
        flows_fail("context %u: an echo of %zu bytes", n->number, payload_size);
        return;
    }
    memcpy(&message, payload, sizeof message);
    own o = {.n = n,
             .name = "an echo",
             .flow = message.flow,
             .ep = tc_self_endpoint(),
             .fn = tc_self_ifunc()};
    uint8_t bytes[STACK_BYTES_MAX];
    fill(&o, bytes, 1 + draw(n, sizeof bytes));
    if (draw(n, 2) == 0)
        sleep_for(&o, draw(n, SLEEP_MAX / 8));
    if (message.depth > 0 && o.ended == TC_OK)
        call_back(&o, message.depth - 1);
    reply(&o, &message.depth, sizeof message.depth);
    node_leave(n);
}

void traffic_prepare_tasks(void)
{
    tc_error error;
    errand_code = codes_function("sim_errand", 180, NULL);
    echo_code = codes_function("sim_echo", 140, NULL);
    if (tc_sim_function("sim_errand", sim_errand_main, &error) != TC_OK ||
        tc_sim_function("sim_echo", sim_echo_main, &error) != TC_OK)
        abort();
}

tc_status node_open_tasks(node *n, tc_error *error)
{
    tc_status status =
        tc_ifunc_open_code(n->ctx, &errand_code, &n->functions[ERRAND_FUNCTION], error);
    return status == TC_OK ? tc_ifunc_open_code(n->ctx, &echo_code, &n->echo, error) : status;
}

/* --- the sender --------------------------------------------------------------------------- */

static void call_errand(node *n, unsigned to, errand *e, size_t size)
{
    tc_error error = {0};
    started *s = node_unused_call(n);
    if (s == NULL) {
        e->flow = UINT32_MAX;
        return;
    }
    *s = (started){.used = true, .node = n, .rank = TC_RANK_NONE, .flow = e->flow};
    s->number = e->number;
    const tc_call_params params = {.result = &s->answer,
                                   .result_capacity = sizeof s->answer,
                                   .timeout_ns = TIMEOUT_NS,
                                   .done = node_call_done,
                                   .user = s};
    tc_status status = tc_call_start(n->peers[to].ep, n->functions[ERRAND_FUNCTION], n->payload,
                                     size, &params, NULL, &error);
    if (status == TC_OK) {
        flows_get(s->flow)->sent++;
        return;
    }
    s->used = false;
    e->flow = UINT32_MAX;
    if (status != TC_E_AGAIN)
        node_lose(n, to, status, &error, "start of a call of a function that waits");
}

static void send_errand(node *n, unsigned to, errand *e, size_t size)
{
    tc_error error = {0};
    const uint32_t number = e->flow;
    tc_status status = node_await_send(n, to, ERRAND_FUNCTION, size, &error);
    if (status == TC_OK) {
        flows_get(number)->sent++;
        return;
    }
    e->flow = UINT32_MAX;
    node_lose(n, to, status, &error, "send to a function that waits");
}

void node_use_tasks(node *n, unsigned to)
{
    if (n->echo == NULL || count == ERRANDS_MAX || plan_is_old(n->all->plan, node_of(to)))
        return;
    const size_t size = node_draw_size(n);
    errand *e = &errands[count++];
    *e = (errand){.flow = n->peers[to].flow, .to = to, .pane = NO_PANE};
    e->is_call = draw(n, 2) == 0;
    e->is_long = !e->is_call && draw(n, 8) == 0;
    if (n->opens != NULL && draw(n, 4) == 0)
        e->pane = node_open_pane(n, n->peers[to].ep, e->flow, false, tc_sim_random(n->world));
    if (e->pane != NO_PANE)
        panes_get(e->pane)->is_back = true;
    e->number = flows_get(e->flow)->sent + 1;
    flows_write(e->flow, ERRAND_FUNCTION, FLOW_SEND, n->payload, size);
    if (e->is_call)
        call_errand(n, to, e, size);
    else
        send_errand(n, to, e, size);
}

/* --- checks between functions ------------------------------------------------------------- */

void node_begin_tasks(const node *n)
{
    for (errand *e = errands; e < errands + count; e++) {
        if (e->to == n->number)
            e->at = NULL; /* of a life that was killed */
    }
}

void node_look_at_tasks(const node *n)
{
    if (!has(n, PLAN_tasks))
        return;
    const uint64_t now_ns = tc_sim_now_ns(n->world);
    if (n->runs == NULL && tc_task_count(n->ctx) != n->waiting)
        flows_fail("context %u: %zu tasks, and %u functions wait", n->number,
                   tc_task_count(n->ctx), n->waiting);
    for (errand *e = errands; e < errands + count; e++) {
        if (e->at != n || tc_ep_error(e->ep, NULL) == TC_OK)
            continue;
        if (e->ended_ns == 0)
            e->ended_ns = now_ns;
        else if (now_ns - e->ended_ns > LATE_NS)
            flows_fail("context %u: an errand waits on, %" PRIu64
                       " ms after its endpoint has ended",
                       n->number, (uint64_t)((now_ns - e->ended_ns) / MS));
    }
}

void node_end_tasks(const node *n)
{
    if (n->waiting > 0 || n->runs != NULL)
        flows_fail("context %u has ended, and %u functions wait", n->number, n->waiting);
}
