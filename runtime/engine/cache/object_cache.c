/* One file per object, its name made of the key. A read checks the whole entry (cache_entry.h)
 * and deletes a file that is wrong; a write goes to a temporary file and is renamed. */
#include "object_cache.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "engine/cache/cache_file.h"
#include "engine/cache/cache_folder.h"
#include "engine/cache/cache_seal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES 4096u    /* a file takes whole blocks of a disk */
#define LARGEST_PART 4u      /* of the bound: limit of one object */
#define ROOM_PART 8u         /* of the bound, freed when it is reached */
#define TEMPORARY_MAX_S 3600 /* a file written for longer has lost its writer */

/* The bound is kept without a lock between processes.
 *
 * A process counts the folder at its first store, and from then on adds the bytes that it
 * stores itself. When the sum reaches the bound, it counts again and deletes the least recently
 * used until an eighth of the bound is free; so counts are rare, and one process alone never
 * exceeds the bound. It does not see the stores of others in between. But no process stores
 * more than an eighth, or one object, without counting again, so n processes that store at the
 * same time may together exceed the bound by n eighths (n quarters, if objects are as large as
 * may be) until one of them counts. In exchange a process that is stopped or dies during a
 * store never holds up another one, and there is no lock file to go stale.
 *
 * Processes that delete at the same time choose the same files, as all sort alike; the later
 * one finds them gone. A file that is deleted while another process reads it stays readable for
 * that one. */
struct tci_object_cache {
    int folder;
    uint64_t bytes_max;
    pthread_mutex_t lock; /* guards the four below */
    bool counted;
    uint64_t bytes;         /* in the folder, as far as this process knows */
    uint64_t bytes_stored;  /* since it was counted */
    uint64_t bytes_writing; /* of those, not visible to a count yet */
    atomic_bool complained;
    char path[TCI_CACHE_FOLDER_MAX];
};

tc_status tci_object_cache_open(const char *cache_dir, uint64_t bytes_max,
                                tci_object_cache **cache_out, tc_error *err)
{
    tc_error why = {.status = TC_OK};
    tci_object_cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "object cache: out of memory");
    tc_status status = tci_cache_folder_path(cache_dir, cache->path, &why);
    if (status == TC_OK)
        status = tci_cache_folder_open(cache_dir, cache->path, true, &cache->folder, &why);
    if (status != TC_OK)
        free(cache);
    if (status == TC_E_UNSUPPORTED) {
        TC_LOG(TC_LOG_DEBUG, "no object cache: %s", why.text);
        *cache_out = NULL;
        return TC_OK;
    }
    if (status != TC_OK)
        return tci_error_set(err, status, "object cache: %s", why.text);
    cache->bytes_max = bytes_max;
    (void)pthread_mutex_init(&cache->lock, NULL);
    atomic_init(&cache->complained, false);
    *cache_out = cache;
    return TC_OK;
}

void tci_object_cache_close(tci_object_cache *cache)
{
    if (cache == NULL)
        return;
    (void)pthread_mutex_destroy(&cache->lock);
    (void)close(cache->folder);
    free(cache);
}

/* Warns once: a full disk stays full for a thousand functions. */
static void complain(tci_object_cache *cache, const char *what, const tc_error *why)
{
    bool again = atomic_exchange_explicit(&cache->complained, true, memory_order_relaxed);
    TC_LOG(again ? TC_LOG_DEBUG : TC_LOG_WARN, "object cache %s: %s: %s%s", cache->path, what,
           why->text, again ? "" : "; running on, further failures at level debug");
}

/* A file that another process stores under this name between the read and the deletion is lost,
 * and stored again after the next miss. */
static void remove_damaged(tci_object_cache *cache, const char *file, const tc_error *why)
{
    bool removed = tci_cache_file_remove(cache->folder, file);
    TC_LOG(TC_LOG_WARN, "object cache %s: %s: %s; %s", cache->path, file, why->text,
           removed ? "deleted" : "it cannot be deleted");
}

/* Without the user's key no object is sealed, and code that needs a seal is compiled each
 * time. */
