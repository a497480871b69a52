/* Waiting threads spin, counted in `awake`, and then sleep in the queue, which the mutex `door`
 * guards. The first in the queue is woken to spin again or, out of patience, gets the held
 * lock. */
#include "hand_lock.h"

#include "base/assertion.h"
#include "base/arch.h"
#include "base/futex.h"

#include <stddef.h>

#define HELD 1u
#define QUEUED 2u /* a thread is in the queue; changed with the door locked */

/* Longer than a turn of progress in which no function runs, and about as long as a sleep would
 * take. */
#define SPIN_NS 5000u
#define LOOKS 8u /* polls between two reads of the clock */
/* Time that a thread that was let in may take to notice. */
#define NOTICE_NS 1000u

typedef enum waiter_state { ASLEEP, CALLED, GRANTED } waiter_state;

typedef struct tci_hand_waiter {
    uint32_t state;
    uint64_t since_ns;
    uint64_t patience_ns;
    struct tci_hand_waiter *next; /* bound: RLIMIT_NPROC */
} waiter;

void tci_hand_lock_init(tci_hand_lock *lock)
{
    *lock = (tci_hand_lock){0};
    (void)pthread_mutex_init(&lock->door, NULL);
}

void tci_hand_lock_fini(tci_hand_lock *lock)
{
    (void)pthread_mutex_destroy(&lock->door);
}

/* --- taking it --------------------------------------------------------------------------- */

/* Pairs with the release of let_go. */
static bool try_take(tci_hand_lock *lock)
{
    uint32_t word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
    return !(word & HELD) && __atomic_compare_exchange_n(&lock->word, &word, word | HELD, false,
                                                         __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static bool spin(tci_hand_lock *lock)
{
    const uint64_t end_ns = tci_clock_ns() + SPIN_NS;
    bool taken = false;
    (void)__atomic_fetch_add(&lock->awake, 1, __ATOMIC_RELAXED);
    do {
        for (unsigned i = 0; i < LOOKS && !(taken = try_take(lock)); i++)
            TCI_ARCH_PAUSE();
    } while (!taken && tci_clock_ns() < end_ns);
    TCI_INVARIANT_IS(lock_wanted, __atomic_load_n(&lock->awake, __ATOMIC_RELAXED), >, 0);
    (void)__atomic_fetch_sub(&lock->awake, 1, __ATOMIC_RELAXED);
    return taken;
}

/* --- the queue, with the door locked ----------------------------------------------------- */

static void append(tci_hand_lock *lock, waiter *own)
{
    waiter **end = (waiter **)&lock->first;
    while (*end != NULL)
        end = &(*end)->next;
    TCI_INVARIANT(lock_queue, own->next == NULL && own->state == ASLEEP);
    *end = own;
    (void)__atomic_fetch_or(&lock->word, QUEUED, __ATOMIC_RELAXED);
}

static void remove_from(tci_hand_lock *lock, const waiter *own)
{
    waiter **at = &lock->first;
    while (*at != own) {
        TCI_INVARIANT(lock_queue, *at != NULL);
        at = &(*at)->next;
    }
    *at = own->next;
    if (lock->first == NULL)
        (void)__atomic_fetch_and(&lock->word, ~QUEUED, __ATOMIC_RELAXED);
}

/* Passes the held lock to the first waiter, which finds GRANTED in its state. The waiter's
 * struct is gone afterwards. */
static void grant(tci_hand_lock *lock)
{
    waiter *first = lock->first;
    TCI_INVARIANT(lock_held, (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) & HELD) != 0);
    remove_from(lock, first);
    __atomic_store_n(&first->state, GRANTED, __ATOMIC_RELEASE);
    tci_futex_wake(&first->state);
}

static void call_first(tci_hand_lock *lock)
{
    waiter *first = lock->first;
    if (first->state != ASLEEP)
        return;
    __atomic_store_n(&first->state, CALLED, __ATOMIC_RELAXED);
    tci_futex_wake(&first->state);
}

static bool has_no_patience(const waiter *first)
{
    return first != NULL && tci_clock_ns() - first->since_ns >= first->patience_ns;
}

/* --- waiting ----------------------------------------------------------------------------- */

/* Enters the queue. Returns whether it took the lock; it has then left the queue again. */
static bool stand_in_queue(tci_hand_lock *lock, waiter *own)
{
    (void)pthread_mutex_lock(&lock->door);
    append(lock, own);
    /* A thread that releases the lock from here on finds the queue. */
    bool taken = try_take(lock);
    if (taken)
        remove_from(lock, own);
    (void)pthread_mutex_unlock(&lock->door);
    return taken;
}

/* Tries to take the lock after a sleep, and returns whether it has it. Unless *over_out is set,
 * the caller sleeps again. */
static bool look_again(tci_hand_lock *lock, waiter *own, uint64_t deadline_ns, bool *over_out)
{
    bool called = __atomic_load_n(&own->state, __ATOMIC_ACQUIRE) == CALLED;
    bool taken = called && spin(lock);
    (void)pthread_mutex_lock(&lock->door);
    bool granted = __atomic_load_n(&own->state, __ATOMIC_ACQUIRE) == GRANTED;
    if (!granted) {
        __atomic_store_n(&own->state, ASLEEP, __ATOMIC_RELAXED);
        taken = taken || try_take(lock);
    }
    *over_out = taken || granted || tci_clock_ns() >= deadline_ns;
    if (*over_out && !granted)
        remove_from(lock, own);
    (void)pthread_mutex_unlock(&lock->door);
    return taken || granted;
}

static bool take_in_turn(tci_hand_lock *lock, uint64_t deadline_ns, uint64_t patience_ns)
{
    waiter own = {.since_ns = tci_clock_ns(), .patience_ns = patience_ns};
    bool taken = stand_in_queue(lock, &own), over = taken;
    while (!over) {
        tci_futex_wait(&own.state, ASLEEP, deadline_ns);
        taken = look_again(lock, &own, deadline_ns, &over);
    }
    return taken;
}

bool tci_hand_lock_take(tci_hand_lock *lock, uint64_t deadline_ns, uint64_t patience_ns)
{
    TCI_INVARIANT(lock_holder, !tci_hand_lock_is_mine(lock));
    bool taken = try_take(lock);
    if (!taken) {
        (void)__atomic_fetch_add(&lock->wanted, 1, __ATOMIC_RELAXED);
        taken = spin(lock) || take_in_turn(lock, deadline_ns, patience_ns);
        TCI_INVARIANT_IS(lock_wanted, __atomic_load_n(&lock->wanted, __ATOMIC_RELAXED), >, 0);
        (void)__atomic_fetch_sub(&lock->wanted, 1, __ATOMIC_RELAXED);
    }
    TCI_INVARIANT(lock_held,
                  !taken || (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) & HELD) != 0);
    if (taken)
        __atomic_store_n(&lock->holder, tci_thread_id_mark(), __ATOMIC_RELAXED);
    return taken;
}

