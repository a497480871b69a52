/* The process that opens files for a confined node, as far as it may have them.
 *
 * The kernel asks it whenever the node would open, make, rename or delete something by a name
 * (node_filter.h). It reads the name once, opens the file itself, looks where that lies, and gives
 * the node the descriptor: what the node's threads do to the name meanwhile changes nothing. It
 * knows nothing of the library, and has one thread. */
#ifndef NODE_WARDEN_H
#define NODE_WARDEN_H

#include "node_paths.h"

#include <sys/types.h>

typedef struct node_warden {
    pid_t pid;
    int channel;
} node_warden;

/* Starts it; for a process without threads. It ends with the node. 0: errno says why. */
int node_warden_start(const node_paths *paths, node_warden *warden_out);

/* Hands it the filter's descriptor, which is closed here. 0: errno says why. */
int node_warden_watch(node_warden *warden, int listener);

#endif
