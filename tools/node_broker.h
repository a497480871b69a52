/* tc-node --isolate: takes connections, and gives each to a process of its own.
 *
 * No function runs here, and nothing that a peer sends is read: the process that has the
 * connection does both, and the peer's ring lies there. */
#ifndef NODE_BROKER_H
#define NODE_BROKER_H

#include "node_arguments.h"

/* Until it is told to stop. argv is the program's own. Returns the exit status. */
int node_broker_run(const node_arguments *args, char **argv);

#endif
