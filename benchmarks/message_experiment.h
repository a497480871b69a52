/* Common parts of experiments with messages in rounds. */
#ifndef TC_PERF_MESSAGE_EXPERIMENT_H
#define TC_PERF_MESSAGE_EXPERIMENT_H

#include "series_run.h"

/* --help lists them. */
#define MESSAGE_TOLD                                                                           \
    {"iterations", "(what fits 25 ms)"},                                                       \
    {                                                                                          \
        "rounds", "(20; with several payloads 4)"                                              \
    }
#define MESSAGE_PAYLOAD_MAX (1u << 20)
#define MESSAGE_ITERATIONS_MAX 10000000

struct perf_experiment;
extern const struct perf_experiment tsi_experiment;

/* Runs tsi, ssum or iput, and returns the exit status. `finish` adds to the report when all is
 * measured; NULL: nothing. */
int message_experiment_run(const perf_options *options,
                           void (*finish)(const series_run *run, json_t *report));

#endif
