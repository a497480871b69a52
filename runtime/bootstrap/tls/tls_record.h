/* Records of TLS 1.3 after its handshake, sealed and opened by libcrypto (RFC 8446, chapters 5
 * and 7): one direction of a connection.
 *
 * libssl can do it as well, but takes three times as long for a short record
 * (docs/decisions/stream.md). The cipher is TCI_TLS_CIPHER; the handshake has agreed on the
 * secret. */
#ifndef TCI_TLS_RECORD_H
#define TCI_TLS_RECORD_H

#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define TCI_TLS_SECRET_BYTES 48u /* as SHA-384 makes them */
#define TCI_TLS_IV_BYTES 12u
#define TCI_TLS_RECORD_HEAD_BYTES 5u
#define TCI_TLS_RECORD_OVERHEAD_BYTES (TCI_TLS_RECORD_HEAD_BYTES + 1u + 16u) /* kind and tag */
#define TCI_TLS_RECORD_PLAIN_MAX 16384u
/* Bytes behind the head; the sender may have padded. */
#define TCI_TLS_RECORD_BODY_MIN (1u + 16u)
#define TCI_TLS_RECORD_BODY_MAX (TCI_TLS_RECORD_PLAIN_MAX + 256u)

typedef enum tci_tls_record_kind {
    TCI_TLS_ALERT = 21,
    TCI_TLS_HANDSHAKE = 22,
    TCI_TLS_DATA = 23
} tci_tls_record_kind;

typedef struct tci_tls_direction {
    EVP_CIPHER_CTX *cipher; /* NULL: not begun */
    bool seals;
    uint64_t number; /* of the next record under this key */
    uint8_t secret[TCI_TLS_SECRET_BYTES];
    uint8_t iv[TCI_TLS_IV_BYTES];
} tci_tls_direction;

/* Begins a direction with the secret in it. False: out of memory, or libcrypto lacks an
 * algorithm. */
TC_MUST_CHECK bool tci_tls_record_begin(tci_tls_direction *direction, bool seals);
/* Wipes the keys. */
void tci_tls_record_end(tci_tls_direction *direction);

/* Changes to the next key, after a KeyUpdate. */
TC_MUST_CHECK bool tci_tls_record_renew(tci_tls_direction *direction);

/* Writes a record of size + TCI_TLS_RECORD_OVERHEAD_BYTES. size <= TCI_TLS_RECORD_PLAIN_MAX. */
TC_MUST_CHECK bool tci_tls_record_seal(tci_tls_direction *direction, tci_tls_record_kind kind,
                                       const uint8_t *bytes, size_t size, uint8_t *to);

/* Returns the size of the body that a head announces; 0: the head is invalid. */
size_t tci_tls_record_body_bytes(const uint8_t head[TCI_TLS_RECORD_HEAD_BYTES]);

/* Opens a whole record. `to`: behind its head, so in place, or other memory for body_bytes -
 * TCI_TLS_RECORD_BODY_MIN bytes: its content, which means nothing until the call has returned
 * true, and padding behind it. False: a record was changed, repeated or left out on its way. */
TC_MUST_CHECK bool tci_tls_record_open(tci_tls_direction *direction, uint8_t *record,
                                       size_t body_bytes, uint8_t *to, uint8_t *kind_out,
                                       size_t *size_out);

#endif
