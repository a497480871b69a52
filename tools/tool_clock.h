/* The clock of the programs' deadlines: it only advances. */
#ifndef TOOL_CLOCK_H
#define TOOL_CLOCK_H

#include <stdint.h>
#include <time.h>

#define TOOL_NS_PER_S UINT64_C(1000000000)

/* Async-signal-safe. */
static inline uint64_t tool_clock_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * TOOL_NS_PER_S + (uint64_t)now.tv_nsec;
}

#endif
