/* A process of tc-node that runs functions: the only one, or with --isolate one of several. */
#ifndef NODE_SERVICE_H
#define NODE_SERVICE_H

#include "node_arguments.h"

#include <stdbool.h>

/* SIGINT and SIGTERM (node_end.h), SIGUSR1 and SIGHUP. */
void node_catch_signals(const node_arguments *args);
/* Whether SIGHUP has come since this was last asked. Without keys, lists and an audit file, which
 * it has read and opened again, a process ends with its terminal. */
bool node_reload_is_wanted(void);

/* Writes --port-file. Returns whether there was nothing to write, or it was written. */
bool node_write_port(const node_arguments *args, unsigned port);

/* Serves peers until it is told to stop. Returns the exit status. */
int node_serve(const node_arguments *args);

#endif
