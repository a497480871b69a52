/* The stream over loopback: whole messages out of whatever the bytes do on the way, and every
 * way to fail named. */
#include "../support/test.h"
#include "base/clock.h"
#include "bootstrap/stream.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <tc/log.h>
#include <unistd.h>

#define PATIENCE_NS (20 * TCI_NS_PER_S) /* ends a test that hangs; never judges speed */

/* A listener, and what the test made of it. Streams are closed by the teardown. */
typedef struct bench {
    tci_stream_listener *listener;
    char address[64];
    tci_stream *near; /* accepted */
    tci_stream *far;  /* connected by tci_stream_connect_start */
    int raw;          /* or by a plain socket, to send what no stream would */
    uint8_t message[TCI_HELLO_MESSAGE_MAX];
    size_t size;
} bench;

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    if (b == NULL || tci_stream_listen("127.0.0.1:0", false, &b->listener, NULL) != TC_OK)
        return -1;
    (void)snprintf(b->address, sizeof b->address, "127.0.0.1:%u",
                   tci_stream_listener_port(b->listener));
    b->raw = -1;
    tc_status status = tci_hello_refuse_encode(TC_E_REFUSED, "a message of some length",
                                               b->message, sizeof b->message, &b->size);
    *state = b;
    return status == TC_OK ? 0 : -1;
}

static int teardown(void **state)
{
    bench *b = *state;
    tci_stream_close(b->near);
    tci_stream_close(b->far);
    tci_stream_listener_close(b->listener);
    if (b->raw >= 0)
        (void)close(b->raw);
    free(b);
    return 0;
}

static void wait_for(int fd, short events)
{
    struct pollfd ready = {.fd = fd, .events = events};
    (void)poll(&ready, 1, 100);
}

static void accept_near(bench *b)
{
    uint64_t deadline = tci_deadline_after(PATIENCE_NS);
    tc_status status;
    while ((status = tci_stream_accept(b->listener, &b->near, NULL)) == TC_E_AGAIN) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        wait_for(tci_stream_listener_fd(b->listener), POLLIN);
    }
    assert_int_equal(status, TC_OK);
}

static tc_status finish_connect(tci_stream *stream, tc_error *err)
{
    uint64_t deadline = tci_deadline_after(PATIENCE_NS);
    tc_status status;
    while ((status = tci_stream_connect_finish(stream, err)) == TC_E_AGAIN) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        wait_for(tci_stream_fd(stream), POLLOUT);
    }
    return status;
}

static void connect_streams(bench *b)
{
    assert_int_equal(tci_stream_connect_start(b->address, &b->far, NULL), TC_OK);
    accept_near(b);
    assert_int_equal(finish_connect(b->far, NULL), TC_OK);
}

static void connect_raw(bench *b)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(tci_stream_listener_port(b->listener)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    b->raw = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(b->raw, (struct sockaddr *)&to, sizeof to), 0);
    accept_near(b);
}

static void send_raw(bench *b, const void *bytes, size_t size)
{
    assert_int_equal(send(b->raw, bytes, size, MSG_NOSIGNAL), size);
}

static void end_raw(bench *b)
{
    (void)close(b->raw);
    b->raw = -1;
}

typedef struct arrival {
    tci_hello_kind kind;
    const void *bytes;
    size_t size;
    tc_error err;
} arrival;

static tc_status try_receive(tci_stream *stream, arrival *got)
{
    memset(got, 0, sizeof *got);
    return tci_stream_receive(stream, &got->kind, &got->bytes, &got->size, &got->err);
}

static tc_status receive(tci_stream *stream, arrival *got)
{
    uint64_t deadline = tci_deadline_after(PATIENCE_NS);
    tc_status status;
    while ((status = try_receive(stream, got)) == TC_E_AGAIN) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        wait_for(tci_stream_fd(stream), POLLIN);
    }
    return status;
}

static void assert_message_comes(bench *b, tci_stream *stream)
{
    arrival got;
    assert_int_equal(receive(stream, &got), TC_OK);
    assert_int_equal(got.kind, TCI_HELLO_REFUSE);
    assert_int_equal(got.size, b->size);
    assert_memory_equal(got.bytes, b->message, b->size);
}