static bool is_usable(tci_object_cache *cache, const tci_object_key *key)
{
    tc_error why = {.status = TC_OK};
    if (!key->seal.wanted || tci_cache_seal_key(&why) != NULL)
        return true;
    complain(cache, "objects of signed code", &why);
    return false;
}

static tc_status decode_for(const tci_object_key *key, const void *bytes, size_t size,
                            tci_cache_entry *entry_out, tc_error *err)
{
    TC_TRY(tci_cache_entry_decode(bytes, size, key, entry_out, err));
    if (tci_cache_entry_key_equal(&entry_out->key, key))
        return TC_OK;
    return tci_error_set(err, TC_E_CORRUPT,
                         "it is an object of LLVM %s for %s, expected LLVM %s for %s, or "
                         "differs in another part of its key",
                         entry_out->key.llvm, entry_out->key.cpu, key->llvm, key->cpu);
}

tc_status tci_object_cache_find(tci_object_cache *cache, const tci_object_key *key,
                                void **bytes_out, size_t *size_out)
{
    char file[TCI_CACHE_FILE_NAME];
    void *bytes = NULL;
    size_t size;
    struct timespec used;
    tci_cache_entry entry;
    tc_error why = {.status = TC_OK};
    if (cache == NULL)
        return TC_E_NOT_FOUND;
    if (!is_usable(cache, key))
        return TC_E_NOT_FOUND;
    tci_cache_entry_file_name(key, file);
    tc_status status = tci_cache_file_read(cache->folder, file, &bytes, &size, &used, &why);
    if (status == TC_OK)
        status = decode_for(key, bytes, size, &entry, &why);
    if (status == TC_OK) {
        tci_cache_file_touch(cache->folder, file, used);
        *size_out = entry.object_bytes;
        *bytes_out = memmove(bytes, entry.object, entry.object_bytes);
        return TC_OK;
    }
    free(bytes);
    if (status == TC_E_CORRUPT || status == TC_E_VERSION)
        remove_damaged(cache, file, &why);
    else if (status != TC_E_NOT_FOUND)
        complain(cache, file, &why);
    return TC_E_NOT_FOUND;
}

static uint64_t disk_bytes(uint64_t bytes)
{
    return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
}

/* Deletes files that are of no use, and adds up the rest. */
static uint64_t count_files(int folder, tci_cache_file *files, size_t count)
{
    uint64_t bytes = 0;
    time_t now = time(NULL);
    for (size_t i = 0; i < count; i++) {
        tci_cache_file *file = &files[i];
        bool stale = file->temporary && now - file->used.tv_sec > TEMPORARY_MAX_S;
        if ((!file->regular || stale) && tci_cache_file_remove(folder, file->name))
            file->bytes = 0;
        else
            bytes += disk_bytes(file->bytes);
    }
    return bytes;
}

/* Counts the folder, and deletes the least recently used when `more` bytes would exceed the
 * bound. Called under the lock. */
static tc_status count_and_trim(tci_object_cache *cache, uint64_t more, tc_error *err)
{
    tci_cache_file *files = NULL;
    size_t count = 0;
    uint64_t capacity = cache->bytes_max - cache->bytes_max / ROOM_PART;
    TC_TRY(tci_cache_files_list(cache->folder, &files, &count, err));
    cache->bytes = count_files(cache->folder, files, count) + cache->bytes_writing;
    cache->bytes_stored = cache->bytes_writing;
    cache->counted = true;
    if (cache->bytes + more > cache->bytes_max) {
        for (size_t i = 0; i < count && cache->bytes + more > capacity; i++) {
            /* A file that is being written will soon be the most recently used. */
            if (!files[i].temporary && tci_cache_file_remove(cache->folder, files[i].name))
                cache->bytes -= disk_bytes(files[i].bytes);
        }
    }
    free(files);
    return TC_OK;
}

