/* Records that arrive in parts, are read in parts, or were changed on their way: OpenSSL makes
 * them. */
#include "other_tls.h"

#include "bootstrap/stream_bytes.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHORT_BYTES 20u /* a record that is opened in its place */
#define LONG_BYTES 600u /* one that is opened where its reader wants it */
#define BOTH_BYTES (SHORT_BYTES + LONG_BYTES)

typedef struct sealed_bytes {
    uint8_t bytes[20000];
    size_t size;
} sealed_bytes;

/* From now on the test has OpenSSL's records, instead of the socket. */
static void keep_records(SSL *ssl)
{
    SSL_set0_wbio(ssl, BIO_new(BIO_s_mem()));
}

static void take_sealed(SSL *ssl, sealed_bytes *out)
{
    int n = BIO_read(SSL_get_wbio(ssl), out->bytes, sizeof out->bytes);
    assert_in_range(n, 1, sizeof out->bytes - 1);
    out->size = (size_t)n;
}

/* A short record, then a long one. Returns where the long one begins. */
static size_t seal_two(SSL *ssl, sealed_bytes *out)
{
    uint8_t bytes[BOTH_BYTES];
    for (size_t i = 0; i < BOTH_BYTES; i++)
        bytes[i] = other_tls_byte(i);
    assert_int_equal(SSL_write(ssl, bytes, SHORT_BYTES), SHORT_BYTES);
    size_t begins = BIO_ctrl_pending(SSL_get_wbio(ssl));
    assert_int_equal(SSL_write(ssl, bytes + SHORT_BYTES, LONG_BYTES), LONG_BYTES);
    take_sealed(ssl, out);
    return begins;
}

/* Reads what is there into memory that ends where it is full. */
static tc_status read_there(keys_bench *b, size_t *got, tc_error *err)
{
    uint8_t *to = malloc(BOTH_BYTES - *got);
    size_t n = 0;
    bool more;
    assert_non_null(to);
    tc_status status = tci_stream_read(b->near, to, BOTH_BYTES - *got, &n, &more, err);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(to[i], other_tls_byte(*got + i));
    free(to);
    *got += n;
    return status;
}

/* Sends bytes in one segment, and waits until it is there. */
static void deliver(keys_bench *b, const other_tls *other, const uint8_t *bytes, size_t size)
{
    struct pollfd there = {.fd = tci_stream_fd(b->near), .events = POLLIN};
    const int yes = 1;
    if (size == 0)
        return;
    assert_int_equal(setsockopt(other->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes), 0);
    assert_int_equal(write(other->fd, bytes, size), size);
    assert_int_equal(poll(&there, 1, (int)(KEYS_PATIENCE_NS / TCI_NS_PER_MS)), 1);
}

KEYS_TEST(records_may_arrive_in_parts_cut_anywhere)
{
    keys_bench *b = *state;
    other_tls other;
    sealed_bytes sealed;
    tc_error error = {0};
    other_tls_begin(b, &other);
    keep_records(other.ssl);
    size_t begins = seal_two(other.ssl, &sealed), size = sealed.size;
    for (size_t cut = 1; cut <= size; cut++) {
        size_t got = 0;
        deliver(b, &other, sealed.bytes, cut);
        tc_status status = read_there(b, &got, &error);
        assert_status(status, cut < begins ? TC_E_AGAIN : TC_OK);
        assert_int_equal(got, cut < begins ? 0 : cut < size ? SHORT_BYTES : BOTH_BYTES);
        assert_false(tci_stream_has_bytes(b->near));
        deliver(b, &other, sealed.bytes + cut, size - cut);
        while (got < BOTH_BYTES)
            assert_ok(read_there(b, &got, &error));
        (void)seal_two(other.ssl, &sealed);
        assert_int_equal(sealed.size, size);
    }
    other_tls_end(&other);
}

/* A reader with less memory than a record, byte by byte, gets all of it. */
KEYS_TEST(records_may_be_read_in_parts)
{
    keys_bench *b = *state;
    other_tls other;
    sealed_bytes sealed;
    other_tls_begin(b, &other);
    keep_records(other.ssl);
    for (size_t step = 1; step <= BOTH_BYTES; step += 1 + step / 8) {
        (void)seal_two(other.ssl, &sealed);
        deliver(b, &other, sealed.bytes, sealed.size);
        for (size_t got = 0, n; got < BOTH_BYTES; got += n) {
            uint8_t to[BOTH_BYTES + 1];
            size_t wanted = step < BOTH_BYTES - got ? step : BOTH_BYTES - got;
            to[wanted] = 0xa5;
            bool more;
            assert_ok(tci_stream_read(b->near, to, wanted, &n, &more, NULL));
            assert_int_equal(n, wanted);
            assert_int_equal(to[wanted], 0xa5);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(to[i], other_tls_byte(got + i));
            assert_int_equal(tci_stream_has_bytes(b->near), got + n < BOTH_BYTES);
        }
    }
    other_tls_end(&other);
}

/* The record before is still delivered, and the error repeats. */
static void expect_refused(keys_bench *b, tc_status expected, const char *text)
{
    tc_error error = {0};
    size_t got = 0;
    assert_ok(read_there(b, &got, &error));
    assert_int_equal(got, SHORT_BYTES);
    assert_true(tci_stream_has_bytes(b->near));
    for (unsigned i = 0; i < 2; i++) {
        assert_status(read_there(b, &got, &error), expected);
        assert_text_has(error.text, text);
    }
    assert_int_equal(got, SHORT_BYTES);
}

TEST(a_record_that_was_changed_at_any_byte_is_refused)
{
    size_t size = SIZE_MAX;
    for (size_t at = 0; at < size; at++) {
        keys_bench *b;
        other_tls other;
        sealed_bytes sealed;
        assert_int_equal(keys_bench_set_up((void **)&b), 0);
        other_tls_begin(b, &other);
        keep_records(other.ssl);
        size_t begins = seal_two(other.ssl, &sealed);
        size = sealed.size - begins;
        /* A longer one, by its head, is not complete yet. */
        bool longer = at == 4 || (at == 3 && sealed.bytes[begins + 3] < 0x40);
        sealed.bytes[begins + at] ^= (uint8_t)(longer ? 0 : 1u << at % 8);
        if (longer)
            sealed.bytes[begins + at]--;
        deliver(b, &other, sealed.bytes, sealed.size);
        expect_refused(b, TC_E_CORRUPT, "a record was changed on its way");
        other_tls_end(&other);
        assert_int_equal(keys_bench_tear_down((void **)&b), 0);
    }
}

KEYS_TEST(an_end_behind_data_comes_after_it)
{
    keys_bench *b = *state;
    other_tls other;
    sealed_bytes sealed;
    uint8_t bytes[SHORT_BYTES];
    other_tls_begin(b, &other);
    keep_records(other.ssl);
    for (size_t i = 0; i < SHORT_BYTES; i++)
        bytes[i] = other_tls_byte(i);
    assert_int_equal(SSL_write(other.ssl, bytes, SHORT_BYTES), SHORT_BYTES);
    assert_int_equal(SSL_shutdown(other.ssl), 0);
    take_sealed(other.ssl, &sealed);
    deliver(b, &other, sealed.bytes, sealed.size);
    expect_refused(b, TC_E_PEER_LOST, "it closed the connection");
    other_tls_end(&other);
}
