/* The durations of calls, and their typical values. */
#ifndef CALL_TIMES_H
#define CALL_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct call_times {
    uint64_t *ns; /* in order of the calls; owned */
    size_t count;
    size_t room;
} call_times;

typedef struct call_summary {
    size_t count;
    double p50_ms, p99_ms, mean_ms;
} call_summary;

/* False without memory. */
bool call_times_add(call_times *times, uint64_t ns);

/* Statistics of the calls after the first one, which is of another kind. Zeros without calls.
 * Sorts them. */
call_summary call_times_summarise_cached(call_times *times);

void call_times_fini(call_times *times);

#endif
