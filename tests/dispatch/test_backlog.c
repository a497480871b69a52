/* Peers that ask for more than they read: near asks and does not look at its ring, far pays. */
#include "../support/fake_node.h"
#include "core/ep_state.h"
#include "dispatch/dispatch.h"
#include "transfer/frame_out.h"

#include <tc/entry.h>

#define ANSWER_BYTES 200u

static uint8_t much[ANSWER_BYTES];
static unsigned runs;

static void answers(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    runs++;
    const tc_status status = tc_reply(much, sizeof much);
    (void)status; /* of an endpoint that this ends */
}

static fake_pair pair;
static tc_ifunc *fn;

static void open_pair(void)
{
    fake_pair_make(&pair, FAKE_MAPPED);
    pair.far->core.options.ring_bytes = 1u << 16;
    pair.far->core.options.send_queue_bytes = 0; /* taken for 64 KiB */
    fake_pair_connect(&pair);
    fn = fake_node_function(pair.near, "answers", answers);
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    fake_pair_settle(&pair);
    runs = 0;
}

static bool ask_for_an_answer(void)
{
    const tci_route route = {.call = 77, .origin = TC_RANK_NONE, .hop_limit = 9};
    const tci_frame header = {.payload_size = TCI_ROUTE_BYTES,
                              .slot = fn->index,
                              .kind = TCI_FRAME_CALL,
                              .flags = TCI_ROUTED};
    uint8_t payload[TCI_ROUTE_BYTES];
    tci_route_encode(&route, payload);
    return tci_frame_out_whole(pair.ep, &header, payload);
}

/* Code that does not match its id: a REFUSED each. */
static bool ask_for_a_refusal(void)
{
    const tci_code_section section = {.archive_size = 8};
    const tci_frame header = {.slot = 9, .kind = TCI_FRAME_CODE, .flags = TCI_CODE_ATTACHED};
    const size_t bytes = tci_frame_code_bytes(0, 8);
    uint8_t *frame = tci_producer_reserve(&pair.ep->tx.ring, bytes, 0);
    if (frame == NULL)
        return false;
    tci_code_section_encode(&section, frame + tci_frame_code_offset(0));
    tci_producer_commit(&pair.ep->tx.ring, frame, bytes, tci_frame_word(&header));
    return true;
}

/* Until the target reads no more. Returns how many were asked for. */
static unsigned storm(bool (*ask)(void))
{
    unsigned asked = 0;
    for (int stands = 0; stands < 20; stands++) {
        while (ask()) {
            asked++;
            stands = 0;
        }
        (void)fake_node_turn(pair.far);
        assert_in_range(asked, 0, 100000);
    }
    return asked;
}

static bool (*const asks[])(void) = {ask_for_an_answer, ask_for_a_refusal};

/* 360,000 calls once cost 300 MB, and 400,000 refused frames 60. */
TEST(a_ring_is_not_read_while_much_waits_for_its_peer)
{
    tc_log_set_level(TC_LOG_OFF);
    for (size_t i = 0; i < 2; i++) {
        open_pair();
        const unsigned asked = storm(asks[i]);
        assert_true(tci_ep_is_open(pair.peer));
        assert_true(pair.peer->rx.paused);
        assert_in_range(pair.peer->tx.queue_bytes, TCI_QUEUE_BYTES_MIN,
                        2 * TCI_QUEUE_BYTES_MIN);
        const tci_consumer *rx = &pair.peer->rx.ring;
        for (int n = 0; n < 10000 && (pair.peer->tx.queue_bytes > 0 || pair.peer->rx.paused ||
                                      tci_consumer_has_frame(rx));
             n++)
            fake_pair_settle(&pair); /* near reads */
        assert_false(pair.peer->rx.paused);
        assert_int_equal(runs + pair.far->core.counters[TCI_CODE_REFUSED], asked);
        assert_int_equal(pair.peer->tx.queue_bytes, 0);
        assert_true(tci_ep_is_open(pair.peer));
        fake_pair_close(&pair);
    }
    tc_log_set_level(TC_LOG_WARN);
}

/* Data that both sides wait for may lie behind data that neither reads. */
TEST(a_ring_that_stands_is_read_a_little_now_and_then)
{
    open_pair();
    (void)storm(ask_for_an_answer);
    const unsigned before = runs;
    assert_int_equal(tci_dispatch_paused(pair.peer), 0);
    pair.peer->rx.paused_ns = 0; /* a while passes */
    assert_true(tci_dispatch_paused(pair.peer) > 0);
    assert_true(runs > before);
    assert_int_equal(tci_dispatch_paused(pair.peer), 0);
    assert_true(pair.peer->rx.paused);
    fake_pair_close(&pair);
}

TEST(a_peer_that_never_reads_is_ended)
{
    tc_log_set_level(TC_LOG_OFF);
    for (size_t i = 0; i < 2; i++) {
        open_pair();
        for (int n = 0; n < 100000 && tci_ep_is_open(pair.peer); n++) {
            while (asks[i]())
                ;
            (void)fake_node_turn(pair.far);
            pair.peer->rx.paused_ns = 0;
        }
        fake_expect_failed(pair.peer, TC_E_TOO_LARGE, "8 times the option send_queue_bytes");
        assert_in_range(pair.peer->tx.queue_bytes, 0,
                        TCI_QUEUE_SHARES_MAX * TCI_QUEUE_BYTES_MIN + 2048);
        fake_pair_close(&pair);
    }
    tc_log_set_level(TC_LOG_WARN);
}

/* Frames that come by message begin to be looked at again, too. */
TEST(what_came_meanwhile_is_found_when_reading_goes_on)
{
    open_pair();
    tci_ep_pause(pair.peer);
    assert_int_equal(pair.far->core.watched_count, 0);
    assert_true(ask_for_an_answer());
    tci_ep_frames_came(pair.peer);
    assert_int_equal(pair.far->core.watched_count, 0);
    assert_int_equal(fake_node_turn(pair.far), 0); /* resumes */
    assert_int_equal(pair.far->core.watched_count, 1);
    assert_int_equal(fake_node_turn(pair.far), 1);
    fake_pair_close(&pair);
}
