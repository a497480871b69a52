/* Functions that wait. */
#include "../shipped/patient.h"
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <sched.h>
#include <tc/call.h>
#include <tc/task.h>

#define MS 1000000ull

/* Answers of started calls. */
typedef struct answers {
    unsigned count;
    unsigned failed;
    tc_status status;  /* of the newest that failed */
    uint8_t bytes[64]; /* of the newest */
} answers;

static void note_answer(void *user, const tc_call_outcome *outcome)
{
    answers *a = user;
    a->count++;
    if (outcome->status != TC_OK) {
        a->failed++;
        a->status = outcome->status;
    }
}

static void start_bytes(pair *p, tc_ep *ep, tc_ifunc *fn, const void *bytes, size_t size,
                        answers *a)
{
    tc_error error = {0};
    const tc_call_params params = {.result = a->bytes,
                                   .result_capacity = sizeof a->bytes,
                                   .done = note_answer,
                                   .user = a,
                                   .timeout_ns = PAIR_TIMEOUT_NS};
    tc_status status;
    while ((status = tc_call_start(ep, fn, bytes, size, &params, NULL, &error)) == TC_E_AGAIN)
        (void)tc_progress(p->source);
    must(status, &error, "start");
}

static void start(pair *p, tc_ep *ep, tc_ifunc *fn, const patient_order *order, answers *a)
{
    start_bytes(p, ep, fn, order, sizeof *order, a);
}

static tc_status ask(pair *p, tc_ifunc *fn, const patient_order *order, uint64_t *answer)
{
    tc_error error = {0};
    size_t size = sizeof *answer;
    return tc_call(p->ep, fn, order, sizeof *order, answer, &size, PAIR_TIMEOUT_NS, &error);
}

static size_t waiting(pair *p)
{
    pair_pause(p);
    const size_t count = tc_task_count(p->target);
    pair_resume(p);
    return count;
}

static check_state state_of(pair *p)
{
    pair_pause(p);
    const check_state state = p->target_state;
    pair_resume(p);
    return state;
}

static void await_waiting(pair *p, size_t count)
{
    while (waiting(p) != count) {
        (void)tc_progress(p->source);
        sched_yield();
    }
}

PAIR_TEST(others_run_while_one_sleeps)
{
    tc_ifunc *fn = pair_ifunc(p, "patient"), *check = pair_ifunc(p, "doubled");
    const patient_order nap = {.kind = PATIENT_NAP, .ns = 500 * MS};
    answers a = {0};
    start(p, p->ep, fn, &nap, &a);
    pair_flush(p->ep);
    assert_int_equal(waiting(p), 1);
    assert_int_equal(state_of(p).next, 1);
    assert_ok(pair_send(p->ep, check, "ab", 2));
    pair_flush(p->ep);
    assert_int_equal(state_of(p).next, 2);
    assert_int_equal(a.count, 0);
    assert_ok(tc_calls_wait(p->source, PAIR_TIMEOUT_NS));
    assert_int_equal(a.count, 1);
    assert_int_equal(a.failed, 0);
    await_waiting(p, 0);
}

/* Each has a payload of its own: on the stack, in a block, in parts. */
PAIR_TEST(payloads_stay)
{
    static const size_t sizes[] = {0, 1, 48, 500, 1000, 1024, 5000, 70000, 900000};
    tc_ifunc *fn = pair_ifunc(p, "patient");
    tc_error error = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t bytes = sizeof(patient_order) + sizes[i], size = bytes;
        uint8_t *sent = malloc(bytes), *got = malloc(bytes);
        const patient_order order = {.kind = PATIENT_NAP, .ns = i % 2 * MS};
        check_fill(sent, i, bytes);
        memcpy(sent, &order, sizeof order);
        must(tc_call(p->ep, fn, sent, bytes, got, &size, PAIR_TIMEOUT_NS, &error), &error,
             "call");
        assert_int_equal(size, bytes);
        assert_memory_equal(got, sent, bytes);
        free(sent);
        free(got);
    }
}

