/* Upgrades: a node starts the process that follows it, and hands it the listening socket.
 *
 *     SIGUSR2        the successor starts, by the path that this process was started by, with
 *                    the same arguments and the same environment; both are as they were before
 *                    this process changed them
 *     it is ready    it accepts peers, as does this process: both have the socket. This one
 *                    drains, as after SIGTERM, and ends
 *     it ends first, or is not ready in a minute
 *                    this process goes on; a line has the reason
 *     this process ends first
 *                    the successor ends with it
 *
 * With --isolate that is the process that takes connections: the successor is ready when it has
 * a process for functions that is, and those of the other node drain for themselves. The port
 * always has a listener. A confined process cannot start another, and does not upgrade. */
#ifndef NODE_SUCCESSOR_H
#define NODE_SUCCESSOR_H

#include <stdbool.h>
#include <stdint.h>

/* Called first in main: keeps copies of the arguments, the environment and the path. */
void node_successor_begin(char **argv);

/* Catches SIGUSR2. */
void node_successor_catch_signal(void);

/* Called often while the node serves: begins an upgrade that is asked for, and looks at one
 * that has begun. A successor that is ready has this process get SIGTERM.
 *
 *   listening  the socket that peers connect to; -1: it cannot be handed over
 *   http       that of --http; -1: none */
void node_successor_turn(int listening, int http);

/* Called when this process ends: ends a successor that does not serve yet. */
void node_successor_give_up(void);

/* Called when the node serves no longer: ends a successor that does not serve yet. */
void node_successor_give_up(void);

/* Returns whether a successor serves, for which this process ends. Any thread. */
bool node_successor_follows(void);

/* For the successor: takes the inherited sockets, that of --http if there is one, or -1.
 * Returns false if this process is not the successor of `parent`. */
bool node_successor_take(uint64_t parent, int *socket_out, int *http_out);
/* For the successor: reports that it accepts peers. */
void node_successor_report_ready(void);

#endif
