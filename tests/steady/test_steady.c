/* Steady endpoints to a target that the tests start and end. All its ends are in order here;
 * restarts.c has targets that are killed. */
#include "site.h"

#include "../support/test.h"
#include "../support/test_context.h"

#include "base/clock.h"

#define LARGE ((size_t)3 << 20)

static void run_site(void (*test)(site *s))
{
    site s;
    site_open(&s, NULL);
    test(&s);
    site_close(&s);
}
#define SITE_TEST(name) TEST_BY(run_site, name, site *s)

static void expect_answer(const site_end *end, unsigned result, unsigned sent, unsigned unsure)
{
    assert_int_equal(end->count, 1);
    assert_status(end->outcome.status, TC_OK);
    assert_int_equal(end->outcome.fate, TC_CALL_ANSWERED);
    assert_int_equal(end->outcome.result_size, sizeof end->result);
    assert_int_equal(end->result, result);
    assert_int_equal(end->outcome.sent, sent);
    assert_int_equal(end->outcome.unsure, unsure);
}

static void expect_failure(const site_end *end, tc_status status, tc_call_fate fate)
{
    assert_int_equal(end->count, 1);
    assert_status(end->outcome.status, status);
    assert_int_equal(end->outcome.fate, fate);
}

/* --- connecting --------------------------------------------------------------------------- */

SITE_TEST(a_call_waits_for_its_target)
{
    site_end end = {0};
    tc_steady_info info;
    (void)site_start(s, TC_STEADY_ONCE, SITE_TIMEOUT_NS, 'a', &end);
    for (unsigned i = 0; i < 5; i++)
        (void)tc_steady_wait(s->steady, TC_MILLISECONDS(5));
    assert_null(tc_steady_ep(s->steady));
    assert_status(tc_steady_progress(s->steady), TC_E_AGAIN);
    tc_steady_query(s->steady, &info);
    assert_true(info.attempts > 1);
    assert_int_equal(info.calls, 1);
    assert_int_equal(info.calls_waiting, 1);
    site_up(s);
    site_await(s);
    expect_answer(&end, 1, 1, 0);
    assert_int_equal(s->connected, 1);
    assert_status(tc_steady_progress(s->steady), TC_OK);
    assert_non_null(tc_steady_ep(s->steady));
}

SITE_TEST(calls_go_on_after_each_restart)
{
    unsigned result;
    for (unsigned i = 1; i <= 5; i++) {
        size_t size = sizeof result;
        tc_steady_outcome outcome;
        tc_error error = {TC_OK, ""};
        site_up(s);
        must(tc_steady_call(s->steady, s->fn, "x", 1, &result, &size, TC_STEADY_ONCE,
                            SITE_TIMEOUT_NS, &outcome, &error),
             &error, "call");
        assert_int_equal(size, sizeof result);
        assert_int_equal(result, i);
        assert_int_equal(outcome.sent, 1);
        assert_int_equal(s->connected, i);
        site_down(s);
        while (s->lost < i)
            (void)tc_steady_wait(s->steady, TC_MILLISECONDS(10));
        assert_status(s->why, TC_E_CLOSED);
        assert_int_equal(s->messages_lost, 0);
    }
}

TEST(it_gives_up_after_its_time)
{
    site s;
    site_end end = {0};
    const tc_steady_params params = {.give_up_ns = TC_MILLISECONDS(30)};
    site_open(&s, &params);
    (void)site_start(&s, TC_STEADY_IDEMPOTENT, SITE_TIMEOUT_NS, 'a', &end);
    site_await(&s);
    expect_failure(&end, TC_E_UNREACHABLE, TC_CALL_NOT_RUN);
    assert_int_equal(s.gave_up, 1);
    assert_status(s.why, TC_E_UNREACHABLE);
    assert_status(tc_steady_progress(s.steady), TC_E_UNREACHABLE);
    assert_status(tc_steady_call_start(s.steady, s.fn, "x", 1, NULL, NULL, NULL),
                  TC_E_UNREACHABLE);
    assert_status(tc_steady_send(s.steady, s.fn, "x", 1), TC_E_UNREACHABLE);
    site_close(&s);
}