/* Both sides have functions that wait for one another. */
PAIR_TEST(calls_nest)
{
    tc_ifunc *fn = pair_ifunc(p, "patient");
    static const uint32_t depths[] = {0, 1, 2, 40};
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        const patient_order order = {.kind = PATIENT_NEST, .depth = depths[i]};
        uint64_t answer = 0;
        assert_ok(ask(p, fn, &order, &answer));
        assert_int_equal(answer, depths[i] + 1);
    }
    await_waiting(p, 0);
    assert_int_equal(tc_task_count(p->source), 0);
}

PAIR_TEST(windows_are_read_inside)
{
    enum { WORDS = 100 };
    static uint64_t words[WORDS];
    tc_ifunc *fn = pair_ifunc(p, "patient");
    uint64_t expected = 0, answer = 0;
    tc_error error = {0};
    tc_gptr at;
    for (uint64_t i = 0; i < WORDS; i++)
        expected += words[i] = i * i;
    const tc_window_params params = {
        .memory = words, .bytes = sizeof words, .rights = TC_WINDOW_READ, .peer = p->ep};
    must(tc_window_open(p->source, &params, &at, &error), &error, "window");
    const patient_order order = {.kind = PATIENT_SUM, .depth = WORDS, .at = at};
    assert_ok(ask(p, fn, &order, &answer));
    assert_int_equal(answer, expected);
    const patient_order beyond = {.kind = PATIENT_SUM, .depth = WORDS + 1, .at = at};
    assert_status(ask(p, fn, &beyond, &answer), TC_E_INVALID);
    assert_ok(tc_window_close(p->source, at));
}

PAIR_TEST(stacks_stay)
{
    tc_ifunc *fn = pair_ifunc(p, "patient");
    answers a = {0};
    for (uint32_t bytes = 0; bytes < 48 << 10; bytes += 997) {
        const patient_order order = {
            .kind = PATIENT_STACK, .depth = bytes, .ns = bytes % 3 * MS};
        uint64_t wrong = 1;
        start(p, p->ep, fn, &order, &a); /* others lie at the same addresses meanwhile */
        assert_ok(ask(p, fn, &order, &wrong));
        assert_int_equal(wrong, 0);
    }
    assert_ok(tc_calls_wait(p->source, PAIR_TIMEOUT_NS));
    assert_int_equal(a.failed, 0);
    const patient_order large = {.kind = PATIENT_STACK, .depth = 70 << 10, .ns = MS};
    uint64_t wrong;
    assert_status(ask(p, fn, &large, &wrong), TC_E_TOO_LARGE);
    assert_int_equal(waiting(p), 0);
}

PAIR_TEST(many_wait)
{
    enum { MANY = TCI_RACES_WATCHED ? 500 : 5000 };
    tc_ifunc *fn = pair_ifunc(p, "patient");
    answers a = {0};
    for (unsigned i = 0; i < MANY; i++) {
        const patient_order order = {.kind = i % 5 == 0 ? PATIENT_FAIL : PATIENT_NAP,
                                     .ns = (1 + i * 7919 % 50) * MS};
        start(p, p->ep, fn, &order, &a);
    }
    assert_ok(tc_calls_wait(p->source, PAIR_TIMEOUT_NS));
    assert_int_equal(a.count, MANY);
    assert_int_equal(a.failed, MANY / 5);
    assert_status(a.status, TC_E_IO);
    await_waiting(p, 0);
    const check_state state = state_of(p);
    assert_int_equal(state.next, MANY);
    assert_int_equal(state.bytes, MANY);
}

PAIR_TEST(guards_stay)
{
    tc_ifunc *fn = pair_ifunc(p, "patient");
    const patient_order guard = {.kind = PATIENT_GUARD, .ns = MS};
    answers a = {0};
    for (unsigned i = 0; i < 20; i++)
        start(p, p->ep, fn, &guard, &a);
    uint64_t abandoned = 0;
    assert_ok(ask(p, fn, &guard, &abandoned));
    assert_int_equal(abandoned, 1);
    assert_ok(tc_calls_wait(p->source, PAIR_TIMEOUT_NS));
    assert_int_equal(a.failed, 0);
}

