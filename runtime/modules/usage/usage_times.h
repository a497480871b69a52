/* Run times of a sample of calls, as a histogram: sixteen steps for each power of two, so that
 * a percentile is wrong by 3 % at most. A sampled call stands for all calls since the previous
 * one, which is its weight.
 *
 * One thread adds. Others may read meanwhile: every number is stored at once. */
#ifndef TCI_USAGE_TIMES_H
#define TCI_USAGE_TIMES_H

#include <stdint.h>

#define TCI_USAGE_STEPS 16u
#define TCI_USAGE_ROWS 36u /* to nine minutes; longer calls count as that long */
#define TCI_USAGE_PERIOD_MAX 128u

/* Zero at first. */
typedef struct tci_usage_times {
    uint64_t timed;   /* calls in the sample */
    uint64_t time_ns; /* of all calls, estimated */
    uint32_t rows[TCI_USAGE_ROWS];
    uint32_t steps[TCI_USAGE_ROWS][TCI_USAGE_STEPS];
} tci_usage_times;

/* `weight` is 1 to TCI_USAGE_PERIOD_MAX. */
void tci_usage_times_add(tci_usage_times *times, uint64_t ns, uint32_t weight);
/* Adds all of `from`. */
void tci_usage_times_join(tci_usage_times *times, const tci_usage_times *from);

/* Returns the time that so many of 1000 calls do not exceed; 0 for an empty histogram. */
uint64_t tci_usage_times_percentile(const tci_usage_times *times, unsigned per_mille);

/* Returns the distance from a sampled call to the next one, 1 or more, if each call is sampled
 * with probability 1 / period. `period` is a power of two up to TCI_USAGE_PERIOD_MAX; *random
 * is the generator's state, not 0. */
uint64_t tci_usage_times_distance(uint64_t *random, uint32_t period);

#endif
