/* Worlds: nodes talk, time passes only where they wait, and a seed repeats. */
#include "../support/test.h"
#include "../support/test_context.h"

#include "sim_system.h"

#include <tc/advanced.h>
#include <tc/group.h>
#include <tc/sim.h>
#include <tc/tc.h>

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void sleep_really(tc_sim_node *node, void *argument)
{
    (void)node, (void)argument;
    tc_sim_sleep(7000000);
    /* Not a simulated call. */
    (void)select(0, NULL, NULL, NULL, &(struct timeval){.tv_usec = 300000});
    tc_sim_sleep(1000000);
}

static void work_long(tc_sim_node *node, void *argument)
{
    struct timespec now;
    uint64_t end_ns, now_ns = 0;
    (void)node, (void)argument;
    assert_int_equal(__real_clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
    end_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + 60000000u;
    for (; now_ns < end_ns; now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec)
        assert_int_equal(__real_clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
}

/* The world has a node that ends at once, and another with this main. Returns its status. */
static tc_status run_beside(void (*main)(tc_sim_node *node, void *argument),
                            const tc_sim_params *params, tc_error *err)
{
    tc_sim_world *world;
    tc_sim_node *node;
    must(tc_sim_world_create(params, &world, err), err, "world");
    must(tc_sim_node_create(world, 1, work_long, NULL, &node, err), err, "node 0");
    must(tc_sim_node_create(world, 1, main, NULL, &node, err), err, "node 1");
    tc_status status = tc_sim_run_until(world, 1000000000u, err);
    tc_sim_world_destroy(world);
    return status;
}

static void a_node_that_sleeps_in_real_time_is_reported(void **state)
{
    tc_error error = {0};
    (void)state;
    assert_int_equal(run_beside(sleep_really, &(tc_sim_params){0}, &error), TC_E_INVALID);
    assert_non_null(strstr(error.text, "node 1 slept or waited for "));
    assert_non_null(strstr(error.text, " ms of real time"));
    const tc_sim_params any = {.real_wait_ns = UINT64_MAX};
    must(run_beside(sleep_really, &any, &error), &error, "waits of any length");
}

static void a_node_that_works_for_long_is_not_reported(void **state)
{
    tc_error error = {0};
    (void)state;
    must(run_beside(work_long, &(tc_sim_params){0}, &error), &error, "work");
}

static void never_wait(tc_sim_node *node, void *argument)
{
    volatile unsigned turns = 0;
    (void)node, (void)argument;
    for (;;)
        turns++;
}

/* The process ends by SIGABRT, after a line that names the node. */
static void a_node_that_never_waits_ends_the_process(void **state)
{
    char line[512] = "";
    size_t size = 0;
    ssize_t got;
    int ends[2], status;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tc_error error;
        (void)signal(SIGABRT, SIG_DFL); /* not cmocka's */
        (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        (void)dup2(ends[1], STDERR_FILENO);
        (void)run_beside(never_wait, &(tc_sim_params){.spin_ns = 300000000u}, &error);
        _exit(0);
    }
    close(ends[1]);
    while (size < sizeof line - 1 &&
           (got = read(ends[0], line + size, sizeof line - 1 - size)) > 0)
        size += (size_t)got;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    assert_non_null(strstr(line, "simulation: node 1 never waits: it has run for 300 ms"));
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

/* The library of a world has no UCX: members have no other addresses than those given. */
static void be_a_group_of_one(tc_sim_node *node, void *argument)
{
    tc_context *ctx = make_context();
    tc_group *group;
    tc_ifunc *fn;
    tc_error error = {0};
    char address[TC_SIM_ADDRESS_BYTES];
    (void)argument;
    must(tc_listener_open(ctx, tc_sim_address(node, PORT, address), NULL, &error), &error,
         "listener");
    const tc_group_member member = {address, strlen(address)};
    must(tc_group_create(ctx,
                         &(tc_group_params){.id = 1, .rank = 0, .size = 1, .members = &member},
                         &group, &error),
         &error, "group");
    must(tc_ifunc_open_code(ctx, &(tc_code){.path = TEST_ARCHIVE}, &fn, &error), &error,
         "open");
    assert_int_equal(tc_group_send(group, 0, fn, "", 1), TC_OK);
    while (runs == 0)
        (void)tc_wait(ctx, 1000000);
    tc_ifunc_close(fn);
    tc_context_destroy(ctx);
}

static void a_group_needs_no_ucx(void **state)
{
    tc_sim_world *world;
    tc_sim_node *node;
    tc_error error = {0};
    (void)state;
    runs = 0;
    must(tc_sim_function("check", count, &error), &error, "function");
    must(tc_sim_world_create(&(tc_sim_params){.seed = 1}, &world, &error), &error, "world");
    must(tc_sim_node_create(world, 1, be_a_group_of_one, NULL, &node, &error), &error, "node");
    must(tc_sim_run_until(world, 60000000000ull, &error), &error, "run");
    assert_int_equal(runs, 1);
    assert_false(tc_sim_node_is_running(node));
    tc_sim_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_run_and_a_seed_repeats),
        cmocka_unit_test(a_group_needs_no_ucx),
        cmocka_unit_test(time_passes_also_without_events),
        cmocka_unit_test(a_node_that_sleeps_in_real_time_is_reported),
        cmocka_unit_test(a_node_that_works_for_long_is_not_reported),
        cmocka_unit_test(a_node_that_never_waits_ends_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
