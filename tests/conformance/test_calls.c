/* Calls and their answers. */
#include "../shipped/travel.h"
#include "../support/test.h"
#include "../support/test_context.h"
#include "team_call.h"

#include <tc/call.h>
#include <tc/ifunc.h>

/* With payloads that go in a frame, beside it, and beside the ring. */
TEAM_TEST(answers_come_back)
{
    static const size_t sizes[] = {0, 1, 7, 48, 1000, 70000, 300000, 900000};
    tc_error error = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t bytes = sizeof(travel_order) + sizes[i], size = sizes[i];
        uint8_t *args = malloc(bytes), *result = malloc(sizes[i] + 1);
        const travel_order order = {.task = TRAVEL_ECHO};
        memcpy(args, &order, sizeof order);
        for (size_t k = sizeof order; k < bytes; k++)
            args[k] = TRAVEL_BYTE(k + i);
        tc_status status =
            tc_call(team_ep(t, 1), t->fn, args, bytes, result, &size, TEAM_TIMEOUT_NS, &error);
        if (status != TC_OK)
            fail_msg("%zu bytes: %s", sizes[i], error.text);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(result, args + sizeof order, size);
        free(args);
        free(result);
    }
    assert_int_equal(tc_call_count(t->contexts[0]), 0);
}

TEAM_TEST(a_function_that_says_nothing_has_answered_with_nothing)
{
    tc_error error = {0};
    char result[8];
    size_t size = sizeof result;
    const travel_order order = {.task = TRAVEL_NOTHING};
    assert_ok(team_call(t, 1, &order, result, &size, &error));
    assert_int_equal(size, 0);
    assert_ok(team_call(t, 1, &order, NULL, NULL, &error));
}

TEAM_TEST(errors_come_back_with_their_text)
{
    tc_error error = {0};
    tc_ifunc *unbound;
    const travel_order order = {.task = TRAVEL_FAIL};
    assert_status(team_call(t, 1, &order, NULL, NULL, &error), TC_E_IO);
    assert_string_equal(error.text, "as it was told");
    /* code that cannot run there, twice: new, and known */
    assert_ok(tc_ifunc_open(t->contexts[0], "unbound", &unbound, &error));
    assert_status(tc_call(team_ep(t, 1), unbound, NULL, 0, NULL, NULL, TEAM_TIMEOUT_NS, &error),
                  TC_E_UNRESOLVED);
    assert_non_null(strstr(error.text, "tests_symbol_that_is_nowhere"));
    assert_status(tc_call(team_ep(t, 1), unbound, NULL, 0, NULL, NULL, TEAM_TIMEOUT_NS, &error),
                  TC_E_REFUSED);
}

/* A caller that is in no group, and its objects. */
typedef struct stranger {
    tc_context *ctx;
    tc_ep *ep;
    tc_ifunc *travel, *unbound;
} stranger;

static void stranger_open(stranger *s, const team *t)
{
    char host_port[32];
    tc_error error = {0};
    (void)snprintf(host_port, sizeof host_port, "127.0.0.1:%u",
                   tc_listener_port(t->listeners[1]));
    assert_ok(tc_context_create(NULL, &s->ctx, NULL));
    assert_ok(tc_ep_connect(s->ctx, host_port, TEAM_TIMEOUT_NS, &s->ep, &error));
    assert_ok(tc_ifunc_open(s->ctx, "travel", &s->travel, &error));
    assert_ok(tc_ifunc_open(s->ctx, "unbound", &s->unbound, &error));
}

/* Payloads in pieces: of a function that does not run there, and one that the other side does
 * not take. */
TEST(large_calls_that_are_refused_fail)
{
    static const char *const options[] = {"payload_bytes_max", "200000", NULL};
    static uint8_t args[300000];
    team t;
    stranger s;
    tc_error error = {0};
    const travel_order order = {.task = TRAVEL_NOTHING};
    team_open(&t, 2, options);
    stranger_open(&s, &t);
    assert_status(
        tc_call(s.ep, s.unbound, args, sizeof args, NULL, NULL, TEAM_TIMEOUT_NS, &error),
        TC_E_UNRESOLVED);
    memcpy(args, &order, sizeof order);
    assert_ok(tc_call(s.ep, s.travel, args, 150000, NULL, NULL, TEAM_TIMEOUT_NS, &error));
    assert_status(
        tc_call(s.ep, s.travel, args, sizeof args, NULL, NULL, TEAM_TIMEOUT_NS, &error),
        TC_E_TOO_LARGE);
    assert_ok(tc_call(s.ep, s.travel, args, 100, NULL, NULL, TEAM_TIMEOUT_NS, &error));
    tc_context_destroy(s.ctx);
    team_close(&t);
}

