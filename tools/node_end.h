/* Ends tc-node, in order if possible. */
#ifndef NODE_END_H
#define NODE_END_H

#include <stdbool.h>
#include <stdint.h>

/* The first SIGINT or SIGTERM asks for an orderly end, the drain, for which the process has
 * `drain_s` seconds; the second ends the process at once.
 * `restart`: system calls that a signal interrupts are restarted (SA_RESTART). A confined node
 * needs it, as a signal interrupts each call that waits for the warden's answer; elsewhere an
 * interrupted call returns, so that a function that waits in it ends. */
void node_end_catch_signals(bool restart, uint64_t drain_s);
bool node_end_is_wanted(void);
/* Returns the nanoseconds that a drain may still take so that all is over in time; 1 at
 * least. */
uint64_t node_end_left_ns(void);

/* Prints "tc-node: TEXT" on standard error and returns 1, the exit status of a node that cannot
 * continue. */
int node_end_complain(const char *text);

/* For a process that runs functions; called in the thread that runs them. If an orderly end is
 * requested and a function still runs when the time for it is over, the process ends with
 * status 1, after a line that names the function. If the thread for this cannot be started,
 * only the second signal ends such a process. */
void node_end_force(void);

#endif
