/* The lanes of a Target-Side Increment run, as both processes hold them, and what was measured
 * on each. */
#ifndef TC_PERF_TSI_LANES_H
#define TC_PERF_TSI_LANES_H

#include "perf_mode.h"

#include <jansson.h>

#define TSI_LANES_MAX (2 + 6 * PERF_DELIVERIES_MAX)

/* One value per round. */
typedef struct tsi_series {
    double *p50_ns;
    double *p99_ns;
    double *rate_per_s;
} tsi_series;

typedef struct tsi_run {
    perf_options options; /* its payload_bytes is the same in both processes at every step */
    perf_session *session;
    json_t *rows; /* source only; of all payloads so far */
    json_t *ratios;
    unsigned lane_count;
    perf_lane lanes[TSI_LANES_MAX];
    tsi_series series[TSI_LANES_MAX]; /* source only */
    uint64_t latency_count[TSI_LANES_MAX];
    uint64_t rate_count[TSI_LANES_MAX];
    uint64_t *stamps;
    uint64_t stamps_max; /* entries */
} tsi_run;

/* Adds what was measured with the present payload to rows and ratios, and to the table. False
 * after a complaint. */
bool tsi_report_payload(tsi_run *run);

/* The JSON. Takes rows and ratios. False after a complaint. */
bool tsi_report_write(tsi_run *run);

#endif
