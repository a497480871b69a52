/* Credit: at once, behind frames that left before, and before a goodbye. */
#include "../support/fake_node.h"
#include "core/credit.h"

static fake_delivery *delivery_of(tc_ep *ep)
{
    return (fake_delivery *)(void *)ep->tx.delivery;
}

/* near has sent a few messages, and far has run them without a word about it. */
static fake_pair consumed_pair(uint64_t delivery)
{
    fake_pair pair;
    tci_frame frame;
    const uint8_t *payload;
    fake_pair_open(&pair, delivery);
    tc_ifunc *fn = fake_node_function(pair.near, "nothing", fake_nothing);
    for (int i = 0; i < 3; i++)
        assert_ok(tc_send(pair.ep, fn, &i, sizeof i));
    (void)fake_node_turn(pair.near);
    while (fake_read(pair.peer, &frame, &payload))
        ;
    return pair;
}

static unsigned credits_sent(const tc_ep *ep)
{
    return fake_outbox_count(&ep->link->sent, TCI_AM_CREDIT);
}

static bool is_drained(tc_ep *ep)
{
    tci_producer_refresh(&ep->tx.ring);
    return tci_producer_drained(&ep->tx.ring);
}

TEST(a_mapped_ring_is_credited_by_a_store)
{
    fake_pair pair = consumed_pair(FAKE_MAPPED);
    tci_credit_return(pair.peer);
    assert_true(is_drained(pair.ep));
    assert_int_equal(credits_sent(pair.peer), 0);
    fake_pair_close(&pair);
}

TEST(other_rings_are_credited_by_a_message)
{
    static const uint64_t deliveries[] = {FAKE_CARRIED, FAKE_UNSEEN};
    for (size_t i = 0; i < 2; i++) {
        fake_pair pair = consumed_pair(deliveries[i]);
        assert_false(is_drained(pair.ep));
        tci_credit_return(pair.peer);
        assert_int_equal(credits_sent(pair.peer), 1);
        pair.near->core.pending.activity = false;
        fake_pair_carry(&pair);
        assert_true(is_drained(pair.ep));
        assert_true(pair.near->core.pending.activity);
        assert_int_equal(pair.far->core.counters[TCI_CREDITS_SENT], 1);
        fake_pair_close(&pair);
    }
}

static void on_carried_pair(void (*test)(fake_pair *pair))
{
    fake_pair pair = consumed_pair(FAKE_CARRIED);
    test(&pair);
    fake_pair_close(&pair);
}

#define CARRIED_TEST(name) TEST_BY(on_carried_pair, name, fake_pair *pair)

CARRIED_TEST(credit_waits_behind_frames_that_are_under_way)
{
    fake_delivery *d = delivery_of(pair->peer);
    d->made = 5;
    d->on_their_way = 2;
    tci_credit_return(pair->peer);
    assert_int_equal(credits_sent(pair->peer), 0);
    assert_true(tci_pending_has(&pair->far->core.pending, TCI_WORK_LINK));
    assert_false(tci_credit_may_leave(pair->peer));
    assert_true(tci_credit_turn(pair->peer));
    d->made = 9; /* later frames do not matter */
    d->on_their_way = 5;
    assert_false(tci_credit_may_leave(pair->peer));
    d->on_their_way = 4;
    assert_true(tci_credit_may_leave(pair->peer));
    assert_false(tci_credit_turn(pair->peer));
    assert_int_equal(credits_sent(pair->peer), 1);
    assert_false(tci_credit_may_leave(pair->peer));
    fake_pair_carry(pair);
    assert_true(is_drained(pair->ep));
}

/* Frames wait for the end of the turn. Among them may be the refusal of a message. */
CARRIED_TEST(credit_hands_over_the_frames_that_wait)
{
    fake_delivery *d = delivery_of(pair->peer);
    d->made = 5;
    d->on_their_way = 1;
    d->leaves_by_turn = true;
    const unsigned turns = d->turns;
    tci_credit_return(pair->peer);
    assert_int_equal(d->turns, turns + 1);
    assert_int_equal(credits_sent(pair->peer), 1);
    fake_pair_carry(pair);
    assert_true(is_drained(pair->ep));
}

CARRIED_TEST(credit_that_finds_no_memory_is_sent_later)
{
    pair->peer->link->posts = TC_E_NO_MEMORY;
    tci_credit_return(pair->peer);
    assert_true(tci_pending_has(&pair->far->core.pending, TCI_WORK_LINK));
    assert_true(tci_credit_turn(pair->peer));
    assert_int_equal(credits_sent(pair->peer), 0);
    pair->peer->link->posts = TC_OK;
    assert_false(tci_credit_turn(pair->peer));
    assert_int_equal(credits_sent(pair->peer), 1);
    fake_pair_carry(pair);
    assert_true(is_drained(pair->ep));
}

/* It reports the bytes consumed when it was due; a second one reports later ones. */
CARRIED_TEST(credit_that_is_asked_for_again_meanwhile_is_returned_again)
{
    fake_delivery *d = delivery_of(pair->peer);
    tc_ifunc *fn = fake_node_function(pair->near, "nothing", fake_nothing);
    tci_frame frame;
    const uint8_t *payload;
    d->made = d->on_their_way = 1;
    tci_credit_return(pair->peer);
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
    assert_true(fake_read(pair->peer, &frame, &payload));
    tci_credit_return(pair->peer);
    assert_int_equal(credits_sent(pair->peer), 0);
    d->on_their_way = 0;
    assert_false(tci_credit_turn(pair->peer));
    assert_int_equal(credits_sent(pair->peer), 2);
    fake_pair_carry(pair);
    assert_true(is_drained(pair->ep));
}

