/* The system calls that a confined node may make: a filter for all of its threads, and for good.
 *
 * It lists what is allowed, some of it with some arguments only; everything else is refused. What
 * opens or changes files by a name, and what is allowed for some objects alone, is decided by
 * another process, node_warden.h. */
#ifndef NODE_FILTER_H
#define NODE_FILTER_H

#include <stdbool.h>

/* A family, an empty byte and five digits: the address of a socket that UCX wakes. */
#define NODE_FILTER_WAKE_ADDRESS_BYTES 8u

/* Whether the program can do with so few: a sanitizer needs files at any time. */
bool node_filter_bearable(void);

/* Returns the descriptor by which the kernel asks about files, or -1: errno says why. */
int node_filter_set(void);

/* Before the process has threads: connections, abstract sockets and signals to others the kernel
 * then refuses a second time, by what a call is about, as far as its Landlock knows them. Returns 0
 * or -1: errno says why. */
int node_filter_scope(void);

/* Takes what handing that descriptor over needed. Returns 0 or -1. */
int node_filter_close(void);

#endif
