/* Keys, objects and a folder of their own for tests of the object cache. */
#ifndef CACHE_SAMPLE_H
#define CACHE_SAMPLE_H

#include "engine/object_cache.h"

#define CACHE_PATH_MAX 512

/* A key that differs from that of every other number in its content id. */
tci_object_key cache_sample_key(unsigned number);

/* Bytes that tell the number. */
void cache_sample_object(unsigned number, uint8_t *bytes_out, size_t size);

/* A new folder of mode 0700, with whatever later lies in it gone at the end. */
void cache_folder_make(char path_out[CACHE_PATH_MAX]);
void cache_folder_remove(const char *path);

/* The file of key number, behind the folder's path. */
void cache_sample_path(const char *folder, unsigned number, char path_out[CACHE_PATH_MAX]);

/* Opened as one opens it who expects that it works. */
tci_object_cache *cache_sample_open(const char *folder, uint64_t bytes_max);

void cache_sample_store(tci_object_cache *cache, unsigned number, size_t size);
/* Whether it is there; what is there is right, or the test fails. */
bool cache_sample_find(tci_object_cache *cache, unsigned number, size_t size);

#endif
