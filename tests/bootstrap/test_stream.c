/* The stream over loopback: whole messages out of whatever the bytes do on the way, and every
 * way to fail named. */
#include "../support/test.h"
#include "bootstrap/stream_bytes.h"
#include "stream_bench.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

static void connect_raw(stream_bench *b)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(tci_stream_listener_port(b->listener)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    b->raw = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(b->raw, (struct sockaddr *)&to, sizeof to), 0);
    stream_bench_accept(b);
}

static void send_raw(stream_bench *b, const void *bytes, size_t size)
{
    assert_int_equal(send(b->raw, bytes, size, MSG_NOSIGNAL), size);
}

static void end_raw(stream_bench *b)
{
    (void)close(b->raw);
    b->raw = -1;
}

static void assert_fails(tci_stream *stream, tc_status status, const char *text)
{
    stream_arrival got;
    for (int again = 0; again < 2; again++) { /* final errors come again */
        assert_int_equal(stream_receive(stream, &got), status);
        assert_int_equal(got.err.status, status);
        if (strstr(got.err.text, text) == NULL)
            fail_msg("\"%s\" lacks \"%s\"", got.err.text, text);
    }
}

STREAM_TEST(messages_go_both_ways)
{
    stream_bench *b = *state;
    stream_arrival got;
    stream_bench_connect(b);
    assert_status(stream_try_receive(b->near, &got), TC_E_AGAIN);
    assert_ok(tci_stream_send(b->far, b->message, b->size, NULL));
    stream_bench_expect(b, b->near);
    assert_ok(tci_stream_send(b->near, b->message, b->size, NULL));
    stream_bench_expect(b, b->far);
    assert_ok(tci_stream_flush(b->far, NULL));
    assert_status(stream_try_receive(b->far, &got), TC_E_AGAIN);
    assert_string_equal(tci_stream_peer(b->far), b->address);
}

static void pass_bytes(tci_stream *from, tci_stream *to, size_t size)
{
    uint8_t bytes[4096] = {0};
    size_t there;
    bool more;
    tci_stream_add(from, bytes, size);
    assert_ok(tci_stream_flush(from, NULL));
    for (size_t got = 0; got < size; got += there) {
        stream_wait_for(tci_stream_fd(to), POLLIN);
        assert_ok(tci_stream_fill(to, &more, NULL));
        (void)tci_stream_look(to, &there);
        tci_stream_skip(to, there);
    }
}

/* Wide streams of one owner: those that are idle have no buffers, and a sleeper has small
 * ones. */
STREAM_TEST(wide_streams_share_their_empty_buffers)
{
    stream_bench *b = *state;
    tci_stream_spares *spares = NULL;
    stream_bench_connect(b);
    assert_ok(tci_stream_send(b->far, b->message, b->size, NULL));
    stream_bench_expect(b, b->near);
    assert_ok(tci_stream_widen(b->near, &spares, NULL));
    assert_ok(tci_stream_widen(b->far, &spares, NULL));
    assert_int_equal(spares->users, 2);
    pass_bytes(b->near, b->far, 3000);
    const uint8_t *in = spares->in.bytes, *out = spares->out.bytes;
    assert_true(in != NULL && out != NULL);
    pass_bytes(b->far, b->near, 100);
    assert_ptr_equal(spares->in.bytes, in);
    assert_ptr_equal(spares->out.bytes, out);
    assert_int_equal(spares->out.capacity, 4096);
    for (unsigned i = 0; i < 8; i++)
        spares->rest(spares);
    assert_null(spares->out.bytes);
    pass_bytes(b->near, b->far, 100);
    assert_int_equal(spares->out.capacity, TCI_STREAM_BUFFER_SMALL);
    spares->rest(spares);
    assert_non_null(spares->out.bytes);
    tci_stream_close(b->near);
    assert_int_equal(spares->users, 1);
    tci_stream_close(b->far);
    assert_null(spares);
    b->near = b->far = NULL;
}

