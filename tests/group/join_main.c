/* A process that joins, as often as it is told, and then calls all others.
 *
 *     join_main [TIMES [TIMEOUT_MS [ABSENT_RANK]]]
 *
 * ABSENT_RANK, of TC_RUN_RANK, waits to be ended instead. */
#include "roll_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    tc_context *ctx;
    tc_group *group;
    tc_error err;
    const char *rank = getenv("TC_RUN_RANK");
    int times = argc > 1 ? atoi(argv[1]) : 1;
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
            result = roll_call(group);
        } else {
            printf("join: %s: %s\n", tc_status_name(status), err.text);
            result = 1;
        }
    }
    tc_context_destroy(ctx);
    return result;
}
