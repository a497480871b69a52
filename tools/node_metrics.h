/* The counters of a node that runs: on standard output when SIGUSR1 came, and each second in the file
 * of --stats-file, in the text format of Prometheus. */
#ifndef NODE_METRICS_H
#define NODE_METRICS_H

#include "node_arguments.h"
#include "node_counters.h"

typedef struct node_metrics {
    const node_arguments *args;
    uint64_t next_ns; /* when the file is due */
    bool failed;      /* it could not be written, and that was said */
} node_metrics;

/* SIGUSR1 ends no process of a node from now on. */
void node_metrics_catch_signal(void);

/* Writes the file for the first time, with zeros. Returns whether it could, or there is none. */
bool node_metrics_begin(node_metrics *metrics, const node_arguments *args);

/* Whether somebody wants to know now; then the counters are to be told. */
bool node_metrics_due(const node_metrics *metrics);
void node_metrics_tell(node_metrics *metrics, const node_counters *counters);

/* The last ones, which the file keeps. */
void node_metrics_end(node_metrics *metrics, const node_counters *counters);

#endif
