/* A program that this process starts, exchanges messages with over a socket, and can end at any
 * moment.
 *
 * The application that this library is part of does not know of it. So no signal handler is
 * installed, no other child is ever waited for, and the application may ignore SIGCHLD or
 * collect all children itself: then the way in which the program ended stays unknown. */
#ifndef TCI_CHILD_PROCESS_H
#define TCI_CHILD_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <tc/status.h>

/* The child's descriptor of its end of the socket. Standard input and output are /dev/null. */
#define TCI_CHILD_SOCKET 3

typedef struct tci_child {
    pid_t pid;
    pid_t parent; /* process that started it; after a fork it is not ours */
    int pidfd;    /* -1 without kernel support */
    int socket;
    /* Memory that is its standard error: the child runs on without a reader of it. */
    int diagnostics;
    /* NULL, or true (set by any thread) when the sender or receiver is to stop waiting. */
    const atomic_bool *cancelled;
    uint64_t own_end_ns; /* of its processor time; 0: deadlines are by the clock */
} tci_child;

/* Starts a program; argv[0] is its path. The child gets no descriptors beside those above, no
 * blocked and no caught signals, and of the environment only the variables that programs need
 * to start. TC_E_NOT_FOUND, TC_E_UNSUPPORTED (a program for another machine), TC_E_IO (errno's
 * text), TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_child_start(char *const argv[], tci_child *child_out,
                                        tc_error *err);

/* Ends the child unless it has ended, and waits until it has. Returns waitpid's status, or -1
 * when it is unknown, or after a fork, when the child is not ours to end. */
int tci_child_end(const tci_child *child);
/* Closes its descriptors, after tci_child_end. */
void tci_child_close(tci_child *child);

/* Waits briefly until the child has ended, for one that seems to be ending. */
void tci_child_let_end(const tci_child *child);

/* Returns whether it has ended, or has sent data without a request, or is another process's
 * since a fork. */
bool tci_child_has_ended(const tci_child *child);

/* Send or receive everything. TC_E_TIMEOUT, TC_E_PEER_LOST (it has ended, or closed the
 * socket), TC_E_CLOSED (cancelled). Sending changes the array. */
TC_MUST_CHECK tc_status tci_child_send(const tci_child *child, struct iovec *parts,
                                       size_t count, uint64_t deadline_ns);
TC_MUST_CHECK tc_status tci_child_receive(const tci_child *child, void *bytes, size_t size,
                                          uint64_t deadline_ns);

/* For a child of low priority: from now on a deadline counts once the child has used `own_ns`
 * of processor time, and after 64 times that by the clock at the latest. */
void tci_child_allow(tci_child *child, uint64_t own_ns);

/* Returns the bytes that it has written to its standard error. */
size_t tci_child_diagnostics_size(const tci_child *child);
/* Gives its standard error from `from` on, as one printable line of at most `size` bytes with
 * its terminator; empty without text. */
void tci_child_diagnostics(const tci_child *child, size_t from, char *line, size_t size);

#endif
