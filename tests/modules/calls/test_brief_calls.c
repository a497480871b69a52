/* Calls and answers in their short form, for peers that name it in their HELLO. */
#include "called_pair.h"
#include "transfer/lost.h"

#include <tc/entry.h>

#define SIZE_MAX_TRIED 1000u

static uint8_t sent[SIZE_MAX_TRIED], received[SIZE_MAX_TRIED];
static size_t received_size, answered_size;

/* The nodes of these tests exchange no dictionaries. */
static void join_briefly(void)
{
    join(2);
    pair.ep->tx.takes_brief = pair.peer->tx.takes_brief = true;
    for (size_t i = 0; i < sizeof sent; i++)
        sent[i] = (uint8_t)(i * 7 + 1);
}

static void as_brief_members(void (*test)(void))
{
    join_briefly();
    test();
    fake_pair_close(&pair);
}

#define BRIEF_TEST(name) TEST_BY(as_brief_members, name, void)

static void answers_a_part(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    memcpy(received, payload, size);
    received_size = size;
    assert_ok(tc_reply(sent, answered_size));
}

static tc_status start(tc_ifunc *fn, size_t size)
{
    const tc_call_params params = heard_params(&answer);
    return tc_call_start(pair.ep, fn, sent, size, &params, NULL, NULL);
}

/* A function that far knows by a first call, in the long form. */
static tc_ifunc *known(const char *name, body main)
{
    tc_ifunc *fn = fake_node_function(pair.near, name, main);
    assert_ok(start(fn, 0));
    fake_pair_settle(&pair);
    memset(&answer, 0, sizeof answer);
    return fn;
}

static uint64_t bytes_sent(const tc_ep *ep)
{
    return ep->tx.ring.tail;
}

BRIEF_TEST(arguments_and_answers_of_every_size_arrive)
{
    tc_ifunc *fn = known("called", answers_a_part);
    for (size_t size = 0; size <= SIZE_MAX_TRIED; size += size < 70 ? 1 : 93) {
        memset(&answer, 0, sizeof answer);
        answered_size = size;
        assert_ok(start(fn, size));
        fake_pair_settle(&pair);
        heard_expect(&answer, TC_OK, "");
        assert_int_equal(received_size, size);
        assert_memory_equal(received, sent, size);
        assert_int_equal(answer.result_size, size);
        assert_memory_equal(answer.result, sent, size);
        assert_int_equal(answer.rank, 1);
        assert_int_equal(answer.hops, 0);
        assert_int_equal(answer.path_length, 0);
    }
    assert_int_equal(tci_lost_count(pair.ep), 0);
    assert_int_equal(tci_lost_count(pair.peer), 0);
}

/* Both take one granule each, where they took a line. */
BRIEF_TEST(eight_bytes_take_a_granule_each_way)
{
    tc_ifunc *fn = known("called", answers_a_part);
    tc_ep_info before, after;
    tc_ep_query(pair.ep, &before);
    const uint64_t call_at = bytes_sent(pair.ep), answer_at = bytes_sent(pair.peer);
    answered_size = 8;
    assert_ok(start(fn, 8));
    fake_pair_settle(&pair);
    assert_int_equal(bytes_sent(pair.ep) - call_at, TCI_FRAME_GRANULE);
    assert_int_equal(bytes_sent(pair.peer) - answer_at, TCI_FRAME_GRANULE);
    tc_ep_query(pair.ep, &after);
    assert_int_equal(after.sent_messages - before.sent_messages, 1);
    tc_ep_query(pair.peer, &after);
    assert_int_equal(after.sent_messages, 0); /* answers are no messages */
}

/* The second and later ones of a turn gather; the turn's end sends them. */
BRIEF_TEST(calls_of_one_turn_leave_with_its_end)
{
    tc_ifunc *fn = known("called", says_nothing);
    runs = 0;
    for (unsigned i = 0; i < 3; i++)
        assert_ok(start(fn, 8));
    assert_int_equal(pair.ep->tx.coalesced_count, 2);
    assert_int_equal(tci_lost_count(pair.ep), 3);
    assert_ok(start(fn, 9)); /* does not overtake them */
    assert_int_equal(pair.ep->tx.coalesced_count, 0);
    fake_pair_settle(&pair);
    assert_int_equal(runs, 4);
    assert_int_equal(answer.count, 4);
}

static void answers_an_error(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    assert_ok(tc_reply_error(TC_E_NOT_FOUND, "no such key"));
}

static void fails(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    tc_self_fail(TC_E_IO, "no such disk");
}

static void call_twice(const char *name, body main)
{
    tc_ifunc *fn = known(name, main);
    assert_ok(start(fn, 8));
    fake_pair_settle(&pair);
}

