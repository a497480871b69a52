/* The object cache: compiled functions that are kept on disk for later processes of the same
 * user (docs/object-cache.md). Contexts use it without being asked. These functions list its
 * contents and empty it.
 *
 * Both may run while other threads and processes use the cache: a function that is missing from
 * it is compiled again. They never create a folder. Files of the cache are validated like bytes
 * from a peer: a damaged or foreign file is counted and never run. */
#ifndef TC_CACHE_H
#define TC_CACHE_H

#include <stdint.h>
#include <tc/abi.h>
#include <tc/options.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TC_CACHE_FOLDER_MAX 1024

/* One compiled function. Texts are printable ASCII and valid during the callback. The library
 * makes this struct; later versions may append fields. */
typedef struct tc_cache_entry {
    const char *name;     /* the function's name */
    const char *id;       /* content id of its code, 32 hex digits */
    const char *level;    /* how it was compiled: "quick", "best", "best-over" */
    unsigned slice;       /* index of the slice in its archive */
    const char *cpu;      /* the CPU it was compiled for, in LLVM's words */
    const char *features; /* the features it was compiled for, in LLVM's words */
    const char *llvm;     /* version of the compiler, "19.1.7" */
    uint64_t bytes;       /* size of its file */
    int64_t used_s;       /* last use, to a minute; seconds since 1970 */
} tc_cache_entry;

typedef struct tc_cache_totals {
    char folder[TC_CACHE_FOLDER_MAX]; /* empty: there is no cache */
    uint64_t bytes_max;               /* the option cache_max */
    uint64_t entries;                 /* compiled functions */
    uint64_t bytes;                   /* size of all files of the cache */
    uint64_t others;                  /* damaged, unfinished or foreign files */
} tc_cache_totals;

/* Called for each entry. */
typedef void (*tc_cache_visit)(void *user, const tc_cache_entry *entry);

/* Reads and validates every file of the cache and calls `visit` for each entry, the most
 * recently used one first. Changes nothing. Takes about one second per gigabyte. Any thread.
 *
 *   opts            options that name the cache; NULL: those of the environment
 *   visit           called for each entry; NULL: only the totals are wanted
 *   totals_out      totals of the whole cache
 *
 *   TC_OK           the cache was read, or there is none
 *   TC_E_INVALID    the folder is refused (not a folder, another user's, or writable by
 *                   others), or with opts NULL a TC_ variable is outside its range
 *   TC_E_IO         the folder cannot be opened or read
 *   TC_E_NO_MEMORY  an allocation failed */
TC_MUST_CHECK static inline tc_status tc_cache_list(const tc_options *opts,
                                                    tc_cache_visit visit, void *user,
                                                    tc_cache_totals *totals_out, tc_error *err)
{
    return tc_cache_list_sized(opts, visit, user, totals_out, sizeof *totals_out, err);
}

/* Deletes every file of the cache. The folder and other files in it stay. Any thread.
 *
 *   opts            as for tc_cache_list
 *   removed_out     totals of the deleted files
 *
 *   TC_OK           the cache is empty now, or there is none
 *   TC_E_INVALID    as tc_cache_list
 *   TC_E_IO         the folder cannot be read, or some files cannot be deleted
 *   TC_E_NO_MEMORY  an allocation failed */
TC_MUST_CHECK static inline tc_status
tc_cache_clear(const tc_options *opts, tc_cache_totals *removed_out, tc_error *err)
{
    return tc_cache_clear_sized(opts, removed_out, sizeof *removed_out, err);
}

#ifdef __cplusplus
}
#endif
#endif
