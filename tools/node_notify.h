/* Notices to the process that manages this one, by the protocol of sd_notify(3): a datagram to
 * the socket that NOTIFY_SOCKET names. Without the variable nothing is sent. */
#ifndef NODE_NOTIFY_H
#define NODE_NOTIFY_H

/* Opens the socket, as it cannot be opened once the process is confined, and takes the variable
 * out of the environment: processes that run functions do not have it. Reports a variable that
 * is of no use. */
void node_notify_begin(void);

/* Peers can connect; also after node_notify_reloading. `fmt` is the state in words. */
__attribute__((format(printf, 1, 2))) void node_notify_ready(const char *fmt, ...);
/* The process reads its settings again. */
void node_notify_reloading(void);
/* The process goes on in place of this one (MAINPID). */
void node_notify_successor(long process);
/* The process drains, and may take so many seconds. */
void node_notify_stopping(unsigned long long seconds);

#endif
