/* The sleeping side of a doorbell: messages before a sleep, and the last check. */
#include "../support/fake_node.h"
#include "core/credit.h"
#include "core/ep_state.h"
#include "endpoint/wakeup.h"
#include "transfer/code_in.h"
#include "transfer/queue_drain.h"

#define NOTHING_AWAITED UINT64_MAX

static fake_pair make_pair(uint64_t delivery, tc_ifunc **fn_out)
{
    fake_pair pair;
    fake_pair_open(&pair, delivery);
    *fn_out = fake_node_function(pair.near, "nothing", fake_nothing);
    assert_ok(tc_send(pair.ep, *fn_out, NULL, 0));
    fake_pair_settle(&pair);
    tci_producer_refresh(&pair.ep->tx.ring);
    return pair;
}

static tci_armed arm(tc_ep *ep)
{
    tci_armed armed = {.rung = true};
    tci_wakeup_arm(ep, &armed);
    return armed;
}

/* The peer's view of ep's doorbell. */
static uint64_t bell_at(const tc_ep *peer)
{
    return tci_ring_load_doorbell(peer->tx.delivery->doorbell);
}

static uint64_t position_at(const tc_ep *peer)
{
    return tci_ring_load_doorbell_position(peer->tx.delivery->doorbell);
}

static void on_mapped_pair(void (*test)(fake_pair *pair, tc_ifunc *fn))
{
    tc_ifunc *fn;
    fake_pair pair = make_pair(FAKE_MAPPED, &fn);
    test(&pair, fn);
    fake_pair_close(&pair);
}

#define MAPPED_TEST(name) TEST_BY(on_mapped_pair, name, fake_pair *pair, tc_ifunc *fn)

MAPPED_TEST(an_idle_endpoint_waits_for_frames_alone)
{
    tci_armed armed = arm(pair->ep);
    assert_true(armed.rung);
    assert_true(armed.needs_barrier);
    assert_false(armed.credit_blocked);
    assert_int_equal(bell_at(pair->peer) % TCI_DOORBELL_STEP, TCI_DOORBELL_FRAMES);
    assert_int_equal(position_at(pair->peer), NOTHING_AWAITED);
}

MAPPED_TEST(each_sleep_and_each_waking_has_a_word_of_its_own)
{
    uint64_t before = bell_at(pair->peer);
    for (int i = 0; i < 3; i++) {
        (void)arm(pair->ep);
        assert_true(bell_at(pair->peer) / TCI_DOORBELL_STEP > before / TCI_DOORBELL_STEP);
        before = bell_at(pair->peer);
        tci_wakeup_disarm(pair->ep);
        assert_true(bell_at(pair->peer) / TCI_DOORBELL_STEP > before / TCI_DOORBELL_STEP);
        assert_int_equal(bell_at(pair->peer) % TCI_DOORBELL_STEP, 0);
        before = bell_at(pair->peer);
    }
}

/* Whatever a peer writes into the words: it is this side's count that goes on. */
MAPPED_TEST(a_peer_that_writes_the_bell_confuses_nobody)
{
    (void)arm(pair->ep);
    const uint64_t first = bell_at(pair->peer);
    tci_ring_word *words =
        (tci_ring_word *)(void *)(uintptr_t)pair->peer->tx.delivery->doorbell;
    tci_ring_store_doorbell(words, UINT64_MAX, 0);
    tci_wakeup_disarm(pair->ep);
    (void)arm(pair->ep);
    assert_int_equal(bell_at(pair->peer), first + 2 * TCI_DOORBELL_STEP);
}

MAPPED_TEST(a_nearly_full_ring_is_waited_for_with_a_quarter_of_it)
{
    const uint64_t consumed = pair->ep->tx.ring.consumed_seen;
    const uint64_t quarter = (pair->ep->tx.ring.mask + 1) / 4;
    (void)fake_fill_ring(pair->ep, fn);
    tci_armed armed = arm(pair->ep);
    assert_true(armed.credit_blocked);
    assert_int_equal(bell_at(pair->peer) % TCI_DOORBELL_STEP,
                     TCI_DOORBELL_FRAMES | TCI_DOORBELL_CREDIT);
    assert_int_equal(position_at(pair->peer), consumed + quarter);
}

MAPPED_TEST(a_ring_with_room_is_not_waited_for)
{
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
    assert_false(arm(pair->ep).credit_blocked);
    assert_int_equal(position_at(pair->peer), NOTHING_AWAITED);
}

/* The tail is as far as a peer that goes on comes. */
MAPPED_TEST(what_waits_in_the_queue_waits_for_what_can_be_reached)
{
    const tci_outgoing out = {.fn = fn, .built = true};
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
    (void)fake_node_turn(pair->near);
    assert_ok(tci_send_queue_message(pair->ep, &out));
    assert_true(arm(pair->ep).credit_blocked);
    assert_int_equal(position_at(pair->peer), pair->ep->tx.ring.tail);
}

MAPPED_TEST(a_flush_waits_for_its_position)
{
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
    pair->ep->tx.flush_target = pair->ep->tx.ring.tail;
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
    (void)fake_node_turn(pair->near);
    assert_true(pair->ep->tx.flush_target < pair->ep->tx.ring.tail);
    assert_true(arm(pair->ep).credit_blocked);
    assert_int_equal(position_at(pair->peer), pair->ep->tx.flush_target);
    tci_wakeup_disarm(pair->ep);
    fake_pair_settle(pair); /* all is consumed: nothing is left to wait for */
    tci_producer_refresh(&pair->ep->tx.ring);
    assert_false(arm(pair->ep).credit_blocked);
}