TEAM_TEST(calls_need_no_group)
{
    stranger s;
    tc_error error = {0};
    travel_place place = {0};
    size_t size = sizeof place;
    stranger_open(&s, t);
    travel_order order = {.task = TRAVEL_TO, .rank = TC_RANK_NONE};
    assert_ok(
        tc_call(s.ep, s.travel, &order, sizeof order, &place, &size, TEAM_TIMEOUT_NS, &error));
    assert_int_equal(place.rank, TC_RANK_NONE);
    assert_int_equal(place.size, 0);
    assert_int_equal(place.origin, TC_RANK_NONE);
    order.rank = 0; /* forwarding does */
    assert_status(
        tc_call(s.ep, s.travel, &order, sizeof order, &place, &size, TEAM_TIMEOUT_NS, &error),
        TC_E_UNREACHABLE);
    tc_context_destroy(s.ctx);
}

TEAM_TEST(an_answer_that_is_too_large_is_not_written)
{
    tc_error error = {0};
    uint8_t result[32] = {0};
    size_t size = 16;
    travel_order order = {.task = TRAVEL_BIG, .count = 17};
    assert_status(team_call(t, 1, &order, result, &size, &error), TC_E_TOO_LARGE);
    assert_int_equal(size, 17);
    assert_non_null(strstr(error.text, "17"));
    assert_int_equal(result[0], 0);
    size = sizeof result;
    order.count = 500000;
    assert_status(team_call(t, 1, &order, result, &size, &error), TC_E_TOO_LARGE);
    assert_int_equal(size, 500000);
    /* and one that may not even leave */
    order.count = 3u << 20;
    assert_status(team_call(t, 1, &order, result, &size, &error), TC_E_TOO_LARGE);
    assert_string_equal(error.text, "that is too much");
    order.count++;
    assert_status(team_call(t, 1, &order, result, &size, &error), TC_E_TOO_LARGE);
    assert_non_null(strstr(error.text, "its answer of 3145729 bytes could not be sent"));
}

TEST(answers_of_many_frames_are_whole)
{
    const size_t bytes = 700000;
    team t;
    tc_error error = {0};
    uint8_t *result = malloc(bytes);
    team_open(&t, 2, NULL);
    for (unsigned round = 0; round < 5; round++) {
        size_t size = bytes, wrong = 0;
        const travel_order order = {.task = TRAVEL_BIG, .count = bytes - round};
        assert_ok(team_call(&t, 1, &order, result, &size, &error));
        assert_int_equal(size, bytes - round);
        for (size_t i = 0; i < size; i++)
            wrong += result[i] != TRAVEL_BYTE(i);
        assert_int_equal(wrong, 0);
    }
    free(result);
    team_close(&t);
}

TEAM_TEST(a_call_may_wait_for_ever)
{
    tc_error error = {0};
    const travel_order order = {.task = TRAVEL_NOTHING};
    if (tc_call(team_ep(t, 1), t->fn, &order, sizeof order, NULL, NULL, UINT64_MAX, &error) !=
        TC_OK)
        fail_msg("%s", error.text);
}

TEAM_TEST(a_deadline_ends_a_call_and_late_answers_touch_nothing)
{
    tc_error error = {0};
    uint8_t result[16] = {0};
    size_t size = sizeof result;
    travel_order keep = {.task = TRAVEL_KEEP};
    assert_status(
        tc_call(team_ep(t, 1), t->fn, &keep, sizeof keep, NULL, NULL, 30000000, &error),
        TC_E_TIMEOUT);
    /* one whose answer comes after its caller has gone */
    travel_order big = {.task = TRAVEL_BIG, .count = sizeof result};
    team_pause(t);
    assert_status(
        tc_call(team_ep(t, 1), t->fn, &big, sizeof big, result, &size, 20000000, &error),
        TC_E_TIMEOUT);
    team_resume(t);
    while (test_counter(t->contexts[0], "replies_late") == 0)
        team_turn(t);
    assert_int_equal(result[1], 0);
    assert_int_equal(tc_call_count(t->contexts[0]), 0);
}

TEST(a_cancelled_call_is_over)
{
    team t;
    call_record s = {0};
    uint8_t result[16] = {0};
    tc_call_id id;
    const travel_order order = {.task = TRAVEL_BIG, .count = sizeof result};
    const tc_call_params params = {.result = result,
                                   .result_capacity = sizeof result,
                                   .done = call_record_note,
                                   .user = &s};
    team_open(&t, 2, NULL);
    team_pause(&t);
    assert_ok(tc_call_start(team_ep(&t, 1), t.fn, &order, sizeof order, &params, &id, NULL));
    assert_int_equal(tc_call_count(t.contexts[0]), 1);
    assert_ok(tc_call_cancel(t.contexts[0], id));
    assert_status(tc_call_cancel(t.contexts[0], id), TC_E_NOT_FOUND);
    team_resume(&t);
    while (test_counter(t.contexts[0], "replies_late") == 0)
        team_turn(&t);
    assert_int_equal(s.calls, 0);
    assert_int_equal(result[1], 0);
    team_close(&t);
}

#define MANY 500