BRIEF_TEST(failures_arrive_with_their_text)
{
    call_twice("answers", answers_an_error);
    heard_expect(&answer, TC_E_NOT_FOUND, "no such key");
    call_twice("fails", fails);
    heard_expect(&answer, TC_E_IO, "no such disk");
}

static tc_call_ticket ticket;

static void detaches(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    assert_ok(tc_detach(&ticket));
}

static void answers_the_ticket(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    assert_ok(tc_reply_to(&ticket, "late", 4));
}

BRIEF_TEST(a_detached_call_is_answered_later)
{
    call_twice("detaches", detaches);
    assert_int_equal(answer.count, 0);
    tc_ifunc *other = fake_node_function(pair.near, "other", answers_the_ticket);
    assert_ok(tc_send(pair.ep, other, NULL, 0));
    fake_pair_settle(&pair);
    heard_expect(&answer, TC_OK, "");
    assert_memory_equal(answer.result, "late", 4);
}

BRIEF_TEST(an_answer_that_is_too_large_is_reported_with_its_size)
{
    tc_ifunc *fn = known("called", answers_a_part);
    answered_size = 20;
    tc_call_params params = heard_params(&answer);
    params.result_capacity = 19;
    assert_ok(tc_call_start(pair.ep, fn, sent, 1, &params, NULL, NULL));
    fake_pair_settle(&pair);
    heard_expect(&answer, TC_E_TOO_LARGE, "20 bytes");
    assert_int_equal(answer.result_size, 20);
}

/* A trace and a limit of hops need the whole route. */
BRIEF_TEST(calls_that_ask_for_more_take_the_long_form)
{
    tc_ifunc *fn = known("called", says_nothing);
    for (unsigned trace = 0; trace < 2; trace++) {
        memset(&answer, 0, sizeof answer);
        const uint64_t at = bytes_sent(pair.ep);
        start_by(pair.ep, fn, trace != 0 ? 0 : 5, trace);
        heard_expect(&answer, TC_OK, "");
        assert_int_equal(bytes_sent(pair.ep) - at, 2 * TCI_FRAME_GRANULE);
    }
}

/* Neither does this side send what the peer would not read, as release 0.1.0 does not. */
BRIEF_TEST(a_peer_that_does_not_take_the_short_form_gets_none)
{
    tc_ifunc *fn = known("called", says_nothing);
    pair.ep->tx.takes_brief = pair.peer->tx.takes_brief = false;
    const uint64_t call_at = bytes_sent(pair.ep), answer_at = bytes_sent(pair.peer);
    assert_ok(start(fn, 8));
    fake_pair_settle(&pair);
    assert_int_equal(bytes_sent(pair.ep) - call_at, 2 * TCI_FRAME_GRANULE);
    assert_int_equal(bytes_sent(pair.peer) - answer_at, 2 * TCI_FRAME_GRANULE);
}

/* --- bytes that no peer of ours would send ------------------------------------------------ */

BRIEF_TEST(answers_to_no_call_of_ours_change_nothing)
{
    tc_ifunc *fn = fake_node_function(pair.near, "called", detaches);
    uint64_t call = 0;
    const tc_call_params params = heard_params(&answer);
    tc_call_id id;
    assert_ok(tc_call_start(pair.ep, fn, sent, 8, &params, &id, NULL));
    fake_pair_settle(&pair);
    for (unsigned bit = 0; bit < 64; bit++) {
        call = id ^ 1ull << bit;
        fake_frame(pair.peer, TCI_FRAME_REPLY, TCI_BRIEF, 0, &call, sizeof call);
    }
    fake_pair_settle(&pair);
    assert_int_equal(answer.count, 0);
    assert_int_equal(pair.near->core.counters[TCI_REPLIES_LATE], 64);
    fake_frame(pair.peer, TCI_FRAME_REPLY, TCI_BRIEF, 0, &id, sizeof id);
    fake_pair_settle(&pair);
    heard_expect(&answer, TC_OK, "");
}

static void expect_corrupt(uint8_t kind, uint8_t flags, size_t size)
{
    join_briefly();
    tc_ifunc *fn = known("called", says_nothing);
    runs = 0;
    fake_frame(pair.ep, kind, flags, fn->index, sent, size);
    fake_pair_settle(&pair);
    fake_expect_failed(pair.peer, TC_E_CORRUPT, "flags 0x20 with");
    assert_int_equal(runs, 0);
    fake_pair_close(&pair);
}

TEST(frames_without_space_for_the_number_end_the_endpoint)
{
    for (size_t size = 0; size < TCI_BRIEF_BYTES; size++) {
        expect_corrupt(TCI_FRAME_CALL, TCI_BRIEF, size);
        expect_corrupt(TCI_FRAME_REPLY, TCI_BRIEF, size);
    }
}
