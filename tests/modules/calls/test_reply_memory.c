/* Memory for a function's answer: near is rank 0 and calls, far is rank 1. Answers of
 * SHORT and of LONG bytes have a block; one of IN_RING bytes lies in the mapped ring. */
#include "called_pair.h"
#include "core/ep_state.h"
#include "modules/calls/reply_memory.h"
#include "transfer/lost.h"

#include <tc/entry.h>

#define RING_BYTES 8192u
#define SHORT 100u
#define IN_RING 2400u
#define LONG 6000u

static size_t reserved, committed;
static uint64_t in_rings; /* how often the memory was in the ring */
static tc_ifunc *counted; /* of far: counts at near */

static uint8_t value(size_t i)
{
    return (uint8_t)(i * 7 + (i >> 8) + 1);
}

static void fill(uint8_t *bytes, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        bytes[i] = value(i);
}

static uint8_t *begin(size_t size)
{
    void *memory = NULL;
    assert_ok(tc_reply_begin(size, &memory));
    assert_int_equal((uintptr_t)memory % 16, 0);
    in_rings += pair.peer->tx.hold != NULL;
    return memory;
}

static void expect_answer(size_t size)
{
    heard_expect(&answer, TC_OK, "");
    assert_int_equal(answer.result_size, size);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(answer.result[i], value(i));
    assert_null(pair.peer->tx.hold);
    memset(&answer, 0, sizeof answer);
}

static void expect_peace(void)
{
    assert_int_equal(pair.near->core.counters[TCI_REPLIES_LATE], 0);
    assert_true(tci_ep_is_open(pair.ep) && tci_ep_is_open(pair.peer));
    assert_null(pair.peer->tx.hold);
    assert_true(pair.peer->tx.frame_limit > 0);
}

static void as_two_members(void (*test)(void))
{
    fake_ring_bytes = RING_BYTES;
    join(2);
    in_rings = 0;
    counted = fake_node_function(pair.far, "counted", says_nothing);
    assert_ok(tc_send(pair.peer, counted, NULL, 0));
    fake_pair_settle(&pair);
    runs = 0;
    test();
    expect_peace();
    fake_pair_close(&pair);
}

#define MEMORY_TEST(name) TEST_BY(as_two_members, name, void)

static void answers(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    uint8_t *memory = begin(reserved);
    fill(memory, 0, reserved);
    assert_ok(tc_reply_commit(committed));
    assert_status(tc_reply_commit(committed), TC_E_INVALID);
    assert_status(tc_reply("no", 2), TC_E_NOT_FOUND);
}

MEMORY_TEST(answers_arrive_whole)
{
    static const size_t sizes[] = {0, 1, 8, SHORT, 2047, 2048, 2049, IN_RING, 3000, 4000, LONG};
    tc_ifunc *fn = fake_node_function(pair.near, "called", answers);
    for (unsigned round = 0; round < 9; round++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            reserved = committed = sizes[i];
            start_by(pair.ep, fn, 0, 0);
            expect_answer(committed);
        }
    }
    assert_true(in_rings >= 18);
}

MEMORY_TEST(fewer_bytes_may_be_committed)
{
    static const size_t sizes[] = {0, 1, 7, 8, 9, 16, 40, IN_RING - 1};
    tc_ifunc *fn = fake_node_function(pair.near, "called", answers);
    reserved = IN_RING;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        committed = sizes[i];
        start_by(pair.ep, fn, 0, 0);
        expect_answer(committed);
    }
    assert_int_equal(in_rings, sizeof sizes / sizeof sizes[0]);
}

/* --- other sends -------------------------------------------------------------------------- */

static unsigned sends;

/* Fills the rest of the ring, and the queue. */
static void sends_meanwhile(void *payload, size_t size, void *target_args)
{
    static const uint8_t zeros[200];
    (void)payload, (void)size, (void)target_args;
    uint8_t *memory = begin(reserved);
    fill(memory, 0, reserved / 2);
    for (unsigned i = 0; i < sends; i++)
        assert_ok(tc_send(tc_self_endpoint(), counted, zeros, i % 3 * 100));
    fill(memory, reserved / 2, reserved);
    assert_ok(tc_reply_commit(reserved));
}

