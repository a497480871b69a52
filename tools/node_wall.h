/* tc-node --confine: from inside the process, functions can only reach objects that were there
 * when it began to serve. */
#ifndef NODE_WALL_H
#define NODE_WALL_H

#include "node_arguments.h"

/* Starts the process that opens files later; called before this process has threads. Both
 * functions return 0, or the exit status after a message that names the missing feature. */
int node_wall_prepare(const node_arguments *args);

/* Confines the process; called once everything is open. It cannot be undone. */
int node_wall_raise(void);

#endif
