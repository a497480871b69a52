/* A lock that one thread holds nearly always, and hands to others when they ask for it.
 *
 * The holder polls with the lock held: between two turns it asks tci_hand_lock_is_wanted, one load
 * of a line that nobody writes, and only then lets somebody in. Whoever asks spins for a moment
 * and then sleeps, in a queue. A lock that is let go goes to whoever takes it first, which is
 * seldom one that has to be woken; but a sleeper that has waited longer than its patience gets it
 * from hand to hand, so nobody waits for ever behind those that are quicker. */
#ifndef TCI_HAND_LOCK_H
#define TCI_HAND_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct tci_hand_waiter;

typedef struct tci_hand_lock {
    uint32_t word;        /* whether it is held, and whether somebody is in the queue */
    uint32_t wanted;      /* threads that ask for it */
    uint32_t awake;       /* of those, how many would take it at once */
    uintptr_t holder;     /* which thread, or 0 */
    pthread_mutex_t door; /* to the queue */
    struct tci_hand_waiter *first;
} tci_hand_lock;

void tci_hand_lock_init(tci_hand_lock *lock);
void tci_hand_lock_fini(tci_hand_lock *lock);

/* Names the thread that calls. Never 0. */
uintptr_t tci_hand_lock_thread(void);

/* Takes the lock, which this thread does not hold. False: the deadline has passed.
 *
 *   patience_ns   after which it comes before those that are quicker */
bool tci_hand_lock_take(tci_hand_lock *lock, uint64_t deadline_ns, uint64_t patience_ns);
void tci_hand_lock_release(tci_hand_lock *lock);

/* By the holder: lets those in who ask for it, and takes it again. One that sleeps is woken
 * first, and let in by a later call. */
void tci_hand_lock_pass(tci_hand_lock *lock, uint64_t patience_ns);

static inline bool tci_hand_lock_is_wanted(const tci_hand_lock *lock)
{
    return __atomic_load_n(&lock->wanted, __ATOMIC_RELAXED) != 0;
}

/* Whether the thread that calls holds it. */
static inline bool tci_hand_lock_is_mine(const tci_hand_lock *lock)
{
    return __atomic_load_n(&lock->holder, __ATOMIC_RELAXED) == tci_hand_lock_thread();
}

#endif
