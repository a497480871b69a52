/* Files in the cache's folder, by its descriptor: read whole, replaced whole, listed, removed.
 * A name is never followed out of the folder. */
#ifndef TCI_CACHE_FILE_H
#define TCI_CACHE_FILE_H

#include "engine/cache/cache_entry.h"

#include <time.h>

/* Reads the file into memory that the caller frees. TC_E_NOT_FOUND; TC_E_CORRUPT: the name is
 * no regular file of this user, or has a size that no entry has, or changed meanwhile; TC_E_IO,
 * TC_E_NO_MEMORY: the state of the file is unknown. */
TC_MUST_CHECK tc_status tci_cache_file_read(int folder, const char *name, void **bytes_out,
                                            size_t *size_out, struct timespec *used_out,
                                            tc_error *err);

/* Reads the first `size` bytes of a regular file; false where there are fewer. */
bool tci_cache_file_head(int folder, const char *name, void *bytes_out, size_t size);

/* Replaces the file: other processes see the old file or the new one, never a part. TC_E_IO. */
TC_MUST_CHECK tc_status tci_cache_file_write(int folder, const char *name, const void *bytes,
                                             size_t size, tc_error *err);

/* Removes the file, of any kind; false when it is still there. */
bool tci_cache_file_remove(int folder, const char *name);

/* Records the use of an entry as its file's modification time, since access times are off or
 * coarse on many systems. Writes at most once a minute. */
void tci_cache_file_touch(int folder, const char *name, struct timespec used);

/* One file of the cache. */
typedef struct tci_cache_file {
    char name[TCI_CACHE_FILE_NAME];
    bool temporary; /* being written, or left behind by a writer that died */
    bool regular;   /* else it can only be removed */
    uint64_t bytes;
    struct timespec used; /* last use, to a minute */
} tci_cache_file;

/* Lists all files with names of the cache, the least recently used first; others in the folder
 * are ignored. The caller frees the array, which is NULL if it is empty. TC_E_IO,
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_cache_files_list(int folder, tci_cache_file **files_out,
                                             size_t *count_out, tc_error *err);

#endif
