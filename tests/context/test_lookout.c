/* A waiting call between two turns sees a message in every ring, in each manner of waiting, and
 * always returns. */
#include "../support/test.h"
#include "context/lookout.h"

#include <pthread.h>
#include <sched.h>

#define RINGS 3u
#define SIGNAL 7u
#define TURNS 50u

static const tci_wait_choice manners[] = {TCI_WAIT_SPIN, TCI_WAIT_PAUSE, TCI_WAIT_LINE};

#define MANNERS (sizeof manners / sizeof manners[0])

static _Alignas(64) uint8_t frames[RINGS][64];
static tci_watched_ring rings[RINGS];
static tc_context context; /* rings alone, no endpoints */

static int reset(void **state)
{
    memset(&context, 0, sizeof context);
    memset(frames, 0, sizeof frames);
    for (unsigned i = 0; i < RINGS; i++)
        rings[i] = (tci_watched_ring){.frame = frames[i], .signal = SIGNAL};
    context.core.watched = rings;
    context.core.watched_count = RINGS;
    return 0;
}

static bool has_spoken(unsigned ring)
{
    return tci_ring_load_signal(frames[ring]) == SIGNAL;
}

static uint64_t looks(void)
{
    return context.core.counters[TCI_IDLE_LOOKS];
}

static void *speak(void *frame)
{
    (void)sched_yield();
    tci_ring_store_signal(frame, SIGNAL);
    return NULL;
}

static void hear_one(tci_wait_choice manner, unsigned ring)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, speak, frames[ring]), 0);
    while (!has_spoken(ring)) {
        tci_lookout(&context, manner, false);
        (void)sched_yield(); /* both may share a processor */
    }
    tci_lookout(&context, manner, false);
    assert_int_equal(context.spoke_last, ring);
    assert_int_equal(pthread_join(thread, NULL), 0);
    tci_ring_store_signal(frames[ring], 0);
}

TEST_WITH(every_ring_is_heard, reset, NULL)
{
    for (size_t m = 0; m < MANNERS; m++) {
        for (unsigned turn = 0; turn < TURNS; turn++)
            hear_one(manners[m], turn % RINGS);
    }
}

TEST_WITH(the_only_ring_is_heard, reset, NULL)
{
    context.core.watched_count = 1;
    for (size_t m = 0; m < MANNERS; m++) {
        for (unsigned turn = 0; turn < TURNS; turn++)
            hear_one(manners[m], 0);
    }
}

TEST_WITH(silence_ends, reset, NULL)
{
    for (size_t m = 0; m < MANNERS; m++) {
        for (unsigned count = 0; count <= RINGS; count++) {
            context.core.watched_count = count;
            uint64_t before = looks();
            tci_lookout(&context, manners[m], false);
            assert_true(looks() > before);
        }
    }
}

/* Events that no ring shows are polled after each rest. */
TEST_WITH(beside_other_ways_there_is_one_look, reset, NULL)
{
    for (size_t m = 0; m < MANNERS; m++) {
        uint64_t before = looks();
        tci_lookout(&context, manners[m], true);
        context.core.pending.causes = TCI_POLL_UCX;
        tci_lookout(&context, manners[m], false);
        context.core.pending.causes = TCI_SERVED;
        tci_lookout(&context, manners[m], false);
        context.core.pending.causes = 0;
        context.core.pending.credit_blocked = true;
        tci_lookout(&context, manners[m], false);
        context.core.pending.credit_blocked = false;
        assert_int_equal(looks() - before, 4);
    }
}

/* Endpoints end, and rings move up. */
TEST_WITH(a_ring_that_is_gone_is_not_watched, reset, NULL)
{
    context.spoke_last = RINGS - 1;
    context.core.watched_count = 1;
    tci_lookout(&context, TCI_WAIT_LINE, false);
    hear_one(TCI_WAIT_LINE, 0);
}
