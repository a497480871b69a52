/* The counters of a running node: printed on standard output after SIGUSR1, and written each
 * second to the file of --stats-file, in the text format of Prometheus. */
#ifndef NODE_METRICS_H
#define NODE_METRICS_H

#include "node_arguments.h"
#include "node_counters.h"

typedef struct node_metrics {
    const node_arguments *args;
    uint64_t next_ns; /* when the file is due; UINT64_MAX: no file */
    bool failed;      /* the last write failed, which was reported */
} node_metrics;

/* Catches SIGUSR1, so that it ends no process of a node from now on. */
void node_metrics_catch_signal(void);

/* Writes the file for the first time, with zeros. Returns whether that succeeded, or no file
 * was requested. */
bool node_metrics_begin(node_metrics *metrics, const node_arguments *args);

/* Returns whether the counters are due: node_metrics_tell is to be called then. */
bool node_metrics_due(const node_metrics *metrics);
void node_metrics_tell(node_metrics *metrics, const node_counters *counters);

/* Writes and prints the last counters, which stay in the file. */
void node_metrics_end(node_metrics *metrics, const node_counters *counters);

#endif