/* --- letting go -------------------------------------------------------------------------- */

/* Pairs with the acquire of try_take. */
static void let_go(tci_hand_lock *lock)
{
    TCI_INVARIANT(lock_held, (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) & HELD) != 0);
    (void)__atomic_fetch_and(&lock->word, ~HELD, __ATOMIC_RELEASE);
}

void tci_hand_lock_release(tci_hand_lock *lock)
{
    uint32_t alone = HELD;
    TCI_INVARIANT(lock_holder, tci_hand_lock_is_mine(lock));
    __atomic_store_n(&lock->holder, 0, __ATOMIC_RELAXED);
    if (__atomic_compare_exchange_n(&lock->word, &alone, 0, false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED))
        return;
    (void)pthread_mutex_lock(&lock->door);
    if (has_no_patience(lock->first)) {
        grant(lock);
    } else {
        let_go(lock);
        if (lock->first != NULL)
            call_first(lock);
    }
    (void)pthread_mutex_unlock(&lock->door);
}

/* Returns whether the lock was passed to another thread. */
static bool hand_over(tci_hand_lock *lock)
{
    (void)pthread_mutex_lock(&lock->door);
    bool granted = has_no_patience(lock->first);
    if (granted) {
        __atomic_store_n(&lock->holder, 0, __ATOMIC_RELAXED);
        grant(lock);
    } else if (lock->first != NULL) {
        call_first(lock);
    }
    (void)pthread_mutex_unlock(&lock->door);
    return granted;
}

static void let_in(tci_hand_lock *lock)
{
    const uint64_t end_ns = tci_clock_ns() + NOTICE_NS;
    __atomic_store_n(&lock->holder, 0, __ATOMIC_RELAXED);
    let_go(lock);
    while (!(__atomic_load_n(&lock->word, __ATOMIC_RELAXED) & HELD) && tci_clock_ns() < end_ns)
        TCI_ARCH_PAUSE();
}

void tci_hand_lock_pass(tci_hand_lock *lock, uint64_t patience_ns)
{
    bool gone = (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) & QUEUED) && hand_over(lock);
    if (!gone && __atomic_load_n(&lock->awake, __ATOMIC_RELAXED) > 0) {
        let_in(lock);
        gone = true;
    }
    if (gone)
        (void)tci_hand_lock_take(lock, UINT64_MAX, patience_ns);
}
