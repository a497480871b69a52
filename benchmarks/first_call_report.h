/* What the experiment on first calls has found, and how it is told. */
#ifndef TC_PERF_FIRST_CALL_REPORT_H
#define TC_PERF_FIRST_CALL_REPORT_H

#include "first_call.h"

#define CALL_SAMPLES_MAX 512u
#define CALL_FUNCTIONS_MAX 3u
#define CALL_PATHS_MAX 7u

/* All calls of one function by one way. */
typedef struct call_series {
    uint64_t count;
    uint64_t ns[CALL_STAGES][CALL_SAMPLES_MAX];
} call_series;

typedef struct first_call_run {
    const perf_options *options;
    call_board *board;
    call_series series[CALL_FUNCTIONS_MAX][CALL_PATHS_MAX];
    uint64_t shipped_ns; /* of the vector loop; 0: not measured */
    uint64_t native_ns;
} first_call_run;

call_series *first_call_report_series(first_call_run *run, const call_function *function,
                                      const call_path *path);
void first_call_report_add(call_series *series, const call_sample *sample);

/* Sorts the series. The library's engine may start: after the last fork. */
bool first_call_report(first_call_run *run);

#endif
