#include "other_tls.h"

#include "bootstrap/key_file.h"
#include "bootstrap/stream_bytes.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static tci_tls_key shared;
static tci_stream_spares *spares;

static int use_key(SSL *ssl, const EVP_MD *md, const unsigned char **name_out, size_t *size_out,
                   SSL_SESSION **session_out)
{
    static const unsigned char cipher[] = {0x13, 0x02};
    SSL_SESSION *session = SSL_SESSION_new();
    (void)md;
    assert_int_equal(SSL_SESSION_set1_master_key(session, shared.bytes, sizeof shared.bytes),
                     1);
    assert_int_equal(SSL_SESSION_set_cipher(session, SSL_CIPHER_find(ssl, cipher)), 1);
    assert_int_equal(SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION), 1);
    *name_out = (const unsigned char *)shared.name;
    *size_out = strlen(shared.name);
    *session_out = session;
    return 1;
}

void other_tls_turn(keys_bench *b, uint64_t deadline)
{
    assert_true(tci_deadline_left_ns(deadline) > 0);
    keys_bench_turn(b);
    ERR_clear_error();
    (void)poll(NULL, 0, 1);
}

/* Connects with the key, and takes the listener's first byte. */
static other_tls connect_other(keys_bench *b)
{
    other_tls other = {.ctx = SSL_CTX_new(TLS_client_method()), .fd = -1};
    uint64_t deadline = tci_deadline_after(KEYS_PATIENCE_NS);
    uint8_t welcome;
    assert_ok(keys_bench_load_key(b, &b->here, "k", NULL));
    keys_bench_listen(b);
    assert_int_equal(SSL_CTX_set_ciphersuites(other.ctx, "TLS_AES_256_GCM_SHA384"), 1);
    SSL_CTX_set_psk_use_session_callback(other.ctx, use_key);
    other.ssl = SSL_new(other.ctx);
    other.fd = keys_bench_raw(b);
    assert_int_equal(fcntl(other.fd, F_SETFL, O_NONBLOCK), 0);
    (void)SSL_set_fd(other.ssl, other.fd);
    SSL_set_connect_state(other.ssl);
    while (SSL_do_handshake(other.ssl) != 1)
        other_tls_turn(b, deadline);
    while (SSL_read(other.ssl, &welcome, 1) != 1)
        other_tls_turn(b, deadline);
    while (b->near == NULL)
        other_tls_turn(b, deadline);
    assert_ok(tci_stream_widen(b->near, &spares, NULL));
    return other;
}

void other_tls_end(other_tls *other)
{
    SSL_free(other->ssl);
    SSL_CTX_free(other->ctx);
    (void)close(other->fd);
}

static void load_shared(keys_bench *b)
{
    static char text[TCI_KEY_FILE_BYTES_MAX];
    static tci_key_file keys;
    char path[128];
    size_t size;
    (void)snprintf(path, sizeof path, "%s/k", b->folder);
    certificate_make_key(b->folder, "k", "cluster", 1);
    assert_ok(tci_key_file_read("key_file", path, true, text, &size, NULL));
    assert_ok(tci_key_file_parse(text, size, &keys, NULL));
    shared = keys.keys[0];
}

uint8_t other_tls_byte(size_t place)
{
    return (uint8_t)(place * 11 + place / 509);
}

void other_tls_begin(keys_bench *b, other_tls *other)
{
    load_shared(b);
    *other = connect_other(b);
    (void)SSL_set_mode(other->ssl, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}
