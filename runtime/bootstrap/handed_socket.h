/* Connections that one process accepts and another one serves: sockets that travel over a Unix
 * socket (SOCK_SEQPACKET), one with each message, whatever else that says.
 *
 * Who hands over may be trusted no more than a peer is: what comes is checked to be a connected
 * socket of TCP, and nothing is read or written on the way. */
#ifndef TCI_HANDED_SOCKET_H
#define TCI_HANDED_SOCKET_H

#include "bootstrap/host_port.h"

#include <tc/status.h>

/* The next one, which does not block and is closed on exec. TC_E_AGAIN: none waits (err is not
 * filled), or what came was none. TC_E_PEER_LOST: nobody can hand over any more; TC_E_IO: this
 * process is out of descriptors. */
TC_MUST_CHECK tc_status tci_handed_socket_receive(int channel, int *fd_out,
                                                  tci_host_address *peer_out, tc_error *err);

/* For who handed it over and kept it, once nobody serves it any more: tells the peer why, unless
 * nothing may be said in clear text, and closes it. Never blocks. */
void tci_handed_socket_end(int fd, const char *reason, bool may_speak);

#endif
