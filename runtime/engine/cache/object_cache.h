/* Compiled objects on disk, so that a function which this user has run before need not be
 * compiled again. The cache handles keys and bytes only: their meaning is the engine's
 * business.
 *
 * A cache never fails its user. An object that cannot be read counts as not found; a failure to
 * store one is logged once, and the object is compiled again next time. Any number of threads
 * of any number of processes use one folder at once.
 *
 * NULL stands for "no cache" in every call below. */
#ifndef TCI_OBJECT_CACHE_H
#define TCI_OBJECT_CACHE_H

#include "engine/cache/cache_entry.h"

typedef struct tci_object_cache tci_object_cache;

/* `cache_dir` is the value of the option of that name. *cache_out is NULL on TC_OK when no
 * cache is wanted, or "auto" finds no folder for one (logged at debug). TC_E_INVALID: the
 * folder is refused, TC_E_IO, TC_E_NO_MEMORY; the caller should then report err's text once,
 * and run on without a cache. */
TC_MUST_CHECK tc_status tci_object_cache_open(const char *cache_dir, uint64_t bytes_max,
                                              tci_object_cache **cache_out, tc_error *err);

/* No other call may be under way. */
void tci_object_cache_close(tci_object_cache *cache);

/* Finds the object, aligned as malloc does; the caller frees it. TC_E_NOT_FOUND, also for a
 * file that is damaged, foreign or of another key, which is deleted and logged. Takes some 10
 * us. */
TC_MUST_CHECK tc_status tci_object_cache_find(tci_object_cache *cache,
                                              const tci_object_key *key, void **bytes_out,
                                              size_t *size_out);

/* `name` is the function's, for lists of the cache. Replaces the key's previous object. An
 * object beyond a quarter of bytes_max is not stored. May have to delete others first: call it
 * when no caller waits. */
void tci_object_cache_store(tci_object_cache *cache, const tci_object_key *key,
                            const char *name, const void *bytes, size_t size);

/* Deletes all objects of this code, of every compiler and CPU. Reads the beginning of each
 * file. */
void tci_object_cache_forget(tci_object_cache *cache, const tci_content_id *id);

/* An object that is not in the cache yet: storing it can wait until the function was called. */
typedef struct tci_object_write tci_object_write;

/* Takes ownership of `bytes` (of malloc). NULL without a cache or memory. The key's texts and
 * the cache must outlive it; `name` is copied. */
tci_object_write *tci_object_write_create(tci_object_cache *cache, const tci_object_key *key,
                                          const char *name, void *bytes, size_t size);

/* Stores it, which may take milliseconds, and frees it. NULL is allowed. */
void tci_object_write_store(tci_object_write *pending);

/* Only frees it. NULL is allowed. */
void tci_object_write_drop(tci_object_write *pending);

#endif
