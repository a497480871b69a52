/* Runs the counter in simulated worlds, in which the network is cut now and then, and compares
 * what it shows with what clients were told:
 *     partitions add|add_once SEED [LAST_SEED] */
#include "counter.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/log.h>
#include <tc/sim.h>

#define SERVER_HOST 0

extern const tc_embedded add_tca, add_once_tca;

/* The test's own state, which no node owns. */
static const tc_embedded *function;
static tc_sim_node *server;
static int done; /* all clients have ended */
static uint32_t running, confirmed, shown;

static void server_main(tc_sim_node *node, void *argument)
{
    char address[TC_SIM_ADDRESS_BYTES];
    (void)argument;
    shown = server_run(tc_sim_address(node, 7000, address), &done);
}

static void client_main(tc_sim_node *node, void *argument)
{
    char address[TC_SIM_ADDRESS_BYTES];
    (void)node;
    tc_sim_sleep(TC_MILLISECONDS(1)); /* the server listens by then */
    confirmed += client_run(tc_sim_address(server, 7000, address), *(const uint32_t *)argument,
                            function);
    done = --running == 0;
}

static void must(tc_status status, const tc_error *err)
{
    if (status == TC_OK)
        return;
    fprintf(stderr, "partitions: %s\n", err->text);
    exit(1);
}

/* Runs the world for a time that the seed chooses. */
static void run_a_while(tc_sim_world *world, uint64_t most_ns)
{
    tc_error err;
    const uint64_t until = tc_sim_now_ns(world) + tc_sim_random(world) % most_ns;
    const tc_status status = tc_sim_run_until(world, until, &err);
    if (status != TC_E_TIMEOUT) /* more is to happen after that */
        must(status, &err);
}

/* Cuts one direction between a client and the server for a while. */
static void cut_once(tc_sim_world *world, bool speak)
{
    tc_error err;
    const unsigned client = 1 + (unsigned)(tc_sim_random(world) % CLIENTS);
    const bool to_server = tc_sim_random(world) % 2 == 0;
    const unsigned from = to_server ? client : SERVER_HOST;
    const unsigned to = to_server ? SERVER_HOST : client;
    run_a_while(world, TC_MILLISECONDS(10));
    const double cut_ns = (double)tc_sim_now_ns(world);
    must(tc_sim_cut(world, from, to, true, &err), &err);
    run_a_while(world, TC_MILLISECONDS(30));
    tc_sim_heal(world);
    if (speak)
        printf("from %.3f to %.3f ms host %u did not reach host %u\n", cut_ns / 1e6,
               (double)tc_sim_now_ns(world) / 1e6, from, to);
}

/* One world. Returns whether the counter shows what was confirmed. */
static bool run(uint64_t seed, bool speak)
{
    static uint32_t numbers[CLIENTS] = {0, 1};
    tc_sim_world *world;
    tc_sim_node *client;
    tc_error err;
    done = 0, confirmed = 0, shown = 0, running = CLIENTS;
    must(tc_sim_world_create(&(tc_sim_params){.seed = seed}, &world, &err), &err);
    must(tc_sim_node_create(world, SERVER_HOST, server_main, NULL, &server, &err), &err);
    for (unsigned i = 0; i < CLIENTS; i++)
        must(tc_sim_node_create(world, 1 + i, client_main, &numbers[i], &client, &err), &err);
    cut_once(world, speak);
    must(tc_sim_run_until(world, TC_SECONDS(60), &err), &err); /* calm: all ends */
    tc_sim_world_destroy(world);
    return shown == confirmed;
}

static void report(uint64_t seed)
{
    printf("seed %" PRIu64 ": %u additions were confirmed, the counter shows %u\n", seed,
           confirmed, shown);
}

int main(int argc, char **argv)
{
    tc_error err;
    if (argc < 3) {
        fprintf(stderr, "usage: partitions add|add_once SEED [LAST_SEED]\n");
        return 2;
    }
    tc_log_set_level(TC_LOG_ERROR); /* not of each listener */
    must(tc_sim_function("add", add_main, &err), &err);
    must(tc_sim_function("add_once", add_once_main, &err), &err);
    function = strcmp(argv[1], "add") == 0 ? &add_tca : &add_once_tca;
    const uint64_t first = strtoull(argv[2], NULL, 10);
    const uint64_t last = argc > 3 ? strtoull(argv[3], NULL, 10) : first;
    for (uint64_t seed = first; seed <= last; seed++) {
        if (!run(seed, first == last)) {
            report(seed);
            (void)run(seed, true); /* that world again, and what happens in it */
            report(seed);
            return 1;
        }
    }
    printf("worlds from seed %" PRIu64 " to %" PRIu64 ": no mistake\n", first, last);
    return 0;
}
