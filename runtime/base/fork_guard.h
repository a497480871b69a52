/* Resources that a forked child must not share with its parent. Sockets that stay open in a
 * child make a dead parent look alive, and a context has one owner. The owner of such a
 * resource guards it; in a child of fork() it is given up at once. (vfork and posix_spawn start
 * another program, which inherits no such resource.) */
#ifndef TCI_FORK_GUARD_H
#define TCI_FORK_GUARD_H

typedef struct tci_fork_guard {
    /* Called in the child, which has no other thread. May only use functions that are allowed
     * in a signal handler. */
    void (*give_up)(struct tci_fork_guard *guard);
    struct tci_fork_guard *next;           /* bound: RLIMIT_NOFILE */
    struct tci_fork_guard **previous_next; /* NULL: not guarded */
} tci_fork_guard;

/* The newest of all guards. For debuggers: others have no lock. */
extern tci_fork_guard *tci_fork_guard_first;

/* Adds a guard. Any thread may call, here and below. */
void tci_fork_guard_add(tci_fork_guard *guard, void (*give_up)(struct tci_fork_guard *guard));
/* Removes a guard; does nothing to one that was never added. */
void tci_fork_guard_remove(tci_fork_guard *guard);

#endif
