/* A connection that carries everything, from a peer that may write anything into it. */
#include "../support/test.h"
#include "endpoint/ep_life.h"
#include "endpoint/record_in.h"
#include "raw_peer.h"

/* --- records ----------------------------------------------------------------------------- */

static void make_record(const tci_record *record, const void *body, size_t body_bytes)
{
    tci_record_encode(record, peer->record);
    memcpy(peer->record + TCI_RECORD_HEADER_BYTES, body, body_bytes);
    peer->size = TCI_RECORD_HEADER_BYTES + body_bytes;
}

/* A control frame of no meaning at all (`flags` 200), or one that asks for credit. */
static void add_frame(uint8_t flags, uint32_t payload_size)
{
    const tci_frame header = {
        .kind = TCI_FRAME_CONTROL, .flags = flags, .payload_size = payload_size};
    uint64_t bytes = TCI_FRAME_HEADER_BYTES + payload_size;
    uint8_t *frame = tci_producer_reserve(&peer->producer, bytes, 0);
    assert_non_null(frame);
    memset(frame + TCI_FRAME_HEADER_BYTES, 0x5a, payload_size);
    tci_producer_commit(&peer->producer, frame, bytes, tci_frame_word(&header));
}

/* The bytes added since the last time, up to the end of the lap. False: nothing was. */
static bool frames_record(void)
{
    uint64_t tail = peer->producer.tail;
    uint64_t lap_end = (peer->sent | (RAW_RING_BYTES - 1)) + 1;
    uint64_t end = tail < lap_end ? tail : lap_end;
    uint64_t at = peer->sent & (RAW_RING_BYTES - 1);
    if (end == peer->sent)
        return false;
    const tci_record record = {.kind = TCI_RECORD_FRAMES,
                               .position = (uint16_t)(at / TCI_FRAME_GRANULE),
                               .size = (uint32_t)(end - peer->sent),
                               .sequence = peer->sequence++};
    make_record(&record, peer->ring + at, (size_t)(end - peer->sent));
    peer->sent = end;
    return true;
}

static void send_frames(void)
{
    while (frames_record())
        raw_write(peer->record, peer->size);
}

/* The target reports that it has run all of it. */
static void expect_credit(void)
{
    tci_record record;
    tci_am_credit credit;
    raw_read(TCI_RECORD_HEADER_BYTES + sizeof credit);
    assert_ok(tci_record_decode(peer->came, peer->came[8], &record, NULL));
    assert_int_equal(record.kind, TCI_RECORD_CREDIT);
    memcpy(&credit, peer->came + TCI_RECORD_HEADER_BYTES, sizeof credit);
    assert_int_equal(credit.consumed, peer->producer.tail);
    assert_int_equal(credit.share, 0);
    tci_ring_store_consumed(&peer->consumed, credit.consumed);
    raw_forget(TCI_RECORD_HEADER_BYTES + sizeof credit);
}

static void expect_failed(const char *text)
{
    tc_error error = {0};
    uint64_t deadline_ns = tci_deadline_after(RAW_PATIENCE_NS);
    const tc_ep *ep = raw_target_ep();
    while (ep->state < TCI_EP_CLOSED && tci_clock_ns() < deadline_ns)
        raw_progress(1);
    (void)tc_ep_error(ep, &error);
    if (strstr(error.text, text) == NULL)
        fail_msg("'%s' has no '%s'", error.text, text);
    raw_progress(10);
    raw_hang_up();
}

/* --- tests ------------------------------------------------------------------------------- */

TEST_WITH(frames_are_run_and_credit_comes_back, raw_set_up, raw_tear_down)
{
    raw_open();
    for (unsigned round = 0; round < 50; round++) { /* around the ring */
        for (unsigned i = 0; i < 4; i++)
            add_frame(200, 1000);
        add_frame(TCI_CONTROL_CREDIT, 0);
        send_frames();
        expect_credit();
    }
    assert_int_equal(raw_target_ep()->state, TCI_EP_OPEN);
    raw_hang_up();
}

/* In pieces of every size, also such as end within a header, a signal, a frame. */
TEST_WITH(bytes_may_trickle, raw_set_up, raw_tear_down)
{
    raw_open();
    for (size_t piece = 1; piece < 60; piece += piece < 30 ? 1 : 7) {
        for (unsigned i = 0; i < 3; i++)
            add_frame(200, 20 + (uint32_t)piece);
        add_frame(TCI_CONTROL_CREDIT, 0);
        while (frames_record()) {
            for (size_t at = 0; at < peer->size; at += piece) {
                size_t n = peer->size - at < piece ? peer->size - at : piece;
                raw_write(peer->record + at, n);
                raw_progress(2);
            }
        }
        expect_credit();
    }
    raw_hang_up();
}

