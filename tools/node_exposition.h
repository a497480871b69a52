/* The metrics of a node as OpenMetrics text 1.0: its counters, and the usage of functions,
 * peers and identities (<tc/usage.h>). docs/metrics.md lists the names. */
#ifndef NODE_EXPOSITION_H
#define NODE_EXPOSITION_H

#include "node_counters.h"

#include <stdbool.h>
#include <stddef.h>
#include <tc/usage.h>

#define NODE_EXPOSITION_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"
/* Functions with lines of their own, the first that were called; the others are summed up. The
 * library bounds peers and identities. */
#define NODE_EXPOSITION_FUNCTIONS_MAX 10000u
#define NODE_EXPOSITION_LABELS_MAX 640u /* bytes, of one entry */

/* An entry of the usage, with its labels as text, without the first one's name:
 * `"count",id="5f0a..."`. */
typedef struct node_exposition_row {
    tc_usage_entry entry; /* its texts are not valid */
    size_t labels_at;     /* in the exposition's labels */
    size_t labels_size;
} node_exposition_row;

/* Zero at first. Keeps its memory from one page to the next. */
typedef struct node_exposition {
    node_exposition_row *rows; /* functions, peers, identities */
    size_t count, capacity;
    size_t functions;
    char *labels; /* of all rows */
    size_t labels_used, labels_capacity;
    tc_usage_entry more; /* the functions beyond the bound */
    bool failed;         /* there was no memory */
    char *text;
    size_t size, text_capacity;
} node_exposition;

/* A tc_usage_visitor; `user` is a node_exposition. */
void node_exposition_add(void *exposition, const tc_usage_entry *entry);

/* Makes the page of the counters and the rows so far, which are forgotten. Returns false
 * without memory. `text` and `size` are valid until the next call with it. */
bool node_exposition_render(node_exposition *exposition, const node_counters *counters);

void node_exposition_free(node_exposition *exposition);

#endif
