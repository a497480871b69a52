/* The rates of a node between two of its reports. */
#ifndef WATCH_RATES_H
#define WATCH_RATES_H

#include "node_activity.h"

/* One report. Zeroed at first, before any has come. */
typedef struct watch_sample {
    node_activity activity;
    void *bytes; /* that it lies in, NODE_ACTIVITY_BYTES_MAX */
    bool is_there;
} watch_sample;

/* An entry of the newer report with its rates, all 0 without an older report. */
typedef struct watch_row {
    const node_activity_entry *entry;
    double calls;
    double bytes;
    double turns;
    double busy; /* share of the time in which it ran, from 0 to 1; 0 if no call was timed */
} watch_row;

typedef struct watch_rates {
    double seconds; /* between the two; 0: there is one report alone */
    double counters[NODE_ACTIVITY_COUNTERS_MAX];
    watch_row rows[NODE_ACTIVITY_KINDS][NODE_ACTIVITY_ENTRIES_MAX];
    size_t counts[NODE_ACTIVITY_KINDS];
} watch_rates;

/* Computes rates per second. Rows are in the order of their calls a second, then of all their
 * calls, "other" the last. Peers and identities that are new count from 0. A counter that has
 * fallen, as after the node's restart, has the rate 0. */
void watch_rates_compute(const watch_sample *before, const watch_sample *now,
                         watch_rates *rates_out);

#endif
