/* A connection that carries everything, from a peer that may write anything into it: the other end
 * is a plain socket of the test's. */
#include "../support/test.h"

#include "base/clock.h"
#include "context/context_object.h"
#include "context/wait.h"
#include "delivery/delivery.h"
#include "ring/producer.h"
#include "wire/record.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#define RING_BYTES 65536u
#define PATIENCE_NS (20 * TCI_NS_PER_S)
#define RECORD_MAX (TCI_RECORD_HEADER_BYTES + RING_BYTES)

typedef struct raw_peer {
    tc_context *ctx; /* whose listener it is connected to */
    tc_listener *listener;
    int fd;
    tci_producer producer; /* of the target's ring: this side's copy of it */
    tci_ring_word consumed;
    uint8_t ring[RING_BYTES];
    uint64_t sent; /* up to where frames have left */
    uint32_t sequence;
    uint8_t record[RECORD_MAX];
    size_t size;
    uint8_t came[2 * TCI_HELLO_MESSAGE_MAX];
    size_t came_bytes;
} raw_peer;

static raw_peer *peer;

static tc_ep *target_ep(void)
{
    return peer->ctx->core.first;
}

static void progress(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++)
        (void)tc_progress(peer->ctx);
}

/* --- the peer's side --------------------------------------------------------------------- */

