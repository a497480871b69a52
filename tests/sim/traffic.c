/* A node's program: a context, a listener, and actions drawn from the world's numbers. After
 * its own actions it serves until all nodes have done theirs. */
#include "traffic.h"

#include "flows.h"

#include "../support/fake_archive.h"

#include "archive.h"

#include <tc/advanced.h>
#include <tc/entry.h>
#include <tc/tc.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PORT 7000
#define MS 1000000ull
#define TIMEOUT_NS (4000 * MS)
#define SMALL_MAX 512u
#define LARGE_MAX (300u << 10)
#define STARTED_MAX 16u

static void *archives[FLOW_FUNCTIONS];
static size_t archive_sizes[FLOW_FUNCTIONS];

/* --- functions that are sent ------------------------------------------------------------- */

static void run(unsigned function, const void *payload, size_t size)
{
    uint64_t number;
    const traffic_node *own = tc_sim_node_argument(tc_sim_self());
    if (flows_check(own->number, function, payload, size, &number) &&
        tc_reply(&number, sizeof number) != TC_OK)
        flows_fail("node %u cannot reply", own->number);
}

#define FUNCTION(n)                                                                            \
    static void main_##n(void *payload, size_t size, void *target_args)                        \
    {                                                                                          \
        (void)target_args;                                                                     \
        run(n, payload, size);                                                                 \
    }
FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
FUNCTION(6)
FUNCTION(7)

static void (*const mains[FLOW_FUNCTIONS])(void *, size_t, void *) = {
    main_0, main_1, main_2, main_3, main_4, main_5, main_6, main_7};

void traffic_prepare(void)
{
    char name[8];
    tc_error error;
    for (unsigned i = 0; i < FLOW_FUNCTIONS; i++) {
        (void)snprintf(name, sizeof name, "f%u", i);
        archives[i] = fake_archive(name, TCI_ENTRY_MAIN, 100 + 700 * i, &archive_sizes[i]);
        if (tc_sim_function(name, mains[i], &error) != TC_OK)
            abort();
    }
}

/* --- one node ---------------------------------------------------------------------------- */

typedef struct peer {
    tc_ep *ep; /* NULL: not connected */
    uint32_t flow;
} peer;

typedef struct started {
    bool used, done;
    unsigned peer;
    uint32_t flow;
    uint64_t number, answer;
} started;

typedef struct node {
    traffic *all;
    unsigned number;
    tc_sim_world *world;
    tc_context *ctx;
    bool can_send; /* all functions are open */
    tc_ifunc *functions[FLOW_FUNCTIONS];
    peer peers[PLAN_NODES_MAX];
    started calls[STARTED_MAX];
    uint8_t payload[LARGE_MAX];
} node;

static uint64_t draw(node *n, uint64_t limit)
{
    return tc_sim_random(n->world) % limit;
}

static bool has(const node *n, plan_feature feature)
{
    return plan_has(n->all->plan, feature);
}

static void expect(const node *n, tc_status status, const tc_error *error, const char *what)
{
    if (status != TC_OK && n->all->plan->fail_at == 0)
        flows_fail("node %u: %s: %s: %s", n->number, what, tc_status_name(status), error->text);
}

/* The errors that a peer's death or a cut may give, or the call that fails in this world;
 * nothing else is taken. */
static bool is_loss(const node *n, tc_status status)
{
    return status == TC_E_PEER_LOST || status == TC_E_CLOSED || status == TC_E_TIMEOUT ||
           status == TC_E_UNREACHABLE ||
           (n->all->plan->fail_at != 0 &&
            (status == TC_E_NO_MEMORY || status == TC_E_IO || status == TC_E_REFUSED));
}

static void close_peer(node *n, unsigned to)
{
    peer *p = &n->peers[to];
    flows_get(p->flow)->ended = true;
    tc_ep *ep = p->ep;
    p->ep = NULL;
    tc_ep_close(ep);
}

/* A call that could not be confirmed ends its flow. */
static void lose(node *n, unsigned to, tc_status status, const tc_error *error,
                 const char *what)
{
    const uint32_t disturbing =
        (1u << PLAN_kills) | (1u << PLAN_cuts) | (1u << PLAN_pauses) | (1u << PLAN_interrupts);
    if (!is_loss(n, status))
        flows_fail("node %u: %s: %s: %s", n->number, what, tc_status_name(status), error->text);
    if ((n->all->plan->features & disturbing) == 0 && n->all->plan->fail_at == 0)
        flows_fail("node %u: %s: %s without a fault: %s", n->number, what,
                   tc_status_name(status), error->text);
    close_peer(n, to);
}

