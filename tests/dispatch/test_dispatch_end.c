/* Where a ring's reading ends: with its endpoint, or because nothing is left. far receives. */
#include "../support/counted_pair.h"
#include "core/credit.h"
#include "core/ep_state.h"
#include "dispatch/dispatch.h"

static void fail_peer(void *payload, size_t size, void *target_args)
{
    runs++;
    (void)payload, (void)size, (void)target_args;
    (void)tci_ep_fail_with(pair.peer, TC_E_CORRUPT, "by its own function");
}

/* A lap's end may lie before the frame, by where the ring begins: then it is called by the
 * function's own entry. */
static void call_in_place_of_run(void (*main)(void *, size_t, void *))
{
    tci_rx_slot *slot = &pair.peer->rx.slots[fn->index];
    slot->main = main;
    slot->fn->entry.main = main;
}

/* Messages of both kinds that run_calls and run_rest take. */
TEST(nothing_runs_behind_the_message_that_ends_its_endpoint)
{
    const tci_route route = {.call = 0, .origin = TC_RANK_NONE, .hop_limit = 9};
    uint8_t payload[TCI_ROUTE_BYTES];
    for (unsigned i = 0; i < 4; i++) {
        counted_pair_open_loaded(FAKE_MAPPED);
        tci_route_encode(&route, payload);
        tc_ifunc *ends = fake_node_function(pair.near, "ends", fail_peer);
        if (i % 2 == 1)
            fake_frame(pair.ep, TCI_FRAME_CONTROL, TCI_CONTROL_PREPARED, 0, NULL, 0);
        if (i < 2)
            assert_ok(tc_send(pair.ep, ends, NULL, 0));
        else
            call_in_place_of_run(fail_peer);
        for (int n = 0; n < 3; n++)
            fake_frame(pair.ep, TCI_FRAME_CALL, i < 2 ? TCI_ROUTED : 0, fn->index, payload,
                       sizeof payload);
        (void)tci_dispatch_run_lap(pair.peer);
        fake_expect_failed(pair.peer, TC_E_CORRUPT, "by its own function");
        assert_int_equal(runs, 1);
        fake_pair_close(&pair);
    }
}

/* A control frame that ends it, and then one that would be skipped on an open endpoint
 * alone. */
TEST(an_answer_behind_the_frame_that_ends_its_endpoint_is_not_looked_at)
{
    const tci_reply answer = {.call = 1};
    uint8_t reply[TCI_REPLY_BYTES];
    static const uint8_t wrong_member[TCI_MEMBERSHIP_BYTES];
    counted_pair_open_loaded(FAKE_MAPPED);
    tci_reply_encode(&answer, reply);
    fake_frame(pair.ep, TCI_FRAME_CONTROL, TCI_CONTROL_MEMBER, 0, wrong_member,
               sizeof wrong_member);
    fake_frame(pair.ep, TCI_FRAME_REPLY, 0, 0, reply, sizeof reply);
    fake_frame(pair.ep, TCI_FRAME_CALL, 0, fn->index, NULL, 0);
    (void)tci_dispatch_run_lap(pair.peer);
    assert_int_equal(pair.far->core.counters[TCI_REPLIES_LATE], 0);
    counted_pair_expect_end("");
}

/* Where the ring is not mapped the link may be gone by then; see tci_large_give_up. */
TEST(credit_of_an_endpoint_without_a_link_is_forgotten)
{
    counted_pair_open_loaded(FAKE_CARRIED);
    tci_link *link = pair.peer->link;
    (void)tci_ep_fail_with(pair.peer, TC_E_CORRUPT, "it ends");
    pair.peer->link = NULL;
    tci_credit_return(pair.peer);
    pair.peer->link = link;
    fake_pair_close(&pair);
}

/* Control frames alone: no message is run, and the ring is not empty all the same. */
TEST(draining_goes_on_behind_frames_that_are_no_messages)
{
    counted_pair_open_loaded(FAKE_MAPPED);
    for (int i = 0; i < 60; i++) /* more than are looked at in one go */
        fake_frame(pair.ep, TCI_FRAME_CONTROL, TCI_CONTROL_PREPARED, 0, NULL, 0);
    fake_frame(pair.ep, TCI_FRAME_CALL, 0, fn->index, NULL, 0);
    while (!tci_dispatch_drain(pair.peer))
        ;
    assert_int_equal(runs, 1);
    fake_pair_close(&pair);
}

/* By hand: both go beyond the ring's end where frames are in its last lines, which the nonce
 * decides. */
static void store_wrap(tci_producer *tx)
{
    const tci_frame wrap = {.kind = TCI_FRAME_WRAP};
    uint8_t *frame = tci_producer_next(tx);
    tci_ring_store_word(frame + 8, tci_frame_word(&wrap));
    tci_ring_store_signal(frame, tx->signal);
    tx->signal += TCI_SIGNAL_STEP;
    tx->tail += tx->mask + 1 - (tx->tail & tx->mask);
}

TEST(a_lap_that_ends_where_it_begins_ends_the_endpoint)
{
    counted_pair_open_loaded(FAKE_MAPPED);
    tci_producer *tx = &pair.ep->tx.ring;
    store_wrap(tx);
    store_wrap(tx); /* no producer of this library would write it */
    (void)tci_dispatch_run(pair.peer);
    counted_pair_expect_end("a lap ends where it begins");
}
