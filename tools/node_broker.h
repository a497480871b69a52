/* tc-node --isolate: accepts connections, and gives each to a process of its own.
 *
 * This process runs no function and reads no data of a peer: the process that has the
 * connection does both, and holds the peer's ring. */
#ifndef NODE_BROKER_H
#define NODE_BROKER_H

#include "node_arguments.h"

/* Serves peers until it is asked to stop or --exit-after is reached. `argv` is the program's
 * own. Returns the exit status. */
int node_broker_run(const node_arguments *args, char **argv);

#endif
