/* A process of a job of parts: prints which program each rank runs, calls all others, and waits
 * for them in barriers.
 *
 *     parts_main [LINGER_MS [BARRIERS [ABSENT_MS]]]
 *
 * It sleeps for ABSENT_MS when it has joined, serves for LINGER_MS before each of the BARRIERS
 * (1), and calls then. */
#include "roll_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fail(const char *what, const char *text)
{
    printf("%s: %s\n", what, text);
    return 1;
}

static int tell_programs(const tc_group *group)
{
    const char *name = "?";
    for (uint32_t rank = 0; rank < tc_group_size(group); rank++) {
        uint32_t program = tc_group_program(group, rank, &name);
        if (program != tc_group_program(group, rank, NULL))
            return fail("program", "differs without a name");
        printf("%u: %u runs %u '%s'\n", tc_group_rank(group), rank, program, name);
    }
    if (tc_group_program(group, tc_group_size(group), &name) != TC_PROGRAM_NONE ||
        *name != '\0')
        return fail("program", "of a rank that is not there");
    name = "?";
    if (tc_group_program(NULL, 0, &name) != TC_PROGRAM_NONE || *name != '\0')
        return fail("program", "of no group");
    return 0;
}

/* Serves until the deadline, whatever comes. */
static void linger(tc_context *ctx, unsigned long milliseconds)
{
    for (unsigned long passed = 0; passed < milliseconds; passed += 50) {
        tc_status status = tc_wait(ctx, 50000000);
        if (status != TC_OK && status != TC_E_TIMEOUT)
            printf("wait: %s\n", tc_status_name(status));
    }
}

int main(int argc, char **argv)
{
    unsigned long linger_ms = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    unsigned long barriers = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    unsigned long absent_ms = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    tc_context *ctx;
    tc_group *group;
    tc_error err;
    if (tc_context_create(NULL, &ctx, &err) != TC_OK)
        return fail("context", err.text);
    tc_status status = tc_group_join(ctx, TC_SECONDS(60), &group, &err);
    int result = status == TC_OK ? tell_programs(group) : fail("join", err.text);
    (void)usleep((useconds_t)absent_ms * 1000);
    for (unsigned long i = 1; i < barriers && result == 0; i++) {
        linger(ctx, linger_ms);
        status = tc_group_barrier(group, TC_SECONDS(60), &err);
        if (status != TC_OK)
            result = fail("barrier", err.text);
    }
    if (result == 0) {
        linger(ctx, linger_ms);
        result = roll_call(group);
    }
    tc_context_destroy(ctx);
    return result;
}
