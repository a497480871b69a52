/* The orderly end of a process of tc-node that runs functions. */
#ifndef NODE_DRAIN_H
#define NODE_DRAIN_H

#include <tc/context.h>

/* Follows SIGINT or SIGTERM. Takes no new peers, runs messages that have arrived, lets
 * functions end, and sends goodbyes, within the time of node_end_left_ns. Returns the exit
 * status: 0, or 1 after a line about a function with waits that had to be ended. The context
 * stays. */
int node_drain(tc_context *ctx);

#endif
