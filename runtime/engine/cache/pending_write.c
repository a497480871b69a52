#include "pending_write.h"

#include <stdlib.h>
#include <string.h>

struct tci_pending_write {
    tci_object_cache *cache;
    tci_object_key key;
    void *bytes;
    size_t size;
    char name[];
};

tci_pending_write *tci_pending_write_create(tci_object_cache *cache, const tci_object_key *key,
                                            const char *name, void *bytes, size_t size)
{
    size_t name_size = strlen(name) + 1;
    tci_pending_write *pending = cache != NULL ? malloc(sizeof *pending + name_size) : NULL;
    if (pending == NULL) {
        free(bytes);
        return NULL;
    }
    *pending = (tci_pending_write){.cache = cache, .key = *key, .bytes = bytes, .size = size};
    memcpy(pending->name, name, name_size);
    return pending;
}

void tci_pending_write_store(tci_pending_write *pending)
{
    if (pending == NULL)
        return;
    tci_object_cache_store(pending->cache, &pending->key, pending->name, pending->bytes,
                           pending->size);
    tci_pending_write_drop(pending);
}

void tci_pending_write_drop(tci_pending_write *pending)
{
    if (pending == NULL)
        return;
    free(pending->bytes);
    free(pending);
}
