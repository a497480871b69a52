/* The servers and the client of a pointer chase, as the process that started them sees them. */
#ifndef TC_PERF_DAPC_WORKERS_H
#define TC_PERF_DAPC_WORKERS_H

#include "dapc_member.h"

#include <jansson.h>

typedef struct dapc_workers {
    unsigned server_count;
    unsigned started; /* processes that perf_session_end is owed for */
    dapc_table table;
    char client_arch[DAPC_ARCH_MAX];
    char server_arch[DAPC_ARCH_MAX];
    dapc_worker_config configs[DAPC_WORKERS_MAX];
    perf_session sessions[DAPC_WORKERS_MAX]; /* the client is the last */
} dapc_workers;

/* All of these return false after a complaint; they are of no more use then, and only
 * dapc_workers_stop is owed, as it is in any case. The struct stays where it is. */
bool dapc_workers_start(dapc_workers *workers, const perf_options *options,
                        unsigned server_count, const dapc_plan *plans, unsigned plan_count);
bool dapc_workers_stop(dapc_workers *workers);

/* One series, at all workers: from open to close. */
bool dapc_workers_open(dapc_workers *workers, unsigned series);
bool dapc_workers_close(dapc_workers *workers, unsigned series);

/* Between these two the servers take turns at the series. */
bool dapc_workers_begin(dapc_workers *workers, unsigned series);
bool dapc_workers_end(dapc_workers *workers);
/* Meanwhile, the client: see dapc_mode. */
bool dapc_workers_prepare(dapc_workers *workers, unsigned series, bool known);
bool dapc_workers_run(dapc_workers *workers, unsigned series, const dapc_batch *batch,
                      uint64_t *took_ns_out);

/* One run of the pointer chase: the measurements, and the reported ones. */
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
