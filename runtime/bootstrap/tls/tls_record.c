/* Derives keys with the KDF of TLS 1.3, and seals and opens records with AES-256-GCM. */
#include "tls_record.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/kdf.h>
#include <string.h>

#define KEY_BYTES 32u
#define TAG_BYTES 16

/* --- keys -------------------------------------------------------------------------------- */

/* HKDF-Expand-Label without a context. */
static bool expand(const uint8_t secret[TCI_TLS_SECRET_BYTES], const char *label, uint8_t *to,
                   size_t size)
{
    int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
    char digest[] = "SHA384", prefix[] = "tls13 ", text[16];
    uint8_t key[TCI_TLS_SECRET_BYTES];
    size_t text_size = strlen(label);
    memcpy(text, label, text_size);
    memcpy(key, secret, sizeof key);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, key, sizeof key),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_PREFIX, prefix, strlen(prefix)),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_LABEL, text, text_size),
        OSSL_PARAM_construct_end()};
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "TLS13-KDF", NULL);
    EVP_KDF_CTX *ctx = kdf != NULL ? EVP_KDF_CTX_new(kdf) : NULL;
    bool ok = ctx != NULL && EVP_KDF_derive(ctx, to, size, params) == 1;
    EVP_KDF_CTX_free(ctx);
    EVP_KDF_free(kdf);
    OPENSSL_cleanse(key, sizeof key);
    return ok;
}

static bool take_keys(tci_tls_direction *d)
{
    uint8_t key[KEY_BYTES];
    bool ok = expand(d->secret, "key", key, sizeof key) &&
              expand(d->secret, "iv", d->iv, sizeof d->iv) &&
              EVP_CipherInit_ex(d->cipher, EVP_aes_256_gcm(), NULL, key, NULL, d->seals) == 1;
    OPENSSL_cleanse(key, sizeof key);
    d->number = 0;
    return ok;
}

bool tci_tls_record_begin(tci_tls_direction *direction, bool seals)
{
    direction->seals = seals;
    direction->cipher = EVP_CIPHER_CTX_new();
    return direction->cipher != NULL && take_keys(direction);
}

void tci_tls_record_end(tci_tls_direction *direction)
{
    EVP_CIPHER_CTX_free(direction->cipher);
    OPENSSL_cleanse(direction, sizeof *direction);
}

bool tci_tls_record_renew(tci_tls_direction *direction)
{
    uint8_t next[TCI_TLS_SECRET_BYTES];
    bool ok = expand(direction->secret, "traffic upd", next, sizeof next);
    if (ok)
        memcpy(direction->secret, next, sizeof next);
    OPENSSL_cleanse(next, sizeof next);
    return ok && take_keys(direction);
}

/* --- records ----------------------------------------------------------------------------- */

/* Begins a record with a nonce of its own: no number is used again under the same key. */
static bool begin(tci_tls_direction *d, const uint8_t head[TCI_TLS_RECORD_HEAD_BYTES])
{
    uint8_t nonce[TCI_TLS_IV_BYTES];
    int n;
    memcpy(nonce, d->iv, sizeof nonce);
    for (unsigned i = 0; i < 8; i++)
        nonce[sizeof nonce - 1 - i] ^= (uint8_t)(d->number >> (8 * i));
    d->number++;
    return EVP_CipherInit_ex(d->cipher, NULL, NULL, NULL, nonce, -1) == 1 &&
           EVP_CipherUpdate(d->cipher, NULL, &n, head, TCI_TLS_RECORD_HEAD_BYTES) == 1;
}

bool tci_tls_record_seal(tci_tls_direction *direction, tci_tls_record_kind kind,
                         const uint8_t *bytes, size_t size, uint8_t *to)
{
    const size_t body_bytes = size + TCI_TLS_RECORD_BODY_MIN;
    const uint8_t inner_kind = (uint8_t)kind;
    EVP_CIPHER_CTX *cipher = direction->cipher;
    uint8_t *at = to + TCI_TLS_RECORD_HEAD_BYTES;
    int n;
    to[0] = TCI_TLS_DATA; /* for all kinds */
    to[1] = 3;
    to[2] = 3;
    to[3] = (uint8_t)(body_bytes >> 8);
    to[4] = (uint8_t)body_bytes;
    return begin(direction, to) && EVP_CipherUpdate(cipher, at, &n, bytes, (int)size) == 1 &&
           EVP_CipherUpdate(cipher, at + size, &n, &inner_kind, 1) == 1 &&
           EVP_CipherFinal_ex(cipher, at + size + 1, &n) == 1 &&
           EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, at + size + 1) == 1;
}

size_t tci_tls_record_body_bytes(const uint8_t head[TCI_TLS_RECORD_HEAD_BYTES])
{
    size_t size = (size_t)head[3] << 8 | head[4];
    bool ok = head[0] == TCI_TLS_DATA && head[1] == 3 && head[2] == 3 &&
              size >= TCI_TLS_RECORD_BODY_MIN && size <= TCI_TLS_RECORD_BODY_MAX;
    return ok ? size : 0;
}

/* Decrypts content and padding, and the byte behind them. */
static bool decrypt(EVP_CIPHER_CTX *cipher, const uint8_t *body, size_t size, uint8_t *to,
                    uint8_t *last_out)
{
    int n;
    if (to == body) {
        bool ok = EVP_CipherUpdate(cipher, to, &n, body, (int)size + 1) == 1;
        *last_out = body[size];
        return ok;
    }
    return EVP_CipherUpdate(cipher, to, &n, body, (int)size) == 1 &&
           EVP_CipherUpdate(cipher, last_out, &n, body + size, 1) == 1;
}

bool tci_tls_record_open(tci_tls_direction *direction, uint8_t *record, size_t body_bytes,
                         uint8_t *to, uint8_t *kind_out, size_t *size_out)
{
    EVP_CIPHER_CTX *cipher = direction->cipher;
    uint8_t *body = record + TCI_TLS_RECORD_HEAD_BYTES;
    size_t size = body_bytes - TCI_TLS_RECORD_BODY_MIN;
    uint8_t kind;
    int n;
    if (!begin(direction, record) || !decrypt(cipher, body, size, to, &kind) ||
        EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES,
                            body + body_bytes - TAG_BYTES) != 1 ||
        EVP_CipherFinal_ex(cipher, body + body_bytes - TAG_BYTES, &n) != 1)
        return false;
    while (kind == 0 && size > 0) /* padding */
        kind = to[--size];
    if (kind == 0 || size > TCI_TLS_RECORD_PLAIN_MAX)
        return false;
    *kind_out = kind;
    *size_out = size;
    return true;
}
