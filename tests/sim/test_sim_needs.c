/* Both ends of an endpoint send code that is too large for a frame, at the same time: each
 * waits for the code of the other. */
#include "../support/fake_archive.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "archive.h"

#include <tc/group.h>
#include <tc/sim.h>
#include <tc/tc.h>

#define MS 1000000ull
#define PORT 7000
#define CODE_BYTES 3000u /* a frame in a ring of 4 KiB takes some 1,600 */
#define SEEDS 20u

typedef struct member {
    tc_sim_node *const *nodes;
    uint32_t rank;
    tc_code code;
    const char *delivery;
} member;

static unsigned runs;

static void count(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    runs++;
}

static tc_context *make_context(const char *delivery)
{
    tc_options *options;
    tc_context *ctx;
    tc_error error = {0};
    must(tc_options_create(&options, &error), &error, "options");
    must(tc_options_set(options, "listen_any", "yes", &error), &error, "listen_any");
    must(tc_options_set(options, "delivery", delivery, &error), &error, "delivery");
    must(tc_options_set(options, "ring_bytes", "4K", &error), &error, "ring_bytes");
    must(tc_context_create(options, &ctx, &error), &error, "context");
    tc_options_destroy(options);
    return ctx;
}

static tc_group *make_group(tc_context *ctx, const member *own)
{
    char addresses[2][TC_SIM_ADDRESS_BYTES];
    tc_group_member members[2];
    tc_listener *listener;
    tc_group *group;
    tc_error error = {0};
    for (unsigned i = 0; i < 2; i++) {
        const char *text = tc_sim_address(own->nodes[i], (uint16_t)(PORT + i), addresses[i]);
        members[i] = (tc_group_member){text, strlen(text)};
    }
    must(tc_listener_open(ctx, addresses[own->rank], &listener, &error), &error, "listener");
    must(tc_group_create(
             ctx, &(tc_group_params){.id = 1, .rank = own->rank, .size = 2, .members = members},
             &group, &error),
         &error, "group");
    return group;
}

/* One connects and the other uses the same endpoint. Then both call. */
static void call_each_other(tc_sim_node *node, void *argument)
{
    const member *own = argument;
    tc_ep *ep;
    tc_ifunc *fn;
    tc_error error = {0};
    (void)node;
    tc_context *ctx = make_context(own->delivery);
    tc_group *group = make_group(ctx, own);
    must(tc_ifunc_open_code(ctx, &own->code, &fn, &error), &error, "open");
    if (own->rank == 0)
        must(tc_group_connect(group, 1000 * MS, &error), &error, "connect");
    while (tc_sim_now_ns(tc_sim_node_world(node)) < 100 * MS)
        (void)tc_wait(ctx, 100 * MS - tc_sim_now_ns(tc_sim_node_world(node)));
    must(tc_group_ep(group, 1 - own->rank, &ep, &error), &error, "endpoint");
    must(tc_call(ep, fn, NULL, 0, NULL, NULL, 2000 * MS, &error), &error, "call");
    (void)tc_wait(ctx, 100 * MS);
    (void)tc_wait(ctx, 100 * MS);
    tc_context_destroy(ctx);
}

static void run_world(uint64_t seed, unsigned other_host, const char *delivery,
                      const tc_code codes[2])
{
    tc_sim_world *world;
    tc_sim_node *nodes[2];
    tc_error error = {0};
    member members[2] = {{nodes, 0, codes[0], delivery}, {nodes, 1, codes[1], delivery}};
    runs = 0;
    must(tc_sim_world_create(&(tc_sim_params){.seed = seed}, &world, &error), &error, "world");
    for (unsigned i = 0; i < 2; i++)
        must(tc_sim_node_create(world, i * other_host, call_each_other, &members[i], &nodes[i],
                                &error),
             &error, "node");
    must(tc_sim_run_until(world, 60000 * MS, &error), &error, "run");
    assert_int_equal(runs, 2);
    tc_sim_world_destroy(world);
}

TEST(both_ends_get_code_of_several_frames)
{
    static const char *const names[2] = {"left", "right"};
    tc_code codes[2] = {{0}};
    tc_error error = {0};
    for (unsigned i = 0; i < 2; i++) { /* before the worlds: it is no node's memory */
        codes[i].bytes = fake_archive(names[i], TCI_ENTRY_MAIN, CODE_BYTES, &codes[i].size);
        must(tc_sim_function(names[i], count, &error), &error, "function");
    }
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run_world(seed, 1, "stream", codes);
        run_world(seed, 0, "auto", codes);
    }
    for (unsigned i = 0; i < 2; i++)
        free((void *)(uintptr_t)codes[i].bytes);
}
