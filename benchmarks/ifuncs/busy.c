/* A function that takes its time: keeps the processor busy, whatever the payload. */
#include "busy.h"

#include <stddef.h>
#include <time.h>

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void busy_main(void *payload, size_t size, void *target_args)
{
    busy_target *target = target_args;
    const uint64_t end_ns = now_ns() + target->burn_ns;
    (void)payload;
    (void)size;
    target->run++;
    while (now_ns() < end_ns)
        ;
}
