/* Memory for answers, by every delivery: neither the function nor its caller sees the
 * difference. */
#include "../shipped/scribe.h"
#include "../support/team.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/call.h>
#include <tc/ifunc.h>
#include <tc/task.h>

#define BYTES_MAX 1000000u

static uint8_t result[BYTES_MAX];

static tc_ifunc *opened(team *t, const char *name)
{
    tc_error error = {0};
    tc_ifunc *fn;
    must(tc_ifunc_open(t->contexts[0], name, &fn, &error), &error, name);
    return fn;
}

static tc_status ask(team *t, tc_ifunc *fn, const scribe_order *order, size_t *size,
                     tc_error *error)
{
    *size = sizeof result;
    return tc_call(team_ep(t, 1), fn, order, sizeof *order, result, size, TEAM_TIMEOUT_NS,
                   error);
}

static void expect(team *t, tc_ifunc *fn, const scribe_order *order, size_t expected)
{
    tc_error error = {0};
    size_t size = 0, wrong = 0;
    if (ask(t, fn, order, &size, &error) != TC_OK)
        fail_msg("kind %u, %zu bytes: %s", order->kind, expected, error.text);
    assert_int_equal(size, expected);
    for (size_t i = 0; i < size; i++)
        wrong += result[i] != scribe_byte(order->seed, i);
    assert_int_equal(wrong, 0);
}

static const size_t sizes[] = {0,    1,     8,     100,   2048,   2049,  5000,
                               9999, 16384, 31000, 40000, 300000, 900000};
#define SIZES (sizeof sizes / sizeof sizes[0])

static void by_sizes(team *t, tc_ifunc *fn, scribe_order order, unsigned rounds)
{
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < SIZES; i++) {
            order.reserved = order.committed = sizes[i];
            order.seed++;
            expect(t, fn, &order, order.kind == SCRIBE_FORGET ? 0 : sizes[i]);
        }
    }
}

static void in_both(void (*test)(team *t, tc_ifunc *fn), team *t)
{
    test(t, opened(t, "scribe"));
    test(t, opened(t, "scribe_waits"));
    assert_int_equal(tc_call_count(t->contexts[0]), 0);
    assert_int_equal(test_counter(t->contexts[0], "replies_late"), 0);
}

static void write_all(team *t, tc_ifunc *fn)
{
    by_sizes(t, fn, (scribe_order){.kind = SCRIBE_WRITE}, 6);
}

TEAM_TEST(answers_written_in_place_arrive)
{
    in_both(write_all, t);
}

static void write_late(team *t, tc_ifunc *fn)
{
    by_sizes(t, fn, (scribe_order){.kind = SCRIBE_LATE}, 2);
}

TEAM_TEST(memory_of_before_a_body_stays_in_it)
{
    in_both(write_late, t);
}

static void write_less(team *t, tc_ifunc *fn)
{
    static const size_t less[] = {0, 1, 7, 8, 9, 15, 16, 17, 2000, 9999};
    for (size_t i = 0; i < sizeof less / sizeof less[0]; i++) {
        const scribe_order order = {
            .kind = SCRIBE_WRITE, .reserved = 10000, .committed = less[i], .seed = i};
        expect(t, fn, &order, less[i]);
    }
}

TEAM_TEST(less_than_was_begun_may_be_committed)
{
    in_both(write_less, t);
}

static void leave(team *t, tc_ifunc *fn)
{
    static const uint32_t kinds[] = {SCRIBE_FORGET, SCRIBE_OTHERWISE, SCRIBE_TWICE,
                                     SCRIBE_DETACH, SCRIBE_FORWARD};
    tc_error error = {0};
    size_t size;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        by_sizes(t, fn, (scribe_order){.kind = kinds[i], .rank = 1}, 2);
    for (size_t i = 0; i < SIZES; i++) {
        const scribe_order order = {.kind = SCRIBE_FAIL, .reserved = sizes[i]};
        assert_status(ask(t, fn, &order, &size, &error), TC_E_IO);
        assert_string_equal(error.text, "the pen is broken");
    }
    write_less(t, fn);
}

TEAM_TEST(a_begun_answer_may_be_left)
{
    in_both(leave, t);
}

/* --- other messages ----------------------------------------------------------------------- */

static uint64_t counted(team *t, tc_ifunc *fn)
{
    const scribe_order order = {.kind = SCRIBE_COUNT};
    tc_error error = {0};
    uint64_t notes = 0;
    size_t size = sizeof notes;
    must(tc_call(team_ep(t, 1), fn, &order, sizeof order, &notes, &size, TEAM_TIMEOUT_NS,
                 &error),
         &error, "count");
    return notes;
}

/* The notes come to rank 0, in front of the answer; the count of those at rank 0 is asked for
 * through rank 1. */
