/* tc-node --confine: what functions can reach from inside the process is what was there when it
 * began to serve. */
#ifndef NODE_WALL_H
#define NODE_WALL_H

#include "node_arguments.h"

/* Before the process has threads: starts who opens files later. Both return 0, or the exit status
 * after a text that names what is missing. */
int node_wall_prepare(const node_arguments *args);

/* Once everything is open. There is no way back. */
int node_wall_raise(void);

#endif