/* As when the flush of several endpoints waits for another one. */
MAPPED_TEST(a_flush_that_has_reached_its_position_keeps_nothing_awake)
{
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
    (void)fake_node_turn(pair->near);
    fake_pair_settle(pair);
    tci_producer_refresh(&pair->ep->tx.ring);
    pair->ep->tx.flush_target = pair->ep->tx.ring.consumed_seen;
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
    (void)fake_node_turn(pair->near);
    assert_true(pair->ep->tx.flush_target < pair->ep->tx.ring.tail);
    assert_false(arm(pair->ep).credit_blocked);
    assert_false(tci_wakeup_finds_work(pair->ep));
    tci_wakeup_disarm(pair->ep);
}

/* Active messages bring frames and credit, and wake; only the credit of one that is both
 * carried and seen in memory comes unheard. */
TEST(a_peer_that_sends_messages_needs_no_bell)
{
    tc_ifunc *fn;
    fake_pair pair = make_pair(FAKE_CARRIED, &fn);
    tci_armed armed = arm(pair.ep);
    assert_true(armed.rung);
    assert_false(armed.needs_barrier);
    (void)fake_fill_ring(pair.ep, fn);
    armed = arm(pair.ep);
    assert_true(armed.rung);
    assert_true(armed.credit_blocked);
    tci_wakeup_disarm(pair.ep);
    fake_pair_close(&pair);
}

TEST(a_peer_whose_frames_nobody_tells_of_lets_no_one_sleep_long)
{
    tc_ifunc *fn;
    fake_pair pair = make_pair(FAKE_UNSEEN, &fn);
    tci_armed armed = arm(pair.ep);
    assert_false(armed.rung);
    assert_false(armed.needs_barrier);
    fake_pair_close(&pair);
}

NODE_TEST(an_endpoint_that_is_not_open_asks_for_nothing)
{
    tc_ep *ep = fake_node_ep(node);
    tci_armed armed = arm(ep);
    assert_true(armed.rung);
    assert_false(armed.needs_barrier);
    tci_wakeup_disarm(ep);
    assert_false(tci_wakeup_finds_work(ep));
}

/* --- the look ---------------------------------------------------------------------------- */

MAPPED_TEST(nothing_new_lets_it_sleep)
{
    (void)arm(pair->peer);
    assert_false(tci_wakeup_finds_work(pair->peer));
}

MAPPED_TEST(a_frame_that_came_meanwhile_is_found)
{
    (void)arm(pair->peer);
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
    assert_true(tci_wakeup_finds_work(pair->peer));
}

MAPPED_TEST(credit_that_came_meanwhile_is_found)
{
    tci_frame frame;
    const uint8_t *payload;
    (void)fake_fill_ring(pair->ep, fn);
    (void)arm(pair->ep);
    while (!tci_wakeup_finds_work(pair->ep)) {
        assert_true(pair->peer->rx.ring.head < position_at(pair->peer));
        assert_true(fake_read(pair->peer, &frame, &payload));
        tci_credit_return(pair->peer);
    }
    assert_true(pair->peer->rx.ring.head >= position_at(pair->peer));
}

MAPPED_TEST(credit_that_ran_wild_is_found_too)
{
    (void)fake_fill_ring(pair->ep, fn);
    (void)arm(pair->ep);
    tci_ring_store_consumed(pair->peer->rx.ring.consumed, pair->ep->tx.ring.tail + 4096);
    assert_true(tci_wakeup_finds_work(pair->ep));
}

MAPPED_TEST(calls_that_gathered_do_not_sleep)
{
    for (int i = 0; i < 2; i++) /* the second waits for others to join */
        assert_ok(tc_send(pair->ep, fn, NULL, 0));
    assert_true(tci_wakeup_finds_work(pair->ep));
}

TEST(credit_that_may_leave_by_now_does_not_sleep)
{
    tc_ifunc *fn;
    fake_pair pair = make_pair(FAKE_CARRIED, &fn);
    fake_delivery *d = (fake_delivery *)(void *)pair.peer->tx.delivery;
    d->made = d->on_their_way = 1;
    tci_credit_return(pair.peer);
    (void)arm(pair.peer);
    assert_false(tci_wakeup_finds_work(pair.peer));
    d->on_their_way = 0;
    assert_true(tci_wakeup_finds_work(pair.peer));
    fake_pair_close(&pair);
}

/* It can wait there for long: its code, or the loader, wakes this side. */
MAPPED_TEST(a_frame_that_waits_for_its_function_lets_it_sleep)
{
    fake_code_of("slow")->is_slow = true;
    tc_ifunc *slow = fake_node_function(pair->near, "slow", fake_nothing);
    assert_ok(tc_send(pair->ep, slow, NULL, 0));
    fake_pair_settle(pair);
    assert_true(tci_consumer_has_frame(&pair->peer->rx.ring));
    (void)arm(pair->peer);
    assert_false(tci_wakeup_finds_work(pair->peer));
}

MAPPED_TEST(a_frame_whose_code_is_on_its_way_lets_it_sleep_until_that_is_here)
{
    pair->near->core.options.code_push = 0;
    tc_ifunc *other = fake_node_function(pair->near, "other", fake_nothing);
    assert_ok(tc_send(pair->ep, other, NULL, 0));
    (void)fake_node_turn(pair->near);
    (void)fake_node_turn(pair->far);
    (void)arm(pair->peer);
    assert_false(tci_wakeup_finds_work(pair->peer));
    (void)fake_node_turn(pair->near); /* sends it */
    fake_carry(pair->ep, pair->peer);
    assert_true(tci_wakeup_finds_work(pair->peer));
}
