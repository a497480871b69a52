/* An object that the cache has not got yet: storing it can wait until the function was called.
 */
#ifndef TCI_PENDING_WRITE_H
#define TCI_PENDING_WRITE_H

#include "engine/cache/object_cache.h"

typedef struct tci_pending_write tci_pending_write;

/* Takes `bytes` (of malloc) over. NULL when there is no cache or no memory. The key's texts and
 * the cache must outlive it; `name` is copied. */
tci_pending_write *tci_pending_write_create(tci_object_cache *cache, const tci_object_key *key,
                                            const char *name, void *bytes, size_t size);

/* Stores it, which may take milliseconds, and frees it. NULL is allowed. */
void tci_pending_write_store(tci_pending_write *pending);

/* Only frees it. NULL is allowed. */
void tci_pending_write_drop(tci_pending_write *pending);

#endif
