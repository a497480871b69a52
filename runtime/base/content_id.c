#include "content_id.h"

#include <sodium.h>

static void hash_length(crypto_generichash_state *state, uint64_t length)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(length >> (8 * i));
    crypto_generichash_update(state, bytes, sizeof bytes);
}

void tci_content_id_of(const void *archive, size_t archive_size, const void *deps,
                       size_t deps_size, tci_content_id *id_out)
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, sizeof id_out->bytes);
    hash_length(&state, archive_size);
    crypto_generichash_update(&state, archive, archive_size);
    hash_length(&state, deps_size);
    crypto_generichash_update(&state, deps, deps_size);
    crypto_generichash_final(&state, id_out->bytes, sizeof id_out->bytes);
}

void tci_hash128(const void *bytes, size_t size, uint8_t out[16])
{
    crypto_generichash(out, 16, bytes, size, NULL, 0);
}

void tci_hash256(const void *bytes, size_t size, uint8_t out[32])
{
    crypto_generichash(out, 32, bytes, size, NULL, 0);
}

static void hash_pair(crypto_generichash_state *state, const void *first, size_t first_size,
                      const void *second, size_t second_size, uint8_t out[32])
{
    hash_length(state, first_size);
    crypto_generichash_update(state, first, first_size);
    hash_length(state, second_size);
    crypto_generichash_update(state, second, second_size);
    crypto_generichash_final(state, out, 32);
}

void tci_hash256_pair(const char *tag, const void *first, size_t first_size, const void *second,
                      size_t second_size, uint8_t out[32])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, 32);
    crypto_generichash_update(&state, (const uint8_t *)tag, strlen(tag));
    hash_pair(&state, first, first_size, second, second_size, out);
}

void tci_hash256_keyed(const uint8_t key[32], const void *first, size_t first_size,
                       const void *second, size_t second_size, uint8_t out[32])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, key, 32, 32);
    hash_pair(&state, first, first_size, second, second_size, out);
}

void tci_hash256_text(const uint8_t hash[32], char text_out[TCI_HASH256_TEXT])
{
    sodium_bin2hex(text_out, TCI_HASH256_TEXT, hash, 32);
}

void tci_content_id_text(const tci_content_id *id, char text_out[TCI_CONTENT_ID_TEXT])
{
    sodium_bin2hex(text_out, TCI_CONTENT_ID_TEXT, id->bytes, sizeof id->bytes);
}