static void write_bytes(const void *bytes, size_t size)
{
    uint64_t deadline_ns = tci_deadline_after(PATIENCE_NS);
    while (size > 0 && tci_clock_ns() < deadline_ns) {
        ssize_t n = send(peer->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        progress(1);
        if (n < 0 && errno != EAGAIN)
            return; /* it has hung up */
        if (n > 0) {
            bytes = (const uint8_t *)bytes + n;
            size -= (size_t)n;
        }
    }
}

/* Until so many bytes of the target's have come. */
static void read_bytes(size_t size)
{
    uint64_t deadline_ns = tci_deadline_after(PATIENCE_NS);
    while (peer->came_bytes < size) {
        progress(1);
        ssize_t n = recv(peer->fd, peer->came + peer->came_bytes, size - peer->came_bytes,
                         MSG_DONTWAIT);
        if (n > 0)
            peer->came_bytes += (size_t)n;
        if (n == 0 || (n < 0 && errno != EAGAIN) || tci_clock_ns() > deadline_ns)
            fail_msg("%zu bytes of the target's have come, expected %zu", peer->came_bytes,
                     size);
    }
}

static void forget_bytes(size_t size)
{
    memmove(peer->came, peer->came + size, peer->came_bytes - size);
    peer->came_bytes -= size;
}

/* The target's next hello message; its bytes stay until forget_bytes. */
static tci_hello_preamble next_hello(void)
{
    tci_hello_preamble preamble;
    read_bytes(TCI_HELLO_PREAMBLE_BYTES);
    assert_int_equal(
        tci_hello_preamble_decode(peer->came, TCI_HELLO_PREAMBLE_BYTES, &preamble, NULL),
        TC_OK);
    read_bytes(TCI_HELLO_PREAMBLE_BYTES + preamble.body_bytes);
    return preamble;
}

static void say_hello(void)
{
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size;
    tci_hello hello = peer->ctx->core.self;
    hello.stream = true;
    hello.worker_address.size = 0;
    hello.ring_bytes = 4096;
    hello.frame_bytes_max = 1024;
    hello.segment = TCI_HELLO_NO_SEGMENT;
    assert_int_equal(
        tci_hello_encode(&hello, TCI_HELLO_HELLO, bytes, sizeof bytes, &size, NULL), TC_OK);
    write_bytes(bytes, size);
}

static void say_ready(void)
{
    uint8_t bytes[TCI_HELLO_PREAMBLE_BYTES + 1];
    size_t size;
    assert_int_equal(tci_hello_ready_encode(TCI_HELLO_STREAM, bytes, sizeof bytes, &size),
                     TC_OK);
    write_bytes(bytes, size);
}

static void take_hello(void)
{
    tci_hello hello;
    tci_hello_preamble preamble = next_hello();
    size_t size = TCI_HELLO_PREAMBLE_BYTES + preamble.body_bytes;
    assert_int_equal(tci_hello_decode(peer->came, size, TCI_HELLO_HELLO, &hello, NULL), TC_OK);
    assert_true(hello.stream);
    assert_int_equal(hello.worker_address.size, 0);
    assert_int_equal(hello.ring_bytes, RING_BYTES);
    uint64_t start = tci_ring_start(hello.ring_nonce);
    tci_ring_store_consumed(&peer->consumed, start);
    tci_producer_init(&peer->producer, peer->ring, RING_BYTES, hello.ring_nonce,
                      &peer->consumed);
    peer->sent = start;
    forget_bytes(size);
}

static void take_ready(void)
{
    tci_hello_preamble preamble = next_hello();
    assert_int_equal(preamble.kind, TCI_HELLO_READY);
    assert_int_equal(peer->came[TCI_HELLO_PREAMBLE_BYTES], TCI_HELLO_STREAM);
    forget_bytes(TCI_HELLO_PREAMBLE_BYTES + preamble.body_bytes);
}

static void connect_raw(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons(tc_listener_port(peer->listener))};
    static const int yes = 1;
    peer->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(peer->fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(setsockopt(peer->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes), 0);
    peer->came_bytes = 0;
    peer->sequence = 0;
}

static void greet(void)
{
    connect_raw();
    say_hello();
    take_hello();
    tci_wait_pin(target_ep()); /* it stays when it ends, to be asked why */
}

static void open_up(void)
{
    greet();
    say_ready();
    take_ready();
    assert_int_equal(target_ep()->state, TCI_EP_OPEN);
}

/* The target has let the endpoint go. */
static void hang_up(void)
{
    uint64_t deadline_ns = tci_deadline_after(PATIENCE_NS);
    (void)close(peer->fd);
    tci_wait_unpin(target_ep());
    while (target_ep() != NULL) {
        progress(1);
        if (tci_clock_ns() > deadline_ns)
            fail_msg("the endpoint is still there");
    }
}

static int set_up(void **state)
{
    tc_options *opts;
    peer = calloc(1, sizeof *peer);
    assert_non_null(peer);
    assert_int_equal(tc_options_create(&opts, NULL), TC_OK);
    assert_int_equal(tc_options_set(opts, "delivery", "stream", NULL), TC_OK);
    assert_int_equal(tc_options_set(opts, "ring_bytes", "64K", NULL), TC_OK);
    assert_int_equal(tc_context_create(opts, &peer->ctx, NULL), TC_OK);
    tc_options_destroy(opts);
    assert_int_equal(tc_listener_open(peer->ctx, "127.0.0.1:0", &peer->listener, NULL), TC_OK);
    return 0;
}

static int tear_down(void **state)
{
    tc_context_destroy(peer->ctx);
    free(peer);
    return 0;
}

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
    uint8_t *frame = tci_producer_reserve(&peer->producer, bytes);
    assert_non_null(frame);
    memset(frame + TCI_FRAME_HEADER_BYTES, 0x5a, payload_size);
    tci_producer_commit(&peer->producer, frame, bytes, tci_frame_word(&header));
}

/* What was added since the last time, up to the end of the lap. False: nothing was. */
static bool frames_record(void)
{
    uint64_t tail = peer->producer.tail;
    uint64_t lap_end = (peer->sent | (RING_BYTES - 1)) + 1;
    uint64_t end = tail < lap_end ? tail : lap_end;
    uint64_t at = peer->sent & (RING_BYTES - 1);
    if (end == peer->sent)
        return false;
    const tci_record record = {.kind = TCI_RECORD_FRAMES,
                               .place = (uint16_t)(at / TCI_FRAME_GRANULE),
                               .size = (uint32_t)(end - peer->sent),
                               .sequence = peer->sequence++};
    make_record(&record, peer->ring + at, (size_t)(end - peer->sent));
    peer->sent = end;
    return true;
}

