/* Whose process is at the other end of a connection over loopback: the kernel knows. */
#ifndef TCI_SOCKET_USER_H
#define TCI_SOCKET_USER_H

#include "host_port.h"

#include <sys/types.h>

/* The user of the peer's socket: a number of this process's user namespace. accepted: the peer
 * has connected to here. Otherwise it may not have accepted yet, and then the user of the socket
 * that listens there is it. TC_E_REFUSED: the kernel does not know, since the socket is closed or
 * of another network namespace; TC_E_IO. */
TC_MUST_CHECK tc_status tci_socket_user_of_peer(int fd, bool accepted, uid_t *user_out,
                                                tc_error *err);

/* The two ways to ask, for tests. */
typedef struct tci_socket_user_question {
    tci_host_address local; /* of the socket that is asked for */
    tci_host_address remote;
    bool listening; /* one that listens at `local`; `remote` is not looked at */
} tci_socket_user_question;

bool tci_socket_user_ask_netlink(const tci_socket_user_question *question, uid_t *user_out);
bool tci_socket_user_ask_proc(const tci_socket_user_question *question, uid_t *user_out);

#endif