TEST(many_calls_at_once_each_get_their_own_answer)
{
    struct {
        travel_order order;
        uint64_t number;
    } args = {.order = {.task = TRAVEL_ECHO}};
    static call_record outcomes[MANY];
    static uint64_t results[MANY];
    team t;
    memset(outcomes, 0, sizeof outcomes);
    team_open(&t, 3, NULL);
    for (uint64_t i = 0; i < MANY; i++) {
        const tc_call_params params = {.result = &results[i],
                                       .result_capacity = sizeof results[i],
                                       .timeout_ns = TEAM_TIMEOUT_NS,
                                       .done = call_record_note,
                                       .user = &outcomes[i]};
        tc_status status;
        args.number = i * i;
        while ((status = tc_call_start(team_ep(&t, 1 + i % 2), t.fn, &args, sizeof args,
                                       &params, NULL, NULL)) == TC_E_AGAIN)
            (void)tc_progress(t.contexts[0]);
        assert_ok(status);
    }
    assert_ok(tc_calls_wait(t.contexts[0], TEAM_TIMEOUT_NS));
    assert_int_equal(tc_call_count(t.contexts[0]), 0);
    for (uint64_t i = 0; i < MANY; i++) {
        assert_int_equal(outcomes[i].calls, 1);
        assert_ok(outcomes[i].status);
        assert_int_equal(outcomes[i].rank, 1 + i % 2);
        assert_int_equal(results[i], i * i);
    }
    team_close(&t);
}

typedef struct follower {
    tc_ep *ep;
    tc_ifunc *fn;
    int left;
    tc_status within; /* the status of tc_calls_wait in a callback */
} follower;

static void call_once_more(void *user, const tc_call_outcome *outcome)
{
    follower *f = user;
    const travel_order order = {.task = TRAVEL_ECHO};
    const tc_call_params params = {.done = call_once_more, .user = f};
    f->within = tc_calls_wait(tc_ep_context(f->ep), 0);
    if (f->left-- > 0)
        assert_ok(tc_call_start(f->ep, f->fn, &order, sizeof order, &params, NULL, NULL));
}

TEAM_TEST(calls_are_waited_for)
{
    tc_context *ctx = t->contexts[0];
    assert_ok(tc_calls_wait(ctx, 0)); /* there is none */
    const travel_order keep = {.task = TRAVEL_KEEP}, echo = {.task = TRAVEL_ECHO};
    follower f = {.ep = team_ep(t, 1), .fn = t->fn, .left = 5};
    const tc_call_params follow = {.done = call_once_more, .user = &f};
    assert_ok(tc_call_start(f.ep, t->fn, &echo, sizeof echo, &follow, NULL, NULL));
    assert_ok(tc_calls_wait(ctx, TEAM_TIMEOUT_NS));
    assert_int_equal(f.left, -1); /* also for those that its callback started */
    assert_status(f.within, TC_E_BUSY);
    /* An answer that never comes. */
    call_record s = {0};
    const tc_call_params params = {
        .timeout_ns = 100000000, .done = call_record_note, .user = &s};
    assert_ok(tc_call_start(f.ep, t->fn, &keep, sizeof keep, &params, NULL, NULL));
    assert_status(tc_calls_wait(ctx, 0), TC_E_TIMEOUT);
    assert_status(tc_calls_wait(ctx, 1000000), TC_E_TIMEOUT);
    assert_int_equal(s.calls, 0);
    assert_ok(tc_calls_wait(ctx, TC_FOREVER));
    assert_status(s.status, TC_E_TIMEOUT);
}

TEAM_TEST(an_answer_to_no_call_is_dropped)
{
    tc_error error = {0};
    for (uint64_t call_id = 1; call_id < 5; call_id++) {
        const travel_order order = {.task = TRAVEL_STRANGER, .call = call_id << 32 | 900};
        assert_ok(team_call(t, 1, &order, NULL, NULL, &error));
    }
    while (test_counter(t->contexts[0], "replies_late") < 4)
        team_turn(t);
}

TEAM_TEST(functions_keep_state_and_find_published_data)
{
    static char published[] = "known by name";
    tc_error error = {0};
    uint64_t value = 0;
    char text[32];
    for (uint64_t i = 1; i <= 20; i++) {
        const travel_order order = {.task = TRAVEL_COUNT};
        size_t size = sizeof value;
        assert_ok(team_call(t, 1, &order, &value, &size, &error));
        assert_int_equal(value, i);
    }
    const travel_order order = {.task = TRAVEL_DATA};
    size_t size = sizeof text;
    assert_status(team_call(t, 1, &order, text, &size, &error), TC_E_NOT_FOUND);
    team_pause(t);
    assert_ok(tc_context_publish(t->contexts[1], "travel", published, sizeof published, NULL));
    team_resume(t);
    size = sizeof text;
    assert_ok(team_call(t, 1, &order, text, &size, &error));
    assert_string_equal(text, published);
}
