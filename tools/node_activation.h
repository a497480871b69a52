/* A listening socket that the process which started this one has bound, by the protocol of
 * sd_listen_fds(3): descriptor 3, LISTEN_FDS=1, and LISTEN_PID is this process. */
#ifndef NODE_ACTIVATION_H
#define NODE_ACTIVATION_H

#include "node_arguments.h"

#include <stdbool.h>
#include <tc/context.h>

/* Finds the socket, and takes the variables out of the environment. Returns false after
 * printing the reason: several sockets, or one that is no TCP socket that listens.
 *
 *   fd_out   -1: none was passed; else it is closed on exec */
bool node_activation_take(int *fd_out);

/* Listens on that socket, which is closed here, or without one at --listen. */
tc_status node_activation_open(tc_context *ctx, const node_arguments *args,
                               tc_listener **listener_out, tc_error *err);
/* Returns the address for people. */
const char *node_activation_address(const node_arguments *args);

#endif
