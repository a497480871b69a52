/* The awake side of a doorbell: when a peer that sleeps is rung. */
#include "../support/fake_node.h"
#include "core/doorbell.h"
#include "core/credit.h"
#include "endpoint/wakeup.h"

/* near sends to far, which goes to sleep. */
typedef struct doorbells {
    fake_pair pair;
    tc_ifunc *fn;
    unsigned before;
} doorbells;

static doorbells make_bells(void)
{
    doorbells b;
    fake_pair_open(&b.pair, FAKE_MAPPED);
    b.fn = fake_node_function(b.pair.near, "nothing", fake_nothing);
    assert_ok(tc_send(b.pair.ep, b.fn, NULL, 0));
    fake_pair_settle(&b.pair);
    b.before = fake_outbox_count(&b.pair.ep->link->sent, TCI_AM_HELLO);
    return b;
}

static void lie_down(tc_ep *ep)
{
    tci_armed armed = {.rung = true};
    tci_wakeup_arm(ep, &armed);
    assert_true(armed.rung);
    assert_true(armed.needs_barrier);
}

static unsigned rings(const doorbells *b)
{
    return fake_outbox_count(&b->pair.ep->link->sent, TCI_AM_HELLO) - b->before;
}

static void send_one(doorbells *b)
{
    assert_ok(tc_send(b->pair.ep, b->fn, NULL, 0));
    (void)fake_node_turn(b->pair.near);
}

TEST(a_peer_that_is_awake_is_not_rung)
{
    doorbells b = make_bells();
    send_one(&b);
    assert_int_equal(rings(&b), 0);
    fake_pair_close(&b.pair);
}

TEST(a_sleeper_is_rung_once_for_each_sleep)
{
    doorbells b = make_bells();
    for (unsigned sleep = 1; sleep <= 3; sleep++) {
        lie_down(b.pair.peer);
        send_one(&b);
        send_one(&b);
        send_one(&b);
        assert_int_equal(rings(&b), sleep);
        tci_wakeup_disarm(b.pair.peer);
        send_one(&b);
        assert_int_equal(rings(&b), sleep);
        fake_pair_settle(&b.pair);
    }
    fake_pair_close(&b.pair);
}

/* The word distinguishes one sleep from the next, also without a poll in between. */
TEST(two_sleeps_in_a_row_are_two)
{
    doorbells b = make_bells();
    lie_down(b.pair.peer);
    send_one(&b);
    tci_wakeup_disarm(b.pair.peer);
    lie_down(b.pair.peer);
    send_one(&b);
    assert_int_equal(rings(&b), 2);
    fake_pair_close(&b.pair);
}

TEST(a_bell_message_says_nothing_more)
{
    doorbells b = make_bells();
    lie_down(b.pair.peer);
    send_one(&b);
    fake_pair_carry(&b.pair);
    assert_true(tci_ep_is_open(b.pair.peer));
    fake_pair_close(&b.pair);
}

/* far fills near's ring and sleeps; near consumes. */
TEST(a_sleeper_for_credit_is_rung_when_its_position_is_consumed)
{
    doorbells b = make_bells();
    tc_ifunc *back = fake_node_function(b.pair.far, "nothing", fake_nothing);
    assert_ok(tc_send(b.pair.peer, back, NULL, 0));
    fake_pair_settle(&b.pair);
    assert_in_range(fake_fill_ring(b.pair.peer, back), 50, 127);
    b.before = fake_outbox_count(&b.pair.ep->link->sent, TCI_AM_HELLO);
    lie_down(b.pair.peer);
    tci_frame frame;
    const uint8_t *payload;
    unsigned taken = 0;
    const uint64_t awaited = b.pair.peer->wake.awaited;
    assert_true(awaited != UINT64_MAX);
    while (fake_read(b.pair.ep, &frame, &payload)) {
        taken++;
        tci_credit_return(b.pair.ep);
        assert_int_equal(rings(&b), b.pair.ep->rx.ring.head >= awaited ? 1 : 0);
    }
    assert_int_equal(rings(&b), 1);
    assert_in_range(taken, 50, 127);
    fake_pair_close(&b.pair);
}

TEST(a_sleeper_that_waits_for_no_credit_is_not_rung_for_it)
{
    doorbells b = make_bells();
    lie_down(b.pair.peer);
    tci_credit_return(b.pair.ep);
    assert_int_equal(rings(&b), 0);
    fake_pair_close(&b.pair);
}

/* A peer that does not read and changes its word all the time. News that it may have received
 * before it went to sleep again are sent once more. */
TEST(one_wakeup_is_under_way_at_a_time)
{
    doorbells b = make_bells();
    b.pair.ep->link->holds = true;
    for (unsigned sleep = 0; sleep < 50; sleep++) {
        lie_down(b.pair.peer);
        send_one(&b);
        tci_wakeup_disarm(b.pair.peer);
        (void)fake_node_turn(b.pair.far); /* there is space */
    }
    assert_int_equal(rings(&b), 1);
    lie_down(b.pair.peer);
    send_one(&b);
    fake_link_let_go(b.pair.ep->link);
    (void)fake_node_turn(b.pair.near);
    assert_int_equal(rings(&b), 2);
    (void)fake_node_turn(b.pair.near);
    assert_int_equal(rings(&b), 2);
    fake_pair_close(&b.pair);
}