static bool connect_to(node *n, unsigned to)
{
    char address[TC_SIM_ADDRESS_BYTES];
    tc_error error = {0};
    peer *p = &n->peers[to];
    if (p->ep != NULL)
        return true;
    tc_status status =
        tc_ep_connect(n->ctx, tc_sim_address(n->all->nodes[to], (uint16_t)(PORT + to), address),
                      TIMEOUT_NS, &p->ep, &error);
    if (status != TC_OK) {
        p->ep = NULL;
        if (!is_loss(n, status) && status != TC_E_REFUSED)
            flows_fail("node %u: connect: %s: %s", n->number, tc_status_name(status),
                       error.text);
        return false;
    }
    p->flow = flows_open(n->number, n->all->lives[n->number], to);
    return true;
}

static size_t draw_size(node *n)
{
    const size_t least = sizeof(flow_header);
    if (has(n, PLAN_large) && draw(n, 4) == 0)
        return least + 3000 + draw(n, LARGE_MAX - 3000 - least);
    return least + draw(n, SMALL_MAX);
}

static void send(node *n, unsigned to)
{
    tc_error error = {0};
    const unsigned function = (unsigned)draw(n, FLOW_FUNCTIONS);
    const size_t size = draw_size(n);
    flow *f;
    flows_write(n->peers[to].flow, function, false, n->payload, size);
    tc_status status = tc_send_wait(n->peers[to].ep, n->functions[function], n->payload, size,
                                    TIMEOUT_NS, &error);
    f = flows_get(n->peers[to].flow);
    if (status == TC_OK)
        f->sent++;
    else
        lose(n, to, status, &error, "send");
}

static void flush(node *n, unsigned to)
{
    tc_error error = {0};
    tc_status status = tc_ep_flush(n->peers[to].ep, TIMEOUT_NS, &error);
    const flow *f = flows_get(n->peers[to].flow);
    if (status != TC_OK)
        lose(n, to, status, &error, "flush");
    else if ((f->run != f->sent || f->dropped > 0) &&
             tc_ep_refusal(n->peers[to].ep, &error) == 0)
        flows_fail("node %u: a flush succeeded when %" PRIu64 " of %" PRIu64
                   " messages to node %u had run",
                   n->number, f->run, f->sent, to);
}

static void call(node *n, unsigned to)
{
    tc_error error = {0};
    const unsigned function = (unsigned)draw(n, FLOW_FUNCTIONS);
    const size_t size = draw_size(n);
    uint64_t answer = 0;
    size_t answer_size = sizeof answer;
    const uint32_t number = n->peers[to].flow;
    flows_write(number, function, true, n->payload, size);
    tc_status status = tc_call(n->peers[to].ep, n->functions[function], n->payload, size,
                               &answer, &answer_size, TIMEOUT_NS, &error);
    flow *f = flows_get(number);
    if (status != TC_OK) {
        lose(n, to, status, &error, "call");
        return;
    }
    f->sent++;
    if (answer != f->sent || f->run < f->sent)
        flows_fail("node %u: a call of message %" PRIu64 " returned %" PRIu64, n->number,
                   f->sent, answer);
}

static void call_done(void *user, const tc_call_outcome *outcome)
{
    started *s = user;
    if (!s->used || s->done)
        flows_fail("flow %u: the end of call %" PRIu64 " was reported twice", s->flow,
                   s->number);
    s->done = true;
    if (outcome->status == TC_OK && s->answer != s->number)
        flows_fail("flow %u: call %" PRIu64 " returned %" PRIu64, s->flow, s->number,
                   s->answer);
    if (outcome->status == TC_OK && flows_get(s->flow)->run < s->number)
        flows_fail("flow %u: call %" PRIu64 " succeeded and has not run", s->flow, s->number);
}

static void start_call(node *n, unsigned to)
{
    tc_error error = {0};
    const unsigned function = (unsigned)draw(n, FLOW_FUNCTIONS);
    const size_t size = sizeof(flow_header) + draw(n, SMALL_MAX);
    started *s = n->calls;
    while (s < n->calls + STARTED_MAX && s->used && !s->done)
        s++;
    if (s == n->calls + STARTED_MAX)
        return;
    *s = (started){.used = true, .peer = to, .flow = n->peers[to].flow};
    s->number = flows_get(s->flow)->sent + 1;
    flows_write(s->flow, function, true, n->payload, size);
    const tc_call_params params = {.result = &s->answer,
                                   .result_capacity = sizeof s->answer,
                                   .timeout_ns = TIMEOUT_NS,
                                   .done = call_done,
                                   .user = s};
    tc_status status = tc_call_start(n->peers[to].ep, n->functions[function], n->payload, size,
                                     &params, NULL, &error);
    if (status == TC_OK) {
        flows_get(n->peers[to].flow)->sent++;
        return;
    }
    s->used = false;
    if (status != TC_E_AGAIN)
        lose(n, to, status, &error, "start of a call");
}