static void send_frames(void)
{
    while (frames_record())
        write_bytes(peer->record, peer->size);
}

/* The target says that it has run all of it. */
static void expect_credit(void)
{
    tci_record record;
    tci_am_credit credit;
    read_bytes(TCI_RECORD_HEADER_BYTES + sizeof credit);
    assert_int_equal(tci_record_decode(peer->came, peer->came[8], &record, NULL), TC_OK);
    assert_int_equal(record.kind, TCI_RECORD_CREDIT);
    memcpy(&credit, peer->came + TCI_RECORD_HEADER_BYTES, sizeof credit);
    assert_int_equal(credit.consumed, peer->producer.tail);
    assert_int_equal(credit.share, 0);
    tci_ring_store_consumed(&peer->consumed, credit.consumed);
    forget_bytes(TCI_RECORD_HEADER_BYTES + sizeof credit);
}

static void expect_failed(const char *text)
{
    tc_error error = {0};
    uint64_t deadline_ns = tci_deadline_after(PATIENCE_NS);
    const tc_ep *ep = target_ep();
    while (ep->state < TCI_EP_CLOSED && tci_clock_ns() < deadline_ns)
        progress(1);
    (void)tc_ep_error(ep, &error);
    if (strstr(error.text, text) == NULL)
        fail_msg("'%s' has no '%s'", error.text, text);
    progress(10);
    hang_up();
}

/* --- tests ------------------------------------------------------------------------------- */

static void frames_are_run_and_credit_comes_back(void **state)
{
    open_up();
    for (unsigned round = 0; round < 50; round++) { /* around the ring */
        for (unsigned i = 0; i < 4; i++)
            add_frame(200, 1000);
        add_frame(TCI_CONTROL_CREDIT, 0);
        send_frames();
        expect_credit();
    }
    assert_int_equal(target_ep()->state, TCI_EP_OPEN);
    hang_up();
}

/* In pieces of every size, also such as end within a header, a signal, a frame. */
static void bytes_may_trickle(void **state)
{
    open_up();
    for (size_t piece = 1; piece < 60; piece += piece < 30 ? 1 : 7) {
        for (unsigned i = 0; i < 3; i++)
            add_frame(200, 20 + (uint32_t)piece);
        add_frame(TCI_CONTROL_CREDIT, 0);
        while (frames_record()) {
            for (size_t at = 0; at < peer->size; at += piece) {
                size_t n = peer->size - at < piece ? peer->size - at : piece;
                write_bytes(peer->record + at, n);
                progress(2);
            }
        }
        expect_credit();
    }
    hang_up();
}

static void expect_refused_record(const tci_record *record, const char *text)
{
    static const uint8_t body[64];
    open_up();
    make_record(record, body, sizeof body);
    write_bytes(peer->record, peer->size);
    expect_failed(text);
}

static void what_is_no_record_ends_the_endpoint(void **state)
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
        {{.kind = TCI_RECORD_CREDIT, .size = 16, .place = 1}, "place 1, expected 0 and none"},
        {{.kind = TCI_RECORD_CODE, .size = 64, .place = 1}, "place 1, expected 0 and none"},
        {{.kind = TCI_RECORD_FRAMES, .size = 64, .sequence = 1}, "number 1, expected 0"},
        /* more than the ring has, and outside it, known from the first bytes alone */
        {{.kind = TCI_RECORD_FRAMES, .size = 2u << 20}, "where they may not lie"},
        {{.kind = TCI_RECORD_FRAMES, .size = 64, .place = 2048}, "where they may not lie"},
        {{.kind = TCI_RECORD_FRAMES, .size = 128, .place = 2047}, "where they may not lie"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_refused_record(&rows[i].record, rows[i].text);
}

static void a_record_that_comes_again_ends_the_endpoint(void **state)
{
    open_up();
    add_frame(TCI_CONTROL_CREDIT, 0);
    send_frames();
    expect_credit();
    write_bytes(peer->record, peer->size);
    expect_failed("is number 0, expected 1");
}

