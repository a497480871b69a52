/* Attacks without a key, or by a man in the middle of two sides with keys. */
#include "../support/test.h"
#include "keys_bench.h"

#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

static void load_both(keys_bench *b)
{
    certificate_make_key(b->folder, "k", "cluster", 1);
    assert_ok(keys_bench_load_key(b, &b->here, "k", NULL));
    assert_ok(keys_bench_load_key(b, &b->there, "k", NULL));
}

static void connect_tapped(keys_bench *b)
{
    load_both(b);
    keys_bench_listen(b);
    keys_bench_tap(b);
    assert_ok(keys_bench_connect(b, "127.0.0.1"));
}

static void wait_until_turned_away(keys_bench *b, unsigned count)
{
    uint64_t deadline = tci_deadline_after(KEYS_PATIENCE_NS);
    while (b->turned_away < count) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        keys_bench_turn(b);
        (void)poll(NULL, 0, 1);
    }
}

/* --- without a key ----------------------------------------------------------------------- */

/* All messages of an honest client are replayed by another one. */
KEYS_TEST(replayed_bytes_prove_nothing)
{
    keys_bench *b = *state;
    connect_tapped(b);
    keys_bench_exchange(b);
    tci_stream_close(b->near);
    b->near = NULL;
    int fd = keys_bench_raw(b);
    assert_true(send(fd, b->tap->kept, b->tap->kept_size, 0) > 0);
    wait_until_turned_away(b, 1);
    assert_null(b->near);
    (void)close(fd);
}

KEYS_TEST(reflected_bytes_prove_nothing)
{
    keys_bench *b = *state;
    load_both(b);
    keys_bench_listen(b);
    keys_bench_tap(b);
    b->tap->reflect = true;
    assert_status(keys_bench_connect(b, "127.0.0.1"), TC_E_REFUSED);
    assert_string_equal(tci_stream_identity(b->far), "");
}

/* An accepted peer has to go on, as an endpoint has: with its HELLO, in time. */
static void hang_up_on_the_silent(keys_bench *b, uint64_t *taken_ns)
{
    if (b->near == NULL)
        return;
    if (*taken_ns == 0)
        *taken_ns = tci_clock_ns();
    if (tci_clock_ns() - *taken_ns < b->here.patience_ns)
        return;
    tci_stream_close(b->near);
    b->near = NULL;
    b->turned_away++;
}

/* Waits until the listener has accepted or refused the connecting side, and that knows the
 * result. */
static tc_status try_through_tap(keys_bench *b)
{
    uint64_t deadline = tci_deadline_after(KEYS_PATIENCE_NS), taken_ns = 0;
    tc_status status = TC_E_AGAIN;
    assert_ok(tci_stream_connect_start(b->tap->address, &b->there, &b->far, NULL));
    while (status == TC_E_AGAIN || (b->near == NULL && b->turned_away == 0)) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        keys_bench_turn(b);
        hang_up_on_the_silent(b, &taken_ns);
        if (status == TC_E_AGAIN)
            status = tci_stream_connect_finish(b->far, &b->far_error);
    }
    return status;
}

/* No byte is changed. On a busy machine it may take longer than the listener's patience. */
static void connect_through_tap(keys_bench *b)
{
    tc_status status = TC_E_AGAIN;
    b->tap->deed = KEYS_NOTHING;
    for (int tries = 0; tries < 100 && status != TC_OK; tries++) {
        if (tries > 0)
            keys_bench_reset(b);
        status = try_through_tap(b);
    }
    assert_ok(status);
}

static void do_to_each_byte(keys_bench *b, keys_deed deed, bool to_far,
                            void (*judge)(keys_bench *b, tc_status far_status))
{
    connect_through_tap(b);
    size_t size = b->tap->passed[to_far];
    keys_bench_reset(b);
    assert_true(size > 100);
    b->tap->deed = deed;
    b->tap->to_far = to_far;
    for (b->tap->at = 0; b->tap->at < size; b->tap->at++) {
        judge(b, try_through_tap(b));
        keys_bench_reset(b);
    }
}

static void listen_behind_tap(keys_bench *b)
{
    load_both(b);
    b->here.patience_ns = 50 * TCI_NS_PER_MS; /* some wait for bytes that never come */
    keys_bench_listen(b);
    keys_bench_tap(b);
}