PAIR_TEST(an_endpoints_end_ends_its_waits)
{
    tc_ifunc *fn = pair_ifunc(p, "patient");
    tc_ep *other = pair_connect(p);
    const patient_order stay = {.kind = PATIENT_STAY, .ns = 3600 * 1000 * MS};
    const patient_order nap = {.kind = PATIENT_NAP, .ns = 200 * MS};
    answers a = {0};
    for (unsigned i = 0; i < 100; i++)
        assert_ok(pair_send(other, fn, &stay, sizeof stay));
    start(p, p->ep, fn, &nap, &a);
    pair_flush(other);
    pair_flush(p->ep);
    assert_int_equal(waiting(p), 101);
    tc_ep_close(other);
    while (state_of(p).replies < 100)
        (void)tc_progress(p->source);
    assert_ok(tc_calls_wait(p->source, PAIR_TIMEOUT_NS));
    assert_int_equal(a.failed, 0);
    await_waiting(p, 0);
    assert_int_equal(state_of(p).replies, 100);
}

/* Endpoints that the program has, and those of the context. */
PAIR_TEST(destroying_a_context_ends_waits)
{
    tc_ifunc *fn = pair_ifunc(p, "patient");
    const patient_order stay = {.kind = PATIENT_STAY, .ns = 3600 * 1000 * MS};
    for (unsigned i = 0; i < 100; i++)
        assert_ok(pair_send(p->ep, fn, &stay, sizeof stay));
    pair_flush(p->ep);
    assert_int_equal(waiting(p), 100);
    pair_pause(p);
    tc_context_destroy(p->target);
    assert_int_equal(p->target_state.replies, 100);
    p->target = test_context(NULL);
    pair_resume(p);
}

PAIR_TEST(one_that_insists_is_abandoned)
{
    tc_ifunc *fn = pair_ifunc(p, "patient");
    tc_ep *other = pair_connect(p);
    const patient_order insist = {.kind = PATIENT_INSIST, .ns = 3600 * 1000 * MS};
    assert_ok(pair_send(other, fn, &insist, sizeof insist));
    pair_flush(other);
    assert_int_equal(waiting(p), 1);
    tc_ep_close(other);
    await_waiting(p, 0);
    const patient_order nap = {.kind = PATIENT_NAP};
    uint64_t answer[sizeof nap / sizeof(uint64_t)];
    size_t size = sizeof answer;
    assert_ok(tc_call(p->ep, fn, &nap, sizeof nap, answer, &size, PAIR_TIMEOUT_NS, NULL));
}

/* Each message has exceptions of its own. */
PAIR_TEST(exceptions_and_waits)
{
    tc_ifunc *fn = pair_ifunc(p, "restless");
    tc_error error = {0};
    answers a = {0};
    char answer;
    for (char letter = 'A'; letter <= 'Z'; letter++) {
        const char others[2] = {letter % 2 == 0 ? 'i' : 'a', letter};
        size_t size = 1;
        start_bytes(p, p->ep, fn, others, sizeof others, &a);
        must(tc_call(p->ep, fn, (const char[2]){'i', letter}, 2, &answer, &size,
                     PAIR_TIMEOUT_NS, &error),
             &error, "call");
        assert_int_equal(answer, letter);
    }
    assert_ok(tc_calls_wait(p->source, PAIR_TIMEOUT_NS));
    assert_int_equal(a.failed, 13);
    assert_status(a.status, TC_E_THROWN);
    static const char *const letters[] = {"b.", "a."}, *const texts[] = {"before", "after"};
    for (int i = 0; i < 2; i++) {
        assert_status(tc_call(p->ep, fn, letters[i], 2, NULL, NULL, PAIR_TIMEOUT_NS, &error),
                      TC_E_THROWN);
        assert_non_null(strstr(error.text, texts[i]));
    }
    assert_int_equal(waiting(p), 0);
}

TEST(outside_of_functions_nothing_waits)
{
    tc_context *ctx = test_context(NULL);
    assert_status(tc_task_sleep(1), TC_E_BUSY);
    assert_int_equal(tc_task_count(ctx), 0);
    tc_context_destroy(ctx);
}
