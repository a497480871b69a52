/* The socket of the code engine: how the core has code made callable. The registry of functions
 * has the table (`loading`). It is NULL in a library without the module engine, which opens and
 * sends functions but cannot run shipped code. Each member is described at the function of the
 * same name in engine.h, code_unit.h, code_unit_life.h, code_rebind.h, load_queue.h, symbols.h,
 * symbol_policy.h, library_set.h, injector.h and ifunc/bitcode_slices.h. */
#ifndef TCI_LOADING_H
#define TCI_LOADING_H

#include "engine/engine.h"
#include "engine/injector.h"
#include "engine/load_queue.h"
#include "engine/symbols.h"

struct tci_registry;
struct tci_bitcode_slices;
struct tc_ifunc;

typedef struct tci_loading_ops {
    /* the engine */
    /* Reads the options of the engine; perf_map applies to the whole process. */
    tc_status (*acquire)(const struct tc_options *options, tci_engine_handle **handle_out,
                         tc_error *err);
    void (*release)(tci_engine_handle *handle);
    void (*set_notify)(tci_engine_handle *handle, void (*notify)(void *user), void *user);
    void (*prepare)(tci_engine_handle *handle);
    tc_status (*start)(tci_engine_handle *handle, tc_error *err);
    tc_status (*start_compilers)(tci_engine_handle *handle, tc_error *err);
    const char *(*llvm_version)(const char *engine_path);
    const char *(*cpu)(const tci_engine_handle *handle);
    const char *(*features)(const tci_engine_handle *handle);
    void (*forget_stored)(tci_engine_handle *handle, const tci_content_id *id);
    /* symbols that code may link with */
    /* Opens the scope of a registry's functions, by the options: the library's own symbols
     * where none are set, the policy of the option symbols, and an empty set of libraries.
     * scope_close follows in any case. */
    tc_status (*scope_open)(const struct tc_options *options, tci_symbol_scope *scope,
                            tc_error *err);
    void (*scope_close)(tci_symbol_scope *scope);
    const tci_symbol_section *(*policy_section)(const tci_symbol_policy *policy,
                                                const char *signer);
    uint64_t (*library_changes)(const tci_library_set *set);
    /* loads */
    tc_status (*load)(tci_engine_handle *handle, const tci_load_source *source,
                      tci_code_unit **unit_out, tc_error *err);
    tc_status (*begin)(tci_engine_handle *handle, const tci_load_source *source,
                       tci_code_unit **unit_out, tci_load_job **job_out, tc_error *err);
    tc_status (*begin_tier_up)(tci_engine_handle *handle, const tci_load_source *source,
                               tci_code_unit *unit, tci_load_job **job_out, tc_error *err);
    bool (*is_begun)(const tci_load_job *job);
    bool (*is_done)(const tci_load_job *job);
    tc_status (*finish)(tci_load_job *job, tci_code_unit **unit_out, tci_code_unit **old_out,
                        tc_error *err);
    void (*cancel)(tci_load_job *job);
    /* loaded code */
    tc_status (*start_unit)(tci_code_unit *unit, const char *name, tc_error *err);
    tc_status (*rebind)(const tci_load_source *source, tci_code_unit *unit, tc_error *err);
    void (*unload)(tci_engine_handle *handle, tci_code_unit *unit);
    const tci_entries *(*entries)(const tci_code_unit *unit);
    bool (*may_tier_up)(const tci_code_unit *unit);
    bool (*has_state)(const tci_code_unit *unit);
    size_t (*memory)(const tci_code_unit *unit);
    bool (*is_old)(const tci_code_unit *unit);
    void (*report)(const tci_code_unit *unit, tc_load_report *report_out);
    /* code that comes with a message */
    tc_status (*injector_create)(tci_engine_handle *handle, const tci_symbol_scope *scope,
                                 tci_injector **injector_out, tc_error *err);
    void (*injector_destroy)(tci_injector *injector);
    void (*injector_get_ahead)(tci_injector *injector);
    void (*injector_expect)(tci_injector *injector);
    tc_status (*injector_place)(tci_injector *injector, const uint8_t *bytes, size_t image_size,
                                size_t rest_size, void (**main_out)(void *, size_t, void *),
                                tc_error *err);
    /* a program's own bitcode */
    tc_status (*open_slices)(struct tci_registry *registry, const char *name,
                             const struct tci_bitcode_slices *given, const char *deps,
                             size_t deps_size, struct tc_ifunc **fn_out, tc_error *err);
} tci_loading_ops;

#endif
