/* Names of release 0.1, for programs that were written for it; the next release drops them.
 * <tc/tc.h> includes this header, unless TC_WITHOUT_0_1 is defined.
 *
 * It includes every header that <tc/tc.h> of 0.1 included, and has the ways to open code that
 * tc_code has replaced. */
#ifndef TC_BEFORE_0_2_H
#define TC_BEFORE_0_2_H

#include <tc/advanced.h>
#include <tc/cache.h>
#include <tc/code.h>
#include <tc/crash.h>
#include <tc/entry.h>
#include <tc/library.h>
#include <tc/load.h>
#include <tc/loader.h>
#include <tc/log.h>
#include <tc/package.h>
#include <tc/thread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Use tc_ifunc_open_code with `path`.
 *
 *   as tc_ifunc_open_code */
TC_MUST_CHECK static inline tc_status tc_ifunc_open_file(tc_context *ctx, const char *path,
                                                         tc_ifunc **fn_out, tc_error *err)
{
    tc_code code = {NULL, path, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, NULL};
    return tc_ifunc_open_code(ctx, &code, fn_out, err);
}

/* Use tc_ifunc_open_code with `bytes` and `signature`.
 *
 *   as tc_ifunc_open_code */
TC_MUST_CHECK static inline tc_status
tc_ifunc_open_signed(tc_context *ctx, const void *archive, size_t archive_size,
                     const char *deps, size_t deps_size, const char *signature,
                     size_t signature_size, tc_ifunc **fn_out, tc_error *err)
{
    tc_embedded file = {archive != NULL ? archive : "",
                        archive_size,
                        deps,
                        deps_size,
                        signature,
                        signature_size};
    return tc_ifunc_open_embedded(ctx, &file, fn_out, err);
}

/* Use tc_ifunc_open_code with `bytes`.
 *
 *   as tc_ifunc_open_code */
TC_MUST_CHECK static inline tc_status tc_ifunc_open_memory(tc_context *ctx, const void *archive,
                                                           size_t archive_size,
                                                           const char *deps, size_t deps_size,
                                                           tc_ifunc **fn_out, tc_error *err)
{
    return tc_ifunc_open_signed(ctx, archive, archive_size, deps, deps_size, NULL, 0, fn_out,
                                err);
}

/* Use tc_ifunc_open_code with `name` and `slices`.
 *
 *   as tc_ifunc_open_code */
TC_MUST_CHECK static inline tc_status
tc_ifunc_open_bitcode(tc_context *ctx, const char *name, const tc_bitcode *slices, size_t count,
                      const char *deps, size_t deps_size, tc_ifunc **fn_out, tc_error *err)
{
    tc_bitcode none = {NULL, NULL, 0};
    tc_code code = {
        name,  NULL, NULL, 0, deps, deps_size, NULL, 0, slices != NULL ? slices : &none,
        count, NULL, NULL};
    return tc_ifunc_open_code(ctx, &code, fn_out, err);
}

/* Use tc_library_open_code with `path`.
 *
 *   as tc_library_open_code */
TC_MUST_CHECK static inline tc_status
tc_library_open_file(tc_context *ctx, const char *path, tc_library **library_out, tc_error *err)
{
    tc_code code = {NULL, path, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, NULL};
    return tc_library_open_code(ctx, &code, library_out, err);
}

/* Use tc_library_open_code with `bytes`.
 *
 *   as tc_library_open_code */
TC_MUST_CHECK static inline tc_status
tc_library_open_memory(tc_context *ctx, const void *archive, size_t archive_size,
                       const char *deps, size_t deps_size, const char *signature,
                       size_t signature_size, tc_library **library_out, tc_error *err)
{
    tc_embedded file = {archive != NULL ? archive : "",
                        archive_size,
                        deps,
                        deps_size,
                        signature,
                        signature_size};
    return tc_library_open_embedded(ctx, &file, library_out, err);
}

/* Use tc_loader_open_code with `bytes`.
 *
 *   as tc_loader_open_code */
TC_MUST_CHECK static inline tc_status
tc_loader_open_memory(tc_loader *loader, const void *archive, size_t archive_size,
                      const char *deps, size_t deps_size, tc_ifunc **fn_out, tc_error *err)
{
    tc_embedded file = {archive != NULL ? archive : "", archive_size, deps, deps_size, NULL, 0};
    tc_code code = tc_code_embedded(&file);
    return tc_loader_open_code(loader, &code, fn_out, err);
}

/* Use tc_loader_open_code with `name` and `slices`.
 *
 *   as tc_loader_open_code */
TC_MUST_CHECK static inline tc_status
tc_loader_open_bitcode(tc_loader *loader, const char *name, const tc_bitcode *slices,
                       size_t count, const char *deps, size_t deps_size, tc_ifunc **fn_out,
                       tc_error *err)
{
    tc_bitcode none = {NULL, NULL, 0};
    tc_code code = {
        name,  NULL, NULL, 0, deps, deps_size, NULL, 0, slices != NULL ? slices : &none,
        count, NULL, NULL};
    return tc_loader_open_code(loader, &code, fn_out, err);
}

/* Use tc_package_open_code with `bytes`.
 *
 *   as tc_package_open_code */
TC_MUST_CHECK static inline tc_status
tc_package_open_memory(tc_context *ctx, const void *package, size_t package_size,
                       const uint8_t *id, tc_package **package_out, tc_error *err)
{
    tc_code code = {
        NULL, NULL, package != NULL ? package : "", package_size, NULL, 0, NULL, 0, NULL, 0,
        id,   NULL};
    return tc_package_open_code(ctx, &code, package_out, err);
}

#ifdef __cplusplus
}
#endif
#endif