TEST(a_malformed_address_gives_up_at_once)
{
    tc_steady *steady;
    tc_context *ctx = test_context(NULL);
    assert_ok(tc_steady_open(ctx, "nothing", NULL, &steady, NULL));
    assert_status(tc_steady_progress(steady), TC_E_UNREACHABLE);
    assert_ok(tc_steady_close(steady, NULL));
    tc_context_destroy(ctx);
}

TEST(parameters_are_checked)
{
    tc_steady *steady = NULL;
    tc_error error = {TC_OK, ""};
    tc_context *ctx = test_context(NULL);
    tc_steady_params params = {.calls_max = TC_STEADY_CALLS_MAX + 1};
    assert_status(tc_steady_open(ctx, "127.0.0.1:1", &params, &steady, &error), TC_E_INVALID);
    assert_non_null(strstr(error.text, "65537"));
    params = (tc_steady_params){.backoff_min_ns = 2, .backoff_max_ns = 1};
    assert_status(tc_steady_open(ctx, "127.0.0.1:1", &params, &steady, &error), TC_E_INVALID);
    assert_null(steady);
    assert_ok(tc_steady_close(NULL, NULL));
    tc_context_destroy(ctx);
}

/* --- repeated calls ----------------------------------------------------------------------- */

/* Connects, sends a message and waits until it has run. */
static void send_one(site *s, char byte)
{
    site_await_connection(s);
    assert_ok(tc_steady_send(s->steady, s->fn, &byte, 1));
    assert_ok(tc_ep_flush(tc_steady_ep(s->steady), SITE_TIMEOUT_NS, NULL));
}

/* The target reads nothing, and ends in order: these calls have not run. */
SITE_TEST(calls_that_were_not_read_are_sent_again)
{
    site_end ends[6] = {{0}};
    site_up(s);
    send_one(s, '0');
    server_pause(&s->server);
    for (unsigned i = 0; i < 6; i++)
        (void)site_start(s, (tc_steady_mark)(i % 2), SITE_TIMEOUT_NS, (char)('a' + i),
                         &ends[i]);
    (void)tc_progress(s->source);
    site_down(s);
    assert_int_equal(site_runs, 1);
    site_up(s);
    site_await(s);
    server_pause(&s->server);
    assert_memory_equal(site_seen, "0abcdef", 7); /* in their order */
    server_resume(&s->server);
    for (unsigned i = 0; i < 6; i++)
        expect_answer(&ends[i], i + 2, 2, 0);
    assert_int_equal(s->messages_lost, 6);
}

/* The function is not idempotent, and its caller says it is: its counter counts twice. */
SITE_TEST(an_idempotent_call_that_is_none_counts_twice)
{
    site_end end = {0};
    tc_steady_info info;
    site_is = SITE_DETACHES;
    site_up(s);
    (void)site_start(s, TC_STEADY_IDEMPOTENT, SITE_TIMEOUT_NS, 'a', &end);
    site_await_runs(s, 1);
    site_down(s);
    site_is = SITE_ANSWERS;
    site_up(s);
    site_await(s);
    expect_answer(&end, 2, 2, 1);
    assert_int_equal(site_runs, 2);
    assert_int_equal(s->messages_lost, 0);
    tc_steady_query(s->steady, &info);
    assert_int_equal(info.calls_repeated, 1);
}

SITE_TEST(a_call_that_may_have_run_is_not_repeated_without_the_mark)
{
    site_end end = {0};
    site_is = SITE_DETACHES;
    site_up(s);
    (void)site_start(s, TC_STEADY_ONCE, SITE_TIMEOUT_NS, 'a', &end);
    site_await_runs(s, 1);
    site_down(s);
    site_await(s);
    expect_failure(&end, TC_E_CLOSED, TC_CALL_MAY_HAVE_RUN);
    assert_int_equal(end.outcome.unsure, 1);
    assert_int_equal(site_runs, 1);
}

/* Also one with the status of an end. */
SITE_TEST(an_answer_that_is_a_failure_ends_the_call)
{
    site_end end = {0};
    site_is = SITE_FAILS;
    site_up(s);
    (void)site_start(s, TC_STEADY_IDEMPOTENT, SITE_TIMEOUT_NS, 'a', &end);
    site_await(s);
    expect_failure(&end, TC_E_CLOSED, TC_CALL_ANSWERED);
    assert_int_equal(site_runs, 1);
}

