/* Streams that carry everything, between two sides with keys: they read ahead of requests. */
#include "../support/test.h"
#include "keys_bench.h"

#include "bootstrap/stream_bytes.h"

#include <poll.h>
#include <sys/socket.h>

#define MUCH_BYTES (3u << 20)

static tci_stream_spares *near_spares, *far_spares;

static void connect_wide(keys_bench *b, bool tapped)
{
    certificate_make_key(b->folder, "k", "cluster", 1);
    assert_ok(keys_bench_load_key(b, &b->here, "k", NULL));
    assert_ok(keys_bench_load_key(b, &b->there, "k", NULL));
    keys_bench_listen(b);
    if (tapped)
        keys_bench_tap(b);
    assert_ok(keys_bench_connect(b, "127.0.0.1"));
    keys_bench_exchange(b);
    assert_ok(tci_stream_widen(b->near, &near_spares, NULL));
    assert_ok(tci_stream_widen(b->far, &far_spares, NULL));
}

static uint8_t byte_at(size_t place)
{
    return (uint8_t)(place * 7 + place / 251);
}

/* One write, and so one record of TLS's. */
static void send_one(tci_stream *stream, size_t place, size_t size)
{
    uint8_t bytes[256];
    for (size_t i = 0; i < size; i++)
        bytes[i] = byte_at(place + i);
    tci_stream_add(stream, bytes, size);
    assert_ok(tci_stream_flush(stream, NULL));
}

static void expect(tci_stream *stream, size_t place, size_t size)
{
    size_t there;
    const uint8_t *bytes = tci_stream_look(stream, &there);
    assert_true(there >= size);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(bytes[i], byte_at(place + i));
    tci_stream_skip(stream, size);
}

static tc_status fill(keys_bench *b, tci_stream *stream, bool *more, tc_error *err)
{
    uint64_t deadline = tci_deadline_after(KEYS_PATIENCE_NS);
    tc_status status;
    while ((status = tci_stream_fill(stream, more, err)) == TC_E_AGAIN) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        keys_bench_turn(b);
    }
    return status;
}

static void wait_for_bytes(tci_stream *stream, size_t size)
{
    uint8_t peeked[4096];
    uint64_t deadline = tci_deadline_after(KEYS_PATIENCE_NS);
    while (recv(tci_stream_fd(stream), peeked, sizeof peeked, MSG_PEEK | MSG_DONTWAIT) <
           (ssize_t)size)
        assert_true(tci_deadline_left_ns(deadline) > 0);
}

/* A sleeper on the descriptor would then sleep for ever, so it is woken. */
KEYS_TEST(what_was_read_ahead_is_told_of)
{
    keys_bench *b = *state;
    struct pollfd nothing = {.events = POLLIN};
    bool more = false;
    size_t there;
    connect_wide(b, false);
    assert_false(tci_stream_has_bytes(b->near));
    for (size_t i = 0; i < 2 * TCI_STREAM_BUFFER_SMALL; i += 128)
        send_one(b->far, i, 128);
    wait_for_bytes(b->near, 2 * TCI_STREAM_BUFFER_SMALL);
    assert_ok(fill(b, b->near, &more, NULL));
    assert_true(more);
    assert_true(tci_stream_has_bytes(b->near));
    nothing.fd = tci_stream_fd(b->near);
    assert_int_equal(poll(&nothing, 1, 0), 0);
    (void)tci_stream_look(b->near, &there);
    assert_in_range(there, 1, 2 * TCI_STREAM_BUFFER_SMALL - 1);
    expect(b->near, 0, there);
    while (tci_stream_has_bytes(b->near))
        assert_ok(tci_stream_fill(b->near, &more, NULL));
    expect(b->near, there, 2 * TCI_STREAM_BUFFER_SMALL - there);
    assert_status(tci_stream_fill(b->near, &more, NULL), TC_E_AGAIN);
}

