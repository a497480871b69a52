/* The waits between attempts to connect: exponential, bounded, with jitter. */
#ifndef STEADY_PACE_H
#define STEADY_PACE_H

#include <stdint.h>

typedef struct tcs_pace {
    uint64_t min_ns;
    uint64_t max_ns;  /* not below min_ns */
    uint64_t next_ns; /* the longest next wait; 0: the next one is the first */
    uint64_t random;  /* state of the generator */
} tcs_pace;

void tcs_pace_init(tcs_pace *pace, uint64_t min_ns, uint64_t max_ns, uint64_t seed);

/* Returns the next wait, and doubles the one after it. The first is at most min_ns; further
 * ones are at most max_ns; each is at least half of its longest. */
uint64_t tcs_pace_next(tcs_pace *pace);

/* Begins with the shortest wait again. */
void tcs_pace_reset(tcs_pace *pace);

#endif
