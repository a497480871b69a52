/* The module engine: attaches the code engine (runtime/engine) to a core's registry. */
#include "base/error_text.h"
#include "core/core.h"
#include "core/module.h"
#include "engine/code_rebind.h"
#include "engine/code_unit_life.h"
#include "engine/loading.h"
#include "ifunc/bitcode_slices.h"
#include "modules/engine/host_symbols.h"

static tci_code_output output_of(const struct tc_options *options)
{
    if (options->compiled == TCI_COMPILED_IMAGE)
        return TCI_OUTPUT_IMAGE;
    return options->compiled == TCI_COMPILED_ORC || options->debug_code ? TCI_OUTPUT_OBJECT
                                                                        : TCI_OUTPUT_EITHER;
}

static tc_status acquire(const struct tc_options *options, tci_engine_handle **handle_out,
                         tc_error *err)
{
    const tci_engine_opts opts = {.engine_path = options->engine_path,
                                  .form = (tci_form_choice)options->form,
                                  .tier = (tci_tier_choice)options->tier,
                                  .debuggable = options->debug_code != 0,
                                  .code_memory_max = options->code_memory_max,
                                  .compile_threads = (unsigned)options->compile_threads,
                                  .cache_dir = options->cache_dir,
                                  .cache_max = options->cache_max,
                                  .compiler = (tci_compiler_choice)options->compiler,
                                  .wall = (tci_wall_choice)options->compiler_wall,
                                  .output = output_of(options),
                                  .compile_time_max_ns = options->compile_time_max,
                                  .compile_memory_max = options->compile_memory_max};
    TC_TRY(tci_engine_acquire(&opts, handle_out, err));
    if (options->perf_map)
        tci_engine_set_profiled(*handle_out);
    return TC_OK;
}

/* A loader has set the symbols: its program adds some. */
static tc_status scope_open(const struct tc_options *options, tci_symbol_scope *scope,
                            tc_error *err)
{
    tci_symbol_policy *policy;
    if (scope->host == NULL)
        scope->host = tci_host_symbols_all(&scope->host_count);
    TC_TRY(tci_library_set_create(&scope->libraries, err));
    TC_TRY(tci_symbol_policy_open(options->symbols, &policy, err));
    scope->policy = policy;
    scope->may_lack = options->missing_library == TCI_MISSING_WARN;
    return TC_OK;
}

static void scope_close(tci_symbol_scope *scope)
{
    tci_symbol_policy_close((tci_symbol_policy *)(uintptr_t)scope->policy);
    tci_library_set_destroy(scope->libraries);
    scope->policy = NULL;
    scope->libraries = NULL;
}

static bool is_old(const tci_code_unit *unit)
{
    return tci_symbols_are_old(tci_code_unit_symbols(unit));
}

static tc_status injector_create(tci_engine_handle *handle, const tci_symbol_scope *scope,
                                 tci_injector **injector_out, tc_error *err)
{
    return tci_injector_create(tci_engine_arena(handle), tci_engine_takes_images(handle), scope,
                               injector_out, err);
}

static const tci_loading_ops table = {
    .acquire = acquire,
    .release = tci_engine_release,
    .set_notify = tci_engine_set_notify,
    .prepare = tci_engine_prepare,
    .start = tci_engine_start,
    .start_compilers = tci_engine_start_compilers,
    .llvm_version = tci_engine_llvm_version,
    .cpu = tci_engine_cpu,
    .features = tci_engine_features,
    .forget_stored = tci_engine_forget_stored,
    .scope_open = scope_open,
    .scope_close = scope_close,
    .policy_section = tci_symbol_policy_section,
    .library_changes = tci_library_set_changes,
    .load = tci_code_unit_load,
    .begin = tci_load_queue_begin,
    .begin_tier_up = tci_load_queue_begin_tier_up,
    .is_begun = tci_load_queue_is_begun,
    .is_done = tci_load_queue_is_done,
    .finish = tci_load_queue_finish,
    .cancel = tci_load_queue_cancel,
    .start_unit = tci_code_unit_start,
    .rebind = tci_code_rebind,
    .unload = tci_code_unit_unload,
    .entries = tci_code_unit_entries,
    .may_tier_up = tci_code_unit_may_tier_up,
    .has_state = tci_code_unit_has_state,
    .memory = tci_code_unit_memory,
    .is_old = is_old,
    .report = tci_code_unit_report,
    .injector_create = injector_create,
    .injector_destroy = tci_injector_destroy,
    .injector_get_ahead = tci_injector_get_ahead,
    .injector_expect = tci_injector_expect,
    .injector_place = tci_injector_place,
    .open_slices = tci_bitcode_slices_open,
};

static tc_status attach(tci_registry *registry, const struct tc_options *options, tc_error *err)
{
    (void)options;
    return tci_module_take((const void **)&registry->loading, &table, "engine", err);
}

const tci_module tci_engine_module = {.name = "engine", .attach_registry = attach};
