/* The lanes of a run of tsi, ssum or iput, as both processes hold them, and what was measured
 * on each. */
#ifndef TC_PERF_LANE_RUN_H
#define TC_PERF_LANE_RUN_H

#include "perf_mode.h"

#include <jansson.h>

#define LANES_MAX (2 + 6 * PERF_DELIVERIES_MAX)

/* One value per round. */
typedef struct lane_series {
    double *p50_ns;
    double *p99_ns;
    double *rate_per_s;
} lane_series;

typedef struct lane_run {
    perf_options options; /* its payload_bytes is the same in both processes at every step */
    perf_session *session;
    json_t *rows; /* source only; of all payloads so far */
    json_t *ratios;
    unsigned lane_count;
    perf_lane lanes[LANES_MAX];
    lane_series series[LANES_MAX]; /* source only */
    uint64_t latency_count[LANES_MAX];
    uint64_t rate_count[LANES_MAX];
    uint64_t *stamps;
    uint64_t stamps_max; /* entries */
} lane_run;

/* Adds what was measured with the present payload to rows and ratios, and to the table. False
 * after a complaint. */
bool lane_report_payload(lane_run *run);

/* The JSON. Takes rows and ratios. False after a complaint. */
bool lane_report_write(lane_run *run);

#endif