static void assert_fails(tci_stream *stream, tc_status status, const char *text)
{
    arrival got;
    for (int again = 0; again < 2; again++) { /* final errors come again */
        assert_int_equal(receive(stream, &got), status);
        assert_int_equal(got.err.status, status);
        if (strstr(got.err.text, text) == NULL)
            fail_msg("\"%s\" lacks \"%s\"", got.err.text, text);
    }
}

static void messages_go_both_ways(void **state)
{
    bench *b = *state;
    arrival got;
    connect_streams(b);
    assert_int_equal(try_receive(b->near, &got), TC_E_AGAIN);
    assert_int_equal(tci_stream_send(b->far, b->message, b->size, NULL), TC_OK);
    assert_message_comes(b, b->near);
    assert_int_equal(tci_stream_send(b->near, b->message, b->size, NULL), TC_OK);
    assert_message_comes(b, b->far);
    assert_int_equal(tci_stream_flush(b->far, NULL), TC_OK);
    assert_int_equal(try_receive(b->far, &got), TC_E_AGAIN);
    assert_string_equal(tci_stream_peer(b->far), b->address);
}

static void bytes_sent_while_connecting_arrive(void **state)
{
    bench *b = *state;
    arrival got;
    assert_int_equal(tci_stream_connect_start(b->address, &b->far, NULL), TC_OK);
    assert_int_equal(tci_stream_send(b->far, b->message, b->size, NULL), TC_OK);
    assert_int_equal(try_receive(b->far, &got), TC_E_AGAIN);
    accept_near(b);
    assert_int_equal(finish_connect(b->far, NULL), TC_OK);
    assert_int_equal(tci_stream_flush(b->far, NULL), TC_OK);
    assert_message_comes(b, b->near);
}

static void fragments_make_one_message(void **state)
{
    bench *b = *state;
    arrival got;
    connect_raw(b);
    for (size_t i = 0; i < b->size; i++) {
        assert_int_equal(try_receive(b->near, &got), TC_E_AGAIN);
        send_raw(b, b->message + i, 1);
        if (i + 1 < b->size) {
            wait_for(tci_stream_fd(b->near), POLLIN);
            assert_int_equal(try_receive(b->near, &got), TC_E_AGAIN);
        }
    }
    assert_message_comes(b, b->near);
}

static void one_segment_may_hold_several_messages(void **state)
{
    bench *b = *state;
    uint8_t bytes[1024];
    size_t bye_size;
    arrival got;
    connect_raw(b);
    memcpy(bytes, b->message, b->size);
    memcpy(bytes + b->size, b->message, b->size);
    assert_int_equal(tci_hello_bye_encode(bytes + 2 * b->size, 100, &bye_size), TC_OK);
    send_raw(b, bytes, 2 * b->size + bye_size);
    end_raw(b);
    assert_message_comes(b, b->near);
    assert_message_comes(b, b->near);
    assert_int_equal(receive(b->near, &got), TC_OK);
    assert_int_equal(got.kind, TCI_HELLO_BYE);
    assert_int_equal(tci_hello_bye_decode(got.bytes, got.size, NULL), TC_OK);
    assert_fails(b->near, TC_E_PEER_LOST, "closed the connection");
}

static void largest_messages_pass(void **state)
{
    bench *b = *state;
    connect_streams(b);
    memset(b->message, 0x5a, sizeof b->message);
    static const uint8_t preamble[] = {'T', 'C',  'H', 'I', TC_PROTOCOL_VERSION, 0, 1, 0,
                                       0,   0x20, 0,   0};
    memcpy(b->message, preamble, sizeof preamble);
    assert_int_equal(tci_stream_send(b->far, b->message, sizeof b->message, NULL), TC_OK);
    arrival got;
    assert_int_equal(receive(b->near, &got), TC_OK);
    assert_int_equal(got.size, sizeof b->message);
    assert_memory_equal(got.bytes, b->message, sizeof b->message);
}

static void an_end_within_a_message_is_said(void **state)
{
    bench *b = *state;
    connect_raw(b);
    send_raw(b, b->message, b->size - 1);
    end_raw(b);
    assert_fails(b->near, TC_E_PEER_LOST, "within a message");
}

