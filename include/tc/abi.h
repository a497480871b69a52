/* The exported functions that inline functions of the other headers call, with the size of a
 * struct as the program was compiled, or with the version of its headers. Public structs grow
 * at their end: the library neither reads nor writes behind that size, and fields that an older
 * program lacks count as 0.
 *
 * A program in C or C++ calls the inline functions, which have the contracts. Callers by dlsym
 * or from another language call these. */
#ifndef TC_ABI_H
#define TC_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct iovec;
struct tc_cache_entry;
struct tc_cache_totals;
struct tc_call_params;
struct tc_code;
struct tc_context;
struct tc_entry_points;
struct tc_ep;
struct tc_ep_info;
struct tc_gptr;
struct tc_group;
struct tc_group_call_params;
struct tc_group_params;
struct tc_hole_info;
struct tc_hole_value;
struct tc_ifunc;
struct tc_library;
struct tc_library_info;
struct tc_loader;
struct tc_options;
struct tc_package;
struct tc_send_params;
struct tc_symbol;
struct tc_thread_params;
struct tc_ucx_objects;
struct tc_version_info;
struct tc_window_params;
struct tc_window_start_params;
struct tc_window_step;

/* Implements tc_cache_clear; takes the size of the caller's tc_cache_totals.
 *
 *   as tc_cache_clear */
TC_MUST_CHECK TC_API tc_status tc_cache_clear_sized(const struct tc_options *opts,
                                                    struct tc_cache_totals *removed_out,
                                                    size_t removed_size, tc_error *err);

/* Implements tc_cache_list; takes the size of the caller's tc_cache_totals.
 *
 *   as tc_cache_list */
TC_MUST_CHECK TC_API tc_status
tc_cache_list_sized(const struct tc_options *opts,
                    void (*visit)(void *user, const struct tc_cache_entry *entry), void *user,
                    struct tc_cache_totals *totals_out, size_t totals_size, tc_error *err);

/* Implements tc_call_start; takes the size of the caller's tc_call_params.
 *
 *   as tc_call_start */
TC_MUST_CHECK TC_API tc_status tc_call_start_sized(struct tc_ep *ep, struct tc_ifunc *fn,
                                                   const void *source_args, size_t size,
                                                   const struct tc_call_params *params,
                                                   size_t params_size, uint64_t *call_out,
                                                   tc_error *err);

/* Implements tc_context_create. Programs that find the library at run time (dlsym, another
 * language) call it with the TC_VERSION_NUMBER that they were written for.
 *
 *   as tc_context_create */
TC_MUST_CHECK TC_API tc_status tc_context_create_for(unsigned header_version,
                                                     const struct tc_options *opts,
                                                     struct tc_context **ctx_out,
                                                     tc_error *err);

/* Implements tc_context_create_on_ucx; takes the version of the headers and the size of the
 * caller's tc_ucx_objects; see tc_context_create_for.
 *
 *   as tc_context_create_on_ucx */
TC_MUST_CHECK TC_API tc_status tc_context_create_on_ucx_for(
    unsigned header_version, const struct tc_options *opts, const struct tc_ucx_objects *ucx,
    size_t ucx_size, struct tc_context **ctx_out, tc_error *err);

/* Implements tc_context_start_thread; takes the size of the caller's tc_thread_params.
 *
 *   as tc_context_start_thread */
TC_MUST_CHECK TC_API tc_status
tc_context_start_thread_sized(struct tc_context *ctx, const struct tc_thread_params *params,
                              size_t params_size, tc_error *err);

/* Implements tc_ep_query; takes the size of the caller's tc_ep_info. */
TC_API void tc_ep_query_sized(const struct tc_ep *ep, struct tc_ep_info *info_out,
                              size_t info_size);

/* Implements tc_group_call_all; takes the size of the caller's tc_group_call_params.
 *
 *   as tc_group_call_all */
TC_MUST_CHECK TC_API tc_status tc_group_call_all_sized(
    struct tc_group *group, struct tc_ifunc *fn, const void *source_args, size_t size,
    const struct tc_group_call_params *params, size_t params_size, tc_error *err);

/* Implements tc_group_create; takes the sizes of the caller's tc_group_params and
 * tc_group_member.
 *
 *   as tc_group_create */
TC_MUST_CHECK TC_API tc_status tc_group_create_sized(struct tc_context *ctx,
                                                     const struct tc_group_params *params,
                                                     size_t params_size, size_t member_size,
                                                     struct tc_group **group_out,
                                                     tc_error *err);

/* Implements tc_ifunc_open_code; takes the sizes of the caller's tc_code and tc_bitcode.
 *
 *   as tc_ifunc_open_code */
