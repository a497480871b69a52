/* A process of tc-node that runs functions: the only one, or with --isolate one of several. */
#ifndef NODE_SERVICE_H
#define NODE_SERVICE_H

#include "node_arguments.h"

#include <stdbool.h>

/* The first SIGINT or SIGTERM asks for an orderly end; the second ends the process at once, also
 * where a function never returns. */
void node_catch_signals(void);
bool node_stop_is_wanted(void);
/* Whether SIGHUP has come since this was last asked. Without keys, lists and an audit file, which
 * it has read and opened again, a process ends with its terminal. */
bool node_reload_is_wanted(void);

/* Writes --port-file. Returns whether there was nothing to write, or it was written. */
bool node_write_port(const node_arguments *args, unsigned port);

/* Serves peers until it is told to stop. Returns the exit status. */
int node_serve(const node_arguments *args);

#endif
