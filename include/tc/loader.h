/* A loader: functions that are loaded into this process, without peers. For programs that carry
 * messages by other means and only want the code; libtchains-compat is one.
 *
 * A loader's functions are tc_ifunc handles: tc_ifunc_name, tc_ifunc_id, tc_ifunc_code_size and
 * tc_ifunc_close accept them. They cannot be sent on an endpoint, which belongs to a context. A
 * loader belongs to one thread at a time; any thread may call the functions that it has loaded.
 *
 * Archives and bitcode are validated before they are used. Their code runs with the rights of
 * the process. */
#ifndef TC_LOADER_H
#define TC_LOADER_H

#include <stdint.h>
#include <tc/abi.h>
#include <tc/ifunc.h>
#include <tc/options.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_loader tc_loader;

/* A symbol that loaded code resolves before anything else in the process. */
typedef struct tc_symbol {
    const char *name;
    void *address;
} tc_symbol;

/* Creates a loader. The option `tier` counts as `best` unless it is `fast`: calls of a loader's
 * functions are not counted.
 *
 *   opts              copied; NULL: environment and defaults
 *   symbols           symbol_count of them, or NULL; their names must stay as long as the
 *                     loader
 *   loader_out        owned by the caller; see tc_loader_destroy
 *
 *   TC_OK             functions can be opened
 *   TC_E_INVALID      an option in the environment is outside its range
 *   TC_E_UNSUPPORTED  libsodium could not be started, or a symbol has a field that this library
 *                     does not know
 *   TC_E_TOO_LARGE    there are more than 1,048,576 symbols
 *   TC_E_NO_MEMORY    an allocation failed */
TC_MUST_CHECK static inline tc_status tc_loader_create(const tc_options *opts,
                                                       const tc_symbol *symbols,
                                                       size_t symbol_count,
                                                       tc_loader **loader_out, tc_error *err)
{
    return tc_loader_create_sized(opts, symbols, symbol_count, sizeof *symbols, loader_out,
                                  err);
}

/* Unloads every function and frees the loader. Its functions must not be running. NULL is
 * allowed. */
TC_API void tc_loader_destroy(tc_loader *loader);

/* Opens a function from any source, as tc_ifunc_open_code does for a context. The two functions
 * of slices that make payloads may be of either kind; see tc_entry_points.
 *
 *   TC_OK  the function can be resolved
 *   as tc_ifunc_open_code */
TC_MUST_CHECK static inline tc_status
tc_loader_open_code(tc_loader *loader, const tc_code *code, tc_ifunc **fn_out, tc_error *err)
{
    return tc_loader_open_code_sized(loader, code, sizeof *code, sizeof *code->slices, fn_out,
                                     err);
}

/* The entry points of a function; NULL: not defined. A function that makes payloads has
 * payload_max_size and one of the two init functions. */
typedef struct tc_entry_points {
    void (*main)(void *payload, size_t payload_size, void *target_args);
    /* NAME_payload_get_max_size, or NAME_payload_bound of the original's API */
    size_t (*payload_max_size)(void *source_args, size_t source_args_size);
    int (*payload_init)(void *payload, size_t payload_size, void *source_args,
                        size_t source_args_size);
    /* the original's: *payload_size is the capacity, and becomes the size used */
    int (*original_init)(void *source_args, size_t source_args_size, void *payload,
                         size_t *payload_size);
} tc_entry_points;

/* Makes a function callable in this process and blocks until it is: microseconds for an image,
 * 0.4 ms and more for bitcode. A failure other than TC_E_NO_MEMORY is remembered while fn is
 * open.
 *
 *   entries_out       addresses, valid as long as the loader if fn is not closed
 *
 *   TC_OK             the function can be called
 *   TC_E_INVALID      fn belongs to a context
 *   TC_E_NO_SLICE     the archive has no code for this architecture
 *   TC_E_VERSION      its bitcode is newer than this library's LLVM, or it states another
 *                     prototype of a symbol than the library that defines it
 *   TC_E_UNRESOLVED   the process lacks symbols; the text names all
 *   TC_E_NO_LIBRARY   a library of the .deps list does not load
 *   TC_E_COMPILE      LLVM refused the code; the text says why
 *   TC_E_UNSUPPORTED  only bitcode is left, and no compiler is available
 *   TC_E_CORRUPT      the code is malformed
 *   TC_E_TOO_LARGE    the code exceeds the option code_memory_max or another limit
 *   TC_E_NO_MEMORY    an allocation failed, or no process to compile in could be started */
TC_MUST_CHECK static inline tc_status
tc_loader_resolve(tc_ifunc *fn, tc_entry_points *entries_out, tc_error *err)
{
    return tc_loader_resolve_sized(fn, entries_out, sizeof *entries_out, err);
}

/* The bytes of a function's archive and of its dependency list, for tc_loader_open_code in
 * another process. Valid while fn is open. */
TC_API const void *tc_ifunc_archive(const tc_ifunc *fn, size_t *size_out);
TC_API const char *tc_ifunc_deps(const tc_ifunc *fn, size_t *size_out);

#ifdef __cplusplus
}
#endif
#endif