/* The listener's last message confirms the connecting side. */
static void expect_cut(keys_bench *b, tc_status far_status)
{
    assert_true(far_status == TC_E_PEER_LOST || far_status == TC_E_REFUSED);
    assert_string_equal(tci_stream_identity(b->far), "");
    if (!b->tap->to_far)
        assert_null(b->near);
}

KEYS_TEST(a_handshake_may_break_off_at_any_byte)
{
    keys_bench *b = *state;
    listen_behind_tap(b);
    do_to_each_byte(b, KEYS_CUT, false, expect_cut);
    do_to_each_byte(b, KEYS_CUT, true, expect_cut);
    connect_through_tap(b);
    keys_bench_exchange(b);
}

/* TLS protects all but the version in a record's header, which is not checked: then both sides
 * are authenticated. */
static unsigned unnoticed;

static void expect_changed(keys_bench *b, tc_status far_status)
{
    if (far_status == TC_OK && b->near != NULL) {
        assert_string_equal(tci_stream_identity(b->near), "key:cluster");
        unnoticed++;
        return;
    }
    if (!b->tap->to_far)
        assert_null(b->near);
    if (far_status != TC_OK)
        assert_string_equal(tci_stream_identity(b->far), "");
}

KEYS_TEST(a_handshake_with_a_byte_that_was_changed_proves_nothing)
{
    keys_bench *b = *state;
    listen_behind_tap(b);
    unnoticed = 0;
    do_to_each_byte(b, KEYS_FLIP, false, expect_changed);
    do_to_each_byte(b, KEYS_FLIP, true, expect_changed);
    assert_in_range(unnoticed, 0, 40);
    connect_through_tap(b);
    keys_bench_exchange(b);
}

/* A TLS client without anything of its own. */
static void connect_with_nothing(keys_bench *b, int version_max, const char *text)
{
    keys_bench_listen(b);
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    assert_int_equal(SSL_CTX_set_max_proto_version(ctx, version_max), 1);
    SSL *ssl = SSL_new(ctx);
    int fd = keys_bench_raw(b);
    struct timeval soon = {.tv_usec = 1000};
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    (void)SSL_set_fd(ssl, fd);
    uint64_t deadline = tci_deadline_after(KEYS_PATIENCE_NS);
    while (b->turned_away == 0) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        (void)SSL_connect(ssl); /* sends, and waits no longer than that */
        keys_bench_turn(b);
    }
    assert_null(b->near);
    assert_text_has(b->near_error.text, text);
    SSL_free(ssl);
    SSL_CTX_free(ctx);
    (void)close(fd);
}

KEYS_TEST(an_older_tls_is_refused)
{
    keys_bench *b = *state;
    load_both(b);
    connect_with_nothing(b, TLS1_2_VERSION, "older TLS than 1.3");
}

KEYS_TEST(a_client_without_a_key_is_refused)
{
    keys_bench *b = *state;
    load_both(b);
    connect_with_nothing(b, TLS1_3_VERSION, "it offers no key that this side has");
}

KEYS_TEST(a_client_without_a_certificate_is_refused)
{
    keys_bench *b = *state;
    certificate_make(b->folder, &(certificate_spec){.name = "ca"});
    certificate_make(b->folder, &(certificate_spec){.name = "node1", .issuer = "ca"});
    assert_ok(keys_bench_load_certificate(b, &b->here, "ca", "node1", NULL));
    connect_with_nothing(b, TLS1_3_VERSION, "certificate");
}

KEYS_TEST(bytes_that_mean_nothing_are_refused)
{
    keys_bench *b = *state;
    load_both(b);
    keys_bench_listen(b);
    static const struct {
        const char *bytes;
        size_t size;
    } sent[] = {{"GET / HTTP/1.1\r\n\r\n", 18},
                {"\0\0\0\0\0\0\0\0\0\0", 10},
                {"\x16\x03\x01\xff\xff\x01\x00\x00\x00\x00", 10},
                {"\x16\x03\x01\x00\x05\x01\xff\xff\xff\x03", 10},
                {"\x16\x03\x01\x00\x04\x02\x00\x00\x00", 9}};
    for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++) {
        int fd = keys_bench_raw(b);
        assert_int_equal(send(fd, sent[i].bytes, sent[i].size, 0), sent[i].size);
        (void)shutdown(fd, SHUT_WR);
        wait_until_turned_away(b, (unsigned)i + 1);
        (void)close(fd);
    }
    assert_null(b->near);
}

