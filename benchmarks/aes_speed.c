#include "aes_speed.h"

#ifndef AES_SPEED_MISSING
#include "perf_clock.h"

#include <openssl/evp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS 64u /* 1 MB */
#define HEAD_BYTES 5
#define TAG_BYTES 16
#define SEALED_BYTES (AES_SPEED_RECORD_BYTES + TAG_BYTES)
#define TURNS 10u

/* As the library's records: the key is set once, each record has its nonce and its head. */
static bool begin(EVP_CIPHER_CTX *cipher, uint8_t number)
{
    const uint8_t nonce[12] = {number}, head[HEAD_BYTES] = {23, 3, 3};
    int n;
    return EVP_CipherInit_ex(cipher, NULL, NULL, NULL, nonce, -1) == 1 &&
           EVP_CipherUpdate(cipher, NULL, &n, head, HEAD_BYTES) == 1;
}

static bool seal(EVP_CIPHER_CTX *cipher, uint8_t number, const uint8_t *bytes, uint8_t *to)
{
    uint8_t *tag = to + AES_SPEED_RECORD_BYTES;
    int n;
    return begin(cipher, number) &&
           EVP_CipherUpdate(cipher, to, &n, bytes, AES_SPEED_RECORD_BYTES) == 1 &&
           EVP_CipherFinal_ex(cipher, tag, &n) == 1 &&
           EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, tag) == 1;
}

static bool open_sealed(EVP_CIPHER_CTX *cipher, uint8_t number, uint8_t *sealed, uint8_t *to)
{
    uint8_t *tag = sealed + AES_SPEED_RECORD_BYTES;
    int n;
    return begin(cipher, number) &&
           EVP_CipherUpdate(cipher, to, &n, sealed, AES_SPEED_RECORD_BYTES) == 1 &&
           EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, tag) == 1 &&
           EVP_CipherFinal_ex(cipher, tag, &n) == 1;
}

static bool measure(EVP_CIPHER_CTX *seals, EVP_CIPHER_CTX *opens, uint8_t *plain,
                    uint8_t *sealed, double mb_per_s[2])
{
    static const uint8_t key[32] = {1};
    uint64_t ns[2] = {0};
    bool ok = EVP_CipherInit_ex(seals, EVP_aes_256_gcm(), NULL, key, NULL, 1) == 1 &&
              EVP_CipherInit_ex(opens, EVP_aes_256_gcm(), NULL, key, NULL, 0) == 1;
    for (unsigned turn = 0; turn <= TURNS && ok; turn++) {
        uint64_t begun = perf_now_ns();
        for (unsigned i = 0; i < RECORDS && ok; i++)
            ok = seal(seals, (uint8_t)i, plain + i * AES_SPEED_RECORD_BYTES,
                      sealed + i * SEALED_BYTES);
        uint64_t sealed_at = perf_now_ns();
        for (unsigned i = 0; i < RECORDS && ok; i++)
            ok = open_sealed(opens, (uint8_t)i, sealed + i * SEALED_BYTES,
                             plain + i * AES_SPEED_RECORD_BYTES);
        if (turn > 0) { /* in the first one, memory is new */
            ns[0] += sealed_at - begun;
            ns[1] += perf_now_ns() - sealed_at;
        }
    }
    for (unsigned i = 0; i < 2 && ok; i++)
        mb_per_s[i] = TURNS * (double)PERF_NS_PER_S / (double)ns[i];
    return ok;
}

bool aes_speed_measure(double *seal_mb_per_s, double *open_mb_per_s)
{
    EVP_CIPHER_CTX *seals = EVP_CIPHER_CTX_new(), *opens = EVP_CIPHER_CTX_new();
    uint8_t *plain = calloc(RECORDS, AES_SPEED_RECORD_BYTES);
    uint8_t *sealed = calloc(RECORDS, SEALED_BYTES);
    double mb_per_s[2] = {0};
    bool ok = seals != NULL && opens != NULL && plain != NULL && sealed != NULL &&
              measure(seals, opens, plain, sealed, mb_per_s);
    EVP_CIPHER_CTX_free(seals);
    EVP_CIPHER_CTX_free(opens);
    free(plain);
    free(sealed);
    *seal_mb_per_s = mb_per_s[0];
    *open_mb_per_s = mb_per_s[1];
    return ok;
}
#else
bool aes_speed_measure(double *seal_mb_per_s, double *open_mb_per_s)
{
    *seal_mb_per_s = *open_mb_per_s = 0;
    return false;
}
#endif