static void a_reset_is_a_lost_peer(void **state)
{
    bench *b = *state;
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    connect_raw(b);
    assert_int_equal(setsockopt(b->raw, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    end_raw(b);
    assert_fails(b->near, TC_E_PEER_LOST, "127.0.0.1:");
}

static void garbage_is_corrupt(void **state)
{
    bench *b = *state;
    connect_raw(b);
    send_raw(b, "GET / HTTP/1.1\r\nHost: here\r\n\r\n", 30);
    assert_fails(b->near, TC_E_CORRUPT, "not a Three-Chains peer");
}

static void another_protocol_is_a_version_error(void **state)
{
    bench *b = *state;
    connect_raw(b);
    b->message[4] = 77;
    send_raw(b, b->message, b->size);
    assert_fails(b->near, TC_E_VERSION, "77");
}

/* The claim alone is enough: no byte of such a body is waited for. */
static void oversized_claims_are_refused(void **state)
{
    bench *b = *state;
    static const uint8_t claim[16] = {'T', 'C', 'H', 'I',  TC_PROTOCOL_VERSION,
                                      0,   1,   0,   0x01, 0x20};
    connect_raw(b);
    send_raw(b, claim, sizeof claim);
    assert_fails(b->near, TC_E_CORRUPT, "8193");
}

static void a_full_queue_says_again_and_loses_nothing(void **state)
{
    bench *b = *state;
    size_t sent = 0;
    connect_streams(b);
    while (tci_stream_send(b->far, b->message, b->size, NULL) == TC_OK) {
        sent++;
        assert_true(sent < (1u << 24));
    }
    tc_error err;
    assert_int_equal(tci_stream_send(b->far, b->message, b->size, &err), TC_E_AGAIN);
    assert_int_equal(tci_stream_flush(b->far, NULL), TC_E_AGAIN);
    for (size_t i = 0; i < sent; i++) {
        assert_message_comes(b, b->near);
        tc_status status = tci_stream_flush(b->far, NULL);
        assert_true(status == TC_OK || status == TC_E_AGAIN);
    }
    arrival got;
    assert_int_equal(tci_stream_flush(b->far, NULL), TC_OK);
    assert_int_equal(try_receive(b->near, &got), TC_E_AGAIN);
}

static void a_message_above_the_queue_is_too_large(void **state)
{
    bench *b = *state;
    static uint8_t bytes[TCI_STREAM_SEND_MAX + 1];
    tc_error err;
    connect_streams(b);
    assert_int_equal(tci_stream_send(b->far, bytes, sizeof bytes, &err), TC_E_TOO_LARGE);
}

static void sending_to_the_dead_fails_without_a_signal(void **state)
{
    bench *b = *state;
    tc_error err;
    tc_status status;
    uint64_t deadline = tci_deadline_after(PATIENCE_NS);
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
    assert_message_comes(b, b->near);
}

static void a_refusal_survives_closing_with_unread_bytes(void **state)
{
    bench *b = *state;
    connect_streams(b);
    assert_int_equal(tci_stream_send(b->far, b->message, b->size, NULL), TC_OK);
    wait_for(tci_stream_fd(b->near), POLLIN);
    assert_int_equal(tci_stream_send(b->near, b->message, b->size, NULL), TC_OK);
    tci_stream_close(b->near);
    b->near = NULL;
    assert_message_comes(b, b->far);
    assert_fails(b->far, TC_E_PEER_LOST, b->address);
}

static void accept_does_not_wait(void **state)
{
    bench *b = *state;
    tci_stream *stream = NULL;
    assert_int_equal(tci_stream_accept(b->listener, &stream, NULL), TC_E_AGAIN);
    assert_null(stream);
}

static void a_taken_port_is_in_use(void **state)
{
    bench *b = *state;
    tci_stream_listener *second = NULL;
    tc_error err = {0};
    assert_int_equal(tci_stream_listen(b->address, false, &second, &err), TC_E_IN_USE);
    assert_non_null(strstr(err.text, b->address));
    assert_null(second);
}

static void a_closed_port_is_free_again(void **state)
{
    bench *b = *state;
    connect_streams(b);
    tci_stream_listener_close(b->listener);
    b->listener = NULL;
    /* Accepted streams stay, and do not keep the port from being bound. */
    assert_int_equal(tci_stream_listen(b->address, false, &b->listener, NULL), TC_OK);
    assert_int_equal(tci_stream_send(b->far, b->message, b->size, NULL), TC_OK);
    assert_message_comes(b, b->near);
}

static void nobody_listening_is_unreachable(void **state)
{
    bench *b = *state;
    tc_error err = {0};
    tci_stream_listener_close(b->listener);
    b->listener = NULL;
    tc_status status = tci_stream_connect_start(b->address, &b->far, &err);
    if (status == TC_OK)
        status = finish_connect(b->far, &err);
    assert_int_equal(status, TC_E_UNREACHABLE);
    assert_non_null(strstr(err.text, b->address));
}

static void every_address_of_a_name_is_tried(void **state)
{
    bench *b = *state;
    char by_name[64];
    tc_error err = {0};
    (void)snprintf(by_name, sizeof by_name, "localhost:%u",
                   tci_stream_listener_port(b->listener));
    /* Often ::1 comes first, where nobody listens. */
    tc_status status = tci_stream_connect_start(by_name, &b->far, &err);
    if (status != TC_OK && strstr(err.text, "host 'localhost'") != NULL)
        skip(); /* a machine without that name */
    assert_int_equal(status, TC_OK);
    assert_int_equal(finish_connect(b->far, NULL), TC_OK);
    accept_near(b);
    assert_string_equal(tci_stream_peer(b->far), b->address);
}

static void connecting_needs_a_real_address(void **state)
{
    bench *b = *state;
    tc_error err = {0};
    assert_int_equal(tci_stream_connect_start("127.0.0.1:0", &b->far, &err), TC_E_INVALID);
    assert_int_equal(tci_stream_connect_start("127.0.0.1", &b->far, &err), TC_E_INVALID);
    assert_null(b->far);
}

static void count_warnings(void *user, tc_log_level level, const char *line)
{
    if (level == TC_LOG_WARN && strstr(line, "can run code") != NULL)
        ++*(int *)user;
}

static void listening_outside_needs_a_word_and_warns(void **state)
{
    bench *b = *state;
    tci_stream_listener *open_to_all = NULL;
    tc_error err = {0};
    int warnings = 0;
    tc_log_set_sink(count_warnings, &warnings);
    assert_int_equal(tci_stream_listen("0.0.0.0:0", false, &open_to_all, &err), TC_E_INVALID);
    assert_non_null(strstr(err.text, "listen_any"));
    assert_int_equal(tci_stream_listen("[::]:0", false, &open_to_all, &err), TC_E_INVALID);
    assert_null(open_to_all);
    assert_int_equal(warnings, 0);
    assert_int_equal(tci_stream_listen("0.0.0.0:0", true, &open_to_all, &err), TC_OK);
    assert_int_equal(warnings, 1);
    assert_true(tci_stream_listener_port(open_to_all) != 0);
    tci_stream_listener_close(open_to_all);
    tci_stream_listener_close(b->listener);
    assert_int_equal(tci_stream_listen("127.0.0.1:0", true, &b->listener, &err), TC_OK);
    assert_int_equal(warnings, 1); /* nobody outside can reach that one */
    tc_log_set_sink(NULL, NULL);
}

static void listening_elsewhere_is_invalid(void **state)
{
    tci_stream_listener *listener = NULL;
    tc_error err = {0};
    /* An address for documentation: no machine has it. */
    assert_int_equal(tci_stream_listen("192.0.2.1:0", true, &listener, &err), TC_E_INVALID);
    assert_non_null(strstr(err.text, "192.0.2.1:0"));
    assert_int_equal(tci_stream_listen("300.1.2.3..:0", false, &listener, &err), TC_E_INVALID);
    assert_int_equal(tci_stream_listen("127.0.0.1", false, &listener, &err), TC_E_INVALID);
    assert_null(listener);
}

#define STREAM_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

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
        STREAM_TEST(accept_does_not_wait),
        STREAM_TEST(a_taken_port_is_in_use),
        STREAM_TEST(a_closed_port_is_free_again),
        STREAM_TEST(nobody_listening_is_unreachable),
        STREAM_TEST(every_address_of_a_name_is_tried),
        STREAM_TEST(connecting_needs_a_real_address),
        STREAM_TEST(listening_outside_needs_a_word_and_warns),
        STREAM_TEST(listening_elsewhere_is_invalid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
