/* Rows and table of the experiment tail. */
#ifndef TC_PERF_TAIL_REPORT_H
#define TC_PERF_TAIL_REPORT_H

#include "series_run.h"
#include "tail_load.h"

/* Figures of one series, with the present payload. */
typedef struct tail_pool {
    tail_load *load;
    uint64_t *ticks; /* of whole round trips, of all rounds */
    uint64_t count;
    uint64_t seen;         /* of these, at the target: the others were not moved */
    double *handled_per_s; /* by round; 0: not measured */
} tail_pool;

/* Adds the rows and ratios, and prints. Sorts the pools' ticks. */
void tail_report_payload(const series_run *run, tail_pool *pools);

#endif
