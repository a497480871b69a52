/* A function's operations on its message, from both ends: near is rank 0 and calls, far is rank
 * 1. */
#include "called_pair.h"
#include "core/ep_state.h"
#include "endpoint/ep_life.h"
#include "modules/calls/invocation.h"

#include <tc/entry.h>

static void open_without_group(void)
{
    fake_pair_make(&pair, FAKE_MAPPED);
    pair.near->seen.then = pair.far->seen.then = &fake_layers;
    fake_pair_connect(&pair);
    memset(&answer, 0, sizeof answer);
    memset(seen, 0, sizeof seen);
}

/* --- answering ---------------------------------------------------------------------------- */

static void answers_twice(void *payload, size_t size, void *target_args)
{
    assert_int_equal(size, 4); /* its route is not of the payload */
    assert_memory_equal(payload, "abcd", 4);
    seen[0] = tc_reply("yes", 3);
    seen[1] = tc_reply("no!", 3);
    seen[2] = tc_reply_error(TC_E_IO, "no");
}

static void as_two_members(void (*test)(void))
{
    join(2);
    test();
    fake_pair_close(&pair);
}

#define CALLED_TEST(name) TEST_BY(as_two_members, name, void)

CALLED_TEST(a_call_is_answered_once)
{
    call(answers_twice, 0, 0);
    heard_expect(&answer, TC_OK, "");
    assert_int_equal(answer.result_size, 3);
    assert_memory_equal(answer.result, "yes", 3);
    assert_int_equal(answer.rank, 1);
    assert_int_equal(answer.hops, 0);
    assert_ok(seen[0]);
    assert_status(seen[1], TC_E_NOT_FOUND);
    assert_status(seen[2], TC_E_NOT_FOUND);
}

CALLED_TEST(a_function_that_says_nothing_has_answered_with_nothing)
{
    call(says_nothing, 0, 0);
    heard_expect(&answer, TC_OK, "");
    assert_int_equal(answer.result_size, 0);
}

static void answers_an_error(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    seen[0] = tc_reply_error(TC_OK, "fine");
    seen[1] = tc_reply_error(TC_E_NOT_FOUND, "no such key");
}

CALLED_TEST(an_error_is_an_answer_too)
{
    call(answers_an_error, 0, 0);
    heard_expect(&answer, TC_E_NOT_FOUND, "no such key");
    assert_status(seen[0], TC_E_INVALID);
    assert_ok(seen[1]);
}

static void fails(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    tc_self_fail(TC_E_IO, "no such disk");
    seen[0] = tc_reply("yes", 3);
}

static void fails_for_no_reason(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    tc_self_fail(TC_OK, "all is well");
}

static void fails_later(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    seen[0] = tc_reply("yes", 3);
    tc_self_fail(TC_E_IO, "no such disk");
}

static void call_once(body main)
{
    join(2);
    call(main, 0, 0);
    fake_pair_close(&pair);
}

TEST(a_failure_is_an_answer_where_none_was_given)
{
    call_once(fails);
    heard_expect(&answer, TC_E_IO, "no such disk");
    assert_status(seen[0], TC_E_NOT_FOUND);
    call_once(fails_for_no_reason);
    heard_expect(&answer, TC_E_INVALID, "all is well");
    call_once(fails_later);
    heard_expect(&answer, TC_OK, "");
    assert_int_equal(answer.result_size, 3);
    tc_self_fail(TC_E_IO, "outside of any function");
}

static uint8_t much[6000];

static void answers_much(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    seen[0] = tc_reply(much, sizeof much);
}

/* The ring has 4 KiB. */
CALLED_TEST(an_answer_larger_than_the_ring_comes_in_parts)
{
    for (size_t i = 0; i < sizeof much; i++)
        much[i] = (uint8_t)(i % 251);
    call(answers_much, 0, 0);
    heard_expect(&answer, TC_OK, "");
    assert_int_equal(answer.result_size, sizeof much);
    assert_memory_equal(answer.result, much, sizeof much);
}

