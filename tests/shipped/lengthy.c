/* Works for the requested processor time. */
#include "check.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

static uint64_t processor_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void lengthy_main(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    const uint64_t end_us = processor_us() + *(const uint64_t *)payload;
    (void)size;
    while (processor_us() < end_us)
        continue;
    state->next++;
}
