/* Refusals of two peers that come in the same turn: a flush of either shows its own. */
#include "../support/fake_archive.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "archive.h"

#include <tc/sim.h>
#include <tc/tc.h>

#define MS 1000000ull
#define TIMEOUT_NS (1000 * MS)
#define PORT 7000
#define SEND_NS (500 * MS)
#define DELAY_NS (10 * MS)

typedef struct sender {
    tc_sim_node *node, *peers[2];
    unsigned first; /* the one to flush first */
    tc_code stranger, nap;
} sender;

static tc_context *make_context(tc_sim_node *node)
{
    tc_options *options;
    tc_context *ctx;
    tc_listener *listener;
    tc_error error = {0};
    char address[TC_SIM_ADDRESS_BYTES];
    must(tc_options_create(&options, &error), &error, "options");
    must(tc_options_set(options, "listen_any", "yes", &error), &error, "listen_any");
    must(tc_options_set(options, "delivery", "stream", &error), &error, "delivery");
    must(tc_options_set(options, "wait", "block", &error), &error, "wait");
    must(tc_context_create(options, &ctx, &error), &error, "context");
    tc_options_destroy(options);
    must(tc_listener_open(ctx, tc_sim_address(node, PORT, address), &listener, &error), &error,
         "listener");
    return ctx;
}

static tc_ep *connect_to(tc_context *ctx, const tc_sim_node *node)
{
    tc_ep *ep;
    tc_error error = {0};
    char address[TC_SIM_ADDRESS_BYTES];
    must(tc_ep_connect(ctx, tc_sim_address(node, PORT, address), TIMEOUT_NS, &ep, &error),
         &error, "connect");
    return ep;
}

static tc_ifunc *open_code(tc_context *ctx, const tc_code *code)
{
    tc_ifunc *fn;
    tc_error error = {0};
    must(tc_ifunc_open_code(ctx, code, &fn, &error), &error, "open");
    return fn;
}

static void sleep_until(const tc_sim_node *node, uint64_t time_ns)
{
    tc_sim_sleep(time_ns - tc_sim_now_ns(tc_sim_node_world(node)));
}

static void serve(tc_sim_node *node, void *argument)
{
    (void)argument;
    tc_context *ctx = make_context(node);
    while (tc_sim_now_ns(tc_sim_node_world(node)) < 2 * SEND_NS)
        (void)tc_wait(ctx, MS);
    tc_context_destroy(ctx);
}

static void nap(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    tc_sim_sleep(20 * DELAY_NS);
}

/* Its function runs at the sender in the flush, and both refusals come meanwhile. */
static void delay(tc_sim_node *node, void *argument)
{
    const sender *other = argument;
    tc_error error = {0};
    tc_sim_sleep(MS);
    tc_context *ctx = make_context(node);
    tc_ep *ep = connect_to(ctx, other->node);
    tc_ifunc *fn = open_code(ctx, &other->nap);
    must(tc_ep_prepare(ep, fn, TIMEOUT_NS, &error), &error, "prepare");
    sleep_until(node, SEND_NS);
    must(tc_send_wait(ep, fn, NULL, 0, TIMEOUT_NS, &error), &error, "send");
    (void)!tc_ep_flush(ep, TIMEOUT_NS, &error);
    tc_context_destroy(ctx);
}

static void send_to_both(tc_sim_node *node, void *argument)
{
    const sender *own = argument;
    tc_ep *eps[2];
    tc_error error = {0};
    tc_context *ctx = make_context(node);
    tc_ifunc *fn = open_code(ctx, &own->stranger);
    tc_sim_sleep(MS);
    for (unsigned i = 0; i < 2; i++)
        eps[i] = connect_to(ctx, own->peers[i]);
    while (tc_sim_now_ns(tc_sim_node_world(node)) < SEND_NS)
        (void)tc_wait(ctx, SEND_NS - tc_sim_now_ns(tc_sim_node_world(node)));
    for (unsigned i = 0; i < 2; i++)
        must(tc_send_wait(eps[i], fn, &i, sizeof i, TIMEOUT_NS, &error), &error, "send");
    must(tc_ep_flush(eps[own->first], TIMEOUT_NS, &error), &error, "flush");
    assert_int_equal(tc_ep_refusal(eps[own->first], &error), 1);
    tc_context_destroy(ctx);
}

static void run_world(sender *own)
{
    tc_sim_world *world;
    tc_sim_node *delayer;
    tc_error error = {0};
    must(tc_sim_world_create(&(tc_sim_params){.seed = 1, .delay_ns = DELAY_NS}, &world, &error),
         &error, "world");
    for (unsigned i = 0; i < 2; i++)
        must(tc_sim_node_create(world, i, serve, NULL, &own->peers[i], &error), &error, "peer");
    must(tc_sim_node_create(world, 2, send_to_both, own, &own->node, &error), &error, "sender");
    must(tc_sim_node_create(world, 3, delay, own, &delayer, &error), &error, "delay");
    must(tc_sim_run_until(world, 60000 * MS, &error), &error, "run");
    tc_sim_world_destroy(world);
}

TEST(a_flush_shows_a_refusal_that_came_with_another)
{
    sender own = {.first = 0};
    tc_error error = {0};
    must(tc_sim_function("nap", nap, &error), &error, "function");
    own.nap.bytes = fake_archive("nap", TCI_ENTRY_MAIN, 100, &own.nap.size);
    /* No function of the process has its name. */
    own.stranger.bytes = fake_archive("stranger", TCI_ENTRY_MAIN, 100, &own.stranger.size);
    for (own.first = 0; own.first < 2; own.first++)
        run_world(&own);
    free((void *)(uintptr_t)own.nap.bytes);
    free((void *)(uintptr_t)own.stranger.bytes);
}
