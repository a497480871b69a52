/* BLAKE2b as the one-file library has it: `step` bytes at a time. */
#ifndef ONEFILE_HASH_H
#define ONEFILE_HASH_H

#include <stddef.h>
#include <stdint.h>

void onefile_hash(const uint8_t *key, size_t key_size, const uint8_t *bytes, size_t size,
                  size_t step, uint8_t *out, size_t out_size);

#endif
