/* The series of a run of tsi, ssum or iput, as both processes hold them, and what was measured
 * on each. */
#ifndef TC_PERF_SERIES_RUN_H
#define TC_PERF_SERIES_RUN_H

#include "perf_mode.h"

#include <jansson.h>

#define SERIES_MAX (2 + 6 * PERF_DELIVERIES_MAX)

/* One value per round. */
typedef struct series_samples {
    double *p50_ns;
    double *p99_ns;
    double *rate_per_s;
} series_samples;

typedef struct series_run {
    perf_options options; /* its payload_bytes is the same in both processes at every step */
    perf_session *session;
    json_t *rows; /* source only; of all payloads so far */
    json_t *ratios;
    unsigned series_count;
    perf_series series[SERIES_MAX];
    series_samples samples[SERIES_MAX]; /* source only */
    uint64_t latency_count[SERIES_MAX];
    uint64_t rate_count[SERIES_MAX];
    uint64_t *stamps;
    uint64_t stamps_max; /* entries */
} series_run;

/* Adds what was measured with the present payload to rows and ratios, and to the table. False
 * after a complaint. */
bool message_report_payload(series_run *run);

/* The JSON. Takes rows and ratios. False after a complaint. */
bool message_report_write(series_run *run);

#endif
