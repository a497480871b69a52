/* Functions that wait in a flush, a barrier, a send, or for all calls. */
#include "../shipped/wayfarer.h"
#include "../support/team.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/call.h>
#include <tc/task.h>

#define MS 1000000ull

typedef struct answered {
    unsigned count;
    tc_status status;
    wayfarer_answer answer;
} answered;

static void note_answer(void *user, const tc_call_outcome *outcome)
{
    answered *a = user;
    a->count++;
    a->status = outcome->status;
}

static void start(team *t, tc_ifunc *fn, const wayfarer_order *order, answered *a)
{
    tc_error error = {0};
    tc_status status;
    const tc_call_params params = {.result = &a->answer,
                                   .result_capacity = sizeof a->answer,
                                   .done = note_answer,
                                   .user = a,
                                   .timeout_ns = TEAM_TIMEOUT_NS};
    while ((status = tc_call_start(team_ep(t, 1), fn, order, sizeof *order, &params, NULL,
                                   &error)) == TC_E_AGAIN)
        (void)tc_progress(t->contexts[0]);
    must(status, &error, "start");
}

static tc_ifunc *wayfarer(team *t)
{
    tc_error error = {0};
    tc_ifunc *fn;
    must(tc_ifunc_open(t->contexts[0], "wayfarer", &fn, &error), &error, "wayfarer");
    return fn;
}

static wayfarer_answer ask(team *t, tc_ifunc *fn, const wayfarer_order *order)
{
    answered a = {0};
    start(t, fn, order, &a);
    while (a.count == 0)
        (void)tc_wait(t->contexts[0], TEAM_TIMEOUT_NS);
    assert_ok(a.status);
    return a.answer;
}

static void await_none(team *t)
{
    for (size_t left = 1; left > 0;) {
        team_pause(t);
        left = tc_task_count(t->contexts[1]);
        team_resume(t);
    }
}

TEAM_TEST(flushing_inside)
{
    tc_ifunc *fn = wayfarer(t);
    const wayfarer_order order = {.kind = WAYFARER_FLUSH, .count = 3000, .ns = TEAM_TIMEOUT_NS};
    for (uint32_t i = 1; i <= 3; i++) {
        const wayfarer_answer answer = ask(t, fn, &order);
        assert_ok(answer.status);
        assert_int_equal(answer.count, i * order.count);
    }
    await_none(t);
}

TEAM_TEST(awaiting_all_calls_inside)
{
    tc_ifunc *fn = wayfarer(t);
    const wayfarer_order order = {.kind = WAYFARER_CALLS, .count = 20, .ns = TEAM_TIMEOUT_NS};
    const wayfarer_answer answer = ask(t, fn, &order);
    assert_ok(answer.status);
    assert_int_equal(answer.count, order.count);
    await_none(t);
}

TEAM_TEST(sending_much_inside)
{
    tc_ifunc *fn = wayfarer(t);
    const wayfarer_order order = {
        .kind = WAYFARER_SEND, .count = 8 << 20, .ns = TEAM_TIMEOUT_NS};
    for (uint32_t i = 1; i <= 2; i++) {
        const wayfarer_answer answer = ask(t, fn, &order);
        assert_ok(answer.status);
        assert_int_equal(answer.count, i);
    }
    await_none(t);
}

/* As outside of functions, the reason is known when the flush has returned. */
TEAM_TEST(refusals_are_known_after_a_flush)
{
    tc_ifunc *fn = wayfarer(t);
    const wayfarer_order order = {.kind = WAYFARER_REFUSED, .ns = TEAM_TIMEOUT_NS};
    const wayfarer_answer answer = ask(t, fn, &order);
    assert_status(answer.status, TC_E_UNRESOLVED);
    await_none(t);
}

TEAM_TEST(a_function_enters_a_barrier)
{
    tc_ifunc *fn = wayfarer(t);
    const wayfarer_order order = {.kind = WAYFARER_BARRIER, .ns = TEAM_TIMEOUT_NS};
    tc_error error = {0};
    answered a = {0}, second = {0};
    for (unsigned i = 1; i <= 3; i++) {
        start(t, fn, &order, &a);
        must(tc_group_barrier(t->groups[0], TEAM_TIMEOUT_NS, &error), &error, "barrier");
        while (a.count < i)
            (void)tc_wait(t->contexts[0], TEAM_TIMEOUT_NS);
        assert_ok(a.status);
        assert_ok(a.answer.status);
    }
    /* One is in it, and the other is refused. */
    start(t, fn, &order, &a);
    start(t, fn, &order, &second);
    while (second.count == 0)
        (void)tc_wait(t->contexts[0], TEAM_TIMEOUT_NS);
    assert_status(second.answer.status, TC_E_BUSY);
    assert_non_null(strstr(second.answer.text, "waits in one already"));
    must(tc_group_barrier(t->groups[0], TEAM_TIMEOUT_NS, &error), &error, "barrier");
    assert_ok(tc_calls_wait(t->contexts[0], TEAM_TIMEOUT_NS));
    assert_ok(a.answer.status);
    await_none(t);
}

TEAM_TEST(a_barrier_inside_ends_at_its_deadline)
{
    tc_ifunc *fn = wayfarer(t);
    const wayfarer_order order = {.kind = WAYFARER_BARRIER, .ns = 50 * MS};
    const wayfarer_answer answer = ask(t, fn, &order);
    assert_status(answer.status, TC_E_TIMEOUT);
    await_none(t);
}

/* The program destroys a group while a function waits in its barrier: the function ends. */
TEAM_TEST(a_group_ends_under_a_barrier)
{
    tc_ifunc *fn = wayfarer(t);
    const wayfarer_order order = {.kind = WAYFARER_BARRIER, .ns = TEAM_TIMEOUT_NS};
    answered a = {0};
    size_t count = 0;
    start(t, fn, &order, &a);
    while (count == 0) {
        (void)tc_progress(t->contexts[0]);
        team_pause(t);
        count = tc_task_count(t->contexts[1]);
        if (count > 0)
            tc_group_destroy(t->groups[1]);
        count = count > 0 ? 1 + tc_task_count(t->contexts[1]) : 0;
        team_resume(t);
    }
    assert_int_equal(count, 1);
    (void)!tc_calls_wait(t->contexts[0], TEAM_TIMEOUT_NS);
    assert_int_equal(a.count, 1);
}
