/* The system calls that a confined node may make: a filter for all of its threads, and for good.
 *
 * It lists what is allowed, some of it with some arguments only; everything else is refused. What
 * opens or changes files by a name, and what is allowed for some objects alone, is decided by
 * another process, node_warden.h. */
#ifndef NODE_FILTER_H
#define NODE_FILTER_H

#include <stdbool.h>

/* Whether the program can do with so few: a sanitizer needs files at any time. */
bool node_filter_bearable(void);

/* Returns the descriptor by which the kernel asks about files, or -1: errno says why. */
int node_filter_set(void);

/* Takes what handing that descriptor over needed. Returns 0 or -1. */
int node_filter_close(void);

#endif