/* No HELLO has that; the loop over parts is to end all the same. */
CALLED_TEST(an_answer_of_which_no_byte_fits_a_frame_is_not_sent)
{
    pair.peer->tx.payload_max = TCI_REPLY_BYTES;
    call(answers_much, 0, 0);
    assert_status(seen[0], TC_E_TOO_LARGE);
    assert_null(pair.peer->tx.queue);
}

CALLED_TEST(an_answer_that_is_never_taken_is_said_to_be)
{
    pair.far->core.options.send_queue_bytes = 4096;
    call(answers_much, 0, 0);
    assert_status(seen[0], TC_E_TOO_LARGE);
    heard_expect(&answer, TC_E_TOO_LARGE, "its answer of 6000 bytes could not be sent");
}

/* --- sender and rank ---------------------------------------------------------------------- */

static void looks_around(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    assert_ptr_equal(tc_self_endpoint(), pair.peer);
    assert_ptr_equal(tc_self_group(), pair.peer->member.group);
    assert_non_null(tc_self_ifunc());
    assert_int_equal(tc_self_rank(), 1);
    assert_int_equal(tc_self_size(), 2);
    assert_int_equal(tc_self_origin(), 0);
    assert_int_equal(tc_self_hops(), 0);
    runs++;
}

CALLED_TEST(a_function_knows_who_called_it_and_where_it_is)
{
    call(looks_around, 0, 0);
    tc_ifunc *fn = fake_node_function(pair.near, "plain", looks_around);
    assert_ok(tc_send(pair.ep, fn, NULL, 0)); /* without a route, too */
    fake_pair_settle(&pair);
    assert_int_equal(runs, 2);
}

TEST(outside_of_a_function_there_is_nothing_to_answer)
{
    tc_call_ticket ticket = {.call = 1};
    assert_null(tc_self_endpoint());
    assert_null(tc_self_ifunc());
    assert_null(tc_self_group());
    assert_int_equal(tc_self_rank(), TC_RANK_NONE);
    assert_int_equal(tc_self_size(), 0);
    assert_int_equal(tc_self_origin(), TC_RANK_NONE);
    assert_status(tc_reply("x", 1), TC_E_NOT_FOUND);
    assert_status(tc_forward(0, "x", 1), TC_E_INVALID);
    assert_status(tc_detach(&ticket), TC_E_NOT_FOUND);
    assert_status(tc_reply_to(&ticket, "x", 1), TC_E_INVALID);
}

/* --- leaving the answer to somebody else
 * ------------------------------------------------------ */

static tc_call_ticket ticket;

static void detaches(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    seen[0] = tc_detach(&ticket);
    seen[1] = tc_detach(&ticket);
    seen[2] = tc_reply("no", 2);
}

static void answers_the_ticket(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    seen[3] = tc_reply_to(&ticket, "later", 5);
}

static void keeps_silent(void *payload, size_t size, void *target_args)
{
    tc_call_ticket mine;
    const tc_status status = tc_detach(&mine);
    (void)payload, (void)size, (void)target_args, (void)status;
}

static void send_plain(body main)
{
    tc_ifunc *fn = fake_node_function(pair.near, "plain", main);
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    fake_pair_settle(&pair);
}

CALLED_TEST(a_detached_call_is_answered_by_a_later_message)
{
    call(detaches, 0, 0);
    assert_ok(seen[0]);
    assert_status(seen[1], TC_E_NOT_FOUND);
    assert_status(seen[2], TC_E_NOT_FOUND);
    assert_int_equal(answer.count, 0);
    send_plain(answers_the_ticket);
    assert_ok(seen[3]);
    heard_expect(&answer, TC_OK, "");
    assert_memory_equal(answer.result, "later", 5);
    send_plain(answers_the_ticket); /* there is no waiter any more */
    assert_int_equal(answer.count, 1);
    assert_int_equal(pair.near->core.counters[TCI_REPLIES_LATE], 1);
}

/* Calls a member that never answers, and passes that on. */
static void gives_up(void *user, const tc_call_outcome *outcome)
{
    (void)user;
    seen[3] = tc_reply_error_to(&ticket, outcome->status, "nobody there");
}

