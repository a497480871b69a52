/* Worlds: nodes talk, time passes only where they wait, and a seed repeats. */
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/advanced.h>
#include <tc/sim.h>
#include <tc/tc.h>

#define TIMEOUT_NS 5000000000ull
#define PORT 7000
#define MESSAGES 100u

static unsigned runs;

static void count(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    runs++;
}

static tc_context *make_context(void)
{
    tc_options *options;
    tc_context *ctx;
    tc_error error = {0};
    must(tc_options_create(&options, &error), &error, "options");
    must(tc_options_set(options, "listen_any", "yes", &error), &error, "listen_any");
    must(tc_options_set(options, "delivery", "stream", &error), &error, "delivery");
    must(tc_options_set(options, "wait", "block", &error), &error, "wait");
    must(tc_context_create(options, &ctx, &error), &error, "context");
    tc_options_destroy(options);
    return ctx;
}

static void serve(tc_sim_node *node, void *argument)
{
    tc_context *ctx = make_context();
    tc_listener *listener;
    tc_error error = {0};
    char address[TC_SIM_ADDRESS_BYTES];
    (void)argument;
    must(tc_listener_open(ctx, tc_sim_address(node, PORT, address), &listener, &error), &error,
         "listener");
    while (runs < MESSAGES)
        (void)tc_wait(ctx, 1000000);
    (void)tc_wait(ctx, 50000000);
    tc_context_destroy(ctx);
}

static void ask(tc_sim_node *node, void *argument)
{
    tc_context *ctx = make_context();
    tc_ep *ep;
    tc_ifunc *fn;
    tc_error error = {0};
    char address[TC_SIM_ADDRESS_BYTES];
    (void)node;
    tc_sim_sleep(1000000);
    must(tc_ep_connect(ctx, tc_sim_address(argument, PORT, address), TIMEOUT_NS, &ep, &error),
         &error, "connect");
    must(tc_ifunc_open_code(ctx, &(tc_code){.path = TEST_ARCHIVE}, &fn, &error), &error,
         "open");
    for (unsigned i = 0; i < MESSAGES; i++)
        must(tc_send_wait(ep, fn, &i, sizeof i, TIMEOUT_NS, &error), &error, "send");
    must(tc_ep_flush(ep, TIMEOUT_NS, &error), &error, "flush");
    assert_int_equal(runs, MESSAGES);
    tc_ep_close(ep);
    tc_ifunc_close(fn);
    tc_context_destroy(ctx);
}

static uint64_t run_world(uint64_t seed, uint64_t *events_out)
{
    tc_sim_world *world;
    tc_sim_node *server, *client;
    tc_error error = {0};
    runs = 0;
    must(tc_sim_function("check", count, &error), &error, "function");
    must(tc_sim_world_create(&(tc_sim_params){.seed = seed, .cut_per_million = 100000}, &world,
                             &error),
         &error, "world");
    must(tc_sim_node_create(world, 1, serve, NULL, &server, &error), &error, "server");
    must(tc_sim_node_create(world, 2, ask, server, &client, &error), &error, "client");
    must(tc_sim_run_until(world, 60000000000ull, &error), &error, "run");
    assert_int_equal(runs, MESSAGES);
    assert_false(tc_sim_node_is_running(server));
    uint64_t hash = tc_sim_hash(world);
    *events_out = tc_sim_events(world);
    tc_sim_world_destroy(world);
    return hash;
}

static void messages_run_and_a_seed_repeats(void **state)
{
    uint64_t events, again;
    (void)state;
    const uint64_t hash = run_world(1, &events);
    assert_int_equal(run_world(1, &again), hash);
    assert_int_equal(events, again);
    assert_true(run_world(2, &again) != hash);
}

static void sleep_long(tc_sim_node *node, void *argument)
{
    (void)node, (void)argument;
    tc_sim_sleep(500);
    tc_sim_sleep(1000000000);
}

static void time_passes_also_without_events(void **state)
{
    tc_sim_world *world;
    tc_sim_node *node;
    tc_error error = {0};
    (void)state;
    must(tc_sim_world_create(&(tc_sim_params){0}, &world, &error), &error, "world");
    must(tc_sim_node_create(world, 1, sleep_long, NULL, &node, &error), &error, "node");
    assert_int_equal(tc_sim_run_until(world, 1000000, &error), TC_E_TIMEOUT);
    assert_int_equal(tc_sim_now_ns(world), 1000000);
    must(tc_sim_run_until(world, 2000000000, &error), &error, "run");
    tc_sim_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_run_and_a_seed_repeats),
        cmocka_unit_test(time_passes_also_without_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
