/* The struct behind target_args of the function `wakeup`. The counter comes first, so that the
 * function `tsi` can be sent to the same target. */
#ifndef TC_WAKEUP_H
#define TC_WAKEUP_H

#include <stdint.h>

#define WAKEUP_SAMPLES_MAX 10000u

typedef struct wakeup_target {
    uint64_t counter;
    uint64_t samples;
    uint64_t took_ns[WAKEUP_SAMPLES_MAX];
} wakeup_target;

#endif
