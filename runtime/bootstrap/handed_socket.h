/* Connections that one process accepts and another one serves: sockets that travel over a Unix
 * socket (SOCK_SEQPACKET), one with each message, for any other content of the message.
 *
 * The sending process is trusted no more than a peer: a received descriptor is checked to be a
 * connected TCP socket, and nothing is read or written on the way. */
#ifndef TCI_HANDED_SOCKET_H
#define TCI_HANDED_SOCKET_H

#include "bootstrap/host_port.h"

#include <tc/status.h>

/* Returns the next socket, which does not block and is closed on exec. TC_E_AGAIN: no message
 * waits (err is not filled), or it had no such socket. TC_E_PEER_LOST: the sending side is
 * gone; TC_E_IO: this process is out of descriptors. */
TC_MUST_CHECK tc_status tci_handed_socket_receive(int channel, int *fd_out,
                                                  tci_host_address *peer_out, tc_error *err);

/* Ends a connection for a process that passed it on and kept it, once no process serves it any
 * more: sends the peer the reason, if `may_speak` allows clear text, and closes it. Never
 * blocks. */
void tci_handed_socket_end(int fd, const char *reason, bool may_speak);

#endif
