/* The receive path, with frames of a peer that may send anything. far receives. */
#include "../support/fake_node.h"
#include "core/ep_state.h"
#include "dispatch/dispatch.h"
#include "dispatch/inject_run.h"

static unsigned runs;
static uint8_t got[64];
static size_t got_size;

static void run(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    runs++;
    got_size = size;
    memcpy(got, payload, size < sizeof got ? size : sizeof got);
}

static fake_pair pair;
static tc_ifunc *fn;

static void open_pair(uint64_t delivery)
{
    runs = 0;
    fake_pair_open(&pair, delivery);
    fn = fake_node_function(pair.near, "run", run);
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    fake_pair_settle(&pair);
    assert_int_equal(runs, 1);
    runs = 0;
}

static void expect_end(const char *text)
{
    fake_expect_failed(pair.peer, TC_E_CORRUPT, text);
    assert_int_equal(runs, 0);
    fake_pair_close(&pair);
}

static void on_mapped_pair(void (*test)(void))
{
    open_pair(FAKE_MAPPED);
    test();
    fake_pair_close(&pair);
}

#define MAPPED_TEST(name) TEST_BY(on_mapped_pair, name, void)

MAPPED_TEST(plain_calls_run_in_order_with_their_payloads)
{
    for (uint32_t i = 0; i < 300; i++) { /* several laps of the ring */
        assert_ok(tc_send(pair.ep, fn, &i, sizeof i));
        fake_pair_settle(&pair);
        assert_int_equal(runs, i + 1);
        assert_int_equal(got_size, sizeof i);
        assert_memory_equal(got, &i, sizeof i);
    }
    tc_ep_info info;
    tc_ep_query(pair.peer, &info);
    assert_int_equal(info.run_messages, 301);
}

MAPPED_TEST(target_args_are_those_of_the_context)
{
    pair.far->core.target_args = &pair;
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    fake_pair_settle(&pair);
    assert_int_equal(runs, 1);
}

TEST(a_slot_that_no_code_has_bound_ends_the_endpoint)
{
    open_pair(FAKE_MAPPED);
    fake_frame(pair.ep, TCI_FRAME_CALL, 0, UINT16_MAX, NULL, 0);
    (void)tci_dispatch_run(pair.peer);
    expect_end("call of slot 65535, which no code frame has bound");
}

TEST(kinds_that_are_none_end_the_endpoint)
{
    static const uint8_t kinds[] = {0, 8, 200, 255};
    for (size_t i = 0; i < sizeof kinds; i++) {
        open_pair(FAKE_MAPPED);
        fake_frame(pair.ep, kinds[i], 0, fn->index, "x", 1);
        (void)tci_dispatch_run(pair.peer);
        expect_end("");
    }
}

TEST(frames_longer_than_the_ring_end_the_endpoint)
{
    static const uint8_t kinds[] = {TCI_FRAME_CALL,  TCI_FRAME_CODE,   TCI_FRAME_FRAGMENT,
                                    TCI_FRAME_REPLY, TCI_FRAME_INJECT, TCI_FRAME_CONTROL};
    static const uint32_t sizes[] = {4096, UINT32_MAX};
    for (size_t i = 0; i < 2 * sizeof kinds; i++) {
        open_pair(FAKE_MAPPED);
        const tci_frame header = {
            .kind = kinds[i / 2], .slot = fn->index, .payload_size = sizes[i % 2]};
        uint8_t *frame = tci_producer_reserve(&pair.ep->tx.ring, 64, 0);
        tci_producer_commit(&pair.ep->tx.ring, frame, 64, tci_frame_word(&header));
        (void)tci_dispatch_run(pair.peer);
        expect_end("");
    }
}

TEST(a_routed_call_whose_route_is_none_ends_the_endpoint)
{
    uint8_t payload[64];
    for (size_t size = 0; size <= sizeof payload; size += 16) {
        open_pair(FAKE_MAPPED);
        memset(payload, 255, sizeof payload);
        fake_frame(pair.ep, TCI_FRAME_CALL, TCI_ROUTED, fn->index, payload, size);
        (void)tci_dispatch_run(pair.peer);
        expect_end("");
    }
}

MAPPED_TEST(a_route_is_not_part_of_the_payload)
{
    const tci_route route = {.call = 0, .origin = TC_RANK_NONE, .hops = 1, .hop_limit = 9};
    uint8_t payload[3 + TCI_ROUTE_BYTES] = "abc";
    tci_route_encode(&route, payload + 3);
    fake_frame(pair.ep, TCI_FRAME_CALL, TCI_ROUTED, fn->index, payload, sizeof payload);
    assert_int_equal(tci_dispatch_run(pair.peer), 1);
    assert_int_equal(got_size, 3);
    assert_memory_equal(got, "abc", 3);
}

