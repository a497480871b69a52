#include "fork_guard.h"

#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
tci_fork_guard *tci_fork_guard_first;

static void before(void)
{
    (void)pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
    (void)pthread_mutex_unlock(&lock);
}

/* Runs with the lock held by the forking thread, which is the only one here. */
static void in_child(void)
{
    for (tci_fork_guard *guard = tci_fork_guard_first; guard != NULL; guard = guard->next)
        guard->give_up(guard);
    (void)pthread_mutex_unlock(&lock);
}

static void install(void)
{
    (void)pthread_atfork(before, in_parent, in_child);
}

void tci_fork_guard_add(tci_fork_guard *guard, void (*give_up)(struct tci_fork_guard *guard))
{
    (void)pthread_once(&once, install);
    (void)pthread_mutex_lock(&lock);
    guard->give_up = give_up;
    guard->next = tci_fork_guard_first;
    guard->previous_next = &tci_fork_guard_first;
    if (tci_fork_guard_first != NULL)
        tci_fork_guard_first->previous_next = &guard->next;
    tci_fork_guard_first = guard;
    (void)pthread_mutex_unlock(&lock);
}

void tci_fork_guard_remove(tci_fork_guard *guard)
{
    /* Threads that remove its neighbours write to the guard, so no field of it is read without
     * the lock. */
    (void)pthread_mutex_lock(&lock);
    if (guard->previous_next != NULL) {
        *guard->previous_next = guard->next;
        if (guard->next != NULL)
            guard->next->previous_next = guard->previous_next;
        guard->previous_next = NULL;
    }
    (void)pthread_mutex_unlock(&lock);
}