static void prepare(node *n, unsigned to)
{
    tc_error error = {0};
    tc_status status = tc_ep_prepare(n->peers[to].ep, n->functions[draw(n, FLOW_FUNCTIONS)],
                                     TIMEOUT_NS, &error);
    if (status != TC_OK)
        lose(n, to, status, &error, "prepare");
}

static void act(node *n)
{
    const unsigned to = (unsigned)draw(n, n->all->plan->nodes);
    if (!has(n, PLAN_bursts) || draw(n, 4) == 0)
        (void)tc_wait(n->ctx, draw(n, 2 * MS));
    if (!connect_to(n, to))
        return;
    switch (draw(n, 8)) {
    case 0:
        if (has(n, PLAN_flushes))
            flush(n, to);
        break;
    case 1:
        if (has(n, PLAN_calls))
            call(n, to);
        break;
    case 2:
        if (has(n, PLAN_started))
            start_call(n, to);
        break;
    case 3:
        if (has(n, PLAN_prepares))
            prepare(n, to);
        break;
    case 4:
        if (has(n, PLAN_closes) && draw(n, 4) == 0)
            close_peer(n, to);
        break;
    default:
        send(n, to);
    }
}

/* --- its program ------------------------------------------------------------------------- */

static void set(const node *n, tc_options *options, const char *name, const char *value)
{
    tc_error error = {0};
    expect(n, tc_options_set(options, name, value, &error), &error, name);
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
    set(n, options, "delivery", has(n, PLAN_shared) ? "auto" : "stream");
    set(n, options, "wait", has(n, PLAN_adaptive) ? "adaptive" : "block");
    set(n, options, "connect_timeout", "4s");
    if (has(n, PLAN_small_rings))
        set(n, options, "ring_bytes", "4K");
    tc_status status = tc_context_create(options, &n->ctx, &error);
    tc_options_destroy(options);
    if (status != TC_OK)
        return false;
    for (unsigned i = 0; i < FLOW_FUNCTIONS && status == TC_OK; i++) {
        const tc_code code = {.bytes = archives[i], .size = archive_sizes[i]};
        status = tc_ifunc_open_code(n->ctx, &code, &n->functions[i], &error);
        expect(n, status, &error, "open");
    }
    n->can_send = status == TC_OK;
    if (!n->can_send)
        return true; /* to close what is open */
    const uint16_t port = (uint16_t)(PORT + n->number);
    status = tc_listener_open(n->ctx, tc_sim_address(tc_sim_self(), port, address), &listener,
                              &error);
    expect(n, status, &error, "listener");
    return true;
}

static bool all_are_done(const traffic *all)
{
    for (unsigned i = 0; i < all->plan->nodes; i++) {
        if (all->busy[i])
            return false;
    }
    return true;
}

static void settle(node *n)
{
    tc_error error = {0};
    for (unsigned to = 0; to < n->all->plan->nodes; to++) {
        if (n->peers[to].ep == NULL)
            continue;
        flush(n, to);
        if (n->peers[to].ep != NULL && tc_ep_error(n->peers[to].ep, &error) != TC_OK)
            close_peer(n, to);
    }
    if (tc_calls_wait(n->ctx, 3 * TIMEOUT_NS) != TC_OK)
        flows_fail("node %u: calls do not end", n->number);
    for (unsigned i = 0; i < STARTED_MAX; i++) {
        if (n->calls[i].used && !n->calls[i].done)
            flows_fail("node %u: a call has not ended", n->number);
    }
}

void traffic_main(tc_sim_node *self, void *argument)
{
    const traffic_node *own = argument;
    node *n = calloc(1, sizeof *n);
    if (n == NULL) {
        own->all->busy[own->number] = false;
        return;
    }
    n->all = own->all;
    n->number = own->number;
    n->world = tc_sim_node_world(self);
    if (!open_all(n)) {
        n->all->busy[n->number] = false;
        free(n);
        return;
    }
    for (unsigned i = 0; i < n->all->plan->actions && n->can_send && flows_error() == NULL; i++)
        act(n);
    settle(n);
    n->all->busy[n->number] = false;
    while (!all_are_done(n->all) && flows_error() == NULL)
        (void)tc_wait(n->ctx, 100 * MS);
    (void)tc_wait(n->ctx, 10 * MS);
    for (unsigned to = 0; to < n->all->plan->nodes; to++) {
        if (n->peers[to].ep != NULL)
            close_peer(n, to);
    }
    tc_context_destroy(n->ctx);
    free(n);
}
