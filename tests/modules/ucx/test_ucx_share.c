/* How many messages with frames a peer may have sent: all, until several send much. */
#include "../../support/fake_node.h"
#include "core/credit.h"
#include "modules/ucx/ucx_share.h"

#define ENDPOINTS 64u
#define ROUND_NS 50000000ull

static fake_node *node;
static tc_ep *eps[ENDPOINTS];
static uint64_t now_ns;

static int make(void **state)
{
    node = fake_node_create();
    now_ns = 0;
    for (unsigned i = 0; i < ENDPOINTS; i++) {
        eps[i] = fake_node_ep(node);
        eps[i]->worker = node->core.worker;
        eps[i]->peer.pid = 1;
        eps[i]->rx.arrival.queue_is_shared = true;
        eps[i]->rx.ring.mask = (1u << 20) - 1;
    }
    return 0;
}

static int end(void **state)
{
    fake_node_destroy(node);
    return 0;
}

/* In a round of their own the first ones send so many bytes each. */
static void send_bytes(unsigned senders, uint64_t bytes)
{
    for (unsigned i = 0; i < senders; i++) {
        eps[i]->rx.ring.head += bytes;
        (void)tci_ucx_share_of(eps[i]);
    }
    tci_ucx_share_end_round(&node->core, now_ns += ROUND_NS);
}

TEST_WITH(one_that_sends_alone_has_all_places, make, end)
{
    for (unsigned i = 0; i < 3; i++)
        send_bytes(1, 1u << 20);
    assert_int_equal(tci_ucx_share_of(eps[0]), 0);
}

TEST_WITH(several_have_a_share_each_and_never_none, make, end)
{
    send_bytes(4, 1u << 20);
    assert_int_equal(tci_ucx_share_of(eps[0]), 12);
    send_bytes(16, 1u << 20);
    assert_int_equal(tci_ucx_share_of(eps[0]), 3);
    send_bytes(64, 1u << 20);
    assert_int_equal(tci_ucx_share_of(eps[0]), 1);
}

TEST_WITH(who_sends_little_does_not_count, make, end)
{
    send_bytes(4, 1u << 20);
    for (unsigned i = 0; i < 40; i++)
        send_bytes(4, 100);
    assert_int_equal(tci_ucx_share_of(eps[0]), 0);
    for (unsigned i = 0; i < 40; i++)
        send_bytes(64, 100);
    assert_int_equal(tci_ucx_share_of(eps[0]), 0);
}

TEST_WITH(shares_are_of_shared_memory_alone, make, end)
{
    eps[0]->peer.pid = 0; /* on another host */
    eps[1]->rx.arrival.queue_is_shared = false;
    send_bytes(64, 1u << 20);
    assert_int_equal(tci_ucx_share_of(eps[0]), 0);
    assert_int_equal(tci_ucx_share_of(eps[1]), 0);
    assert_int_equal(tci_ucx_share_of(eps[2]), 1);
}

/* It may have sent all that it may. */
TEST(credit_tells_of_the_share_and_is_due_when_the_ring_is_empty)
{
    fake_pair pair;
    static uint8_t payload[1];
    fake_pair_open(&pair, FAKE_CARRIED);
    tc_ifunc *fn = fake_node_function(pair.near, "nothing", fake_nothing);
    pair.peer->peer.pid = 1;
    pair.far->core.shares.senders = 16;
    assert_ok(tc_send(pair.ep, fn, payload, sizeof payload));
    fake_pair_settle(&pair);
    tci_credit_return(pair.peer);
    fake_pair_settle(&pair);
    const fake_delivery *d = (const fake_delivery *)(const void *)pair.ep->tx.delivery;
    assert_int_equal(d->share, 3);
    const unsigned credits = d->credits;
    assert_ok(tc_send(pair.ep, fn, payload, sizeof payload));
    fake_pair_settle(&pair);
    assert_int_equal(d->credits, credits + 1);
    pair.far->core.shares.senders = 0;
    assert_ok(tc_send(pair.ep, fn, payload, sizeof payload));
    fake_pair_settle(&pair);
    assert_int_equal(d->share, 0);
    assert_int_equal(d->credits, credits + 2);
    assert_ok(tc_send(pair.ep, fn, payload, sizeof payload));
    fake_pair_settle(&pair);
    assert_int_equal(d->credits, credits + 2);
    fake_pair_close(&pair);
}
