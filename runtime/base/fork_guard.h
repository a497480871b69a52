/* What a fork must not share with its parent. Sockets that stay open in a child say that the
 * parent lives when it does not, and a context has one owner. Who holds such a thing guards it;
 * in a child of fork() it is given up at once. (vfork and posix_spawn begin another program,
 * which gets none of it.) */
#ifndef TCI_FORK_GUARD_H
#define TCI_FORK_GUARD_H

typedef struct tci_fork_guard {
    /* Called in the child, with no other thread there. Only what is allowed in a signal
     * handler. */
    void (*give_up)(struct tci_fork_guard *guard);
    struct tci_fork_guard *next;
    struct tci_fork_guard **previous_next; /* NULL: not guarded */
} tci_fork_guard;

/* Any thread, here and below. */
void tci_fork_guard_add(tci_fork_guard *guard, void (*give_up)(struct tci_fork_guard *guard));
/* One that was never added is left as it is. */
void tci_fork_guard_remove(tci_fork_guard *guard);

#endif