TC_MUST_CHECK TC_API tc_status tc_ifunc_open_code_sized(struct tc_context *ctx,
                                                        const struct tc_code *code,
                                                        size_t code_size, size_t slice_size,
                                                        struct tc_ifunc **fn_out,
                                                        tc_error *err);

/* Implements tc_ifunc_fill; takes the size of the caller's tc_hole_value.
 *
 *   as tc_ifunc_fill */
TC_MUST_CHECK TC_API tc_status tc_ifunc_fill_sized(struct tc_ifunc *fn,
                                                   const struct tc_hole_value *values,
                                                   size_t count, size_t value_size,
                                                   struct tc_ifunc **filled_out, tc_error *err);

/* Implements tc_ifunc_holes; takes the size of the caller's tc_hole_info. */
TC_API size_t tc_ifunc_holes_sized(const struct tc_ifunc *fn, struct tc_hole_info *infos,
                                   size_t count, size_t info_size);

/* Implements tc_library_list; takes the size of the caller's tc_library_info. */
TC_API size_t tc_library_list_sized(struct tc_context *ctx, struct tc_library_info *infos,
                                    size_t count, size_t info_size);

/* Implements tc_library_open_code; takes the sizes of the caller's tc_code and tc_bitcode.
 *
 *   as tc_library_open_code */
TC_MUST_CHECK TC_API tc_status tc_library_open_code_sized(struct tc_context *ctx,
                                                          const struct tc_code *code,
                                                          size_t code_size, size_t slice_size,
                                                          struct tc_library **library_out,
                                                          tc_error *err);

/* Implements tc_loader_create; takes the size of the caller's tc_symbol.
 *
 *   as tc_loader_create */
TC_MUST_CHECK TC_API tc_status tc_loader_create_sized(const struct tc_options *opts,
                                                      const struct tc_symbol *symbols,
                                                      size_t symbol_count, size_t symbol_size,
                                                      struct tc_loader **loader_out,
                                                      tc_error *err);

/* Implements tc_loader_open_code; takes the sizes of the caller's tc_code and tc_bitcode.
 *
 *   as tc_loader_open_code */
TC_MUST_CHECK TC_API tc_status tc_loader_open_code_sized(struct tc_loader *loader,
                                                         const struct tc_code *code,
                                                         size_t code_size, size_t slice_size,
                                                         struct tc_ifunc **fn_out,
                                                         tc_error *err);

/* Implements tc_loader_resolve; takes the size of the caller's tc_entry_points.
 *
 *   as tc_loader_resolve */
TC_MUST_CHECK TC_API tc_status tc_loader_resolve_sized(struct tc_ifunc *fn,
                                                       struct tc_entry_points *entries_out,
                                                       size_t entries_size, tc_error *err);

/* Implements tc_package_open_code; takes the size of the caller's tc_code.
 *
 *   as tc_package_open_code */
TC_MUST_CHECK TC_API tc_status tc_package_open_code_sized(struct tc_context *ctx,
                                                          const struct tc_code *code,
                                                          size_t code_size,
                                                          struct tc_package **package_out,
                                                          tc_error *err);

/* Implements tc_send_start; takes the size of the caller's tc_send_params.
 *
 *   as tc_send_start */
TC_MUST_CHECK TC_API tc_status tc_send_start_sized(struct tc_ep *ep, struct tc_ifunc *fn,
                                                   const struct iovec *parts, size_t count,
                                                   const struct tc_send_params *params,
                                                   size_t params_size, tc_error *err);

/* Implements tc_version_query; takes the size of the caller's tc_version_info. */
TC_API void tc_version_query_sized(struct tc_version_info *info_out, size_t info_size);

/* Implements tc_window_chain; takes the size of the caller's tc_window_step.
 *
 *   as tc_window_chain */
TC_MUST_CHECK TC_API tc_status tc_window_chain_sized(struct tc_ep *ep,
                                                     const struct tc_window_step *steps,
                                                     size_t step_size, size_t count,
                                                     uint64_t timeout_ns,
                                                     uint32_t *succeeded_out, tc_error *err);

/* Implements tc_window_chain_start; takes the sizes of the caller's tc_window_step and
 * tc_window_start_params.
 *
 *   as tc_window_chain_start */
TC_MUST_CHECK TC_API tc_status tc_window_chain_start_sized(
    struct tc_ep *ep, const struct tc_window_step *steps, size_t step_size, size_t count,
    const struct tc_window_start_params *params, size_t params_size, tc_error *err);

/* Implements tc_window_open; takes the size of the caller's tc_window_params.
 *
 *   as tc_window_open */
TC_MUST_CHECK TC_API tc_status tc_window_open_sized(struct tc_context *ctx,
                                                    const struct tc_window_params *params,
                                                    size_t params_size,
                                                    struct tc_gptr *window_out, tc_error *err);

#ifdef __cplusplus
}
#endif
#endif
