/* Two nodes in a simulated world, with the library that is installed: one sleeps for an hour of
 * simulated time by the program's own system calls, and connects to the other. */
#include <stdio.h>
#include <tc/sim.h>
#include <tc/tc.h>
#include <time.h>
#include <unistd.h>

static int connected;

static tc_context *open_context(tc_error *err)
{
    tc_context *ctx = NULL;
    tc_options *options = NULL;
    if (tc_options_create(&options, err) != TC_OK ||
        tc_options_set(options, "listen_any", "yes", err) != TC_OK ||
        tc_context_create(options, &ctx, err) != TC_OK)
        fprintf(stderr, "context: %s\n", err->text);
    tc_options_destroy(options);
    return ctx;
}

static void wait_for_client(tc_sim_node *node, void *argument)
{
    tc_error err;
    char address[TC_SIM_ADDRESS_BYTES];
    tc_context *ctx = open_context(&err);
    (void)argument;
    if (ctx != NULL &&
        tc_listener_open(ctx, tc_sim_address(node, 7000, address), NULL, &err) != TC_OK)
        fprintf(stderr, "listener: %s\n", err.text);
    while (ctx != NULL && !connected)
        tc_wait(ctx, TC_SECONDS(1));
    tc_context_destroy(ctx);
}

static void connect_later(tc_sim_node *node, void *server)
{
    tc_error err;
    struct timespec before, after;
    char address[TC_SIM_ADDRESS_BYTES];
    tc_context *ctx = open_context(&err);
    tc_ep *ep;
    (void)node;
    clock_gettime(CLOCK_MONOTONIC, &before);
    sleep(3600);
    clock_gettime(CLOCK_MONOTONIC, &after);
    tc_sim_address((tc_sim_node *)server, 7000, address);
    if (ctx == NULL || tc_ep_connect(ctx, address, 0, &ep, &err) != TC_OK)
        fprintf(stderr, "connect: %s\n", err.text);
    else
        printf("connected after %d s\n", (int)(after.tv_sec - before.tv_sec));
    connected = 1;
    tc_context_destroy(ctx);
}

int main(void)
{
    const tc_sim_params params = {.seed = 1};
    tc_sim_world *world;
    tc_sim_node *server, *client;
    tc_error err;
    if (tc_sim_world_create(&params, &world, &err) != TC_OK ||
        tc_sim_node_create(world, 1, wait_for_client, NULL, &server, &err) != TC_OK ||
        tc_sim_node_create(world, 2, connect_later, server, &client, &err) != TC_OK ||
        tc_sim_run_until(world, TC_SECONDS(7200), &err) != TC_OK) {
        fprintf(stderr, "world: %s\n", err.text);
        return 1;
    }
    tc_sim_world_destroy(world);
    return 0;
}
