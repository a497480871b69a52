/* Barriers: members that pass them, and members that are notified of a failure. */
#include "../support/team.h"
#include "../support/test.h"

#include <tc/thread.h>

#define SHORT_NS 150000000ull /* for waits that are meant to fail */

/* Each thread is a member that goes from barrier to barrier. */
typedef struct walker {
    tc_group *group;
    atomic_uint *come; /* barriers that all members together have come to */
    unsigned early;    /* times that it passed before all had come */
    tc_status status;
} walker;

#define BARRIERS 50u

static void *walk(void *arg)
{
    walker *w = arg;
    tc_error error = {0};
    for (unsigned i = 1; i <= BARRIERS && w->status == TC_OK; i++) {
        atomic_fetch_add(w->come, 1);
        w->status = tc_group_barrier(w->group, TEAM_TIMEOUT_NS, &error);
        w->early += atomic_load(w->come) < i * tc_group_size(w->group);
    }
    return NULL;
}

TEST(nobody_passes_a_barrier_early)
{
    team t;
    walker walkers[4];
    pthread_t threads[4];
    atomic_uint come = 0;
    team_open(&t, 4, NULL);
    team_pause(&t);
    for (uint32_t rank = 0; rank < 4; rank++) {
        walkers[rank] = (walker){.group = t.groups[rank], .come = &come};
        assert_int_equal(pthread_create(&threads[rank], NULL, walk, &walkers[rank]), 0);
    }
    for (uint32_t rank = 0; rank < 4; rank++) {
        pthread_join(threads[rank], NULL);
        assert_ok(walkers[rank].status);
        assert_int_equal(walkers[rank].early, 0);
    }
    team_close(&t);
}

static void *walk_with_the_lock(void *arg)
{
    walker *w = arg;
    tc_context *ctx = tc_group_context(w->group);
    if (tc_context_lock(ctx, TEAM_TIMEOUT_NS, NULL) != TC_OK)
        return NULL;
    (void)walk(w);
    tc_context_unlock(ctx);
    return w;
}

/* The contexts serve themselves, and let no member pass earlier. */
TEST(a_barrier_is_one_where_contexts_serve_themselves_too)
{
    team t;
    walker walkers[4];
    pthread_t threads[4];
    atomic_uint come = 0;
    void *result;
    team_open(&t, 4, NULL);
    team_pause(&t);
    for (uint32_t rank = 0; rank < 4; rank++) {
        assert_ok(tc_context_start_thread(t.contexts[rank], NULL, NULL));
        walkers[rank] = (walker){.group = t.groups[rank], .come = &come};
    }
    for (uint32_t rank = 0; rank < 4; rank++)
        assert_int_equal(
            pthread_create(&threads[rank], NULL, walk_with_the_lock, &walkers[rank]), 0);
    for (uint32_t rank = 0; rank < 4; rank++) {
        pthread_join(threads[rank], &result);
        assert_ptr_equal(result, &walkers[rank]);
        assert_ok(walkers[rank].status);
        assert_int_equal(walkers[rank].early, 0);
    }
    for (uint32_t rank = 0; rank < 4; rank++)
        assert_ok(tc_context_stop_thread(t.contexts[rank], NULL));
    team_close(&t);
}

static unsigned progress(void *context)
{
    return tc_progress(context);
}

/* A waiting member, and its result. */
typedef struct waiter {
    tc_group *group;
    pthread_t thread;
    uint64_t timeout_ns;
    tc_status status;
    tc_error error;
} waiter;

static void *wait_at_barrier(void *arg)
{
    waiter *w = arg;
    w->status = tc_group_barrier(w->group, w->timeout_ns, &w->error);
    return NULL;
}

static void send_to_barrier(const team *t, waiter *waiters, uint32_t first, uint32_t count)
{
    for (uint32_t rank = first; rank < count; rank++) {
        waiters[rank] = (waiter){.group = t->groups[rank], .timeout_ns = UINT64_MAX};
        assert_int_equal(
            pthread_create(&waiters[rank].thread, NULL, wait_at_barrier, &waiters[rank]), 0);
    }
}

static void expect_barrier_failed(waiter *w, tc_status status, const char *text)
{
    pthread_join(w->thread, NULL);
    if (w->status != status || strstr(w->error.text, text) == NULL)
        fail_msg("%s: %s", tc_status_name(w->status), w->error.text);
}

/* Rank 3 goes while the others wait for it, for ever: rank 0 learns it, and the others from
 * rank 0, also one who comes later. */
TEST(all_who_wait_hear_who_was_lost)
{
    team t;
    waiter waiters[4];
    tc_error error = {0};
    team_open(&t, 4, (const char *const[]){"close_timeout", "50ms", NULL});
    assert_ok(tc_group_connect(t.groups[0], TEAM_TIMEOUT_NS, &error));
    team_pause(&t);
    send_to_barrier(&t, waiters, 0, 2);
    tc_context_destroy(t.contexts[3]);
    t.size = 3;
    expect_barrier_failed(&waiters[0], TC_E_PEER_LOST, "rank 3");
    server others = {.turn = NULL};
    server_start(&others, progress, t.contexts[0]); /* connecting members need an answer */
    expect_barrier_failed(&waiters[1], TC_E_PEER_LOST, "rank 3");
    send_to_barrier(&t, waiters, 2, 3);
    expect_barrier_failed(&waiters[2], TC_E_PEER_LOST, "rank 3");
    server_stop(&others);
    team_close(&t);
}

/* The barrier is over for all when it is for rank 0. */
TEST(who_waits_longer_than_rank_0_waits_no_more)
{
    team t;
    waiter waiters[2];
    tc_error error = {0};
    team_open(&t, 3, NULL);
    assert_ok(tc_group_connect(t.groups[0], TEAM_TIMEOUT_NS, &error));
    team_pause(&t);
    send_to_barrier(&t, waiters, 1, 2);
    assert_status(tc_group_barrier(t.groups[0], SHORT_NS, &error), TC_E_TIMEOUT);
    server others = {.turn = NULL};
    server_start(&others, progress, t.contexts[0]);
    expect_barrier_failed(&waiters[1], TC_E_TIMEOUT, "rank 2");
    server_stop(&others);
    team_close(&t);
}

TEST(who_is_missing_is_named)
{
    team t;
    tc_error error = {0};
    team_open(&t, 4, NULL);
    assert_status(tc_group_barrier(t.groups[0], SHORT_NS, &error), TC_E_TIMEOUT);
    assert_non_null(strstr(error.text, "missing: rank 1, 2, 3"));
    team_close(&t);
}