/* --- deadlines ---------------------------------------------------------------------------- */

SITE_TEST(a_call_without_a_target_has_not_run)
{
    tc_steady_outcome outcome;
    tc_error error = {TC_OK, ""};
    assert_status(tc_steady_call(s->steady, s->fn, "x", 1, NULL, NULL, TC_STEADY_IDEMPOTENT,
                                 TC_MILLISECONDS(20), &outcome, &error),
                  TC_E_UNREACHABLE);
    assert_int_equal(outcome.fate, TC_CALL_NOT_RUN);
    assert_int_equal(outcome.sent, 0);
    assert_status(error.status, TC_E_UNREACHABLE);
}

SITE_TEST(a_call_that_is_not_answered_may_have_run)
{
    tc_steady_outcome outcome;
    site_is = SITE_DETACHES;
    site_up(s);
    assert_status(tc_steady_call(s->steady, s->fn, "x", 1, NULL, NULL, TC_STEADY_IDEMPOTENT,
                                 TC_MILLISECONDS(50), &outcome, NULL),
                  TC_E_TIMEOUT);
    assert_int_equal(outcome.fate, TC_CALL_MAY_HAVE_RUN);
    assert_int_equal(outcome.unsure, 1);
}

/* Its first target ran it, and no other comes. */
SITE_TEST(a_repeated_call_ends_at_its_deadline)
{
    site_end end = {0};
    site_is = SITE_DETACHES;
    site_up(s);
    (void)site_start(s, TC_STEADY_IDEMPOTENT, TC_MILLISECONDS(300), 'a', &end);
    site_await_runs(s, 1);
    site_down(s);
    site_await(s);
    expect_failure(&end, TC_E_TIMEOUT, TC_CALL_MAY_HAVE_RUN);
    assert_int_equal(end.outcome.sent, 1);
}

/* --- the table ---------------------------------------------------------------------------- */

TEST(the_table_is_bounded)
{
    site s;
    site_end ends[3] = {{0}};
    const tc_steady_params params = {.calls_max = 2};
    tc_error error = {TC_OK, ""};
    site_open(&s, &params);
    const tc_steady_call_id first = site_start(&s, TC_STEADY_ONCE, 0, 'a', &ends[0]);
    (void)site_start(&s, TC_STEADY_ONCE, 0, 'b', &ends[1]);
    assert_status(tc_steady_call_start(s.steady, s.fn, "x", 1, NULL, NULL, &error), TC_E_AGAIN);
    assert_non_null(strstr(error.text, "2 calls"));
    assert_ok(tc_steady_call_cancel(s.steady, first));
    assert_status(tc_steady_call_cancel(s.steady, first), TC_E_NOT_FOUND);
    (void)site_start(&s, TC_STEADY_ONCE, 0, 'c', &ends[2]);
    site_up(&s);
    site_await(&s);
    assert_int_equal(ends[0].count, 0);
    server_pause(&s.server);
    assert_memory_equal(site_seen, "bc", 2);
    server_resume(&s.server);
    expect_answer(&ends[2], 2, 1, 0);
    site_close(&s);
}

SITE_TEST(unknown_calls_cannot_be_cancelled)
{
    assert_status(tc_steady_call_cancel(s->steady, 0), TC_E_NOT_FOUND);
    assert_status(tc_steady_call_cancel(s->steady, 1), TC_E_NOT_FOUND);
    assert_status(tc_steady_call_cancel(s->steady, UINT64_MAX), TC_E_NOT_FOUND);
}

SITE_TEST(closing_ends_calls)
{
    static site_end sent, waiting;
    site_is = SITE_DETACHES;
    site_up(s);
    sent = waiting = (site_end){0};
    (void)site_start(s, TC_STEADY_IDEMPOTENT, 0, 'a', &sent);
    site_await_runs(s, 1);
    assert_ok(tc_steady_close(s->steady, NULL));
    expect_failure(&sent, TC_E_CLOSED, TC_CALL_MAY_HAVE_RUN);
    assert_ok(tc_steady_open(s->source, "127.0.0.1:1", NULL, &s->steady, NULL));
    (void)site_start(s, TC_STEADY_IDEMPOTENT, 0, 'b', &waiting);
    assert_ok(tc_steady_close(s->steady, NULL));
    expect_failure(&waiting, TC_E_CLOSED, TC_CALL_NOT_RUN);
    s->steady = NULL;
}

