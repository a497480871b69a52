/* How an endpoint opens, fails and ends, and its core's counters and watched rings
 * meanwhile. */
#include "../support/fake_node.h"
#include "core/ep_state.h"
#include "endpoint/ep_life.h"

TEST(an_open_endpoint_is_counted_by_what_its_peer_needs)
{
    static const struct {
        uint64_t delivery;
        unsigned am_peers, storing_peers;
    } kinds[] = {{FAKE_MAPPED, 0, 1}, {FAKE_CARRIED, 1, 0}, {FAKE_UNSEEN, 1, 1}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        fake_pair pair;
        fake_pair_make(&pair, kinds[i].delivery);
        const tci_core *core = &pair.near->core;
        assert_int_equal(core->handshakes, 1);
        fake_pair_connect(&pair);
        assert_int_equal(core->handshakes, 0);
        assert_int_equal(core->am_peers, kinds[i].am_peers);
        assert_int_equal(core->storing_peers, kinds[i].storing_peers);
        assert_int_equal(tci_pending_has(&core->pending, TCI_POLL_UCX), kinds[i].am_peers > 0);
        assert_int_equal(core->counters[TCI_ENDPOINTS_OPENED], 1);
        assert_int_equal(pair.near->seen.opened, 1);
        tci_ep_finish(pair.ep);
        assert_int_equal(core->am_peers, 0);
        assert_int_equal(core->storing_peers, 0);
        assert_false(tci_pending_has(&core->pending, TCI_POLL_UCX));
        assert_int_equal(core->watched_count, 0);
        fake_pair_close(&pair);
    }
}

NODE_TEST(an_endpoint_that_never_opened_leaves_only_its_handshake)
{
    tc_ep *ep = fake_node_ep(node);
    (void)fake_node_ep(node);
    assert_int_equal(node->core.handshakes, 2);
    (void)tci_ep_fail_with(ep, TC_E_TIMEOUT, "late");
    assert_int_equal(node->core.handshakes, 1);
    assert_int_equal(node->core.am_peers, 0);
    tci_ep_free(ep);
    assert_int_equal(node->core.handshakes, 1);
}

TEST(the_text_of_an_end_names_the_side_that_closed)
{
    for (int here = 0; here < 2; here++) {
        fake_pair pair;
        tc_error error = {0};
        fake_pair_open(&pair, FAKE_MAPPED);
        pair.ep->life.closed_here = here;
        tci_ep_finish(pair.ep);
        assert_status(tc_ep_error(pair.ep, &error), TC_E_CLOSED);
        assert_string_equal(error.text, here ? "this side closed the endpoint"
                                             : "the peer closed the endpoint");
        fake_pair_close(&pair);
    }
}

TEST(only_rings_that_may_have_something_are_watched)
{
    fake_pair pair;
    fake_pair_open(&pair, FAKE_MAPPED); /* anything may be stored at any time */
    assert_int_equal(pair.far->core.watched_count, 1);
    fake_pair_close(&pair);

    fake_pair_open(&pair, FAKE_CARRIED);
    tc_ifunc *fn = fake_node_function(pair.near, "nothing", fake_nothing);
    assert_int_equal(pair.far->core.watched_count, 0);
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    tci_ep_frames_came(pair.peer);
    tci_ep_frames_came(pair.peer);
    assert_int_equal(pair.far->core.watched_count, 1);
    assert_int_equal(fake_node_turn(pair.far), 1);
    assert_int_equal(pair.far->core.watched_count, 0);
    fake_pair_close(&pair);
}

/* The last one moves to the index of one that leaves. */
NODE_TEST(the_list_of_watched_rings_stays_whole)
{
    fake_pair pairs[5];
    tc_ep *eps[5];
    for (size_t i = 0; i < 5; i++) {
        fake_pair_make(&pairs[i], FAKE_MAPPED);
        eps[i] = fake_node_ep(node);
        pairs[i].ep = eps[i];
        node->core.options.delivery = FAKE_MAPPED;
        fake_pair_connect(&pairs[i]);
    }
    static const size_t leaving[] = {1, 4, 0};
    for (size_t i = 0; i < 3; i++) {
        tci_ep_finish(eps[leaving[i]]);
        assert_int_equal(node->core.watched_count, 4 - i);
        for (size_t at = 0; at < node->core.watched_count; at++) {
            const tc_ep *ep = node->core.watched[at].ep;
            assert_true(tci_ep_is_open(ep));
            assert_int_equal(ep->rx.watched_at, at);
        }
    }
    assert_int_not_equal(eps[2]->rx.watched_at, eps[3]->rx.watched_at);
    for (size_t i = 0; i < 5; i++) {
        fake_node_destroy(pairs[i].near);
        fake_node_destroy(pairs[i].far);
    }
}

NODE_TEST(frames_for_an_endpoint_that_is_not_open_are_looked_at_later)
{
    tc_ep *ep = fake_node_ep(node);
    tci_ep_frames_came(ep);
    assert_int_equal(node->core.watched_count, 0);
}

TEST(the_first_error_stays)
{
    fake_pair pair;
    fake_pair_open(&pair, FAKE_MAPPED);
    assert_ok(tc_ep_error(pair.ep, NULL));
    assert_status(tci_ep_fail_with(pair.ep, TC_E_CORRUPT, "frame %d", 7), TC_E_CORRUPT);
    assert_status(tci_ep_fail_with(pair.ep, TC_E_PEER_LOST, "later"), TC_E_PEER_LOST);
    tci_ep_finish(pair.ep);
    fake_expect_failed(pair.ep, TC_E_CORRUPT, "frame 7");
    assert_int_equal(pair.near->core.counters[TCI_ENDPOINTS_FAILED], 1);
    assert_true(tci_pending_has(&pair.near->core.pending, TCI_WORK_STATE));
    fake_pair_close(&pair);
}

