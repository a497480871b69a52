/* The counters of a node: of one context, or the sum of several. */
#ifndef NODE_COUNTERS_H
#define NODE_COUNTERS_H

#include <stdio.h>
#include <tc/context.h>

#define NODE_COUNTERS_MAX 64 /* more than the library has */

typedef struct node_counters {
    uint64_t values[NODE_COUNTERS_MAX];
} node_counters;

void node_counters_take(const tc_context *ctx, node_counters *counters_out);
void node_counters_add(node_counters *sum, const node_counters *more);
/* Adds one to the counter of that name. */
void node_counters_count(node_counters *counters, const char *name);
uint64_t node_counters_named(const node_counters *counters, const char *name);

/* Prints one line for people, or one JSON object. */
void node_counters_print(const node_counters *counters, int json);
/* Prints the text format of Prometheus: "tchains_messages_run_total 3". */
void node_counters_print_metrics(const node_counters *counters, FILE *out);

#endif
