/* Calls that wait for an answer, and answers that may come late, twice, in parts, or never. */
#include "caller.h"
#include "core/ep_state.h"

#include <tc/entry.h>

static void part(const caller *c, tc_call_id id, uint64_t total, uint64_t offset,
                 const char *text)
{
    const tci_reply reply = {.call = id, .total = total, .offset = offset};
    const tci_answerer by = caller_asked(c);
    tci_calls_answer(c->core, &by, &reply, NULL, (const uint8_t *)text, strlen(text));
}

/* --- answers ------------------------------------------------------------------------------ */

CALLER_TEST(an_answer_comes_to_its_own_call_once)
{
    heard a = {0}, b = {0};
    (void)caller_start(c->pair.ep, c->fn, &a, 0);
    const tc_call_id second = caller_start(c->pair.ep, c->fn, &b, 0);
    assert_int_equal(tci_calls_of(c->core)->count, 2);
    c->core->pending.event = false;
    caller_answer(c, second, "yes");
    assert_int_equal(a.count, 0);
    assert_int_equal(b.count, 1);
    assert_ok(b.status);
    assert_int_equal(b.result_size, 3);
    assert_memory_equal(b.result, "yes", 3);
    assert_int_equal(b.rank, 4);
    assert_int_equal(b.hops, 2);
    assert_true(c->core->pending.event);
    caller_answer(c, second, "no!");
    assert_int_equal(b.count, 1);
    assert_memory_equal(b.result, "yes", 3);
    assert_int_equal(c->core->counters[TCI_REPLIES_LATE], 1);
}

CALLER_TEST(an_answer_in_parts_is_put_together)
{
    static const uint8_t path[] = {3, 0, 0, 0, 1, 0, 0, 0};
    heard h = {0};
    const tc_call_id id = caller_start(c->pair.ep, c->fn, &h, 0);
    const tci_reply first = {.call = id, .total = 9, .path_length = 2};
    const tci_answerer by = caller_asked(c);
    tci_calls_answer(c->core, &by, &first, path, (const uint8_t *)"abc", 3);
    part(c, id, 9, 3, "def");
    assert_int_equal(h.count, 0);
    part(c, id, 9, 6, "ghi");
    assert_int_equal(h.count, 1);
    assert_int_equal(h.result_size, 9);
    assert_memory_equal(h.result, "abcdefghi", 9);
    assert_int_equal(h.path_length, 2);
    assert_int_equal(h.path[0], 3);
    assert_int_equal(h.path[1], 1);
}

CALLER_TEST(parts_of_another_answer_are_passed_over)
{
    heard h = {0};
    const tc_call_id id = caller_start(c->pair.ep, c->fn, &h, 0);
    part(c, id, 9, 3, "xyz"); /* no beginning */
    part(c, id, 9, 0, "abc");
    part(c, id, 9, 0, "uvw"); /* again */
    part(c, id, 9, 6, "xyz"); /* leaves a gap */
    assert_int_equal(h.count, 0);
    part(c, id, 9, 3, "defghi");
    assert_int_equal(h.count, 1);
    assert_memory_equal(h.result, "abcdefghi", 9);
}

TEST(an_answer_larger_than_its_room_is_said_to_be)
{
    static const uint64_t totals[] = {65, UINT64_MAX};
    for (size_t i = 0; i < 2; i++) {
        caller c = caller_make();
        heard h = {0};
        const tc_call_id id = caller_start(c.pair.ep, c.fn, &h, 0);
        part(&c, id, totals[i], 0, "abc");
        assert_status(h.status, TC_E_TOO_LARGE);
        assert_true(h.result_size == totals[i]);
        assert_non_null(strstr(h.text, "room for 64"));
        assert_int_equal(h.result[0], 0);
        fake_pair_close(&c.pair);
    }
}

/* The second part may have any content: only the part that fits is written. */
CALLER_TEST(the_total_of_each_part_is_held_to_the_room)
{
    heard h = {0};
    const tc_call_id id = caller_start(c->pair.ep, c->fn, &h, 0);
    part(c, id, 9, 0, "abc");
    part(c, id, 1000, 3, "def");
    assert_status(h.status, TC_E_TOO_LARGE);
    assert_int_equal(h.count, 1);
}