TEST(a_control_frame_that_is_too_large_ends_the_endpoint)
{
    static const uint8_t payload[1025];
    open_pair(FAKE_MAPPED);
    fake_frame(pair.ep, TCI_FRAME_CONTROL, TCI_CONTROL_PREPARED, 0, payload, 1025);
    (void)tci_dispatch_run(pair.peer);
    expect_end("control frame of 1025 bytes, expected at most 1024");
}

MAPPED_TEST(a_control_frame_is_activity_and_no_message)
{
    pair.far->core.pending.activity = false;
    fake_frame(pair.ep, TCI_FRAME_CONTROL, 200, 0, NULL, 0); /* of a newer peer */
    assert_int_equal(tci_dispatch_run(pair.peer), 0);
    assert_true(tci_ep_is_open(pair.peer));
    assert_true(pair.far->core.pending.activity);
    assert_int_equal(pair.far->core.counters[TCI_MESSAGES_DROPPED], 0);
}

/* --- payloads in fragments
 * ------------------------------------------------------------------------ */

static void send_fragment(uint64_t total, uint64_t offset, size_t n)
{
    uint8_t bytes[TCI_FRAGMENT_HEADER_BYTES + 512] = {0};
    const tci_fragment fragment = {.total = total, .offset = offset};
    tci_fragment_encode(&fragment, bytes);
    memset(bytes + TCI_FRAGMENT_HEADER_BYTES, 7, n);
    fake_frame(pair.ep, TCI_FRAME_FRAGMENT, 0, fn->index, bytes, TCI_FRAGMENT_HEADER_BYTES + n);
}

MAPPED_TEST(the_last_piece_makes_the_call)
{
    send_fragment(900, 0, 500);
    assert_int_equal(tci_dispatch_run(pair.peer), 0);
    assert_int_equal(runs, 0);
    send_fragment(900, 500, 400);
    assert_int_equal(tci_dispatch_run(pair.peer), 1);
    assert_int_equal(runs, 1);
    assert_int_equal(got_size, 900);
}

TEST(pieces_that_do_not_fit_end_the_endpoint)
{
    open_pair(FAKE_MAPPED);
    send_fragment(900, 0, 500);
    send_fragment(900, 400, 400);
    (void)tci_dispatch_run(pair.peer); /* an eighth of the ring */
    (void)tci_dispatch_run(pair.peer);
    expect_end("");
}

MAPPED_TEST(a_payload_above_the_limit_is_refused_and_the_rest_goes_on)
{
    tc_error error;
    pair.far->core.options.payload_bytes_max = 600;
    send_fragment(900, 0, 500);
    send_fragment(900, 500, 400);
    assert_ok(tc_send(pair.ep, fn, "x", 1));
    fake_pair_settle(&pair);
    assert_int_equal(runs, 1);
    assert_int_equal(got_size, 1);
    assert_int_equal(tc_ep_refusal(pair.ep, &error), 1);
    assert_status(error.status, TC_E_TOO_LARGE);
    assert_non_null(strstr(error.text, "payload_bytes_max is 600"));
    assert_ok(tc_send(pair.ep, fn, "y", 1)); /* the function is not */
}

/* A payload beside the ring that has not come: its frame keeps its position. */
TEST(a_frame_that_waits_for_its_payload_holds_up_those_behind_it)
{
    uint8_t bytes[TCI_FRAGMENT_HEADER_BYTES];
    const tci_fragment named = {.total = 1000, .offset = 0};
    open_pair(FAKE_CARRIED);
    tci_fragment_encode(&named, bytes);
    fake_frame(pair.ep, TCI_FRAME_FRAGMENT, TCI_FRAGMENT_OUT_OF_LINE, fn->index, bytes,
               sizeof bytes);
    fake_frame(pair.ep, TCI_FRAME_CALL, 0, fn->index, NULL, 0);
    assert_int_equal(tci_dispatch_run(pair.peer), 0);
    assert_int_equal(tci_dispatch_run(pair.peer), 0);
    assert_true(tci_ep_is_open(pair.peer));
    fake_pair_close(&pair);
}

/* --- fairness, and the end
 * ---------------------------------------------------------------------- */

MAPPED_TEST(one_ring_does_not_hold_up_the_others)
{
    const unsigned sent = fake_fill_ring(pair.ep, fn);
    (void)fake_node_turn(pair.near);
    const unsigned first = tci_dispatch_run(pair.peer);
    assert_in_range(first, 1, sent / 4);
    assert_int_equal(tci_dispatch_run_lap(pair.peer), sent - first);
    assert_int_equal(tci_dispatch_run(pair.peer), 0);
    assert_int_equal(runs, sent);
}

MAPPED_TEST(a_peer_that_maps_the_ring_is_told_after_each_batch)
{
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    (void)tci_dispatch_run(pair.peer);
    tci_producer_refresh(&pair.ep->tx.ring);
    assert_true(tci_producer_drained(&pair.ep->tx.ring));
}

