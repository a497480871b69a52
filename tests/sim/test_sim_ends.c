/* Ends of contexts in orders that processes reach seldom. */
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/entry.h>
#include <tc/sim.h>
#include <tc/tc.h>

#define MS 1000000ull
#define TIMEOUT_NS (5000 * MS)
#define PORT 7000

static tc_sim_node *target, *busy;
static bool peer_has_sent;
static unsigned opened, runs, runs_unannounced;

static void count(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    runs++;
    runs_unannounced += tc_sim_self() == target && opened == 0;
}

static void on_event(void *user, tc_ep *ep, tc_ep_event event)
{
    (void)user, (void)ep;
    opened += event == TC_EP_OPENED;
}

static tc_context *make_context(tc_sim_node *node)
{
    tc_options *options;
    tc_context *ctx;
    tc_error error = {0};
    char address[TC_SIM_ADDRESS_BYTES];
    must(tc_options_create(&options, &error), &error, "options");
    must(tc_options_set(options, "listen_any", "yes", &error), &error, "listen_any");
    must(tc_options_set(options, "delivery", "stream", &error), &error, "delivery");
    must(tc_options_set(options, "wait", "block", &error), &error, "wait");
    must(tc_context_create(options, &ctx, &error), &error, "context");
    tc_options_destroy(options);
    must(tc_listener_open(ctx, tc_sim_address(node, PORT, address), NULL, &error), &error,
         "listener");
    return ctx;
}

static tc_ep *send_one(tc_context *ctx, const tc_sim_node *to, tc_ifunc **fn_out)
{
    tc_ep *ep;
    tc_error error = {0};
    char address[TC_SIM_ADDRESS_BYTES];
    must(tc_ep_connect(ctx, tc_sim_address(to, PORT, address), TIMEOUT_NS, &ep, &error), &error,
         "connect");
    must(tc_ifunc_open_code(ctx, &(tc_code){.path = TEST_ARCHIVE}, fn_out, &error), &error,
         "open");
    must(tc_send_wait(ep, *fn_out, "", 1, TIMEOUT_NS, &error), &error, "send");
    return ep;
}

/* Makes others that end wait for it: it takes no message for some time. */
static void be_busy(tc_sim_node *node, void *argument)
{
    tc_context *ctx = make_context(node);
    (void)argument;
    while (runs == 0)
        (void)tc_wait(ctx, MS);
    tc_sim_sleep(50 * MS);
    (void)tc_wait(ctx, 500 * MS);
    tc_context_destroy(ctx);
}

/* Ends its context when a peer has connected and sent, and its last words are under way. */
static void end_early(tc_sim_node *node, void *argument)
{
    tc_ifunc *fn;
    tc_error error = {0};
    (void)argument;
    tc_context *ctx = make_context(node);
    tc_context_set_ep_callback(ctx, on_event, NULL);
    tc_ep *ep = send_one(ctx, busy, &fn);
    must(tc_ep_flush(ep, TIMEOUT_NS, &error), &error, "flush"); /* from here on it sleeps */
    while (!peer_has_sent)
        (void)tc_wait(ctx, MS / 100);
    must(tc_send_wait(ep, fn, "", 1, TIMEOUT_NS, &error), &error, "send");
    tc_context_destroy(ctx);
}

static void connect_late(tc_sim_node *node, void *argument)
{
    tc_ifunc *fn;
    uint64_t lost;
    tc_error error;
    (void)argument;
    tc_sim_sleep(10 * MS);
    tc_context *ctx = make_context(node);
    tc_ep *ep = send_one(ctx, target, &fn);
    peer_has_sent = true;
    const tc_status status = tc_ep_finish(ep, TIMEOUT_NS, &lost, &error);
    assert_true((status == TC_OK) == (lost == 0));
    tc_context_destroy(ctx);
}

static void no_message_runs_that_no_event_announced(void **state)
{
    tc_sim_world *world;
    tc_sim_node *late;
    tc_error error = {0};
    (void)state;
    must(tc_sim_function("check", count, &error), &error, "function");
    must(tc_sim_world_create(&(tc_sim_params){.seed = 1, .delay_ns = MS}, &world, &error),
         &error, "world");
    must(tc_sim_node_create(world, 1, be_busy, NULL, &busy, &error), &error, "busy node");
    must(tc_sim_node_create(world, 2, end_early, NULL, &target, &error), &error, "target");
    must(tc_sim_node_create(world, 3, connect_late, NULL, &late, &error), &error, "peer");
    must(tc_sim_run_until(world, 60000 * MS, &error), &error, "run");
    assert_false(tc_sim_node_is_running(late));
    assert_true(peer_has_sent);
    assert_int_equal(opened, 0); /* else the world has not reached the case */
    assert_int_equal(runs_unannounced, 0);
    tc_sim_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_message_runs_that_no_event_announced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
