/* Asks the kernel for the user of the process at the other end of a connection over
 * loopback. */
#ifndef TCI_SOCKET_USER_H
#define TCI_SOCKET_USER_H

#include "host_port.h"

#include <sys/types.h>

/* Returns the user of the peer's socket, numbered in this process's user namespace. `accepted`:
 * this side has accepted the connection. Otherwise the peer may not have accepted it yet, and
 * the user is that of the socket that listens there. TC_E_REFUSED: the kernel does not know,
 * since the socket is closed or of another network namespace; TC_E_IO. */
TC_MUST_CHECK tc_status tci_socket_user_of_peer(int fd, bool accepted, uid_t *user_out,
                                                tc_error *err);

/* The two ways to ask, for tests. */
typedef struct tci_socket_user_question {
    tci_host_address local; /* of the socket that is asked for */
    tci_host_address remote;
    bool listening; /* a socket that listens at `local`; `remote` is not used */
} tci_socket_user_question;

bool tci_socket_user_ask_netlink(const tci_socket_user_question *question, uid_t *user_out);
bool tci_socket_user_ask_proc(const tci_socket_user_question *question, uid_t *user_out);

#endif