static uint64_t counted_here(team *t, tc_ifunc *fn)
{
    tc_error error = {0};
    tc_ep *own;
    const scribe_order order = {.kind = SCRIBE_COUNT};
    uint64_t notes = 0;
    size_t size = sizeof notes;
    must(tc_group_ep(t->groups[0], 0, &own, &error), &error, "own");
    must(tc_call(own, fn, &order, sizeof order, &notes, &size, TEAM_TIMEOUT_NS, &error), &error,
         "count");
    return notes;
}

static void send_meanwhile(team *t, tc_ifunc *fn)
{
    static const uint32_t bytes[] = {sizeof(scribe_order), 200, 3000};
    static const size_t lengths[] = {100, 5000, 20000, 300000};
    uint64_t seed = 0;
    for (size_t i = 0; i < 12; i++) {
        for (uint32_t count = 1; count < 200; count *= 5) {
            scribe_order order = {.kind = i % 2 ? SCRIBE_SEND : SCRIBE_CALL,
                                  .count = count,
                                  .bytes = bytes[i % 3],
                                  .reserved = lengths[i % 4],
                                  .committed = lengths[i % 4],
                                  .seed = seed++};
            expect(t, fn, &order, order.committed);
            assert_int_equal(counted_here(t, fn), count);
        }
    }
    assert_int_equal(counted(t, fn), 0);
}

TEAM_TEST(messages_and_calls_leave_meanwhile)
{
    in_both(send_meanwhile, t);
}

TEAM_TEST(memory_stays_while_a_function_waits)
{
    enum { CALLS = 20 };
    static uint8_t answers[CALLS][6000];
    tc_ifunc *fn = opened(t, "scribe_waits");
    tc_error error = {0};
    for (uint32_t i = 0; i < CALLS; i++) {
        const scribe_order order = {
            .kind = SCRIBE_SLEEP, .reserved = 6000, .committed = 6000, .seed = i};
        const tc_call_params params = {.result = answers[i],
                                       .result_capacity = sizeof answers[i],
                                       .timeout_ns = TEAM_TIMEOUT_NS};
        must(tc_call_start(team_ep(t, 1), fn, &order, sizeof order, &params, NULL, &error),
             &error, "start");
    }
    assert_ok(tc_calls_wait(t->contexts[0], TEAM_TIMEOUT_NS));
    for (uint32_t i = 0; i < CALLS; i++)
        for (size_t k = 0; k < sizeof answers[i]; k++)
            assert_int_equal(answers[i][k], scribe_byte(i, k));
    by_sizes(t, fn, (scribe_order){.kind = SCRIBE_SLEEP}, 1);
}

/* --- refusals ----------------------------------------------------------------------------- */

static void refuse(team *t, tc_ifunc *fn)
{
    static const tc_status expected[SCRIBE_STATUSES] = {
        TC_E_INVALID, TC_E_TOO_LARGE, TC_E_TOO_LARGE, TC_OK, TC_E_INVALID, TC_E_INVALID};
    const scribe_order order = {.kind = SCRIBE_INVALID};
    int32_t statuses[SCRIBE_STATUSES];
    tc_error error = {0};
    size_t size;
    must(ask(t, fn, &order, &size, &error), &error, "refused");
    assert_int_equal(size, sizeof statuses);
    memcpy(statuses, result, sizeof statuses);
    for (size_t i = 0; i < SCRIBE_STATUSES; i++)
        assert_status((tc_status)statuses[i], expected[i]);
}

TEAM_TEST(mistakes_are_refused)
{
    in_both(refuse, t);
}

/* A call that comes back to its origin. */
TEAM_TEST(local_answers_are_written_in_place)
{
    tc_ifunc *fn = opened(t, "scribe");
    by_sizes(t, fn, (scribe_order){.kind = SCRIBE_FORWARD, .rank = 0}, 2);
}

TEST(answers_outside_of_groups_are_written_in_place)
{
    team t;
    char host_port[32];
    tc_context *ctx;
    tc_ep *ep;
    tc_ifunc *fn;
    tc_error error = {0};
    team_open(&t, 2, NULL);
    (void)snprintf(host_port, sizeof host_port, "127.0.0.1:%u",
                   tc_listener_port(t.listeners[1]));
    assert_ok(tc_context_create(NULL, &ctx, NULL));
    assert_ok(tc_ep_connect(ctx, host_port, TEAM_TIMEOUT_NS, &ep, &error));
    assert_ok(tc_ifunc_open(ctx, "scribe", &fn, &error));
    for (size_t i = 0; i < SIZES; i++) {
        const scribe_order order = {
            .kind = SCRIBE_WRITE, .reserved = sizes[i], .committed = sizes[i], .seed = i};
        size_t size = sizeof result;
        must(tc_call(ep, fn, &order, sizeof order, result, &size, TEAM_TIMEOUT_NS, &error),
             &error, "call");
        assert_int_equal(size, sizes[i]);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(result[k], scribe_byte(i, k));
    }
    tc_context_destroy(ctx);
    team_close(&t);
}
