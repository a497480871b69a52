/* A lock that one thread holds nearly always, and passes to other threads on request.
 *
 * The holder polls with the lock held: between two turns it calls tci_hand_lock_is_wanted, one
 * load of a line that no thread writes meanwhile, and lets another thread in only if the lock
 * is wanted. A waiting thread spins for a moment and then sleeps, in a queue. A released lock
 * goes to the first thread that takes it, which is seldom one that has to be woken. But a
 * sleeper that has waited longer than its patience gets the lock passed directly, so no thread
 * waits for ever behind quicker ones. */
#ifndef TCI_HAND_LOCK_H
#define TCI_HAND_LOCK_H

#include "base/thread_id.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct tci_hand_waiter;

typedef struct tci_hand_lock {
    uint32_t word;        /* bits: the lock is held; a thread is in the queue */
    uint32_t wanted;      /* threads that want the lock */
    uint32_t awake;       /* number of these threads that would take it at once */
    uintptr_t holder;     /* the holding thread, or 0 */
    pthread_mutex_t door; /* mutex of the queue */
    struct tci_hand_waiter *first;
} tci_hand_lock;

void tci_hand_lock_init(tci_hand_lock *lock);
void tci_hand_lock_fini(tci_hand_lock *lock);

/* Takes the lock, which this thread does not hold. Returns false when the deadline has passed.
 *
 *   patience_ns   time after which it precedes quicker threads */
bool tci_hand_lock_take(tci_hand_lock *lock, uint64_t deadline_ns, uint64_t patience_ns);
void tci_hand_lock_release(tci_hand_lock *lock);

/* Called by the holder: lets waiting threads in, and takes the lock again. A sleeping thread is
 * woken first, and let in by a later call. */
void tci_hand_lock_pass(tci_hand_lock *lock, uint64_t patience_ns);

static inline bool tci_hand_lock_is_wanted(const tci_hand_lock *lock)
{
    return __atomic_load_n(&lock->wanted, __ATOMIC_RELAXED) != 0;
}

/* Returns whether the calling thread holds the lock. */
static inline bool tci_hand_lock_is_mine(const tci_hand_lock *lock)
{
    return __atomic_load_n(&lock->holder, __ATOMIC_RELAXED) == tci_thread_id_mark();
}

#endif
