/* Another TLS, OpenSSL's own, as the peer of a stream with a key. */
#ifndef OTHER_TLS_H
#define OTHER_TLS_H

#include "../support/test.h"
#include "keys_bench.h"

#include <openssl/ssl.h>

typedef struct other_tls {
    SSL_CTX *ctx;
    SSL *ssl;
    int fd;
} other_tls;

/* Connects it to the listener: the bench's `near` is the other end, and wide. */
void other_tls_begin(keys_bench *b, other_tls *other);
void other_tls_end(other_tls *other);
/* One turn of the listener, and a pause. Fails the test after the deadline. */
void other_tls_turn(keys_bench *b, uint64_t deadline);
/* The byte that either side sends at a place. */
uint8_t other_tls_byte(size_t place);

#endif