STREAM_TEST(bytes_sent_while_connecting_arrive)
{
    stream_bench *b = *state;
    stream_arrival got;
    assert_ok(tci_stream_connect_start(b->address, NULL, &b->far, NULL));
    assert_ok(tci_stream_send(b->far, b->message, b->size, NULL));
    assert_status(stream_try_receive(b->far, &got), TC_E_AGAIN);
    stream_bench_accept(b);
    assert_ok(stream_finish_connect(b->far, NULL));
    assert_ok(tci_stream_flush(b->far, NULL));
    stream_bench_expect(b, b->near);
}

/* Connects and sends a message, which no process accepts. */
static tci_stream *knock(const char *address, const stream_bench *b)
{
    tci_stream *stream;
    assert_ok(tci_stream_connect_start(address, NULL, &stream, NULL));
    assert_ok(tci_stream_send(stream, b->message, b->size, NULL));
    for (int i = 0; i < 20; i++) {
        (void)(tci_stream_connect_finish(stream, NULL) == TC_OK);
        (void)(tci_stream_flush(stream, NULL) == TC_OK);
        (void)usleep(1000);
    }
    return stream;
}

/* The kernel lets two in where one may wait. Others it drops, also after they are connected. */
STREAM_TEST(a_host_whose_queue_is_full_has_not_answered)
{
    stream_bench *b = *state;
    tci_stream *streams[5];
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof own;
    char address[64];
    b->raw = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(b->raw, (struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(listen(b->raw, 1), 0);
    assert_int_equal(getsockname(b->raw, (struct sockaddr *)&own, &size), 0);
    (void)snprintf(address, sizeof address, "127.0.0.1:%u", ntohs(own.sin_port));
    for (size_t i = 0; i < 5; i++) {
        streams[i] = knock(address, b);
        assert_int_equal(tci_stream_is_unanswered(streams[i]), i >= 2);
    }
    for (size_t i = 0; i < 5; i++)
        tci_stream_close(streams[i]);
    b->far = knock(b->address, b);
    assert_false(tci_stream_is_unanswered(b->far)); /* its process is only slow */
    stream_bench_accept(b);
    stream_bench_expect(b, b->near);
}

STREAM_TEST(fragments_make_one_message)
{
    stream_bench *b = *state;
    stream_arrival got;
    connect_raw(b);
    for (size_t i = 0; i < b->size; i++) {
        assert_status(stream_try_receive(b->near, &got), TC_E_AGAIN);
        send_raw(b, b->message + i, 1);
        if (i + 1 < b->size) {
            stream_wait_for(tci_stream_fd(b->near), POLLIN);
            assert_status(stream_try_receive(b->near, &got), TC_E_AGAIN);
        }
    }
    stream_bench_expect(b, b->near);
}

STREAM_TEST(one_segment_may_hold_several_messages)
{
    stream_bench *b = *state;
    uint8_t bytes[1024];
    size_t bye_size;
    stream_arrival got;
    connect_raw(b);
    memcpy(bytes, b->message, b->size);
    memcpy(bytes + b->size, b->message, b->size);
    assert_ok(tci_hello_bye_encode(bytes + 2 * b->size, 100, &bye_size));
    send_raw(b, bytes, 2 * b->size + bye_size);
    end_raw(b);
    stream_bench_expect(b, b->near);
    stream_bench_expect(b, b->near);
    assert_ok(stream_receive(b->near, &got));
    assert_int_equal(got.kind, TCI_HELLO_BYE);
    assert_ok(tci_hello_bye_decode(got.bytes, got.size, NULL));
    assert_fails(b->near, TC_E_PEER_LOST, "closed the connection");
}

STREAM_TEST(largest_messages_pass)
{
    stream_bench *b = *state;
    stream_bench_connect(b);
    memset(b->message, 0x5a, sizeof b->message);
    static const uint8_t preamble[] = {'T', 'C',  'H', 'I', TC_PROTOCOL_VERSION, 0, 1, 0,
                                       0,   0x20, 0,   0};
    memcpy(b->message, preamble, sizeof preamble);
    assert_ok(tci_stream_send(b->far, b->message, sizeof b->message, NULL));
    stream_arrival got;
    assert_ok(stream_receive(b->near, &got));
    assert_int_equal(got.size, sizeof b->message);
    assert_memory_equal(got.bytes, b->message, sizeof b->message);
}

STREAM_TEST(an_end_within_a_message_is_said)
{
    stream_bench *b = *state;
    connect_raw(b);
    send_raw(b, b->message, b->size - 1);
    end_raw(b);
    assert_fails(b->near, TC_E_PEER_LOST, "within a message");
}

STREAM_TEST(a_reset_is_a_lost_peer)
{
    stream_bench *b = *state;
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    connect_raw(b);
    assert_int_equal(setsockopt(b->raw, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    end_raw(b);
    assert_fails(b->near, TC_E_PEER_LOST, "127.0.0.1:");
}

STREAM_TEST(garbage_is_corrupt)
{
    stream_bench *b = *state;
    connect_raw(b);
    send_raw(b, "GET / HTTP/1.1\r\nHost: here\r\n\r\n", 30);
    assert_fails(b->near, TC_E_CORRUPT, "not a Three-Chains peer");
}

STREAM_TEST(another_protocol_is_a_version_error)
{
    stream_bench *b = *state;
    connect_raw(b);
    b->message[4] = 77;
    send_raw(b, b->message, b->size);
    assert_fails(b->near, TC_E_VERSION, "77");
}

/* The claim alone is enough: no byte of such a body is waited for. */
STREAM_TEST(oversized_claims_are_refused)
{
    stream_bench *b = *state;
    static const uint8_t claim[16] = {'T', 'C', 'H', 'I',  TC_PROTOCOL_VERSION,
                                      0,   1,   0,   0x01, 0x20};
    connect_raw(b);
    send_raw(b, claim, sizeof claim);
    assert_fails(b->near, TC_E_CORRUPT, "8193");
}

STREAM_TEST(a_full_queue_says_again_and_loses_nothing)
{
    stream_bench *b = *state;
    size_t sent = 0;
    stream_bench_connect(b);
    while (tci_stream_send(b->far, b->message, b->size, NULL) == TC_OK) {
        sent++;
        assert_true(sent < (1u << 24));
    }
    tc_error err;
    assert_status(tci_stream_send(b->far, b->message, b->size, &err), TC_E_AGAIN);
    assert_status(tci_stream_flush(b->far, NULL), TC_E_AGAIN);
    for (size_t i = 0; i < sent; i++) {
        stream_bench_expect(b, b->near);
        tc_status status = tci_stream_flush(b->far, NULL);
        assert_true(status == TC_OK || status == TC_E_AGAIN);
    }
    stream_arrival got;
    assert_ok(tci_stream_flush(b->far, NULL));
    assert_status(stream_try_receive(b->near, &got), TC_E_AGAIN);
}

STREAM_TEST(a_message_above_the_queue_is_too_large)
{
    stream_bench *b = *state;
    static uint8_t bytes[TCI_STREAM_SEND_MAX + 1];
    tc_error err;
    stream_bench_connect(b);
    assert_status(tci_stream_send(b->far, bytes, sizeof bytes, &err), TC_E_TOO_LARGE);
}

STREAM_TEST(sending_to_the_dead_fails_without_a_signal)
{
    stream_bench *b = *state;
    tc_error err;
    tc_status status;
    uint64_t deadline = tci_deadline_after(STREAM_PATIENCE_NS);
    connect_raw(b);
    send_raw(b, b->message, b->size);
    end_raw(b);
    while ((status = tci_stream_send(b->near, b->message, b->size, &err)) == TC_OK) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        (void)poll(NULL, 0, 1);
    }
    assert_status(status, TC_E_PEER_LOST);
    assert_status(tci_stream_flush(b->near, &err), TC_E_PEER_LOST);
    /* Its earlier messages are still there. */
    stream_bench_expect(b, b->near);
}

STREAM_TEST(a_refusal_survives_closing_with_unread_bytes)
{
    stream_bench *b = *state;
    stream_bench_connect(b);
    assert_ok(tci_stream_send(b->far, b->message, b->size, NULL));
    stream_wait_for(tci_stream_fd(b->near), POLLIN);
    assert_ok(tci_stream_send(b->near, b->message, b->size, NULL));
    tci_stream_close(b->near);
    b->near = NULL;
    stream_bench_expect(b, b->far);
    assert_fails(b->far, TC_E_PEER_LOST, b->address);
}
