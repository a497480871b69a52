/* The orderly end of a process of tc-node that runs functions. */
#ifndef NODE_DRAIN_H
#define NODE_DRAIN_H

#include <tc/context.h>

/* After SIGINT or SIGTERM: takes no new peers, runs messages that have arrived, lets functions
 * end, and says goodbye to the peers, within the time of node_end_left_ns. Returns the exit
 * status: 0, or 1 after a line that names a function whose waits had to be ended. The context
 * stays. */
int node_drain(tc_context *ctx);

#endif