CARRIED_TEST(asked_again_behind_newer_frames_it_waits_for_those)
{
    fake_delivery *d = delivery_of(pair->peer);
    d->made = d->on_their_way = 1;
    tci_credit_return(pair->peer);
    tci_credit_return(pair->peer);
    d->made = 2; /* one has arrived, another left */
    assert_true(tci_credit_turn(pair->peer));
    assert_int_equal(credits_sent(pair->peer), 1);
    d->on_their_way = 0;
    assert_false(tci_credit_turn(pair->peer));
    assert_int_equal(credits_sent(pair->peer), 2);
}

/* Three million frames that ask for credit once took as many messages. */
CARRIED_TEST(a_peer_that_asks_and_does_not_read_is_owed_one_message)
{
    tci_frame frame;
    const uint8_t *payload;
    tc_ifunc *fn = fake_node_function(pair->near, "nothing", fake_nothing);
    pair->peer->link->holds = true;
    for (int i = 0; i < 100; i++) {
        tci_credit_return(pair->peer);
        assert_int_equal(tci_credit_turn(pair->peer), i > 0);
        assert_int_equal(credits_sent(pair->peer), 1);
    }
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
    assert_true(fake_read(pair->peer, &frame, &payload));
    tci_credit_return(pair->peer);
    fake_link_let_go(pair->peer->link);
    assert_true(tci_credit_may_leave(pair->peer));
    assert_false(tci_credit_turn(pair->peer));
    assert_in_range(credits_sent(pair->peer), 2, 3); /* the due one, and the newest */
    fake_pair_carry(pair);
    assert_true(is_drained(pair->ep));
}

CARRIED_TEST(a_credit_that_is_under_way_leaves_before_the_goodbye_too)
{
    pair->peer->link->holds = true;
    tci_credit_return(pair->peer);
    assert_false(tci_credit_frames_have_arrived(pair->peer));
    fake_link_let_go(pair->peer->link);
    assert_true(tci_credit_frames_have_arrived(pair->peer));
    assert_false(tci_credit_return_last(pair->peer)); /* all was reported */
}

TEST(the_last_credit_is_there_before_the_goodbye)
{
    fake_pair pair = consumed_pair(FAKE_CARRIED);
    assert_true(tci_credit_return_last(pair.peer)); /* and has to leave first */
    assert_int_equal(credits_sent(pair.peer), 1);
    assert_false(tci_credit_return_last(pair.peer)); /* all was reported */
    assert_int_equal(credits_sent(pair.peer), 1);
    fake_pair_close(&pair);

    pair = consumed_pair(FAKE_MAPPED);
    assert_false(tci_credit_return_last(pair.peer));
    assert_true(is_drained(pair.ep));
    fake_pair_close(&pair);
}

CARRIED_TEST(a_goodbye_waits_for_frames_that_left)
{
    fake_delivery *d = delivery_of(pair->peer);
    d->made = d->on_their_way = 3;
    tci_credit_return(pair->peer);
    for (; d->on_their_way > 0; d->on_their_way--)
        assert_false(tci_credit_frames_have_arrived(pair->peer));
    assert_true(tci_credit_frames_have_arrived(pair->peer));
    assert_true(tci_credit_return_last(pair->peer));
    assert_int_equal(credits_sent(pair->peer), 1);
    assert_false(tci_credit_may_leave(pair->peer)); /* queued data went with it */
}

CARRIED_TEST(a_goodbye_over_a_dead_link_waits_for_nothing)
{
    fake_delivery *d = delivery_of(pair->peer);
    d->made = d->on_their_way = 3;
    pair->peer->link->error.status = TC_E_PEER_LOST;
    assert_true(tci_credit_frames_have_arrived(pair->peer));
}

CARRIED_TEST(credit_that_could_not_leave_is_owed_still)
{
    pair->peer->link->posts = TC_E_NO_MEMORY;
    tci_credit_return(pair->peer);
    pair->peer->link->posts = TC_OK;
    assert_true(tci_credit_return_last(pair->peer));
    assert_int_equal(credits_sent(pair->peer), 1);
}

TEST(credit_of_another_size_or_for_a_mapped_ring_is_ignored)
{
    static const uint8_t bytes[24] = {255, 255, 255, 255, 255, 255, 255, 255};
    static const size_t sizes[] = {0, 8, 15, 17, 24};
    fake_pair pair = consumed_pair(FAKE_CARRIED);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        tci_credit_take(pair.ep, bytes, sizes[i]);
    assert_int_equal(delivery_of(pair.ep)->credits, 0);
    fake_pair_close(&pair);

    pair = consumed_pair(FAKE_MAPPED);
    tci_credit_take(pair.ep, bytes, 16);
    assert_false(is_drained(pair.ep));
    assert_false(pair.ep->tx.ring.broken);
    fake_pair_close(&pair);

    fake_node *node = fake_node_create(); /* before there is a delivery */
    tci_credit_take(fake_node_ep(node), bytes, 16);
    fake_node_destroy(node);
}
