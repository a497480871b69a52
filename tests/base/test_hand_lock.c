/* A lock that is passed on: one holder at a time, without starvation. */
#include "../support/test.h"
#include "base/clock.h"
#include "base/hand_lock.h"

#define PATIENCE_NS 100000u
#define THREADS 4u
#define TIMES 2000u

TEST(it_is_its_holders_alone)
{
    tci_hand_lock lock;
    tci_hand_lock_init(&lock);
    assert_false(tci_hand_lock_is_mine(&lock));
    assert_true(tci_hand_lock_take(&lock, UINT64_MAX, 0));
    assert_true(tci_hand_lock_is_mine(&lock));
    assert_false(tci_hand_lock_is_wanted(&lock));
    tci_hand_lock_pass(&lock, 0); /* to no thread */
    assert_true(tci_hand_lock_is_mine(&lock));
    tci_hand_lock_release(&lock);
    assert_false(tci_hand_lock_is_mine(&lock));
    tci_hand_lock_fini(&lock);
}

/* --- a deadline -------------------------------------------------------------------------- */

static void *try_for_a_while(void *arg)
{
    return tci_hand_lock_take(arg, tci_deadline_after(20000000), PATIENCE_NS) ? arg : NULL;
}

TEST(who_cannot_have_it_in_time_goes)
{
    tci_hand_lock lock;
    pthread_t thread;
    void *taken = &lock;
    tci_hand_lock_init(&lock);
    assert_true(tci_hand_lock_take(&lock, UINT64_MAX, 0));
    assert_int_equal(pthread_create(&thread, NULL, try_for_a_while, &lock), 0);
    assert_int_equal(pthread_join(thread, &taken), 0);
    assert_null(taken);
    assert_false(tci_hand_lock_is_wanted(&lock));
    tci_hand_lock_release(&lock);
    assert_true(tci_hand_lock_take(&lock, UINT64_MAX, 0)); /* the queue is empty */
    tci_hand_lock_release(&lock);
    assert_int_equal(lock.word, 0);
    tci_hand_lock_fini(&lock);
}

/* --- many -------------------------------------------------------------------------------- */

typedef struct crowd {
    tci_hand_lock lock;
    uint64_t count; /* under the lock */
    uint32_t left;  /* threads that have not taken it TIMES times */
    bool goes_on;   /* they go on taking it until all have */
} crowd;

static void *take_often(void *arg)
{
    crowd *c = arg;
    for (unsigned i = 1; __atomic_load_n(&c->left, __ATOMIC_RELAXED) > 0; i++) {
        if (!tci_hand_lock_take(&c->lock, UINT64_MAX, PATIENCE_NS))
            return NULL;
        c->count++;
        tci_hand_lock_release(&c->lock);
        if (i == TIMES)
            (void)__atomic_fetch_sub(&c->left, 1, __ATOMIC_RELAXED);
        if (i >= TIMES && !c->goes_on)
            return arg;
    }
    return arg;
}

/* The loop of a context's holder. */
static void poll_until_all_had_it(crowd *c)
{
    uint64_t own = 0;
    assert_true(tci_hand_lock_take(&c->lock, UINT64_MAX, PATIENCE_NS));
    while (__atomic_load_n(&c->left, __ATOMIC_RELAXED) > 0) {
        own++;
        c->count++;
        if (tci_hand_lock_is_wanted(&c->lock))
            tci_hand_lock_pass(&c->lock, PATIENCE_NS);
    }
    assert_true(c->goes_on || c->count == own + THREADS * TIMES);
    tci_hand_lock_release(&c->lock);
}

static void run_crowd(bool goes_on)
{
    crowd c = {.left = THREADS, .goes_on = goes_on};
    pthread_t threads[THREADS];
    void *result;
    tci_hand_lock_init(&c.lock);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_often, &c), 0);
    poll_until_all_had_it(&c);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, &c);
    }
    assert_int_equal(c.lock.word, 0);
    assert_int_equal(c.lock.wanted, 0);
    tci_hand_lock_fini(&c.lock);
}

TEST(one_at_a_time_has_it)
{
    for (unsigned round = 0; round < 5; round++)
        run_crowd(false);
}

/* Each gets it often although the others take it all the time, and so does the polling
 * thread. */
TEST(nobody_waits_for_ever)
{
    for (unsigned round = 0; round < 5; round++)
        run_crowd(true);
}
