/* The part of libsodium that the one-file library uses: BLAKE2b (RFC 7693), random bytes of the
 * system, and a few helpers. scripts/amalgamate.py gives them libsodium's names. Signatures are
 * not among them: the module `trust` is no part of that library. */
#ifndef TCI_ONEFILE_SODIUM_H
#define TCI_ONEFILE_SODIUM_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define TCI_SODIUM_BLOCK 128u

typedef struct tci_sodium_hash_state {
    uint64_t hash[8];
    uint64_t hashed; /* bytes before those that wait */
    size_t waiting, out_size;
    uint8_t block[TCI_SODIUM_BLOCK];
} tci_sodium_hash_state;

static inline int tci_sodium_start(void)
{
    return 0;
}

static inline void tci_sodium_zero(void *bytes, size_t size)
{
    explicit_bzero(bytes, size);
}

/* These two end the process where libsodium does. */
static inline char *tci_sodium_hex(char *out, size_t capacity, const uint8_t *bytes,
                                   size_t size)
{
    static const char digits[] = "0123456789abcdef";
    if (size >= capacity / 2 + capacity % 2)
        abort();
    for (size_t i = 0; i < size; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * size] = '\0';
    return out;
}

static inline void tci_sodium_random(void *out, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = getrandom((uint8_t *)out + at, size - at, 0);
        if (n < 0 && errno != EINTR)
            abort();
        at += n > 0 ? (size_t)n : 0;
    }
}

/* Random bytes of the system stand for those that a seed gives: no caller needs the same ones
 * again. */
static inline void tci_sodium_random_seeded(void *out, size_t size, const uint8_t *seed)
{
    (void)seed;
    tci_sodium_random(out, size);
}

static inline uint64_t tci_sodium_turned(uint64_t word, unsigned bits)
{
    return word >> bits | word << (64 - bits);
}

static inline void tci_sodium_mix(uint64_t *v, const uint64_t *m, const uint8_t *order,
                                  unsigned step)
{
    unsigned a = step & 3, shift = step >> 2;
    unsigned b = 4 + ((a + shift) & 3), c = 8 + ((a + 2 * shift) & 3);
    unsigned d = 12 + ((a + 3 * shift) & 3);
    v[a] += v[b] + m[order[2 * step]];
    v[d] = tci_sodium_turned(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = tci_sodium_turned(v[b] ^ v[c], 24);
    v[a] += v[b] + m[order[2 * step + 1]];
    v[d] = tci_sodium_turned(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = tci_sodium_turned(v[b] ^ v[c], 63);
}

/* Hashes the block, of which `count` bytes are new. */
static inline void tci_sodium_block(tci_sodium_hash_state *state, size_t count, int is_last)
{
    static const uint64_t initial[8] = {
        0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
        0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
    static const uint8_t orders[10][16] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
        {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
        {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
        {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
        {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
        {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
        {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
        {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
        {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
    uint64_t v[16], m[16] = {0};
    for (unsigned i = 0; i < TCI_SODIUM_BLOCK; i++)
        m[i / 8] |= (uint64_t)state->block[i] << (8 * (i % 8));
    state->hashed += count;
    memcpy(v, state->hash, sizeof state->hash);
    memcpy(v + 8, initial, sizeof initial);
    v[12] ^= state->hashed;
    v[14] ^= is_last ? UINT64_MAX : 0;
    for (unsigned round = 0; round < 12; round++) {
        for (unsigned step = 0; step < 8; step++)
            tci_sodium_mix(v, m, orders[round % 10], step);
    }
    for (unsigned i = 0; i < 8; i++)
        state->hash[i] ^= v[i] ^ v[i + 8];
    state->waiting = 0;
}

static inline void tci_sodium_hash_update(tci_sodium_hash_state *state, const void *bytes,
                                          size_t size)
{
    for (size_t at = 0; at < size;) {
        /* The last block is known when the hash ends: a whole one waits for more. */
        if (state->waiting == TCI_SODIUM_BLOCK)
            tci_sodium_block(state, TCI_SODIUM_BLOCK, 0);
        size_t n = TCI_SODIUM_BLOCK - state->waiting;
        n = n < size - at ? n : size - at;
        memcpy(state->block + state->waiting, (const uint8_t *)bytes + at, n);
        state->waiting += n;
        at += n;
    }
}

/* With a key of up to 64 bytes, or NULL and 0; out_size is up to 64. */
static inline void tci_sodium_hash_init(tci_sodium_hash_state *state, const uint8_t *key,
                                        size_t key_size, size_t out_size)
{
    static const uint64_t initial[8] = {
        0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
        0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
    memset(state, 0, sizeof *state);
    memcpy(state->hash, initial, sizeof initial);
    state->hash[0] ^= 0x01010000u ^ (uint64_t)key_size << 8 ^ out_size;
    state->out_size = out_size;
    if (key_size > 0) {
        memcpy(state->block, key, key_size);
        state->waiting = TCI_SODIUM_BLOCK;
    }
}

static inline void tci_sodium_hash_final(tci_sodium_hash_state *state, uint8_t *out,
                                         size_t out_size)
{
    size_t count = state->waiting;
    memset(state->block + count, 0, TCI_SODIUM_BLOCK - count);
    tci_sodium_block(state, count, 1);
    for (size_t i = 0; i < out_size; i++)
        out[i] = (uint8_t)(state->hash[i / 8] >> (8 * (i % 8)));
}

static inline void tci_sodium_hash(uint8_t *out, size_t out_size, const void *bytes,
                                   size_t size, const uint8_t *key, size_t key_size)
{
    tci_sodium_hash_state state;
    tci_sodium_hash_init(&state, key, key_size, out_size);
    tci_sodium_hash_update(&state, bytes, size);
    tci_sodium_hash_final(&state, out, out_size);
}

#endif