TEST(one_that_ended_in_order_does_not_fail_any_more)
{
    fake_pair pair;
    fake_pair_open(&pair, FAKE_MAPPED);
    tci_ep_finish(pair.ep);
    (void)tci_ep_fail_with(pair.ep, TC_E_PEER_LOST, "later");
    assert_status(tc_ep_error(pair.ep, NULL), TC_E_CLOSED);
    assert_int_equal(pair.near->core.counters[TCI_ENDPOINTS_FAILED], 0);
    fake_pair_close(&pair);
}

/* The frame waits for code, which its sender has not sent before it closed. */
TEST(a_peer_that_parts_before_its_messages_could_run_is_lost)
{
    for (int sends = 0; sends < 2; sends++) {
        fake_pair pair;
        tc_error error = {0};
        fake_pair_open(&pair, FAKE_MAPPED);
        tc_ifunc *fn = fake_node_function(pair.near, "nothing", fake_nothing);
        if (sends > 0)
            assert_ok(tc_send(pair.ep, fn, NULL, 0));
        (void)fake_node_turn(pair.near);
        tci_ep_part(pair.peer);
        assert_status(tc_ep_error(pair.peer, &error), sends ? TC_E_PEER_LOST : TC_E_CLOSED);
        assert_true(!sends || strstr(error.text, "took along the code") != NULL);
        fake_pair_close(&pair);
    }
}

TEST(the_layers_above_hear_once_that_it_ended)
{
    fake_pair pair;
    fake_pair_open(&pair, FAKE_MAPPED);
    (void)tci_ep_fail_with(pair.ep, TC_E_CORRUPT, "bad bytes");
    assert_int_equal(pair.near->seen.ended, 0); /* not from inside of whatever found it */
    tci_ep_notify_end(pair.ep);
    tci_ep_notify_end(pair.ep);
    assert_int_equal(pair.near->seen.ended, 1);
    assert_string_equal(pair.near->seen.error.text, "bad bytes");
    tci_ep_free(pair.ep);
    assert_int_equal(pair.near->seen.ended, 1);
    assert_int_equal(pair.near->seen.freed, 1);
    fake_pair_close(&pair);
}

TEST(nothing_leaves_by_an_endpoint_that_has_ended)
{
    fake_pair pair;
    fake_pair_open(&pair, FAKE_MAPPED);
    tc_ifunc *fn = fake_node_function(pair.near, "nothing", fake_nothing);
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    (void)tci_ep_fail_with(pair.ep, TC_E_CORRUPT, "bad bytes");
    assert_status(tc_send(pair.ep, fn, NULL, 0), TC_E_CORRUPT);
    assert_null(pair.near->core.used);
    fake_pair_close(&pair);
}

TEST(a_count_of_consumed_bytes_that_runs_wild_ends_it)
{
    static const int64_t wild[] = {-64, 4096 * 1024, 1};
    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++) {
        fake_pair pair;
        fake_pair_open(&pair, FAKE_CARRIED);
        const uint64_t consumed = pair.ep->tx.ring.tail + (uint64_t)wild[i];
        pair.ep->tx.delivery->ops->credit(pair.ep->tx.delivery, consumed, 0);
        assert_ok(tci_ep_check_credit(pair.ep));
        tci_producer_refresh(&pair.ep->tx.ring);
        assert_status(tci_ep_check_credit(pair.ep), TC_E_PEER_LOST);
        fake_expect_failed(pair.ep, TC_E_PEER_LOST, "ran wild");
        assert_ok(tci_ep_check_credit(pair.ep)); /* it is known by now */
        fake_pair_close(&pair);
    }
}

TEST(fast_paths_are_open_only_where_nothing_stands_in_the_way)
{
    fake_pair pair;
    fake_pair_make(&pair, FAKE_MAPPED);
    assert_int_equal(pair.ep->tx.fast_limit, 0);
    fake_pair_connect(&pair);
    tc_ep *ep = pair.ep;
    assert_true(ep->tx.fast_limit > 0);
    assert_int_equal(ep->tx.frame_limit, ep->tx.payload_max + 1);
    ep->tx.building = true;
    tci_ep_set_fast(ep);
    assert_int_equal(ep->tx.fast_limit + ep->tx.frame_limit, 0);
    ep->tx.building = false;
    ep->unconfirmed = true;
    tci_ep_set_fast(ep);
    assert_int_equal(ep->tx.fast_limit + ep->tx.frame_limit, 0);
    ep->unconfirmed = false;
    tci_ep_set_fast(ep);
    assert_true(ep->tx.fast_limit > 0);
    tci_ep_finish(ep);
    assert_int_equal(ep->tx.fast_limit + ep->tx.frame_limit, 0);
    fake_pair_close(&pair);

    fake_pair_open(&pair, FAKE_CARRIED); /* not tc_send's, which does not push */
    assert_int_equal(pair.ep->tx.fast_limit, 0);
    assert_true(pair.ep->tx.frame_limit > 0);
    fake_pair_close(&pair);
}

TEST(large_payloads_take_no_frame_however_large_the_ring)
{
    fake_pair pair;
    fake_pair_make(&pair, FAKE_MAPPED);
    pair.far->core.options.ring_bytes = 1u << 20;
    fake_pair_connect(&pair);
    assert_true(pair.ep->tx.payload_max > TCI_STAGING_PAYLOAD_MIN);
    assert_int_equal(pair.ep->tx.frame_limit, TCI_STAGING_PAYLOAD_MIN);
    fake_pair_close(&pair);
}