/* Reserves space for a file that is then written. */
static tc_status reserve(tci_object_cache *cache, uint64_t more, tc_error *err)
{
    tc_status status = TC_OK;
    pthread_mutex_lock(&cache->lock);
    if (!cache->counted || cache->bytes + more > cache->bytes_max ||
        cache->bytes_stored + more > cache->bytes_max / ROOM_PART)
        status = count_and_trim(cache, more, err);
    if (status == TC_OK && cache->bytes + more > cache->bytes_max)
        status = tci_error_set(
            err, TC_E_TOO_LARGE, "%llu bytes that cannot be deleted, limit %llu",
            (unsigned long long)cache->bytes, (unsigned long long)cache->bytes_max);
    if (status == TC_OK) {
        cache->bytes += more;
        cache->bytes_stored += more;
        cache->bytes_writing += more;
    }
    pthread_mutex_unlock(&cache->lock);
    return status;
}

/* Ends a write, successful or not: the next count finds out. */
static void written(tci_object_cache *cache, uint64_t more)
{
    pthread_mutex_lock(&cache->lock);
    cache->bytes_writing -= more;
    pthread_mutex_unlock(&cache->lock);
}

static tc_status store_entry(tci_object_cache *cache, const tci_cache_entry *entry, size_t size,
                             tc_error *err)
{
    char file[TCI_CACHE_FILE_NAME];
    void *bytes = malloc(size);
    if (bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "out of memory");
    tci_cache_entry_encode(entry, bytes, size);
    tci_cache_entry_file_name(&entry->key, file);
    tc_status status = reserve(cache, disk_bytes(size), err);
    if (status == TC_OK) {
        status = tci_cache_file_write(cache->folder, file, bytes, size, err);
        written(cache, disk_bytes(size));
    }
    free(bytes);
    return status;
}

void tci_object_cache_store(tci_object_cache *cache, const tci_object_key *key,
                            const char *name, const void *bytes, size_t size)
{
    tci_cache_entry entry = {*key, name, bytes, size};
    tc_error why = {.status = TC_OK};
    if (cache == NULL || !is_usable(cache, key))
        return;
    size_t file_bytes = tci_cache_entry_bytes(&entry);
    if (file_bytes == 0 || file_bytes > cache->bytes_max / LARGEST_PART)
        TC_LOG(TC_LOG_DEBUG, "object cache %s: %s: an object of %zu bytes is not kept",
               cache->path, name, size);
    else if (store_entry(cache, &entry, file_bytes, &why) != TC_OK)
        complain(cache, name, &why);
}

void tci_object_cache_forget(tci_object_cache *cache, const tci_content_id *id)
{
    tci_cache_file *files = NULL;
    size_t count = 0;
    tc_error why = {.status = TC_OK};
    if (cache == NULL)
        return;
    if (tci_cache_files_list(cache->folder, &files, &count, &why) != TC_OK)
        complain(cache, "code that was revoked", &why);
    for (size_t i = 0; i < count; i++) {
        uint8_t head[TCI_CACHE_ENTRY_HEAD_BYTES];
        if (files[i].regular &&
            tci_cache_file_head(cache->folder, files[i].name, head, sizeof head) &&
            tci_cache_entry_head_has(head, id) &&
            !tci_cache_file_remove(cache->folder, files[i].name))
            TC_LOG(TC_LOG_WARN, "object cache %s: %s: revoked code cannot be deleted",
                   cache->path, files[i].name);
    }
    free(files);
}

/* --- pending writes ---------------------------------------------------------------------- */

struct tci_object_write {
    tci_object_cache *cache;
    tci_object_key key;
    void *bytes;
    size_t size;
    char name[];
};

tci_object_write *tci_object_write_create(tci_object_cache *cache, const tci_object_key *key,
                                          const char *name, void *bytes, size_t size)
{
    size_t name_size = strlen(name) + 1;
    tci_object_write *pending = cache != NULL ? malloc(sizeof *pending + name_size) : NULL;
    if (pending == NULL) {
        free(bytes);
        return NULL;
    }
    *pending = (tci_object_write){.cache = cache, .key = *key, .bytes = bytes, .size = size};
    memcpy(pending->name, name, name_size);
    return pending;
}

void tci_object_write_store(tci_object_write *pending)
{
    if (pending == NULL)
        return;
    tci_object_cache_store(pending->cache, &pending->key, pending->name, pending->bytes,
                           pending->size);
    tci_object_write_drop(pending);
}

void tci_object_write_drop(tci_object_write *pending)
{
    if (pending == NULL)
        return;
    free(pending->bytes);
    free(pending);
}
