/* How tc-node ends: in order, if it can. */
#ifndef NODE_END_H
#define NODE_END_H

#include <stdbool.h>

/* The first SIGINT or SIGTERM asks for an orderly end; the second ends the process at once.
 * `restart`: calls that a signal interrupts begin again (SA_RESTART). A confined node needs it, as
 * a signal takes back each call that waits for the warden's answer; elsewhere a function that
 * waits in a call comes to its end. */
void node_end_catch_signals(bool restart);
bool node_end_is_wanted(void);

/* For a process that runs functions, in the thread that does. An orderly end that has been asked
 * for and finds a function running for too long becomes another one: exit status 1, after a line
 * that names the function. Without a thread to see to that it stays with the second signal. */
void node_end_force(void);

#endif
