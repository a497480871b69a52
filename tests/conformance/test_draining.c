/* A target that drains (tc_context_drain) under calls: each call is answered, or fails with
 * TC_E_CLOSED and has not run. A thread uses the source meanwhile. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "context/context_object.h"

#include <pthread.h>
#include <sched.h>
#include <tc/call.h>

#define RESULT_MAX 64u

/* A peer that calls without end, with `depth` calls under way. */
typedef struct load {
    pair *p;
    tc_ifunc *fn;
    const void *args;
    size_t size;
    unsigned depth;
    uint64_t started, answered, closed, other;
    tc_status status; /* the last other one */
    unsigned under_way;
    atomic_ullong seen; /* answered, for the other thread */
    pthread_t thread;
} load;

static void count_end(void *user, const tc_call_outcome *outcome)
{
    load *l = user;
    l->under_way--;
    l->answered += outcome->status == TC_OK;
    l->closed += outcome->status == TC_E_CLOSED;
    if (outcome->status != TC_OK && outcome->status != TC_E_CLOSED) {
        l->other++;
        l->status = outcome->status;
    }
    atomic_store(&l->seen, l->answered);
}

/* Returns whether the endpoint takes calls. */
static bool start_some(load *l)
{
    static char result[RESULT_MAX]; /* of all: nothing reads them */
    const tc_call_params params = {.done = count_end,
                                   .user = l,
                                   .result = result,
                                   .result_capacity = sizeof result,
                                   .timeout_ns = PAIR_TIMEOUT_NS};
    while (l->under_way < l->depth) {
        tc_status status =
            tc_call_start(l->p->ep, l->fn, l->args, l->size, &params, NULL, NULL);
        if (status == TC_E_AGAIN)
            return true;
        if (status != TC_OK)
            return false;
        l->under_way++;
        l->started++;
    }
    return true;
}

static void *call_on(void *arg)
{
    load *l = arg;
    while (start_some(l))
        (void)tc_progress(l->p->source);
    while (l->under_way > 0)
        (void)tc_wait(l->p->source, PAIR_TIMEOUT_NS);
    return NULL;
}

static void load_begin(load *l, uint64_t answers)
{
    assert_int_equal(pthread_create(&l->thread, NULL, call_on, l), 0);
    while (atomic_load(&l->seen) < answers)
        sched_yield();
}

/* Checks that each call ended, and in one of the two ways. */
static void load_end(load *l)
{
    assert_int_equal(pthread_join(l->thread, NULL), 0);
    if (l->other > 0)
        fail_msg("%llu of %llu calls ended otherwise: %s", (unsigned long long)l->other,
                 (unsigned long long)l->started, tc_status_name(l->status));
    assert_int_equal(l->answered + l->closed, l->started);
    tc_ep_close(l->p->ep);
    l->p->ep = NULL;
}

static void drain(pair *p, uint64_t timeout_ns, tc_status expected, tc_error *error)
{
    uint64_t lost = 999;
    pair_pause(p);
    assert_status(tc_context_drain(p->target, timeout_ns, &lost, error), expected);
    assert_int_equal(lost, 0);
    assert_null(p->target->core.first);
}

static void drain_under(unsigned depth)
{
    tc_error error = {0};
    pair p;
    pair_open(&p, NULL);
    load l = {.p = &p, .fn = pair_ifunc(&p, "echo"), .depth = depth};
    load_begin(&l, depth < 20 ? 20 : 200);
    drain(&p, PAIR_TIMEOUT_NS, TC_OK, &error);
    load_end(&l);
    assert_int_equal(l.answered, p.target_state.next);
    assert_int_equal(test_counter(p.target, "messages_run"), l.answered);
    assert_int_equal(test_counter(p.target, "replies_unsent"), 0);
    pair_close(&p);
}

/* With one call, as many as fit the rings, and more. */
TEST(no_call_is_lost)
{
    for (unsigned i = 0; i < 3; i++) {
        drain_under(1);
        drain_under(64);
        drain_under(10000);
    }
}

TEST(nobody_gets_in)
{
    tc_error error = {0};
    tc_ep *ep;
    pair p;
    pair_open(&p, NULL);
    drain(&p, PAIR_TIMEOUT_NS, TC_OK, &error);
    assert_true(tc_ep_connect(p.source, p.host_port, TC_SECONDS(2), &ep, &error) != TC_OK);
    pair_close(&p);
}

/* Its answer is given up. Messages of UCX leave only while their sender progresses, and
 * the silent one does not. */
TEST(a_peer_that_takes_nothing_costs_the_time_of_close_timeout)
{
    tc_error error = {0};
    pair p;
    uint64_t lost = 0;
    const char *delivery = getenv("EXPECTED_DELIVERY");
    if (delivery == NULL ||
        (strcmp(delivery, "direct") != 0 && strcmp(delivery, "stream") != 0))
        skip();
    pair_open(&p, (const char *const[]){"close_timeout", "200ms", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "echo");
    const tc_call_params params = {.timeout_ns = PAIR_TIMEOUT_NS};
    assert_ok(tc_call_start(p.ep, fn, NULL, 0, &params, NULL, &error));
    (void)tc_progress(p.source);
    while (pair_counter(&p, "messages_run") == 0)
        continue;
    pair_pause(&p);
    assert_ok(tc_context_drain(p.target, PAIR_TIMEOUT_NS, &lost, &error));
    assert_int_equal(lost, 1);
    pair_close(&p);
}

TEST(a_context_without_peers_drains_at_once)
{
    tc_error error = {0};
    tc_context *ctx = test_context(NULL);
    assert_ok(tc_context_drain(ctx, 0, NULL, &error));
    assert_ok(tc_context_drain(ctx, 0, NULL, &error));
    tc_context_destroy(ctx);
}

static void drain_inside(void *ep, const tc_call_outcome *outcome)
{
    tc_error error = {0};
    (void)outcome;
    assert_status(tc_context_drain(tc_ep_context(ep), 0, NULL, &error), TC_E_BUSY);
}

PAIR_TEST(not_from_inside_a_callback)
{
    tc_error error = {0};
    tc_ifunc *fn = pair_ifunc(p, "echo");
    const tc_call_params params = {
        .done = drain_inside, .user = p->ep, .timeout_ns = PAIR_TIMEOUT_NS};
    assert_ok(tc_call_start(p->ep, fn, NULL, 0, &params, NULL, &error));
    assert_ok(tc_calls_wait(p->source, PAIR_TIMEOUT_NS));
}