KEYS_TEST(who_is_slow_is_turned_away)
{
    keys_bench *b = *state;
    load_both(b);
    b->here.patience_ns = 20 * TCI_NS_PER_MS;
    keys_bench_listen(b);
    int fd = keys_bench_raw(b);
    assert_int_equal(send(fd, "\x16\x03", 2, 0), 2);
    /* Its descriptor signals it: a listener without other events wakes. */
    struct pollfd ready = {.fd = tci_stream_listener_fd(b->listener), .events = POLLIN};
    assert_int_equal(poll(&ready, 1, 20000), 1);
    keys_bench_turn(b);
    assert_int_equal(poll(&ready, 1, 20000), 1);
    wait_until_turned_away(b, 1);
    assert_text_has(b->near_error.text, "did not prove in time who it is");
    assert_int_equal(poll(&ready, 1, 0), 0);
    (void)close(fd);
}

/* --- between the two --------------------------------------------------------------------- */

static void send_one(tci_stream *stream)
{
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size;
    assert_ok(tci_hello_refuse_encode(TC_E_REFUSED, "text", bytes, sizeof bytes, &size));
    assert_ok(tci_stream_send(stream, bytes, size, NULL));
}

KEYS_TEST(a_changed_byte_is_found)
{
    keys_bench *b = *state;
    tc_error error = {0};
    connect_tapped(b);
    keys_bench_exchange(b);
    b->tap->flip = true;
    send_one(b->far);
    assert_status(keys_bench_receive(b, b->near, &error), TC_E_CORRUPT);
    assert_text_has(error.text, "a record was changed on its way");
    assert_status(keys_bench_receive(b, b->near, &error), TC_E_CORRUPT); /* and stays so */
}

/* Bytes that the listener has had already. */
KEYS_TEST(a_repeated_record_is_found)
{
    keys_bench *b = *state;
    tc_error error = {0};
    connect_tapped(b);
    size_t before = b->tap->kept_size;
    keys_bench_exchange(b);
    size_t size = b->tap->kept_size - before;
    assert_int_equal(send(b->tap->near, b->tap->kept + before, size, 0), size);
    assert_status(keys_bench_receive(b, b->near, &error), TC_E_CORRUPT);
}

KEYS_TEST(what_is_said_is_not_seen)
{
    keys_bench *b = *state;
    connect_tapped(b);
    keys_bench_exchange(b);
    assert_null(memmem(b->tap->kept, b->tap->kept_size, "text", 4));
    assert_null(memmem(b->tap->kept, b->tap->kept_size, "TCHI", 4));
}

KEYS_TEST(a_cut_line_is_told_from_an_end)
{
    keys_bench *b = *state;
    tc_error error = {0};
    connect_tapped(b);
    (void)shutdown(b->tap->near, SHUT_WR);
    assert_status(keys_bench_receive(b, b->near, &error), TC_E_PEER_LOST);
    assert_text_has(error.text, "without ending it in order");
}

KEYS_TEST(an_end_in_order_is_one)
{
    keys_bench *b = *state;
    tc_error error = {0};
    connect_tapped(b);
    send_one(b->far);
    tci_stream_close(b->far);
    b->far = NULL;
    assert_ok(keys_bench_receive(b, b->near, &error));
    assert_status(keys_bench_receive(b, b->near, &error), TC_E_PEER_LOST);
    assert_text_has(error.text, ": it closed the connection");
    assert_null(strstr(error.text, "without"));
}

/* More than a socket takes, in both directions at once. */
KEYS_TEST(much_arrives_as_it_was_sent)
{
    keys_bench *b = *state;
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size, sent = 0, got = 0;
    tci_hello_kind kind;
    const void *message;
    size_t message_size;
    connect_tapped(b);
    assert_ok(tci_hello_refuse_encode(TC_E_REFUSED, "a text of some length", bytes,
                                      sizeof bytes, &size));
    while (got < 5000) {
        while (sent < 5000 && tci_stream_send(b->far, bytes, size, NULL) == TC_OK)
            sent++;
        assert_true(tci_stream_flush(b->far, NULL) != TC_E_PEER_LOST);
        keys_bench_turn(b);
        while (tci_stream_receive(b->near, &kind, &message, &message_size, NULL) == TC_OK) {
            assert_int_equal(message_size, size);
            assert_memory_equal(message, bytes, size);
            got++;
        }
    }
}
