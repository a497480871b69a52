/* The fates of calls without an answer (tc_call_outcome.fate); run for each delivery. A target
 * that is paused consumes nothing. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "core/ep.h"

#include <tc/call.h>

#define SHORT_NS TC_MILLISECONDS(50)

typedef struct fates {
    unsigned all;
    unsigned of[TC_CALL_MAY_HAVE_RUN + 1];
} fates;

static void note_fate(void *user, const tc_call_outcome *outcome)
{
    fates *f = user;
    f->all++;
    f->of[outcome->fate]++;
}

/* Opens a pair, has the target run the function once, and pauses it. */
static tc_ifunc *open_paused(pair *p)
{
    /* UCX 1.13 ends the process if the source has gone when it answers a put over sockets. */
    if (strcmp(getenv("EXPECTED_DELIVERY"), "put") == 0 && getenv("UCX_TLS") != NULL)
        skip();
    pair_open(p, NULL);
    tc_ifunc *fn = pair_ifunc(p, "check");
    pair_send_check(p->ep, fn, 0, 8);
    pair_flush(p->ep);
    pair_pause(p);
    return fn;
}

static void start_calls(pair *p, tc_ifunc *fn, fates *f, const size_t *sizes, size_t count)
{
    static const uint8_t bytes[1000];
    const tc_call_params params = {.done = note_fate, .user = f};
    for (size_t i = 0; i < count; i++)
        assert_int_equal(tc_call_start(p->ep, fn, bytes, sizes[i], &params, NULL, NULL), TC_OK);
}

static void await_ends(pair *p)
{
    while (tc_call_count(p->source) > 0)
        assert_int_equal(tc_wait(p->source, PAIR_TIMEOUT_NS), TC_OK);
}

/* Returns the fate that calls have which a peer has not consumed when it closes. */
static tc_call_fate fate_of_unread(const tc_ep *ep)
{
    const bool is_known = ep->tx.push == NULL || ep->stream == NULL || ep->rx.records != NULL;
    return is_known ? TC_CALL_NOT_RUN : TC_CALL_MAY_HAVE_RUN;
}

/* Calls of every form: short ones, with a route, with a line of arguments, with many, and with
 * code. */
TEST(calls_that_a_closing_peer_has_not_read_have_not_run)
{
    static const size_t sizes[] = {0, 1, 8, 9, 48, 500, 1000};
    const size_t count = sizeof sizes / sizeof sizes[0];
    pair p;
    fates f = {0};
    tc_ifunc *fn = open_paused(&p);
    start_calls(&p, fn, &f, sizes, count);
    start_calls(&p, pair_ifunc(&p, "doubled"), &f, sizes, 1);
    const tc_call_fate expected = fate_of_unread(p.ep);
    server_stop(&p.server);
    tc_context_destroy(p.target);
    await_ends(&p);
    assert_int_equal(f.of[expected], count + 1);
    assert_int_equal(f.all, count + 1);
    tc_context_destroy(p.source);
    assert_int_equal(p.target_state.next, 1);
}

TEST(calls_of_an_endpoint_that_this_side_closes_may_have_run)
{
    static const size_t sizes[] = {8, 48};
    pair p;
    fates f = {0};
    uint64_t lost = 0;
    tc_ifunc *fn = open_paused(&p);
    start_calls(&p, fn, &f, sizes, 2);
    (void)tc_progress(p.source); /* they leave */
    assert_int_equal(tc_ep_finish(p.ep, SHORT_NS, &lost, NULL), TC_E_TIMEOUT);
    p.ep = NULL;
    assert_int_equal(f.of[TC_CALL_MAY_HAVE_RUN], 2);
    pair_close(&p);
}

TEST(a_call_may_have_run_by_its_deadline)
{
    pair p;
    fates f = {0};
    const tc_call_params params = {
        .timeout_ns = TC_MILLISECONDS(10), .done = note_fate, .user = &f};
    tc_ifunc *fn = open_paused(&p);
    assert_int_equal(tc_call_start(p.ep, fn, "x", 1, &params, NULL, NULL), TC_OK);
    await_ends(&p);
    assert_int_equal(f.of[TC_CALL_MAY_HAVE_RUN], 1);
    pair_resume(&p);
    pair_close(&p);
}

PAIR_TEST(a_call_with_an_answer_is_answered)
{
    static const size_t sizes[] = {0, 8, 500};
    fates f = {0};
    start_calls(p, pair_ifunc(p, "check"), &f, sizes, 3);
    await_ends(p);
    assert_int_equal(f.of[TC_CALL_ANSWERED], 3);
}