typedef struct chain {
    site *s;
    unsigned left, result;
    tc_status turned, closed;
} chain;

static void start_next(void *user, const tc_steady_outcome *outcome)
{
    chain *c = user;
    const tc_steady_call_params params = {
        .result = &c->result, .result_capacity = 4, .done = start_next, .user = c};
    assert_status(outcome->status, TC_OK);
    c->turned = tc_steady_progress(c->s->steady);
    c->closed = tc_steady_close(c->s->steady, NULL);
    if (c->left-- > 0)
        assert_ok(tc_steady_call_start(c->s->steady, c->s->fn, "n", 1, &params, NULL, NULL));
}

SITE_TEST(a_callback_may_start_calls_and_nothing_that_blocks)
{
    chain c = {.s = s, .left = 5};
    const tc_steady_call_params params = {
        .result = &c.result, .result_capacity = 4, .done = start_next, .user = &c};
    site_up(s);
    assert_ok(tc_steady_call_start(s->steady, s->fn, "n", 1, &params, NULL, NULL));
    site_await(s);
    assert_int_equal(site_runs, 6);
    assert_status(c.turned, TC_E_BUSY);
    assert_status(c.closed, TC_E_BUSY);
}

/* --- messages and large payloads ---------------------------------------------------------- */

SITE_TEST(messages_are_counted_and_not_repeated)
{
    tc_steady_info info;
    uint64_t lost = 99;
    assert_status(tc_steady_send(s->steady, s->fn, "x", 1), TC_E_AGAIN);
    site_up(s);
    send_one(s, 'a');
    server_pause(&s->server);
    for (unsigned i = 0; i < 5; i++)
        assert_ok(tc_steady_send(s->steady, s->fn, "b", 1));
    site_down(s);
    while (s->lost == 0)
        (void)tc_steady_wait(s->steady, TC_MILLISECONDS(10));
    assert_int_equal(s->messages_lost, 5);
    assert_int_equal(site_runs, 1);
    site_up(s);
    site_await_connection(s);
    assert_ok(tc_ep_flush(tc_steady_ep(s->steady), SITE_TIMEOUT_NS, NULL));
    tc_steady_query(s->steady, &info);
    assert_int_equal(info.messages_lost, 5);
    assert_int_equal(info.connections, 2);
    assert_ok(tc_steady_close(s->steady, &lost));
    s->steady = NULL;
    assert_int_equal(lost, 0);
    assert_int_equal(site_runs, 1);
}

static tc_steady_call_id start_large(site *s, const uint8_t *bytes, site_end *end)
{
    const tc_steady_call_params params = {.result = &end->result,
                                          .result_capacity = sizeof end->result,
                                          .timeout_ns = SITE_TIMEOUT_NS};
    tc_steady_call_id id = 0;
    assert_ok(tc_steady_call_start(s->steady, s->fn, bytes, LARGE, &params, &id, NULL));
    return id;
}

/* The rest of a large payload leaves before other messages may, although its call is over. */
SITE_TEST(large_calls_can_be_cancelled_on_their_way)
{
    uint8_t *bytes = calloc(1, LARGE);
    site_end ends[2] = {{0}};
    site_up(s);
    (void)site_start(s, TC_STEADY_ONCE, 0, 'a', &ends[0]);
    site_await(s);
    server_pause(&s->server);
    for (unsigned i = 0; i < 8; i++) {
        const tc_steady_call_id id = start_large(s, bytes, &ends[1]);
        for (unsigned turns = 0; turns < 10; turns++)
            (void)tc_steady_progress(s->steady);
        assert_ok(tc_steady_call_cancel(s->steady, id));
    }
    (void)site_start(s, TC_STEADY_ONCE, SITE_TIMEOUT_NS, 'z', &ends[1]);
    server_resume(&s->server);
    site_await(s);
    assert_int_equal(ends[1].count, 1);
    assert_status(ends[1].outcome.status, TC_OK);
    free(bytes);
}
