/* Modes that differ in the way both processes wait for the next message, with the target's
 * resources meanwhile. */
#ifndef TC_PERF_MODE_WAIT_H
#define TC_PERF_MODE_WAIT_H

#include "cycle_count.h"
#include "perf_mode.h"

#define WAIT_MODES "poll,pause,line,yield,sleep,spin,adaptive"

/* "poll", the program's own loop over tc_progress, is the first; NULL after the last. */
extern const perf_mode *const wait_modes[];

#define WAIT_ENDPOINTS_MAX                                                                     \
    16u /* perf_series.endpoints: from the source to the target; they take turns */

/* The target's resources in one latency run, warm-up included. */
typedef struct wait_spent {
    cycle_sample sample;
    cycle_scope scope;
    char reason[128];
    uint64_t looks; /* in vain */
    uint64_t yields;
    uint64_t sleeps;
} wait_spent;

/* Source, after the run. */
const wait_spent *mode_wait_spent(const perf_session *session);

#endif
