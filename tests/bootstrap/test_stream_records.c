/* Another TLS as the peer: OpenSSL's own records are understood, and the other way round. */
#include "other_tls.h"

#include "bootstrap/stream_bytes.h"

#include <openssl/err.h>
#include <unistd.h>

#define MUCH_BYTES (1u << 20)

static size_t take_here(keys_bench *b, size_t got)
{
    size_t size;
    bool more;
    tc_status status = tci_stream_fill(b->near, &more, NULL);
    assert_true(status == TC_OK || status == TC_E_AGAIN);
    const uint8_t *bytes = tci_stream_look(b->near, &size);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(bytes[i], other_tls_byte(got + i));
    tci_stream_skip(b->near, size);
    return got + size;
}

static size_t take_there(SSL *ssl, size_t got)
{
    uint8_t bytes[20000];
    int n = SSL_read(ssl, bytes, sizeof bytes);
    for (int i = 0; i < n; i++)
        assert_int_equal(bytes[i], other_tls_byte(got + (size_t)i));
    return got + (n > 0 ? (size_t)n : 0);
}

static size_t give(uint8_t bytes[16000], size_t sent)
{
    size_t n = 1 + sent * 31 % 16000;
    n = n < MUCH_BYTES - sent ? n : MUCH_BYTES - sent;
    for (size_t i = 0; i < n; i++)
        bytes[i] = other_tls_byte(sent + i);
    return n;
}

static size_t send_here(tci_stream *stream, size_t sent)
{
    uint8_t bytes[16000];
    size_t n = sent < MUCH_BYTES ? give(bytes, sent) : 0;
    n = n < tci_stream_room(stream) ? n : tci_stream_room(stream);
    tci_stream_add(stream, bytes, n);
    tc_status status = tci_stream_flush(stream, NULL);
    assert_true(status == TC_OK || status == TC_E_AGAIN);
    return sent + n;
}

/* OpenSSL wants the same bytes again if it took none. */
static size_t send_there(SSL *ssl, size_t sent)
{
    uint8_t bytes[16000];
    size_t n = sent < MUCH_BYTES ? give(bytes, sent) : 0;
    if (n == 0 || SSL_write(ssl, bytes, (int)n) <= 0)
        n = 0;
    return sent + n;
}

/* Much in both directions; `often` may send a message in between. */
static void exchange(keys_bench *b, SSL *ssl, void (*often)(SSL *ssl))
{
    size_t sent[2] = {0}, got[2] = {0};
    uint64_t deadline = tci_deadline_after(KEYS_PATIENCE_NS);
    for (unsigned i = 0; got[0] < MUCH_BYTES || got[1] < MUCH_BYTES; i++) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        if (i % 8 == 0 && often != NULL && sent[0] < MUCH_BYTES)
            often(ssl);
        ERR_clear_error();
        sent[0] = send_there(ssl, sent[0]);
        sent[1] = send_here(b->near, sent[1]);
        got[0] = take_here(b, got[0]);
        got[1] = take_there(ssl, got[1]);
    }
}

KEYS_TEST(another_tls_understands_and_is_understood)
{
    other_tls other;
    other_tls_begin(*state, &other);
    exchange(*state, other.ssl, NULL);
    other_tls_end(&other);
}

KEYS_TEST(padding_is_taken_away)
{
    other_tls other;
    other_tls_begin(*state, &other);
    assert_int_equal(SSL_set_block_padding(other.ssl, 512), 1);
    exchange(*state, other.ssl, NULL);
    other_tls_end(&other);
}

static void renew(SSL *ssl)
{
    (void)SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED);
}

static void renew_both(SSL *ssl)
{
    (void)SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED);
}

KEYS_TEST(the_other_may_renew_its_key)
{
    other_tls other;
    other_tls_begin(*state, &other);
    exchange(*state, other.ssl, renew);
    other_tls_end(&other);
}

KEYS_TEST(and_ask_for_another_here)
{
    other_tls other;
    other_tls_begin(*state, &other);
    exchange(*state, other.ssl, renew_both);
    other_tls_end(&other);
}

static tc_status fill(keys_bench *b, tc_error *err)
{
    uint64_t deadline = tci_deadline_after(KEYS_PATIENCE_NS);
    tc_status status;
    bool more;
    while ((status = tci_stream_fill(b->near, &more, err)) == TC_E_AGAIN)
        other_tls_turn(b, deadline);
    return status;
}

KEYS_TEST(keys_without_data_end_the_connection)
{
    keys_bench *b = *state;
    other_tls other;
    tc_error error = {0};
    other_tls_begin(b, &other);
    for (unsigned i = 0; i < 9; i++) { /* one more than may be */
        assert_int_equal(SSL_key_update(other.ssl, SSL_KEY_UPDATE_NOT_REQUESTED), 1);
        assert_int_equal(SSL_do_handshake(other.ssl), 1);
    }
    assert_status(fill(b, &error), TC_E_CORRUPT);
    assert_text_has(error.text,
                    "changed its key 9 times without data between, expected at most 8");
    other_tls_end(&other);
}

KEYS_TEST(each_hears_that_the_other_ends)
{
    keys_bench *b = *state;
    other_tls other;
    tc_error error = {0};
    uint8_t byte;
    int n;
    other_tls_begin(b, &other);
    assert_int_equal(SSL_shutdown(other.ssl), 0);
    assert_status(fill(b, &error), TC_E_PEER_LOST);
    assert_null(strstr(error.text, "without"));
    tci_stream_close(b->near);
    b->near = NULL;
    uint64_t deadline = tci_deadline_after(KEYS_PATIENCE_NS);
    while ((n = SSL_read(other.ssl, &byte, 1)) < 0)
        other_tls_turn(b, deadline);
    assert_int_equal(n, 0);
    assert_int_equal(SSL_get_shutdown(other.ssl), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    other_tls_end(&other);
}

/* Bytes that are not a record of the other side's: refused by the head, or by the tag. */
TEST(bytes_that_nobody_sealed_are_refused)
{
    static const struct {
        const char *bytes;
        size_t size;
    } sent[] = {{"\x17\x03\x03\x00\x11 seventeen of them", 22},
                {"\x17\x03\x03\x00\x10", 5},
                {"\x17\x03\x03\x41\x01", 5},
                {"\x17\x03\x01\x00\x20", 5},
                {"\x16\x03\x03\x00\x20", 5},
                {"\x15\x03\x03\x00\x02\x01\x00", 7},
                {"\0\0\0\0\0", 5}};
    for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++) {
        keys_bench *b;
        other_tls other;
        tc_error error = {0};
        assert_int_equal(keys_bench_set_up((void **)&b), 0);
        other_tls_begin(b, &other);
        assert_int_equal(write(other.fd, sent[i].bytes, sent[i].size), sent[i].size);
        assert_status(fill(b, &error), TC_E_CORRUPT);
        assert_text_has(error.text, "a record was changed on its way");
        /* And it is notified. */
        uint8_t byte;
        uint64_t deadline = tci_deadline_after(KEYS_PATIENCE_NS);
        while (SSL_read(other.ssl, &byte, 1) < 0 && ERR_peek_error() == 0)
            other_tls_turn(b, deadline);
        assert_int_equal(ERR_GET_REASON(ERR_peek_error()), SSL_R_SSLV3_ALERT_BAD_RECORD_MAC);
        other_tls_end(&other);
        assert_int_equal(keys_bench_tear_down((void **)&b), 0);
    }
}
