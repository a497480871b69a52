/* The experiments, one function each; tc-perf's main picks one. */
#ifndef TC_PERF_EXPERIMENT_H
#define TC_PERF_EXPERIMENT_H

#include "perf_options.h"

/* Each returns the exit status: 0 when all was measured and right, 1 after a complaint. */
int perf_run_lanes(const perf_options *options);  /* tsi, ssum, iput */
int perf_run_fan_in(const perf_options *options); /* tsi with several senders */
int perf_run_first_call(const perf_options *options);
int perf_run_intrusion(const perf_options *options); /* first-call with --intrusion */
int perf_run_bandwidth(const perf_options *options);
int perf_run_wait(const perf_options *options);
int perf_run_poll(const perf_options *options);
int perf_run_integrity(const perf_options *options);
int perf_run_flood(const perf_options *options);
int perf_run_dapc(const perf_options *options);

#endif
