/* The object cache: what compilers of this user made of functions, kept on disk for the next
 * process (docs/object-cache.md). Contexts use it by themselves; this is for who wants to look
 * into it or to empty it.
 *
 * Both calls may run while other threads and processes use the cache: a function that is gone
 * from it is compiled again. They make no folder. */
#ifndef TC_CACHE_H
#define TC_CACHE_H

#include <stdint.h>
#include <tc/options.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TC_CACHE_FOLDER_MAX 1024

/* One compiled function. The texts are printable ASCII, and valid during the visit. */
typedef struct tc_cache_entry {
    const char *name;     /* of the function */
    const char *id;       /* content id of its code, 32 hex digits */
    const char *level;    /* how it was compiled: "quick", "best", "best-over", or a number */
    unsigned slice;       /* which slice of its archive */
    const char *cpu;      /* what it was compiled for, as LLVM names it */
    const char *features; /* likewise */
    const char *llvm;     /* what compiled it, "19.1.7" */
    uint64_t bytes;       /* of its file */
    int64_t used_s;       /* when it was last used, to a minute; seconds since 1970 */
} tc_cache_entry;

typedef struct tc_cache_totals {
    char folder[TC_CACHE_FOLDER_MAX]; /* empty: there is no cache */
    uint64_t bytes_max;               /* the option cache_max */
    uint64_t entries;
    uint64_t bytes; /* of all files that belong to the cache */
    /* Files that are no entries: damaged, half written, or of another user. */
    uint64_t others;
} tc_cache_totals;

typedef void (*tc_cache_visit)(void *user, const tc_cache_entry *entry);

TC_MUST_CHECK TC_API tc_status tc_cache_list_sized(const tc_options *opts, tc_cache_visit visit,
                                                   void *user, tc_cache_totals *totals_out,
                                                   size_t totals_size, tc_error *err);
TC_MUST_CHECK TC_API tc_status tc_cache_clear_sized(const tc_options *opts,
                                                    tc_cache_totals *removed_out,
                                                    size_t removed_size, tc_error *err);

/* Reads and checks every file, which takes about a second for each gigabyte, and visits each
 * entry, the one that was used last first. Changes nothing: a damaged file is counted, and
 * deleted by who next looks for its function. opts NULL: the environment's. visit NULL: only
 * the totals are wanted. err may be NULL.
 * TC_E_INVALID: the folder is refused, or (opts NULL) a TC_ variable; the text says what was
 * found and what was expected. TC_E_IO, TC_E_NO_MEMORY. */
TC_MUST_CHECK static inline tc_status tc_cache_list(const tc_options *opts,
                                                    tc_cache_visit visit, void *user,
                                                    tc_cache_totals *totals_out, tc_error *err)
{
    return tc_cache_list_sized(opts, visit, user, totals_out, sizeof *totals_out, err);
}

/* Deletes every file of the cache and says what was deleted; other files in the folder, and the
 * folder, stay. As above; TC_E_IO also when some files could not be deleted. */
TC_MUST_CHECK static inline tc_status
tc_cache_clear(const tc_options *opts, tc_cache_totals *removed_out, tc_error *err)
{
    return tc_cache_clear_sized(opts, removed_out, sizeof *removed_out, err);
}

#ifdef __cplusplus
}
#endif
#endif