TEST(others_are_told_when_an_eighth_is_due)
{
    open_pair(FAKE_CARRIED);
    const unsigned before = fake_outbox_count(&pair.peer->link->sent, TCI_AM_CREDIT);
    const uint64_t told = pair.peer->rx.ring.published;
    while (fake_outbox_count(&pair.peer->link->sent, TCI_AM_CREDIT) == before) {
        assert_ok(tc_send(pair.ep, fn, NULL, 0));
        (void)tci_dispatch_run(pair.peer);
    }
    /* Bytes consumed before count, and the end of a lap, if one is there. */
    assert_in_range(pair.peer->rx.ring.head - told, 4096 / 8, 4096 / 8 + 2 * TCI_FRAME_GRANULE);
    fake_pair_close(&pair);
}

MAPPED_TEST(draining_ends_when_nothing_is_left)
{
    fake_code_of("slow")->is_slow = true;
    tc_ifunc *slow = fake_node_function(pair.near, "slow", run);
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    assert_ok(tc_send(pair.ep, slow, NULL, 0));
    assert_false(tci_dispatch_drain(pair.peer));
    assert_int_equal(runs, 1);
    assert_false(tci_dispatch_drain(pair.peer)); /* a frame waits for its function */
    fake_engine_end_loads();
    assert_false(tci_dispatch_drain(pair.peer));
    assert_int_equal(runs, 2);
    assert_true(tci_dispatch_drain(pair.peer));
}

static void closes_itself(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    runs++;
    assert_true(tci_core_is_busy(&pair.far->core));
    (void)tci_ep_fail_with(pair.peer, TC_E_CORRUPT, "enough");
}

MAPPED_TEST(an_endpoint_that_ends_while_its_function_runs_is_left_alone)
{
    tc_ifunc *last = fake_node_function(pair.near, "last", closes_itself);
    assert_ok(tc_send(pair.ep, last, NULL, 0));
    (void)tci_dispatch_run(pair.peer);
    assert_int_equal(runs, 1);
    assert_false(tci_core_is_busy(&pair.far->core));
    assert_int_equal(pair.far->core.watched_count, 0);
    fake_expect_failed(pair.peer, TC_E_CORRUPT, "enough");
}

/* --- messages with their own code
 * ---------------------------------------------------------------- */

static void inject(size_t image_size, size_t rest_size, size_t bytes)
{
    uint8_t body[256] = "abc";
    tci_frame header = {.payload_size = 3, .kind = TCI_FRAME_INJECT};
    const size_t offset = tci_frame_code_offset(3) - TCI_FRAME_HEADER_BYTES;
    tci_inject_section_encode((uint32_t)image_size, (uint32_t)rest_size, body + offset);
    const size_t whole = TCI_FRAME_HEADER_BYTES + offset + TCI_INJECT_SECTION_BYTES + bytes;
    uint8_t *frame = tci_producer_reserve(&pair.ep->tx.ring, whole, 0);
    memcpy(frame + TCI_FRAME_HEADER_BYTES, body, whole - TCI_FRAME_HEADER_BYTES);
    tci_producer_commit(&pair.ep->tx.ring, frame, whole, tci_frame_word(&header));
}

MAPPED_TEST(injected_code_runs_once_and_binds_nothing)
{
    fake_injected_main = run;
    const size_t slots = pair.peer->rx.slot_count;
    inject(64, 8, 72);
    assert_int_equal(tci_dispatch_run(pair.peer), 1);
    assert_int_equal(runs, 1);
    assert_int_equal(got_size, 3);
    assert_int_equal(pair.peer->rx.slot_count, slots);
}

/* By the next turn in which nothing runs, once. */
MAPPED_TEST(what_was_injected_is_got_ready_for_the_next_message)
{
    fake_injected_main = run;
    tci_inject_get_ahead(&pair.far->core);
    assert_int_equal(fake_injected_ahead, 0);
    inject(64, 8, 72);
    assert_int_equal(tci_dispatch_run(pair.peer), 1);
    assert_int_equal(fake_injected_ahead, 0);
    for (unsigned i = 0; i < 2; i++) {
        tci_inject_get_ahead(&pair.far->core);
        assert_int_equal(fake_injected_ahead, 1);
    }
}

MAPPED_TEST(injected_code_that_does_not_run_here_is_refused)
{
    tc_error error;
    fake_injected_status = TC_E_NO_SLICE;
    inject(64, 8, 72);
    fake_pair_settle(&pair);
    assert_int_equal(runs, 0);
    assert_int_equal(tc_ep_refusal(pair.ep, &error), 1);
    assert_status(error.status, TC_E_NO_SLICE);
}

TEST(injected_code_beyond_its_frame_ends_the_endpoint)
{
    open_pair(FAKE_MAPPED);
    fake_injected_main = run;
    inject(UINT32_MAX, UINT32_MAX, 72);
    (void)tci_dispatch_run(pair.peer);
    expect_end("");
}
