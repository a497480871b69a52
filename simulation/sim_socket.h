/* Sockets of the simulated network: streams of bytes between two hosts, with delay, loss of
 * reachability, and the errors that TCP reports. The arguments and results are those of the
 * system calls, -1 with errno. */
#ifndef SIM_SOCKET_H
#define SIM_SOCKET_H

#include "sim_descriptor.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

int sim_socket_open(int domain, int type);
int sim_socket_bind(int number, const struct sockaddr *address, socklen_t size);
int sim_socket_listen(int number, int backlog);
int sim_socket_accept(int number, struct sockaddr *address, socklen_t *size, int flags);
int sim_socket_connect(int number, const struct sockaddr *address, socklen_t size);
int sim_socket_shutdown(int number, int how);
/* Its state, and whether written bytes have not arrived. */
int sim_socket_info(int number, struct tcp_info *info);
int sim_socket_name(int number, bool of_peer, struct sockaddr *address, socklen_t *size);
/* The pending error of SO_ERROR, which it clears; -1: no socket. */
int sim_socket_take_error(int number);

#endif
