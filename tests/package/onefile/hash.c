/* The one-file library's hash in an object of its own, as its names are libsodium's. */
#include "../../../packaging/onefile/sodium.h"
#include "hash.h"

void onefile_hash(const uint8_t *key, size_t key_size, const uint8_t *bytes, size_t size,
                  size_t step, uint8_t *out, size_t out_size)
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, key, key_size, out_size);
    for (size_t at = 0; at < size; at += step)
        crypto_generichash_update(&state, bytes + at, step < size - at ? step : size - at);
    crypto_generichash_final(&state, out, out_size);
}
