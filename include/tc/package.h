/* Packages: functions that belong together and the libraries that they share (<tc/library.h>),
 * under one content id. `tc-package build FOLDER` makes of a folder of sources NAME.tcp, which
 * holds the archive of each as an element with a number and a name; NAME.h with those numbers,
 * the content id and a sender of the right type for each function; and libNAME-local.so, the
 * same functions compiled for a process that need not have them sent. After "packages" and
 * "local function" of the Two-Chains paper, III.
 *
 * Files are validated when they are opened: malformed bytes are TC_E_CORRUPT and touch nothing.
 * The functions of a package are ordinary ones (<tc/ifunc.h>), and so are its libraries: each
 * is judged and loaded for itself where it arrives. Handles belong to the thread of their
 * context. */
#ifndef TC_PACKAGE_H
#define TC_PACKAGE_H

#include <tc/abi.h>
#include <tc/ifunc.h>
#include <tc/library.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_package tc_package;

#define TC_PACKAGE_ID_BYTES 16

/* Opens a package and all functions and libraries in it. Nothing is sent or loaded.
 *
 *   path            of a .tcp file
 *   id              TC_PACKAGE_ID_BYTES bytes of the content id that the package must have, as
 *                   NAME_package_open of the generated header passes it; NULL: any
 *   package_out     see tc_package_close
 *
 *   TC_OK           its functions can be sent
 *   TC_E_INVALID    path is NULL
 *   TC_E_NOT_FOUND  there is no such file
 *   TC_E_CORRUPT    the file is malformed, truncated or damaged, two of its elements have one
 *                   number or name, or an archive in it is malformed or has another name than
 *                   its element; the text says which
 *   TC_E_VERSION    its id is another one: the program was compiled with the header of an older
 *                   or newer package; or the format of the package or of an archive is newer
 *                   than this library
 *   TC_E_TOO_LARGE  a limit of the format is exceeded
 *   TC_E_IO         the file exists and cannot be read
 *   TC_E_NO_MEMORY  an allocation failed
 *   as tc_ifunc_open_code */
TC_MUST_CHECK TC_API tc_status tc_package_open(tc_context *ctx, const char *path,
                                               const uint8_t *id, tc_package **package_out,
                                               tc_error *err);

/* Opens a package from a file or from memory.
 *
 *   code            has `path`, or `bytes` and `size`; and `id` as for tc_package_open
 *
 *   TC_E_INVALID      also: another field is set, or neither source
 *   TC_E_UNSUPPORTED  code has a field that this library does not know
 *   as tc_package_open */
TC_MUST_CHECK static inline tc_status tc_package_open_code(tc_context *ctx, const tc_code *code,
                                                           tc_package **package_out,
                                                           tc_error *err)
{
    return tc_package_open_code_sized(ctx, code, sizeof *code, package_out, err);
}

/* Opens the package that libNAME-local.so was made with, which is in it, and has messages for
 * its functions run the code of that library instead of the code that peers send, as with
 * tc_ifunc_use_local; functions with holes run as they are sent. Payloads that this context
 * sends are made by it, too. The library stays loaded until the process ends; its code runs
 * once it is loaded, so it must be as trusted as the program.
 *
 *   path              of the library, as for dlopen: without a slash it is searched for
 *   package_out       see tc_package_close. While it is open, peers that send the same
 *                     functions, or with the option code_push off only their ids, run them
 *
 *   TC_OK             messages run the library's functions
 *   TC_E_NOT_FOUND    the library cannot be loaded; the text is the loader's
 *   TC_E_CORRUPT      it is no library of tc-package, or does not have the package's functions
 *   TC_E_VERSION      it was made by another version of tc-package
 *   TC_E_INVALID      a function was loaded already
 *   as tc_package_open */
TC_MUST_CHECK TC_API tc_status tc_package_use_local(tc_context *ctx, const char *path,
                                                    tc_package **package_out, tc_error *err);

/* Closes a package. Messages that were sent still run, and libraries stay where they are in
 * force. NULL is allowed. */
