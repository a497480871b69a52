/* What makes a cached object one of this user's, where only signed code may run: a checksum with
 * a key that lies in a file of the user's, outside the cache: tchains/cache.key in
 * $XDG_CONFIG_HOME or $HOME/.config, made when it is first needed. Any thread. */
#ifndef TCI_CACHE_SEAL_H
#define TCI_CACHE_SEAL_H

#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

/* The user's key, 32 bytes, read or made once per process. NULL: there is none, and err (NULL
 * allowed) says why. */
const uint8_t *tci_cache_seal_key(tc_error *err);

/* Over bytes that belong to code of this digest. The key is there. */
void tci_cache_seal_make(const uint8_t content[32], const void *bytes, size_t size,
                         uint8_t seal_out[32]);

#endif
