/* The system calls that a confined node may make: a permanent filter for all of its threads.
 *
 * The filter lists the allowed calls, some with certain arguments only; all others are refused.
 * Calls that open or change files by a name, and calls that are allowed for some objects only,
 * are decided by another process, node_warden.h. */
#ifndef NODE_FILTER_H
#define NODE_FILTER_H

#include <stdbool.h>

/* Size of the address of a socket that UCX wakes: a family, an empty byte and five digits. */
#define NODE_FILTER_WAKE_ADDRESS_BYTES 8u

/* Returns whether the program works with so few calls: a sanitizer needs files at any time. */
bool node_filter_bearable(void);

/* Returns the descriptor by which the kernel asks about files, or -1: errno has the reason. */
int node_filter_set(void);

/* Called before the process has threads. The kernel then refuses connections, abstract sockets
 * and signals to other processes a second time, by the object of a call, as far as its Landlock
 * supports them. Returns 0 or -1: errno has the reason. */
int node_filter_scope(void);

/* Refuses the calls that were needed to send that descriptor. Returns 0 or -1. */
int node_filter_close(void);

#endif