static void asks_on(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    const tc_call_params params = {.timeout_ns = 1, .done = gives_up};
    tc_ifunc *silent = fake_node_function(pair.far, "silent", keeps_silent);
    seen[0] = tc_detach(&ticket);
    seen[1] = tc_call_start(pair.peer, silent, NULL, 0, &params, NULL, NULL);
}

TEST(a_middleman_passes_on_that_nobody_answered)
{
    for (unsigned i = 0; i < 2; i++) {
        if (i == 0)
            join(2);
        else
            open_without_group();
        call(asks_on, 0, 0);
        assert_ok(seen[0]);
        assert_ok(seen[1]);
        assert_int_equal(answer.count, 0);
        seen[3] = TC_E_INVALID;
        tci_calls_expire(&pair.far->core, UINT64_MAX - 1);
        assert_ok(seen[3]);
        fake_pair_settle(&pair);
        heard_expect(&answer, TC_E_TIMEOUT, "nobody there");
        fake_pair_close(&pair);
    }
}

TEST(a_ticket_may_say_anything)
{
    static const struct {
        tc_call_ticket ticket;
        tc_status status;
    } tickets[] = {{{.call = 0}, TC_E_INVALID},
                   {{.call = 1, .origin = 2}, TC_E_UNREACHABLE},
                   {{.call = 1, .origin = TC_RANK_NONE - 1}, TC_E_UNREACHABLE},
                   {{.call = UINT64_MAX, .origin = 0}, TC_OK},
                   {{.call = UINT64_MAX, .origin = 1}, TC_OK}};
    join(2);
    for (size_t i = 0; i < sizeof tickets / sizeof tickets[0]; i++) {
        ticket = tickets[i].ticket;
        send_plain(answers_the_ticket);
        assert_int_equal(seen[3], tickets[i].status);
    }
    assert_int_equal(pair.near->core.counters[TCI_REPLIES_LATE], 1);
    assert_int_equal(pair.far->core.counters[TCI_REPLIES_LATE], 1);
    fake_pair_close(&pair);
}

/* --- functions that are refused, and bytes that are wrong
 * -------------------------------------- */

CALLED_TEST(a_call_of_a_function_that_does_not_load_is_told_why)
{
    fake_code_of("called")->fails = TC_E_UNRESOLVED;
    call(says_nothing, 0, 0);
    heard_expect(&answer, TC_E_UNRESOLVED, "called: does not load");
    memset(&answer, 0, sizeof answer);
    tc_ifunc *fn = fake_node_function(pair.near, "called", says_nothing);
    const tc_call_params params = {.done = heard_done, .user = &answer};
    assert_status(tc_call_start(pair.ep, fn, NULL, 0, &params, NULL, NULL), TC_E_REFUSED);
    assert_int_equal(answer.count, 0);
}

TEST(replies_of_a_wrong_form_are_corrupt)
{
    uint8_t bytes[TCI_REPLY_BYTES + 16] = {0};
    tc_error error;
    const tci_reply good = {.call = 1, .total = 16};
    const tci_reply bad[] = {{.call = 1, .total = 15},
                             {.call = 1, .total = 16, .offset = 1},
                             {.call = 1, .total = 16, .offset = UINT64_MAX},
                             {.call = 1, .total = 16, .path_length = 5},
                             {.call = 1, .total = 16, .path_length = UINT32_MAX}};
    join(2);
    tci_reply_encode(&good, bytes);
    assert_ok(tci_invocation_reply(pair.ep, 0, bytes, sizeof bytes, &error));
    for (size_t size = 0; size < TCI_REPLY_BYTES; size++)
        assert_status(tci_invocation_reply(pair.ep, 0, bytes, size, &error), TC_E_CORRUPT);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tci_reply_encode(&bad[i], bytes);
        assert_status(tci_invocation_reply(pair.ep, 0, bytes, sizeof bytes, &error),
                      TC_E_CORRUPT);
    }
    fake_pair_close(&pair);
}
