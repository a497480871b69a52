/* The counters of a running node: printed on standard output after SIGUSR1, written each
 * second to the file of --stats-file, in the text format of Prometheus, and served with the
 * usage of the context at the address of --http. */
#ifndef NODE_METRICS_H
#define NODE_METRICS_H

#include "node_arguments.h"
#include "node_counters.h"
#include "node_http.h"

typedef struct node_metrics {
    const node_arguments *args;
    uint64_t next_ns; /* when the file is due; UINT64_MAX: no file */
    bool failed;      /* the last write failed, which was reported */
    node_http *http;  /* NULL: no address */
    uint64_t tell_ns; /* when its counters are due */
} node_metrics;

/* Catches SIGUSR1, so that it ends no process of a node from now on. */
void node_metrics_catch_signal(void);

/* Writes the file for the first time, with zeros, and begins to serve metrics, with the usage
 * of `ctx` unless that is NULL. Returns whether that succeeded, as far as it was requested;
 * node_metrics_close follows in any case. */
bool node_metrics_begin(node_metrics *metrics, const node_arguments *args, tc_context *ctx);

/* Called in every turn of the node's loop. */
static inline void node_metrics_turn(node_metrics *metrics)
{
    node_http_turn(metrics->http);
}

/* Returns the socket of --http, which stays its own; -1: none. */
static inline int node_metrics_socket(const node_metrics *metrics)
{
    return node_http_socket(metrics->http);
}

/* Returns whether the counters are due: node_metrics_tell is to be called then. */
bool node_metrics_due(const node_metrics *metrics);
void node_metrics_tell(node_metrics *metrics, const node_counters *counters);

/* Writes and prints the last counters, which stay in the file, unless a successor writes it. */
void node_metrics_end(node_metrics *metrics, const node_counters *counters);

/* Serves no metrics any more: the context may be destroyed. Allowed for a zeroed object. */
void node_metrics_close(node_metrics *metrics);

#endif
