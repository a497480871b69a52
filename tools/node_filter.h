/* The system calls that a confined node may make: a filter for all of its threads, and for good.
 *
 * What opens or changes files by a name is decided by another process, node_warden.h, which opens
 * the file itself. Programs, processes and sockets cannot be had any more, nor memory that is
 * writable and executable at a time, nor calls that this list does not know. */
#ifndef NODE_FILTER_H
#define NODE_FILTER_H

#include <stdbool.h>

/* Whether the program can do with so few: a sanitizer needs files at any time. */
bool node_filter_bearable(void);

/* Returns the descriptor by which the kernel asks about files, or -1: errno says why. */
int node_filter_set(void);

#endif
