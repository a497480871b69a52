/* Exported functions of release 0.1 that no public header declares any more: programs and
 * functions that were built with 0.1 call them. */
#ifndef TCI_OLD_OPENS_H
#define TCI_OLD_OPENS_H

#include <tc/library.h>
#include <tc/loader.h>
#include <tc/package.h>

TC_API tc_status tc_ifunc_open_file(tc_context *ctx, const char *path, tc_ifunc **fn_out,
                                    tc_error *err);
TC_API tc_status tc_ifunc_open_memory(tc_context *ctx, const void *archive, size_t archive_size,
                                      const char *deps, size_t deps_size, tc_ifunc **fn_out,
                                      tc_error *err);
TC_API tc_status tc_ifunc_open_signed(tc_context *ctx, const void *archive, size_t archive_size,
                                      const char *deps, size_t deps_size, const char *signature,
                                      size_t signature_size, tc_ifunc **fn_out, tc_error *err);
TC_API tc_status tc_ifunc_open_bitcode_sized(tc_context *ctx, const char *name,
                                             const tc_bitcode *slices, size_t count,
                                             size_t slice_size, const char *deps,
                                             size_t deps_size, tc_ifunc **fn_out,
                                             tc_error *err);
TC_API tc_status tc_library_open_file(tc_context *ctx, const char *path,
                                      tc_library **library_out, tc_error *err);
TC_API tc_status tc_library_open_memory(tc_context *ctx, const void *archive,
                                        size_t archive_size, const char *deps, size_t deps_size,
                                        const char *signature, size_t signature_size,
                                        tc_library **library_out, tc_error *err);
TC_API tc_status tc_loader_open_memory(tc_loader *loader, const void *archive,
                                       size_t archive_size, const char *deps, size_t deps_size,
                                       tc_ifunc **fn_out, tc_error *err);
TC_API tc_status tc_loader_open_bitcode_sized(tc_loader *loader, const char *name,
                                              const tc_bitcode *slices, size_t count,
                                              size_t slice_size, const char *deps,
                                              size_t deps_size, tc_ifunc **fn_out,
                                              tc_error *err);
TC_API tc_status tc_package_open_memory(tc_context *ctx, const void *package,
                                        size_t package_size, const uint8_t *id,
                                        tc_package **package_out, tc_error *err);

#endif
