/* prints: 1 2 3 1 2 3 1 2 3 1 2 3 */
/* A coroutine: the label to continue at stays in a variable from call to call, also when better
 * code replaces the first. */
#include <stdio.h>
#include <tc/entry.h>

static const void *next;
static volatile long calls;

static long step(void)
{
    if (next == NULL)
        next = &&first;
    goto *next;
first:
    next = &&second;
    return ++calls * 0 + 1;
second:
    next = &&third;
    return ++calls * 0 + 2;
third:
    next = &&first;
    return ++calls * 0 + 3;
}

void label_kept_main(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    (void)printf("%ld\n", step());
    (void)fflush(stdout);
}