static void expect_refused_record(const tci_record *record, const char *text)
{
    static const uint8_t body[64];
    raw_open();
    make_record(record, body, sizeof body);
    raw_write(peer->record, peer->size);
    expect_failed(text);
}

TEST_WITH(what_is_no_record_ends_the_endpoint, raw_set_up, raw_tear_down)
{
    const struct {
        tci_record record;
        const char *text;
    } rows[] = {
        {{.kind = (tci_record_kind)0x80, .size = 64}, "kind 0x80, expected 0xe1 to 0xe4"},
        {{.kind = (tci_record_kind)0xe5, .size = 64}, "kind 0xe5, expected"},
        {{.kind = (tci_record_kind)0x00, .size = 64}, "not a Three-Chains peer"},
        {{.kind = TCI_RECORD_FRAMES, .size = UINT32_MAX}, "FRAMES record of 4294967295 bytes"},
        {{.kind = TCI_RECORD_CREDIT, .size = UINT32_MAX}, "CREDIT record of 4294967295 bytes"},
        {{.kind = TCI_RECORD_CODE, .size = UINT32_MAX}, "CODE record of 4294967295 bytes"},
        {{.kind = TCI_RECORD_PAYLOAD, .size = UINT32_MAX},
         "PAYLOAD record of 4294967295 bytes"},
        {{.kind = TCI_RECORD_FRAMES, .size = 15}, "FRAMES record of 15 bytes"},
        {{.kind = TCI_RECORD_CREDIT, .size = 15}, "CREDIT record of 15 bytes"},
        {{.kind = TCI_RECORD_CODE, .size = 28}, "CODE record of 28 bytes"},
        {{.kind = TCI_RECORD_PAYLOAD, .size = 16}, "PAYLOAD record of 16 bytes"},
        {{.kind = TCI_RECORD_CREDIT, .size = 16, .position = 1},
         "position 1, expected 0 and none"},
        {{.kind = TCI_RECORD_CODE, .size = 64, .position = 1},
         "position 1, expected 0 and none"},
        {{.kind = TCI_RECORD_FRAMES, .size = 64, .sequence = 1}, "number 1, expected 0"},
        /* more than the ring has, and outside it, known from the first bytes alone */
        {{.kind = TCI_RECORD_FRAMES, .size = 2u << 20}, "where they may not lie"},
        {{.kind = TCI_RECORD_FRAMES, .size = 64, .position = 2048}, "where they may not lie"},
        {{.kind = TCI_RECORD_FRAMES, .size = 128, .position = 2047}, "where they may not lie"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_refused_record(&rows[i].record, rows[i].text);
}

TEST_WITH(a_record_that_comes_again_ends_the_endpoint, raw_set_up, raw_tear_down)
{
    raw_open();
    add_frame(TCI_CONTROL_CREDIT, 0);
    send_frames();
    expect_credit();
    raw_write(peer->record, peer->size);
    expect_failed("is number 0, expected 1");
}

TEST_WITH(records_in_another_order_end_the_endpoint, raw_set_up, raw_tear_down)
{
    uint8_t first[256];
    raw_open();
    add_frame(200, 0);
    assert_true(frames_record());
    size_t size = peer->size;
    memcpy(first, peer->record, size);
    add_frame(200, 0);
    send_frames();
    raw_write(first, size);
    expect_failed("is number 1, expected 0");
}

TEST_WITH(frames_where_the_ring_was_read_end_the_endpoint, raw_set_up, raw_tear_down)
{
    raw_open();
    add_frame(200, 0); /* consumed, and no credit sent */
    assert_true(frames_record());
    raw_write(peer->record, peer->size);
    while (raw_target_ep()->rx.ring.head != peer->producer.tail)
        raw_progress(1);
    peer->record[8] = 1; /* the sequence */
    raw_write(peer->record, peer->size);
    expect_failed("where they may not lie");
}

TEST_WITH(records_before_ready_end_the_endpoint, raw_set_up, raw_tear_down)
{
    raw_greet();
    add_frame(200, 0);
    send_frames();
    expect_failed("before READY");
}

/* With every flipped bit it ends, or goes on, and touches no other state. */
TEST_WITH(flipped_bits_are_harmless, raw_set_up, raw_tear_down)
{
    for (unsigned bit = 0; bit < 8 * (TCI_RECORD_HEADER_BYTES + 24); bit += 3) {
        raw_open();
        add_frame(200, 8);
        assert_true(frames_record());
        peer->record[bit / 8] ^= (uint8_t)(1u << bit % 8);
        raw_write(peer->record, peer->size);
        raw_progress(20);
        raw_hang_up();
    }
    raw_open();
    raw_hang_up();
}

/* The first part of a payload, and no more. */
static void begin_payload(void)
{
    uint8_t body[100] = {0};
    tci_fragment fragment = {.total = 1u << 20, .offset = 0};
    tci_fragment_encode(&fragment, body);
    raw_open();
    const tci_record record = {.kind = TCI_RECORD_PAYLOAD, .size = 16 + 64000};
    make_record(&record, body, sizeof body);
    raw_write(peer->record, peer->size);
    raw_progress(20);
    assert_int_equal(raw_target_ep()->state, TCI_EP_OPEN);
}

/* Its memory is let go with the endpoint. */
TEST_WITH(a_payload_that_breaks_off_is_let_go, raw_set_up, raw_tear_down)
{
    begin_payload();
    raw_hang_up();
}

/* Where much is left epoll reports large pieces alone; the end comes in whatever pieces. */
TEST_WITH(a_large_payload_comes_in_pieces_of_any_size, raw_set_up, raw_tear_down)
{
    enum { SIZE = 700000, PIECE = 1000 };
    uint8_t body[16] = {0}, piece[PIECE] = {0};
    const tci_fragment fragment = {.total = SIZE, .offset = 0};
    const tci_record record = {.kind = TCI_RECORD_PAYLOAD, .size = sizeof body + SIZE};
    uint64_t deadline_ns = tci_deadline_after(RAW_PATIENCE_NS);
    tci_fragment_encode(&fragment, body);
    raw_open();
    const tci_record_in *in = raw_target_ep()->rx.records;
    make_record(&record, body, sizeof body);
    raw_write(peer->record, peer->size);
    raw_progress(20);
    assert_int_equal(in->left, SIZE);
    assert_true(in->bulk && in->by_pieces);
    for (size_t sent = 0; sent < SIZE; sent += PIECE) {
        raw_write(piece, sizeof piece);
        raw_progress(1);
    }
    while (in->left > 0 && tci_deadline_left_ns(deadline_ns) > 0)
        raw_progress(1);
    assert_int_equal(in->left, 0);
    raw_progress(1);
    assert_false(in->bulk || in->by_pieces);
    assert_int_equal(raw_target_ep()->state, TCI_EP_OPEN);
    raw_hang_up();
}

TEST_WITH(a_payload_that_its_endpoint_leaves_fails_nobody, raw_set_up, raw_tear_down)
{
    begin_payload();
    assert_int_equal(peer->ctx->core.am_peers, 1);
    tci_ep_free(raw_target_ep());
    assert_int_equal(peer->ctx->core.am_peers, 0);
    assert_int_equal(peer->ctx->core.counters[TCI_ENDPOINTS_FAILED], 0);
}

TEST_WITH(a_payload_beside_the_others_ends_the_endpoint, raw_set_up, raw_tear_down)
{
    uint8_t body[100] = {0};
    tci_fragment fragment = {.total = 50, .offset = 10};
    tci_fragment_encode(&fragment, body);
    raw_open();
    const tci_record record = {.kind = TCI_RECORD_PAYLOAD, .size = sizeof body};
    make_record(&record, body, sizeof body);
    raw_write(peer->record, peer->size);
    expect_failed("payload outside the ring");
}

/* False credit, for frames that were never sent. */
TEST_WITH(wild_credit_ends_the_endpoint, raw_set_up, raw_tear_down)
{
    const tci_am_credit credit = {.consumed = UINT64_MAX / 2};
    raw_open();
    const tci_record record = {.kind = TCI_RECORD_CREDIT, .size = sizeof credit};
    make_record(&record, &credit, sizeof credit);
    raw_write(peer->record, peer->size);
    raw_progress(10);
    tci_producer_refresh(&raw_target_ep()->tx.ring); /* as the sender there would */
    expect_failed("ran wild");
}
