/* One run of the pointer chase: what is measured, and what of it is reported. */
#ifndef TC_PERF_DAPC_RUN_H
#define TC_PERF_DAPC_RUN_H

#include "dapc_workers.h"

#include <jansson.h>

/* A row: one series at one number of chases at once. */
typedef struct dapc_samples {
    uint64_t batch;       /* chases of one measurement */
    double *chases_per_s; /* one per round */
    double *first_us;     /* likewise; of a warm cache the only first chase, and repeated */
    double *second_us;
} dapc_samples;

typedef struct dapc_run {
    const perf_options *options;
    unsigned plan_count;
    dapc_plan plans[DAPC_PLANS_MAX];
    dapc_workers workers;
    uint64_t depth;                                      /* that is measured now */
    uint64_t number;                                     /* of the next chase */
    dapc_samples samples[PERF_LIST_MAX][DAPC_PLANS_MAX]; /* by number at once, and series */
    json_t *rows;
    json_t *ratios;
} dapc_run;

/* The rows and ratios of the samples as they are now: of one number of servers and one depth.
 */
bool dapc_report_samples(dapc_run *run);
bool dapc_report_write(dapc_run *run);

#endif
