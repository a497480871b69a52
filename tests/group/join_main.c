/* A process that joins, as often as requested, and then calls all others.
 *
 *     join_main [TIMES [TIMEOUT_MS [ABSENT_RANK]]]
 *     join_main stay
 *
 * ABSENT_RANK, of TC_RUN_RANK, waits to be ended instead. The one that stays prints "joined"
 * and serves until its input ends, before it calls, and then prints the number of refused
 * unauthenticated peers. */
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
