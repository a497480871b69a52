/* The one-file library's hash, a few bytes at a time. */
#include "../../../packaging/onefile/sodium.h"
#include "hash.h"

void onefile_hash(const uint8_t *key, size_t key_size, const uint8_t *bytes, size_t size,
                  size_t step, uint8_t *out, size_t out_size)
{
    tci_sodium_hash_state state;
    tci_sodium_hash_init(&state, key, key_size, out_size);
    for (size_t at = 0; at < size; at += step)
        tci_sodium_hash_update(&state, bytes + at, step < size - at ? step : size - at);
    tci_sodium_hash_final(&state, out, out_size);
}
