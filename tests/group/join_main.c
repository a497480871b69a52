/* A process that joins, as often as requested, and then calls all others.
 *
 *     join_main [TIMES [TIMEOUT_MS [ABSENT_RANK]]]
 *     join_main stay
 *     join_main leave RANK
 *
 * ABSENT_RANK, of TC_RUN_RANK, waits to be ended instead. The one that stays prints "joined"
 * and serves until its input ends, before it calls, and then prints the number of refused
 * unauthenticated peers. RANK ends with status 3 when it has joined, and the others wait for it
 * in a barrier, a minute at most. */
#include "roll_call.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <tc/advanced.h>

static void serve_until_input_ends(tc_context *ctx)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char byte;
    puts("joined");
    (void)fflush(stdout);
    while (poll(&input, 1, 0) == 0 || read(STDIN_FILENO, &byte, 1) > 0) {
        tc_status status = tc_wait(ctx, 10000000);
        if (status != TC_OK && status != TC_E_TIMEOUT)
            printf("wait: %s\n", tc_status_name(status));
    }
}

static void tell_strangers(const tc_context *ctx)
{
    for (size_t i = 0; i < tc_stats_count(); i++) {
        if (strcmp(tc_stats_name(i), "strangers_refused") == 0)
            printf("strangers refused: %llu\n", (unsigned long long)tc_stats_value(ctx, i));
    }
}

static void count_end(void *user, tc_ep *ep, tc_ep_event event)
{
    unsigned *ends = user;
    (void)ep;
    *ends += event != TC_EP_OPENED;
}

/* Rank 0 stays until the others have come and gone. */
static int leave(tc_context *ctx, unsigned long absent)
{
    tc_group *group;
    tc_error err;
    unsigned ends = 0;
    tc_context_set_ep_callback(ctx, count_end, &ends);
    tc_status status = tc_group_join(ctx, 60000000000ull, &group, &err);
    if (status == TC_OK && tc_group_rank(group) == absent)
        _exit(3);
    if (status == TC_OK)
        status = tc_group_barrier(group, 60000000000ull, &err);
    printf("%s: %s\n", tc_status_name(status), status != TC_OK ? err.text : "");
    (void)fflush(stdout);
    while (status == TC_E_PEER_LOST && tc_group_rank(group) == 0 &&
           ends + 2 < tc_group_size(group))
        (void)tc_wait(ctx, 10000000);
    tc_context_destroy(ctx);
    return 0;
}

int main(int argc, char **argv)
{
    tc_context *ctx;
    tc_group *group;
    tc_error err;
    const char *rank = getenv("TC_RUN_RANK");
    bool stays = argc > 1 && strcmp(argv[1], "stay") == 0;
    int times = argc > 1 && !stays ? atoi(argv[1]) : 1;
    uint64_t timeout_ns = (argc > 2 ? strtoull(argv[2], NULL, 10) : 60000) * 1000000;
    int result = 0;
    if (argc > 3 && rank != NULL && strcmp(rank, argv[3]) == 0)
        (void)sleep(600);
    if (tc_context_create(NULL, &ctx, &err) != TC_OK) {
        printf("context: %s\n", err.text);
        return 1;
    }
    if (argc > 2 && strcmp(argv[1], "leave") == 0)
        return leave(ctx, strtoul(argv[2], NULL, 10));
    for (int i = 0; i < times && result == 0; i++) {
        tc_status status = tc_group_join(ctx, timeout_ns, &group, &err);
        if (status == TC_OK) {
            if (stays)
                serve_until_input_ends(ctx);
            result = roll_call(group);
        } else {
            printf("join: %s: %s\n", tc_status_name(status), err.text);
            result = 1;
        }
    }
    if (stays)
        tell_strangers(ctx);
    tc_context_destroy(ctx);
    return result;
}
