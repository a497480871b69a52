/* The listening socket of a node, beside the library: found in this process, so that another
 * one can inherit it; and, inherited, served by this one.
 *
 * The library opens its sockets itself. A process that has inherited one accepts connections in
 * a thread, and passes them to the library (tc_listener_open_handed), which authenticates them
 * as its own. A connection that is accepted and not served when the node ends is closed, and
 * its peer tries again: tc_ep_connect does that by itself. */
#ifndef NODE_SOCKET_H
#define NODE_SOCKET_H

#include <stdbool.h>
#include <tc/context.h>

#define NODE_SOCKET_INHERITED 3 /* the descriptor of the inherited socket */

/* Returns the descriptor of the listening socket with that port, the library's or the inherited
 * one; -1 without it. It stays its owner's. */
int node_socket_find(unsigned port);

/* Serves the inherited socket, if it listens at `address` ("127.0.0.1:7000", port 0: any).
 * The library checks the address as for a socket of its own.
 *
 *   as tc_listener_open; TC_E_INVALID also: there is no such socket */
TC_MUST_CHECK tc_status node_socket_open(tc_context *ctx, const char *address,
                                         unsigned *port_out, tc_error *err);

/* Accepts no more. The kernel keeps connections that come meanwhile for other processes that
 * have the socket. */
void node_socket_close(void);

#endif