MEMORY_TEST(other_messages_leave_meanwhile)
{
    tc_ifunc *fn = fake_node_function(pair.near, "called", sends_meanwhile);
    unsigned expected = 0;
    reserved = IN_RING;
    for (unsigned round = 0; round < 40; round++) {
        sends = round;
        start_by(pair.ep, fn, 0, 0);
        expect_answer(reserved);
        expected += sends;
        assert_int_equal(runs, expected);
    }
    assert_true(in_rings > 20);
}

/* A message is at the peer while the function still writes. */
static void sends_and_is_read(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    uint8_t *memory = begin(IN_RING);
    const uint64_t tail = pair.peer->tx.ring.tail, before = tci_lost_count(pair.peer);
    assert_non_null(pair.peer->tx.hold);
    assert_ok(tc_send(tc_self_endpoint(), counted, "first", 6));
    assert_true(pair.peer->tx.ring.tail > tail + IN_RING);
    assert_int_equal(tci_lost_count(pair.peer), before + 1); /* without the padding */
    while (runs == 0)
        (void)fake_node_turn(pair.near);
    /* consumed bytes are not used again yet */
    for (unsigned i = 0; i < 80; i++)
        assert_ok(tc_send(tc_self_endpoint(), counted, pair.near, 100));
    assert_non_null(pair.peer->tx.queue);
    assert_true(pair.peer->tx.ring.tail - tail <= RING_BYTES);
    fill(memory, 0, IN_RING);
    assert_ok(tc_reply_commit(IN_RING));
}

MEMORY_TEST(space_that_is_still_written_to_is_not_used_again)
{
    call(sends_and_is_read, 0, 0);
    fake_pair_settle(&pair);
    expect_answer(IN_RING);
    assert_int_equal(runs, 81);
    assert_int_equal(in_rings, 1);
}

static heard other;

static void calls_back(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    const tc_call_params params = heard_params(&other);
    uint8_t *memory = begin(IN_RING);
    assert_ok(tc_call_start(tc_self_endpoint(), counted, "abcd", 4, &params, NULL, NULL));
    fill(memory, 0, IN_RING);
    assert_ok(tc_reply_commit(IN_RING));
}

MEMORY_TEST(calls_are_started_meanwhile)
{
    memset(&other, 0, sizeof other);
    call(calls_back, 0, 0);
    fake_pair_settle(&pair);
    expect_answer(IN_RING);
    heard_expect(&other, TC_OK, "");
    assert_int_equal(in_rings, 1);
}

/* --- memory that is given back ------------------------------------------------------------ */

static void forgets(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    fill(begin(reserved), 0, reserved);
}

static void fails(void *payload, size_t size, void *target_args)
{
    forgets(payload, size, target_args);
    tc_self_fail(TC_E_IO, "no such disk");
    assert_status(tc_reply_commit(1), TC_E_INVALID);
}

static void abandons_body(void *argument)
{
    forgets(argument, 0, NULL);
    tc_self_abandon();
}

static void abandons(void *payload, size_t size, void *target_args)
{
    (void)size, (void)target_args;
    assert_int_equal(tc_self_guard(abandons_body, payload), 1);
}

static void replies_otherwise(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    uint8_t *memory = begin(reserved);
    fill(memory, 0, reserved);
    assert_ok(tc_reply(memory, reserved - 1)); /* its own bytes, too */
    assert_status(tc_reply_commit(1), TC_E_INVALID);
}

static tc_call_ticket ticket;

static void detaches(void *payload, size_t size, void *target_args)
{
    uint8_t bytes[100];
    forgets(payload, size, target_args);
    assert_ok(tc_detach(&ticket));
    assert_status(tc_reply_commit(1), TC_E_INVALID);
    assert_status(tc_reply_begin(1, &payload), TC_E_NOT_FOUND);
    fill(bytes, 0, sizeof bytes);
    assert_ok(tc_reply_to(&ticket, bytes, sizeof bytes));
}

