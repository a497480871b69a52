/* The stream over loopback: whole messages out of whatever the bytes do on the way, and every
 * way to fail named. */
#include "../support/test.h"
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

static void messages_go_both_ways(void **state)
{
    stream_bench *b = *state;
    stream_arrival got;
    stream_bench_connect(b);
    assert_int_equal(stream_try_receive(b->near, &got), TC_E_AGAIN);
    assert_int_equal(tci_stream_send(b->far, b->message, b->size, NULL), TC_OK);
    stream_bench_expect(b, b->near);
    assert_int_equal(tci_stream_send(b->near, b->message, b->size, NULL), TC_OK);
    stream_bench_expect(b, b->far);
    assert_int_equal(tci_stream_flush(b->far, NULL), TC_OK);
    assert_int_equal(stream_try_receive(b->far, &got), TC_E_AGAIN);
    assert_string_equal(tci_stream_peer(b->far), b->address);
}

static void bytes_sent_while_connecting_arrive(void **state)
{
    stream_bench *b = *state;
    stream_arrival got;
    assert_int_equal(tci_stream_connect_start(b->address, NULL, &b->far, NULL), TC_OK);
    assert_int_equal(tci_stream_send(b->far, b->message, b->size, NULL), TC_OK);
    assert_int_equal(stream_try_receive(b->far, &got), TC_E_AGAIN);
    stream_bench_accept(b);
    assert_int_equal(stream_finish_connect(b->far, NULL), TC_OK);
    assert_int_equal(tci_stream_flush(b->far, NULL), TC_OK);
    stream_bench_expect(b, b->near);
}

static void fragments_make_one_message(void **state)
{
    stream_bench *b = *state;
    stream_arrival got;
    connect_raw(b);
    for (size_t i = 0; i < b->size; i++) {
        assert_int_equal(stream_try_receive(b->near, &got), TC_E_AGAIN);
        send_raw(b, b->message + i, 1);
        if (i + 1 < b->size) {
            stream_wait_for(tci_stream_fd(b->near), POLLIN);
            assert_int_equal(stream_try_receive(b->near, &got), TC_E_AGAIN);
        }
    }
    stream_bench_expect(b, b->near);
}

static void one_segment_may_hold_several_messages(void **state)
{
    stream_bench *b = *state;
    uint8_t bytes[1024];
    size_t bye_size;
    stream_arrival got;
    connect_raw(b);
    memcpy(bytes, b->message, b->size);
    memcpy(bytes + b->size, b->message, b->size);
    assert_int_equal(tci_hello_bye_encode(bytes + 2 * b->size, 100, &bye_size), TC_OK);
    send_raw(b, bytes, 2 * b->size + bye_size);
    end_raw(b);
    stream_bench_expect(b, b->near);
    stream_bench_expect(b, b->near);
    assert_int_equal(stream_receive(b->near, &got), TC_OK);
    assert_int_equal(got.kind, TCI_HELLO_BYE);
    assert_int_equal(tci_hello_bye_decode(got.bytes, got.size, NULL), TC_OK);
    assert_fails(b->near, TC_E_PEER_LOST, "closed the connection");
}

static void largest_messages_pass(void **state)
{
    stream_bench *b = *state;
    stream_bench_connect(b);
    memset(b->message, 0x5a, sizeof b->message);
    static const uint8_t preamble[] = {'T', 'C',  'H', 'I', TC_PROTOCOL_VERSION, 0, 1, 0,
                                       0,   0x20, 0,   0};
    memcpy(b->message, preamble, sizeof preamble);
    assert_int_equal(tci_stream_send(b->far, b->message, sizeof b->message, NULL), TC_OK);
    stream_arrival got;
    assert_int_equal(stream_receive(b->near, &got), TC_OK);
    assert_int_equal(got.size, sizeof b->message);
    assert_memory_equal(got.bytes, b->message, sizeof b->message);
}

static void an_end_within_a_message_is_said(void **state)
{
    stream_bench *b = *state;
    connect_raw(b);
    send_raw(b, b->message, b->size - 1);
    end_raw(b);
    assert_fails(b->near, TC_E_PEER_LOST, "within a message");
}

