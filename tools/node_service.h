/* A process of tc-node that runs functions: the only one, or with --isolate one of several. */
#ifndef NODE_SERVICE_H
#define NODE_SERVICE_H

#include "node_arguments.h"

#include <stdbool.h>

/* Catches SIGINT and SIGTERM (node_end.h), SIGUSR1 and SIGHUP. */
void node_catch_signals(const node_arguments *args);
/* Returns whether SIGHUP has come since the last call. Without keys, lists, settings and an
 * audit file, which it makes the process read and open again, SIGHUP is not caught: a process
 * ends with its terminal. */
bool node_reload_is_wanted(void);

/* Writes --port-file. Returns true if that succeeded or there was nothing to write. */
bool node_write_port(const node_arguments *args, unsigned port);

/* Serves peers until it is asked to stop. Returns the exit status. */
int node_serve(const node_arguments *args);

#endif