static void records_in_another_order_end_the_endpoint(void **state)
{
    uint8_t first[256];
    open_up();
    add_frame(200, 0);
    assert_true(frames_record());
    size_t size = peer->size;
    memcpy(first, peer->record, size);
    add_frame(200, 0);
    send_frames();
    write_bytes(first, size);
    expect_failed("is number 1, expected 0");
}

static void frames_where_the_ring_was_read_end_the_endpoint(void **state)
{
    open_up();
    add_frame(200, 0); /* consumed, and no credit told */
    assert_true(frames_record());
    write_bytes(peer->record, peer->size);
    while (target_ep()->rx.ring.head != peer->producer.tail)
        progress(1);
    peer->record[8] = 1; /* the sequence */
    write_bytes(peer->record, peer->size);
    expect_failed("where they may not lie");
}

static void records_before_ready_end_the_endpoint(void **state)
{
    greet();
    add_frame(200, 0);
    send_frames();
    expect_failed("before READY");
}

/* Whatever is flipped: it ends, or goes on, and touches nothing else. */
static void flipped_bits_are_harmless(void **state)
{
    for (unsigned bit = 0; bit < 8 * (TCI_RECORD_HEADER_BYTES + 24); bit += 3) {
        open_up();
        add_frame(200, 8);
        assert_true(frames_record());
        peer->record[bit / 8] ^= (uint8_t)(1u << bit % 8);
        write_bytes(peer->record, peer->size);
        progress(20);
        hang_up();
    }
    open_up();
    hang_up();
}

/* The first part of a payload, and no more: its memory is let go with the endpoint. */
static void a_payload_that_breaks_off_is_let_go(void **state)
{
    uint8_t body[100] = {0};
    tci_fragment fragment = {.total = 1u << 20, .offset = 0};
    tci_fragment_encode(&fragment, body);
    open_up();
    const tci_record record = {.kind = TCI_RECORD_PAYLOAD, .size = 16 + 64000};
    make_record(&record, body, sizeof body);
    write_bytes(peer->record, peer->size);
    progress(20);
    assert_int_equal(target_ep()->state, TCI_EP_OPEN);
    hang_up();
}

static void a_payload_beside_the_others_ends_the_endpoint(void **state)
{
    uint8_t body[100] = {0};
    tci_fragment fragment = {.total = 50, .offset = 10};
    tci_fragment_encode(&fragment, body);
    open_up();
    const tci_record record = {.kind = TCI_RECORD_PAYLOAD, .size = sizeof body};
    make_record(&record, body, sizeof body);
    write_bytes(peer->record, peer->size);
    expect_failed("payload outside the ring");
}

/* Credit that nobody has, for what was never sent. */
static void wild_credit_ends_the_endpoint(void **state)
{
    const tci_am_credit credit = {.consumed = UINT64_MAX / 2};
    open_up();
    const tci_record record = {.kind = TCI_RECORD_CREDIT, .size = sizeof credit};
    make_record(&record, &credit, sizeof credit);
    write_bytes(peer->record, peer->size);
    progress(10);
    tci_producer_refresh(&target_ep()->tx.ring); /* as whoever sends there would */
    expect_failed("ran wild");
}

int main(void)
{
#define RECORD_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        RECORD_TEST(frames_are_run_and_credit_comes_back),
        RECORD_TEST(bytes_may_trickle),
        RECORD_TEST(what_is_no_record_ends_the_endpoint),
        RECORD_TEST(a_record_that_comes_again_ends_the_endpoint),
        RECORD_TEST(records_in_another_order_end_the_endpoint),
        RECORD_TEST(frames_where_the_ring_was_read_end_the_endpoint),
        RECORD_TEST(records_before_ready_end_the_endpoint),
        RECORD_TEST(flipped_bits_are_harmless),
        RECORD_TEST(a_payload_that_breaks_off_is_let_go),
        RECORD_TEST(a_payload_beside_the_others_ends_the_endpoint),
        RECORD_TEST(wild_credit_ends_the_endpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