static void a_reset_is_a_lost_peer(void **state)
{
    stream_bench *b = *state;
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    connect_raw(b);
    assert_int_equal(setsockopt(b->raw, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    end_raw(b);
    assert_fails(b->near, TC_E_PEER_LOST, "127.0.0.1:");
}

static void garbage_is_corrupt(void **state)
{
    stream_bench *b = *state;
    connect_raw(b);
    send_raw(b, "GET / HTTP/1.1\r\nHost: here\r\n\r\n", 30);
    assert_fails(b->near, TC_E_CORRUPT, "not a Three-Chains peer");
}

static void another_protocol_is_a_version_error(void **state)
{
    stream_bench *b = *state;
    connect_raw(b);
    b->message[4] = 77;
    send_raw(b, b->message, b->size);
    assert_fails(b->near, TC_E_VERSION, "77");
}

/* The claim alone is enough: no byte of such a body is waited for. */
static void oversized_claims_are_refused(void **state)
{
    stream_bench *b = *state;
    static const uint8_t claim[16] = {'T', 'C', 'H', 'I',  TC_PROTOCOL_VERSION,
                                      0,   1,   0,   0x01, 0x20};
    connect_raw(b);
    send_raw(b, claim, sizeof claim);
    assert_fails(b->near, TC_E_CORRUPT, "8193");
}

static void a_full_queue_says_again_and_loses_nothing(void **state)
{
    stream_bench *b = *state;
    size_t sent = 0;
    stream_bench_connect(b);
    while (tci_stream_send(b->far, b->message, b->size, NULL) == TC_OK) {
        sent++;
        assert_true(sent < (1u << 24));
    }
    tc_error err;
    assert_int_equal(tci_stream_send(b->far, b->message, b->size, &err), TC_E_AGAIN);
    assert_int_equal(tci_stream_flush(b->far, NULL), TC_E_AGAIN);
    for (size_t i = 0; i < sent; i++) {
        stream_bench_expect(b, b->near);
        tc_status status = tci_stream_flush(b->far, NULL);
        assert_true(status == TC_OK || status == TC_E_AGAIN);
    }
    stream_arrival got;
    assert_int_equal(tci_stream_flush(b->far, NULL), TC_OK);
    assert_int_equal(stream_try_receive(b->near, &got), TC_E_AGAIN);
}

static void a_message_above_the_queue_is_too_large(void **state)
{
    stream_bench *b = *state;
    static uint8_t bytes[TCI_STREAM_SEND_MAX + 1];
    tc_error err;
    stream_bench_connect(b);
    assert_int_equal(tci_stream_send(b->far, bytes, sizeof bytes, &err), TC_E_TOO_LARGE);
}

static void sending_to_the_dead_fails_without_a_signal(void **state)
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
    assert_int_equal(status, TC_E_PEER_LOST);
    assert_int_equal(tci_stream_flush(b->near, &err), TC_E_PEER_LOST);
    /* What it had said before is still there. */
    stream_bench_expect(b, b->near);
}

static void a_refusal_survives_closing_with_unread_bytes(void **state)
{
    stream_bench *b = *state;
    stream_bench_connect(b);
    assert_int_equal(tci_stream_send(b->far, b->message, b->size, NULL), TC_OK);
    stream_wait_for(tci_stream_fd(b->near), POLLIN);
    assert_int_equal(tci_stream_send(b->near, b->message, b->size, NULL), TC_OK);
    tci_stream_close(b->near);
    b->near = NULL;
    stream_bench_expect(b, b->far);
    assert_fails(b->far, TC_E_PEER_LOST, b->address);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        STREAM_TEST(messages_go_both_ways),
        STREAM_TEST(bytes_sent_while_connecting_arrive),
        STREAM_TEST(fragments_make_one_message),
        STREAM_TEST(one_segment_may_hold_several_messages),
        STREAM_TEST(largest_messages_pass),
        STREAM_TEST(an_end_within_a_message_is_said),
        STREAM_TEST(a_reset_is_a_lost_peer),
        STREAM_TEST(garbage_is_corrupt),
        STREAM_TEST(another_protocol_is_a_version_error),
        STREAM_TEST(oversized_claims_are_refused),
        STREAM_TEST(a_full_queue_says_again_and_loses_nothing),
        STREAM_TEST(a_message_above_the_queue_is_too_large),
        STREAM_TEST(sending_to_the_dead_fails_without_a_signal),
        STREAM_TEST(a_refusal_survives_closing_with_unread_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