TC_API void tc_package_close(tc_package *package);

/* The package's name, valid while it is open. */
TC_API const char *tc_package_name(const tc_package *package);

/* Writes the content id: the first 128 bits of BLAKE2b over the file but for its last 16 bytes,
 * which are the id. */
TC_API void tc_package_id(const tc_package *package, uint8_t id_out[TC_PACKAGE_ID_BYTES]);

/* How many elements it has. */
TC_API size_t tc_package_count(const tc_package *package);

/* The number of an element, by its index from 0 to tc_package_count - 1; elements are in the
 * order of their numbers. 0: no such index. */
TC_API uint32_t tc_package_number(const tc_package *package, size_t place);

/* The function of the element with that number, open while the package is; NULL: it is none. */
TC_API tc_ifunc *tc_package_ifunc(const tc_package *package, uint32_t number);

/* The library of the element with that number, open while the package is; NULL: it is none. */
TC_API tc_library *tc_package_library(const tc_package *package, uint32_t number);

/* The function of the element with that name, open while the package is; NULL: none. */
TC_API tc_ifunc *tc_package_find(const tc_package *package, const char *name);

/* Pushes the package's libraries to a peer, in the order of their numbers, so that a library
 * comes before those that use it. Those that are in force there already are left as they are;
 * of another content under the same name they take over (tc_library_push). A program that only
 * uses libraries pushed by another program does not call this: an older package would replace a
 * newer one.
 *
 *   timeout_ns      for all together; 0: the option call_timeout for each
 *
 *   TC_OK           all are in force
 *   as tc_library_push   err begins with the library's name; those before it are in force */
TC_MUST_CHECK TC_API tc_status tc_package_push(tc_ep *ep, const tc_package *package,
                                               uint64_t timeout_ns, tc_error *err);

/* Puts the package's libraries in force in this context, as if a peer had pushed them.
 *
 *   TC_OK           all are in force
 *   as tc_library_install   err begins with the library's name; those before it are in force */
TC_MUST_CHECK TC_API tc_status tc_package_install(tc_context *ctx, const tc_package *package,
                                                  tc_error *err);

/* tc_package_push, and sends the code of all functions ahead and waits until the peer has
 * loaded them all, but for functions with holes: their code comes with the first values.
 * Messages on this endpoint run meanwhile. Blocks, progressing.
 *
 *   timeout_ns      for all together; 0: return as soon as the code of the functions is sent
 *
 *   TC_OK           all are callable at the peer; with timeout_ns 0: their code is sent
 *   TC_E_REFUSED    the peer refused one; err begins with its name and has the peer's reason:
 *                   also that the archive has no code for the peer's architecture
 *   as tc_ep_prepare
 *   as tc_package_push */
TC_MUST_CHECK TC_API tc_status tc_package_prepare(tc_ep *ep, const tc_package *package,
                                                  uint64_t timeout_ns, tc_error *err);

/* --- the output of tc-package ------------------------------------------------------------- */

/* The contents of libNAME-local.so, which defines `const tc_package_vector tc_package_local`.
 * Programs need not look at it. */
#define TC_PACKAGE_VECTOR_VERSION 1u
#define TC_PACKAGE_VECTOR_SYMBOL "tc_package_local"

typedef struct tc_package_entry {
    uint32_t number; /* of the element */
    void (*main)(void *payload, size_t payload_size, void *target_args);
    size_t (*payload_get_max_size)(void *source_args, size_t source_args_size); /* or NULL */
    int (*payload_init)(void *payload, size_t payload_size, void *source_args,
                        size_t source_args_size); /* or NULL */
} tc_package_entry;

typedef struct tc_package_vector {
    uint32_t version;     /* TC_PACKAGE_VECTOR_VERSION */
    uint32_t entry_count; /* one for each function of the package */
    const tc_package_entry *entries;
    const void *package; /* package_size bytes of the .tcp file */
    size_t package_size;
} tc_package_vector;

#ifdef __cplusplus
}
#endif
#endif
