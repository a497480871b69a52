/* A program that this process starts, talks to over a socket, and can end at any moment.
 *
 * The application that this library is part of knows nothing of it. So no signal handler is
 * installed, no other child is ever waited for, and it is fine if the application ignores
 * SIGCHLD or collects all children itself: then how the program ended stays unknown. */
#ifndef TCI_CHILD_PROCESS_H
#define TCI_CHILD_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <tc/status.h>

/* The child finds its end of the socket there. Standard input and output are /dev/null. */
#define TCI_CHILD_SOCKET 3

typedef struct tci_child {
    pid_t pid;
    pid_t parent; /* who started it: after a fork it is not ours */
    int pidfd;    /* -1 where the kernel has none */
    int socket;
    /* Memory that is its standard error: nobody has to read it for the child to go on. */
    int diagnostics;
    /* NULL, or true (set by any thread) when who sends or receives is to stop waiting. */
    const atomic_bool *cancelled;
    uint64_t own_end_ns; /* of its processor time; 0: deadlines hold by the clock */
} tci_child;

/* argv[0] is the program's path. Gives the child no descriptors beside those above, no blocked
 * and no caught signals. TC_E_NOT_FOUND, TC_E_UNSUPPORTED (a program for another machine),
 * TC_E_IO (errno's text), TC_E_NO_MEMORY. Of the environment it gets what programs need to start. */
TC_MUST_CHECK tc_status tci_child_start(char *const argv[], tci_child *child_out,
                                        tc_error *err);

/* Ends the child unless it has ended, and waits until it has. Gives waitpid's status, or -1
 * when nobody knows it; also after a fork, when it is not ours to end. */
int tci_child_end(const tci_child *child);
/* Closes what is left of it, after tci_child_end. */
void tci_child_close(tci_child *child);

/* Waits until the child has ended, but not long: for one that seems to be ending. */
void tci_child_let_end(const tci_child *child);

/* Or says something without having been asked, or is another process's since a fork. */
bool tci_child_has_ended(const tci_child *child);

/* All of it; TC_E_TIMEOUT, TC_E_PEER_LOST (it has ended, or closed the socket), TC_E_CLOSED
 * (cancelled). The array is used up. */
TC_MUST_CHECK tc_status tci_child_send(const tci_child *child, struct iovec *parts,
                                       size_t count, uint64_t deadline_ns);
TC_MUST_CHECK tc_status tci_child_receive(const tci_child *child, void *bytes, size_t size,
                                          uint64_t deadline_ns);

/* For a child of low priority: from now on a deadline counts once the child has used `own_ns` of
 * processor time, and 64 times that by the clock at the latest. */
void tci_child_allow(tci_child *child, uint64_t own_ns);

/* How much it has written to its standard error. */
size_t tci_child_diagnostics_size(const tci_child *child);
/* From `from` on, as one printable line of at most `size` bytes with its terminator; empty when
 * there is nothing. */
void tci_child_diagnostics(const tci_child *child, size_t from, char *line, size_t size);

#endif
