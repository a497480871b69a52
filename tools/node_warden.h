/* The process that opens files for a confined node, as far as they are allowed.
 *
 * The kernel asks it whenever the node would open, make, rename or delete something by a name
 * (node_filter.h). It reads the name once, opens the file itself, checks its path, and gives
 * the node the descriptor: changes that the node's threads make to the name meanwhile have no
 * effect. It uses nothing of the library, and has one thread. */
#ifndef NODE_WARDEN_H
#define NODE_WARDEN_H

#include "node_paths.h"

#include <sys/types.h>

typedef struct node_warden {
    pid_t pid;
    int channel;
} node_warden;

/* Starts it; the caller must have no threads. It ends with the node. Returns 0 on failure:
 * errno has the reason. */
int node_warden_start(const node_paths *paths, node_warden *warden_out);

/* Sends it the filter's descriptor, which is closed here. Returns 0 on failure: errno has the
 * reason. */
int node_warden_watch(node_warden *warden, int listener);

#endif