/* A body of known size is waited for in large pieces; an end is always reported. */
KEYS_TEST(few_bytes_are_not_reported_where_many_are_awaited)
{
    keys_bench *b = *state;
    struct pollfd awaited = {.events = POLLIN};
    connect_wide(b, false);
    awaited.fd = tci_stream_fd(b->near);
    tci_stream_set_least(b->near, 4000);
    send_one(b->far, 0, 100);
    wait_for_bytes(b->near, 100);
    assert_int_equal(poll(&awaited, 1, 0), 0);
    tci_stream_set_least(b->near, 1);
    assert_int_equal(poll(&awaited, 1, 0), 1);
    tci_stream_set_least(b->near, 4000);
    assert_int_equal(poll(&awaited, 1, 0), 0);
    assert_int_equal(shutdown(tci_stream_fd(b->far), SHUT_WR), 0);
    assert_int_equal(poll(&awaited, 1, 60000), 1);
}

static size_t send_some(tci_stream *stream, size_t sent)
{
    while (sent < MUCH_BYTES && tci_stream_room(stream) > 0) {
        size_t room = tci_stream_room(stream);
        size_t piece = 1 + sent % 253;
        uint8_t bytes[256];
        piece = piece < room ? piece : room;
        piece = piece < MUCH_BYTES - sent ? piece : MUCH_BYTES - sent;
        for (size_t i = 0; i < piece; i++)
            bytes[i] = byte_at(sent + i);
        tci_stream_add(stream, bytes, piece);
        sent += piece;
    }
    tc_status status = tci_stream_flush(stream, NULL);
    assert_true(status == TC_OK || status == TC_E_AGAIN);
    return sent;
}

static size_t take_some(tci_stream *stream, size_t got)
{
    size_t size;
    bool more;
    tc_status status = tci_stream_fill(stream, &more, NULL);
    assert_true(status == TC_OK || status == TC_E_AGAIN);
    (void)tci_stream_look(stream, &size);
    expect(stream, got, size);
    return got + size;
}

/* In both directions; the man in the middle passes on any part of a record. */
KEYS_TEST(much_arrives_as_it_was_sent)
{
    keys_bench *b = *state;
    size_t sent[2] = {0}, got[2] = {0};
    connect_wide(b, true);
    while (got[0] < MUCH_BYTES || got[1] < MUCH_BYTES) {
        sent[0] = send_some(b->far, sent[0]);
        sent[1] = send_some(b->near, sent[1]);
        keys_bench_turn(b);
        got[0] = take_some(b->near, got[0]);
        got[1] = take_some(b->far, got[1]);
    }
}

KEYS_TEST(a_changed_byte_is_found)
{
    keys_bench *b = *state;
    tc_error error = {0};
    bool more;
    connect_wide(b, true);
    b->tap->flip = true;
    send_one(b->far, 0, 100);
    assert_status(fill(b, b->near, &more, &error), TC_E_CORRUPT);
    assert_text_has(error.text, "a record was changed on its way");
    assert_status(fill(b, b->near, &more, &error), TC_E_CORRUPT);
}

KEYS_TEST(a_cut_line_is_told_from_an_end)
{
    keys_bench *b = *state;
    tc_error error = {0};
    bool more;
    connect_wide(b, true);
    send_one(b->far, 0, 100);
    assert_ok(fill(b, b->near, &more, &error));
    expect(b->near, 0, 100);
    (void)shutdown(b->tap->near, SHUT_WR);
    assert_status(fill(b, b->near, &more, &error), TC_E_PEER_LOST);
    assert_text_has(error.text, "without ending it in order");
}

KEYS_TEST(an_end_in_order_is_one)
{
    keys_bench *b = *state;
    tc_error error = {0};
    bool more;
    connect_wide(b, true);
    send_one(b->far, 0, 100);
    tci_stream_close(b->far);
    b->far = NULL;
    assert_ok(fill(b, b->near, &more, &error));
    expect(b->near, 0, 100);
    assert_status(fill(b, b->near, &more, &error), TC_E_PEER_LOST);
    assert_null(strstr(error.text, "without"));
}
