/* Keys, objects and a folder of their own for tests of the object cache. */
#ifndef CACHE_SAMPLE_H
#define CACHE_SAMPLE_H

#include "engine/cache/object_cache.h"

#define CACHE_PATH_MAX 512

/* A key that differs from that of every other number in its content id. */
tci_object_key cache_sample_key(unsigned number);

/* Bytes that identify the number. */
void cache_sample_object(unsigned number, uint8_t *bytes_out, size_t size);

/* A new folder of mode 0700, with whatever later lies in it gone at the end. */
void cache_folder_make(char path_out[CACHE_PATH_MAX]);
void cache_folder_remove(const char *path);

/* Set-up and tear-down of a test: cache_folder is a new folder, and the log's warnings are
 * counted. */
extern char cache_folder[CACHE_PATH_MAX];
extern unsigned cache_warnings;
extern char cache_last_warning[2048];
int cache_set_up(void **state);
int cache_tear_down(void **state);

/* The file of key number, behind the folder's path. */
void cache_sample_path(const char *folder, unsigned number, char path_out[CACHE_PATH_MAX]);

/* Opened by a caller that expects success. */
tci_object_cache *cache_sample_open(const char *folder, uint64_t bytes_max);

void cache_sample_store(tci_object_cache *cache, unsigned number, size_t size);
/* Returns whether it is there; its contents are right, or the test fails. */
bool cache_sample_find(tci_object_cache *cache, unsigned number, size_t size);

#endif