CALLER_TEST(an_error_has_the_status_and_text_of_whoever_answered)
{
    heard h = {0};
    const tci_reply reply = {.call = caller_start(c->pair.ep, c->fn, &h, 0),
                             .total = 6,
                             .status = TC_E_NOT_FOUND,
                             .rank = 2};
    const tci_answerer by = caller_asked(c);
    tci_calls_answer(c->core, &by, &reply, NULL, (const uint8_t *)"nobody", 6);
    assert_status(h.status, TC_E_NOT_FOUND);
    assert_string_equal(h.text, "nobody");
    assert_int_equal(h.rank, 2);
    assert_int_equal(h.result_size, 0);
}

CALLER_TEST(an_answer_to_what_is_no_call_touches_nothing)
{
    heard h = {0};
    caller_answer(c, 1, "early"); /* there is no table yet */
    const tc_call_id id = caller_start(c->pair.ep, c->fn, &h, 0);
    const tc_call_id wrong[] = {0,
                                id + 1,
                                id + (1ull << 32),
                                id - (1ull << 32),
                                id & UINT32_MAX,
                                id & ~(uint64_t)UINT32_MAX,
                                UINT64_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        caller_answer(c, wrong[i], "wrong");
    assert_int_equal(h.count, 0);
    assert_int_equal(c->core->counters[TCI_REPLIES_LATE], 8);
    assert_int_equal(h.result[0], 0);
}

/* Any member of the same group may have got it. */
CALLER_TEST(an_answer_by_whom_nobody_asked_touches_nothing)
{
    heard h = {0};
    const tc_call_id id = caller_start(c->pair.ep, c->fn, &h, 0);
    fake_pair other;
    fake_pair_join(&other, FAKE_MAPPED, 2);
    const tci_answerer strangers[] = {{.ep = other.ep},
                                      {.ep = other.ep, .group = other.ep->member.group},
                                      {.group = other.ep->member.group}};
    const tci_reply reply = {.call = id, .total = 2};
    for (size_t i = 0; i < 3; i++)
        tci_calls_answer(c->core, &strangers[i], &reply, NULL, (const uint8_t *)"no", 2);
    assert_int_equal(h.count, 0);
    assert_int_equal(c->core->counters[TCI_REPLIES_LATE], 3);
    caller_answer(c, id, "yes");
    assert_ok(h.status);
    fake_node_destroy(other.near);
    fake_node_destroy(other.far);
}

CALLER_TEST(ids_of_calls_cannot_be_counted_up)
{
    tc_call_id ids[8];
    unsigned steps = 0;
    for (size_t i = 0; i < 8; i++) {
        heard h = {0};
        ids[i] = caller_start(c->pair.ep, c->fn, &h, 0);
        assert_ok(tci_calls_cancel(tci_calls_of(c->core), ids[i]));
        steps += i > 0 && (ids[i] >> 32) - (ids[i - 1] >> 32) <= 1;
    }
    assert_int_equal(steps, 0);
}

CALLER_TEST(a_place_that_is_used_again_has_another_id)
{
    heard a = {0}, b = {0};
    const tc_call_id first = caller_start(c->pair.ep, c->fn, &a, 0);
    assert_ok(tci_calls_cancel(tci_calls_of(c->core), first));
    const tc_call_id second = caller_start(c->pair.ep, c->fn, &b, 0);
    assert_int_not_equal(first, second);
    caller_answer(c, first, "late");
    assert_int_equal(a.count + b.count, 0);
    caller_answer(c, second, "yes");
    assert_int_equal(b.count, 1);
}

CALLER_TEST(a_cancelled_call_is_forgotten_without_a_word)
{
    heard h = {0};
    const tc_call_id id = caller_start(c->pair.ep, c->fn, &h, 0);
    part(c, id, 9, 0, "abc");
    assert_ok(tci_calls_cancel(tci_calls_of(c->core), id));
    assert_status(tci_calls_cancel(tci_calls_of(c->core), id), TC_E_NOT_FOUND);
    part(c, id, 9, 3, "defghi");
    tci_calls_expire(c->core, UINT64_MAX - 1);
    assert_int_equal(h.count, 0);
    assert_int_equal(h.result[3], 0);
    assert_int_equal(tci_calls_of(c->core)->count, 0);
}

CALLER_TEST(a_call_that_could_not_be_sent_leaves_no_place_taken)
{
    const tc_call_params params = {.done = heard_done};
    tc_call_id id = 7;
    tci_ep_finish(c->pair.ep);
    assert_status(tc_call_start(c->pair.ep, c->fn, "?", 1, &params, &id, NULL), TC_E_CLOSED);
    assert_int_equal(id, 7);
    assert_int_equal(tci_calls_of(c->core)->count, 0);
    assert_int_equal(c->core->counters[TCI_CALLS_STARTED], 0);
}

CALLER_TEST(many_calls_at_once_each_have_their_answer)
{
    static heard h[100];
    tc_call_id ids[100];
    memset(h, 0, sizeof h);
    for (size_t i = 0; i < 100; i++) {
        ids[i] = caller_start(c->pair.ep, c->fn, &h[i], 0);
        fake_pair_settle(&c->pair);
        if (i % 3 == 0)
            assert_status(tci_calls_cancel(tci_calls_of(c->core), ids[i]), TC_E_NOT_FOUND);
    }
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(h[i].count,
                         1); /* each function answers with nothing when it returns */
}

/* --- the bound ---------------------------------------------------------------------------- */

static void detach(void *payload, size_t size, void *target_args)
{
    tc_call_ticket ticket;
    (void)payload, (void)size, (void)target_args;
    assert_ok(tc_detach(&ticket));
}

static tc_status start_one(caller *c, tc_ifunc *fn, heard *h, tc_call_id *id_out, tc_error *err)
{
    const tc_call_params params = heard_params(h);
    tc_status status;
    while ((status = tc_call_start(c->pair.ep, fn, NULL, 0, &params, id_out, err)) ==
               TC_E_AGAIN &&
           tci_calls_of(c->core)->count < TCI_CALLS_MAX)
        fake_pair_settle(&c->pair);
    return status;
}

CALLER_TEST(no_more_calls_wait_than_the_table_holds)
{
    static heard h;
    tc_ifunc *fn = fake_node_function(c->pair.near, "detach", detach);
    tc_call_id id = 0;
    tc_error error = {0};
    for (unsigned i = 0; i < TCI_CALLS_MAX; i++)
        assert_ok(start_one(c, fn, &h, &id, &error));
    fake_pair_settle(&c->pair);
    assert_status(start_one(c, fn, &h, NULL, &error), TC_E_AGAIN);
    assert_string_equal(error.text,
                        "call: 262145 calls wait for their replies, expected 262144 at most");
    assert_int_equal(h.count, 0);
    caller_answer(c, id, "yes");
    assert_int_equal(h.count, 1);
    assert_ok(start_one(c, fn, &h, NULL, &error)); /* the answer has freed a slot */
}

static unsigned counted;

static void count(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    counted++;
}

/* The same function and arguments as those of a tc_send that has sent a part of its payload. */
TEST(a_call_does_not_continue_a_send)
{
    static uint8_t payload[1u << 20];
    caller c = caller_make();
    heard h = {0};
    tc_error error = {0};
    const tc_call_params params = {.done = heard_done, .user = &h};
    tc_ifunc *fn = fake_node_function(c.pair.near, "count", count);
    tc_status status;
    counted = 0;
    assert_status(tc_send(c.pair.ep, fn, payload, sizeof payload), TC_E_AGAIN);
    assert_status(tc_call_start(c.pair.ep, fn, payload, sizeof payload, &params, NULL, &error),
                  TC_E_BUSY);
    assert_non_null(strstr(error.text, "another message is partly sent"));
    assert_int_equal(tci_calls_of(c.core)->count, 0);
    while ((status = tc_send(c.pair.ep, fn, payload, sizeof payload)) == TC_E_AGAIN)
        (void)fake_node_turn(c.pair.far);
    assert_ok(status);
    assert_ok(tc_call_start(c.pair.ep, fn, payload, sizeof payload, &params, NULL, &error));
    fake_pair_settle(&c.pair);
    heard_expect(&h, TC_OK, "");
    assert_int_equal(counted, 2);
    fake_pair_close(&c.pair);
}
