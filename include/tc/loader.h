/* A loader: functions that run in this process, without any peers. For programs that carry
 * messages by means of their own and want the code alone: libtchains-compat is one.
 *
 * Functions of a loader are a tc_ifunc like any other: tc_ifunc_name, tc_ifunc_id,
 * tc_ifunc_code_size and tc_ifunc_close take them. They cannot be sent on an endpoint, which
 * belongs to a context. A loader belongs to one thread at a time; what it has loaded may be
 * called by any. */
#ifndef TC_LOADER_H
#define TC_LOADER_H

#include <stdint.h>
#include <tc/ifunc.h>
#include <tc/options.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_loader tc_loader;

/* What shipped code finds under this name, before anything else in the process. */
typedef struct tc_symbol {
    const char *name;
    void *address;
} tc_symbol;

TC_MUST_CHECK TC_API tc_status tc_loader_create_sized(const tc_options *opts,
                                                      const tc_symbol *symbols,
                                                      size_t symbol_count, size_t symbol_size,
                                                      tc_loader **loader_out, tc_error *err);

/* opts NULL: environment and defaults; otherwise copied. `symbols` may be NULL, and otherwise
 * stay as long as the loader. TC_E_INVALID (a bad option in the environment), TC_E_NO_MEMORY,
 * TC_E_UNSUPPORTED. err may be NULL, here and below. */
TC_MUST_CHECK static inline tc_status tc_loader_create(const tc_options *opts,
                                                       const tc_symbol *symbols,
                                                       size_t symbol_count,
                                                       tc_loader **loader_out, tc_error *err)
{
    return tc_loader_create_sized(opts, symbols, symbol_count, sizeof *symbols, loader_out,
                                  err);
}

/* Unloads every function; none may be running. NULL is allowed. */
TC_API void tc_loader_destroy(tc_loader *loader);

/* An archive and its .deps text (or NULL), from memory; both are copied. Statuses of
 * tc_ifunc_open_memory. */
TC_MUST_CHECK TC_API tc_status tc_loader_open_memory(tc_loader *loader, const void *archive,
                                                     size_t archive_size, const char *deps,
                                                     size_t deps_size, tc_ifunc **fn_out,
                                                     tc_error *err);

/* LLVM bitcode for one target, from any compiler. */
typedef struct tc_bitcode {
    const char *triple; /* any spelling: "x86_64-pc-linux-gnu" */
    const void *bytes;
    size_t size;
} tc_bitcode;

TC_MUST_CHECK TC_API tc_status tc_loader_open_bitcode_sized(tc_loader *loader, const char *name,
                                                            const tc_bitcode *slices,
                                                            size_t count, size_t slice_size,
                                                            const char *deps, size_t deps_size,
                                                            tc_ifunc **fn_out, tc_error *err);

/* The same from bitcode: makes an archive of it, whose slices define NAME_main and, where the
 * first one has the names, the two functions that make payloads (either kind; see
 * tc_entry_points). TC_E_INVALID: name is no C identifier, no slice or two for one target, a
 * bad triple; otherwise as above. */
TC_MUST_CHECK static inline tc_status
tc_loader_open_bitcode(tc_loader *loader, const char *name, const tc_bitcode *slices,
                       size_t count, const char *deps, size_t deps_size, tc_ifunc **fn_out,
                       tc_error *err)
{
    return tc_loader_open_bitcode_sized(loader, name, slices, count, sizeof *slices, deps,
                                        deps_size, fn_out, err);
}

/* What a function defines; NULL: that one it does not. Either both or none of those that make
 * payloads are there: payload_max_size with one of the other two. */
typedef struct tc_entry_points {
    void (*main)(void *payload, size_t payload_size, void *target_args);
    /* NAME_payload_get_max_size, or NAME_payload_bound of the original's API */
    size_t (*payload_max_size)(void *source_args, size_t source_args_size);
    int (*payload_init)(void *payload, size_t payload_size, void *source_args,
                        size_t source_args_size);
    /* the original's: *payload_size is the size that there is, and becomes the one used */
    int (*original_init)(void *source_args, size_t source_args_size, void *payload,
                         size_t *payload_size);
} tc_entry_points;

TC_MUST_CHECK TC_API tc_status tc_loader_resolve_sized(tc_ifunc *fn,
                                                       tc_entry_points *entries_out,
                                                       size_t entries_size, tc_error *err);

/* Makes fn callable in this process, and waits for that: microseconds for an image, 0.4 ms and
 * more for bitcode. The addresses stay valid as long as the loader, if fn is not closed. A
 * failure is remembered while fn is open. TC_E_NO_SLICE, TC_E_VERSION, TC_E_UNRESOLVED,
 * TC_E_NO_LIBRARY, TC_E_COMPILE, TC_E_UNSUPPORTED, TC_E_CORRUPT, TC_E_TOO_LARGE,
 * TC_E_NO_MEMORY; TC_E_INVALID: fn is not of a loader. */
TC_MUST_CHECK static inline tc_status
tc_loader_resolve(tc_ifunc *fn, tc_entry_points *entries_out, tc_error *err)
{
    return tc_loader_resolve_sized(fn, entries_out, sizeof *entries_out, err);
}

/* What another process opens by tc_loader_open_memory; valid while fn is open. */
TC_API const void *tc_ifunc_archive(const tc_ifunc *fn, size_t *size_out);
TC_API const char *tc_ifunc_deps(const tc_ifunc *fn, size_t *size_out);

#ifdef __cplusplus
}
#endif
#endif
