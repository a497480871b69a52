/* A program of MPI that makes a group: by addresses of contexts, then by listeners. */
#include "roll_call.h"

#include <tc/mpi.h>

#include <stdio.h>

static int by_contexts(tc_context *ctx)
{
    tc_group *group;
    tc_error err;
    if (tc_group_create_mpi(ctx, MPI_COMM_WORLD, NULL, &group, &err) == TC_OK)
        return roll_call(group);
    printf("group: %s\n", err.text);
    return 1;
}

static int by_listeners(tc_context *ctx)
{
    char address[32];
    tc_listener *listener;
    tc_group *group;
    tc_error err;
    if (tc_listener_open(ctx, "127.0.0.1:0", &listener, &err) != TC_OK) {
        printf("listener: %s\n", err.text);
        return 1;
    }
    snprintf(address, sizeof address, "127.0.0.1:%u", tc_listener_port(listener));
    if (tc_group_create_mpi(ctx, MPI_COMM_WORLD, address, &group, &err) == TC_OK)
        return roll_call(group);
    printf("group: %s\n", err.text);
    return 1;
}

int main(int argc, char **argv)
{
    tc_context *ctx;
    tc_error err;
    int result = 1;
    MPI_Init(&argc, &argv);
    if (tc_context_create(NULL, &ctx, &err) == TC_OK) {
        result = by_contexts(ctx);
        if (result == 0)
            result = by_listeners(ctx);
        tc_context_destroy(ctx);
    }
    MPI_Finalize();
    return result;
}
