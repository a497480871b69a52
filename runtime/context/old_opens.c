/* The ways to open code that release 0.1 exported and tc_code has replaced. The headers have
 * them as inline functions (<tc/before_0_2.h>), so only programs that were linked with 0.1, and
 * callers by dlsym, reach these. They go with the next soname. */
#include "context/old_opens.h"

/* NULL is a file without content here, and no source in a tc_code. */
static const void *content(const void *bytes)
{
    return bytes != NULL ? bytes : "";
}

static tc_code in_memory(const void *archive, size_t archive_size, const char *deps,
                         size_t deps_size)
{
    return (tc_code){
        .bytes = content(archive), .size = archive_size, .deps = deps, .deps_size = deps_size};
}

tc_status tc_ifunc_open_file(tc_context *ctx, const char *path, tc_ifunc **fn_out,
                             tc_error *err)
{
    return tc_ifunc_open_code(ctx, &(tc_code){.path = path}, fn_out, err);
}

tc_status tc_ifunc_open_memory(tc_context *ctx, const void *archive, size_t archive_size,
                               const char *deps, size_t deps_size, tc_ifunc **fn_out,
                               tc_error *err)
{
    const tc_code code = in_memory(archive, archive_size, deps, deps_size);
    return tc_ifunc_open_code(ctx, &code, fn_out, err);
}

tc_status tc_ifunc_open_signed(tc_context *ctx, const void *archive, size_t archive_size,
                               const char *deps, size_t deps_size, const char *signature,
                               size_t signature_size, tc_ifunc **fn_out, tc_error *err)
{
    tc_code code = in_memory(archive, archive_size, deps, deps_size);
    code.signature = signature;
    code.signature_size = signature_size;
    return tc_ifunc_open_code(ctx, &code, fn_out, err);
}

tc_status tc_ifunc_open_bitcode_sized(tc_context *ctx, const char *name,
                                      const tc_bitcode *slices, size_t count, size_t slice_size,
                                      const char *deps, size_t deps_size, tc_ifunc **fn_out,
                                      tc_error *err)
{
    const tc_code code = {.name = name,
                          .slices = content(slices),
                          .slice_count = count,
                          .deps = deps,
                          .deps_size = deps_size};
    return tc_ifunc_open_code_sized(ctx, &code, sizeof code, slice_size, fn_out, err);
}

tc_status tc_library_open_file(tc_context *ctx, const char *path, tc_library **library_out,
                               tc_error *err)
{
    return tc_library_open_code(ctx, &(tc_code){.path = path}, library_out, err);
}

tc_status tc_library_open_memory(tc_context *ctx, const void *archive, size_t archive_size,
                                 const char *deps, size_t deps_size, const char *signature,
                                 size_t signature_size, tc_library **library_out, tc_error *err)
{
    tc_code code = in_memory(archive, archive_size, deps, deps_size);
    code.signature = signature;
    code.signature_size = signature_size;
    return tc_library_open_code(ctx, &code, library_out, err);
}

tc_status tc_package_open_memory(tc_context *ctx, const void *package, size_t package_size,
                                 const uint8_t *id, tc_package **package_out, tc_error *err)
{
    const tc_code code = {.bytes = content(package), .size = package_size, .id = id};
    return tc_package_open_code(ctx, &code, package_out, err);
}
