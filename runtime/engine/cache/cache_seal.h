/* Seals cached objects as this user's, where only signed code may run: a checksum with a key
 * from a file of the user, outside the cache: tchains/cache.key in $XDG_CONFIG_HOME or
 * $HOME/.config, created when it is first needed. Any thread. */
#ifndef TCI_CACHE_SEAL_H
#define TCI_CACHE_SEAL_H

#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

/* Returns the user's key, 32 bytes, read or created once per process. NULL without one; err
 * (NULL allowed) then has the reason. */
const uint8_t *tci_cache_seal_key(tc_error *err);

/* Computes the seal of bytes that belong to code of this digest. tci_cache_seal_key must have
 * returned the key. */
void tci_cache_seal_make(const uint8_t content[32], const void *bytes, size_t size,
                         uint8_t seal_out[32]);

#endif