static void begins_twice(void *payload, size_t size, void *target_args)
{
    forgets(payload, size, target_args);
    fill(begin(reserved / 2), 0, reserved / 2);
    assert_status(tc_reply_commit(reserved / 2 + 1), TC_E_INVALID);
    assert_ok(tc_reply_commit(reserved / 2));
}

static void forwards(void *payload, size_t size, void *target_args)
{
    if (tc_self_rank() == 1) {
        uint8_t *memory = begin(reserved);
        memcpy(memory, "onward", 7);
        assert_ok(tc_forward(0, memory, 7));
        assert_status(tc_reply_commit(1), TC_E_INVALID);
        return;
    }
    assert_memory_equal(payload, "onward", 7);
    answers(payload, size, target_args);
}

static void expect_of(const char *name, body main, size_t size)
{
    start_by(pair.ep, fake_node_function(pair.near, name, main), 0, 0);
    fake_pair_settle(&pair);
    expect_answer(size);
}

static void give_back_of(size_t size)
{
    reserved = committed = size;
    expect_of("forgets", forgets, 0);
    expect_of("abandons", abandons, 0);
    expect_of("replies_otherwise", replies_otherwise, size - 1);
    expect_of("detaches", detaches, 100);
    expect_of("begins_twice", begins_twice, size / 2);
    expect_of("forwards", forwards, size);
    start_by(pair.ep, fake_node_function(pair.near, "fails", fails), 0, 0);
    heard_expect(&answer, TC_E_IO, "no such disk");
    memset(&answer, 0, sizeof answer);
}

MEMORY_TEST(memory_is_given_back_where_no_commit_comes)
{
    for (unsigned round = 0; round < 10; round++)
        give_back_of(IN_RING);
    assert_true(in_rings > 50);
    give_back_of(SHORT);
    give_back_of(LONG);
}

/* --- memory that is not given ------------------------------------------------------------- */

static void asks_for_too_much(void *payload, size_t size, void *target_args)
{
    (void)size, (void)target_args;
    seen[0] = tc_reply_begin((size_t)-1, &payload);
    seen[1] = tc_reply_begin(1u << 30, &payload);
    seen[2] = tc_reply_commit(0);
    begin(10);
    seen[3] = tc_reply_commit(11);
}

MEMORY_TEST(sizes_above_all_answers_are_refused)
{
    call(asks_for_too_much, 0, 0);
    expect_answer(0);
    assert_status(seen[0], TC_E_TOO_LARGE);
    assert_status(seen[1], TC_E_TOO_LARGE);
    assert_status(seen[2], TC_E_INVALID);
    assert_status(seen[3], TC_E_INVALID);
}

static void is_no_call(void *payload, size_t size, void *target_args)
{
    (void)size, (void)target_args;
    seen[0] = tc_reply_begin(10, &payload);
    seen[1] = tc_reply_commit(0);
    runs++;
}

MEMORY_TEST(only_calls_have_such_memory)
{
    void *memory;
    tc_ifunc *fn = fake_node_function(pair.near, "called", is_no_call);
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    fake_pair_settle(&pair);
    assert_int_equal(runs, 1);
    assert_status(seen[0], TC_E_NOT_FOUND);
    assert_status(seen[1], TC_E_INVALID);
    assert_status(tc_reply_begin(10, &memory), TC_E_NOT_FOUND);
    assert_status(tc_reply_commit(0), TC_E_INVALID);
}

static void loses_its_caller(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    uint8_t *memory = begin(IN_RING);
    (void)tci_ep_fail_with(pair.peer, TC_E_PEER_LOST, "gone");
    fill(memory, 0, IN_RING);
    seen[0] = tc_reply_commit(IN_RING);
    seen[1] = tc_reply_commit(IN_RING);
}

TEST(memory_outlives_the_caller)
{
    fake_pair_make(&pair, FAKE_MAPPED);
    pair.near->seen.then = pair.far->seen.then = &fake_layers;
    fake_pair_connect(&pair);
    call(loses_its_caller, 0, 0);
    assert_status(seen[0], TC_E_PEER_LOST);
    assert_status(seen[1], TC_E_PEER_LOST);
    assert_null(pair.peer->tx.hold);
    fake_pair_close(&pair);
}
