#include "engine_private.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "base/triple.h"
#include "code_map.h"
#include "engine/child/compiler_pool.h"
#include "engine_module.h"
#include "image/cpu_level.h"
#include "image/engine_places.h"
#include "perf_map.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Without it the module is not even looked for. */
#ifndef TC_BUILT_WITH_LLVM
#define TC_BUILT_WITH_LLVM ""
#endif

static const char built_with_llvm[] = TC_BUILT_WITH_LLVM;

/* One per process: LLVM's own state is, and a second JIT would only cost memory. */
static struct {
    pthread_mutex_t lock;         /* of all below; loading and unloading need none */
    const tci_engine_ops *ops;    /* NULL until a module was loaded */
    tci_engine *engine;           /* NULL until bitcode wanted it, and when nobody is left */
    tci_code_arena *arena;        /* for images; NULL while there are no handles */
    tci_object_cache *cache;      /* NULL: none */
    tci_compiler_pool *compilers; /* together with the engine */
    tci_compiler_opts compiler_opts;
    unsigned users;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void log_from_engine(tc_log_level level, const char *line)
{
    TC_LOG(level, "engine: %s", line);
}

/* --- the compiler -------------------------------------------------------------------- */

/* What the next function needs beside the engine itself. */
typedef enum next_compile { NEXT_NONE, NEXT_SOON, NEXT_BACKGROUND } next_compile;

/* The other process gets ready while this one does. */
static tc_status create_locked(next_compile next, tc_error *err)
{
    shared.compiler_opts.ops = shared.ops;
    TC_TRY(tci_compiler_pool_create(&shared.compiler_opts, &shared.compilers, err));
    tc_status status = TC_OK;
    if (next != NEXT_NONE)
        status = tci_compiler_pool_prepare(shared.compilers, next == NEXT_BACKGROUND, err);
    if (status == TC_OK)
        status = shared.ops->create(log_from_engine, &shared.engine, err);
    if (status != TC_OK) {
        tci_compiler_pool_destroy(shared.compilers);
        shared.compilers = NULL;
    }
    return status;
}

static tc_status start_locked(const char *engine_path, next_compile next, tc_error *err)
{
    if (shared.engine != NULL)
        return TC_OK;
    if (built_with_llvm[0] == '\0')
        return tci_error_set(err, TC_E_UNSUPPORTED, "this library was built without LLVM");
    if (shared.ops == NULL)
        TC_TRY(tci_engine_module_open(engine_path, &shared.ops, err));
    TC_TRY(create_locked(next, err));
    TC_LOG(TC_LOG_INFO, "engine: %s with LLVM %s for %s", shared.ops->name, shared.ops->llvm(),
           shared.ops->cpu(shared.engine));
    return TC_OK;
}

static tc_status start(const tci_engine_handle *handle, next_compile next, tc_error *err)
{
    pthread_mutex_lock(&shared.lock);
    tc_status status = start_locked(handle->engine_path, next, err);
    pthread_mutex_unlock(&shared.lock);
    return status;
}

tc_status tci_engine_start(tci_engine_handle *handle, tc_error *err)
{
    return start(handle, NEXT_NONE, err);
}

tc_status tci_engine_start_to_compile(tci_engine_handle *handle, bool background, tc_error *err)
{
    return start(handle, background ? NEXT_BACKGROUND : NEXT_SOON, err);
}

const tci_engine_ops *tci_engine_module_ops(void)
{
    return shared.ops;
}

tci_engine *tci_engine_running(void)
{
    return shared.engine;
}

tci_compiler_pool *tci_engine_compilers(void)
{
    return shared.compilers;
}

tci_object_cache *tci_engine_cache(void)
{
    return shared.cache;
}

void tci_engine_prepare(tci_engine_handle *handle)
{
    tc_error error;
    tci_archive_prepare();
    tci_symbols_prepare();
    bool compiles =
        handle->form == TCI_CHOICE_BITCODE ||
        (handle->form == TCI_CHOICE_AUTO && handle->debuggable && built_with_llvm[0] != '\0');
    if (!compiles)
        tci_code_arena_prepare(handle->arena);
    else if (tci_engine_start_to_compile(handle, false, &error) != TC_OK)
        TC_LOG(TC_LOG_WARN, "%s", error.text);
}

const char *tci_engine_llvm_version(const char *engine_path)
{
    pthread_mutex_lock(&shared.lock);
    const char *version = NULL;
    if (shared.ops != NULL)
        version = shared.ops->llvm();
    else if (built_with_llvm[0] != '\0' && tci_engine_module_is_there(engine_path))
        version = built_with_llvm;
    pthread_mutex_unlock(&shared.lock);
    return version;
}

/* Of the running compiler, or NULL. It runs on as long as there are handles. */
static const tci_engine *running(void)
{
    pthread_mutex_lock(&shared.lock);
    const tci_engine *engine = shared.engine;
    pthread_mutex_unlock(&shared.lock);
    return engine;
}

static const char *level_text(const tci_engine_handle *handle)
{
    return tci_cpu_level_text(tci_triple_host(), handle->cpu_level);
}

const char *tci_engine_cpu(const tci_engine_handle *handle)
{
    const tci_engine *engine = running();
    if (engine != NULL)
        return shared.ops->cpu(engine);
    return level_text(handle);
}

const char *tci_engine_features(const tci_engine_handle *handle)
{
    (void)handle;
    const tci_engine *engine = running();
    return engine != NULL ? shared.ops->features(engine) : "";
}

/* --- handles ------------------------------------------------------------------------- */

/* What the first handle decides. */
static void set_up_locked(const tci_engine_opts *opts)
{
    tc_error error;
    tci_load_queue_limit(opts->compile_threads > 0 ? opts->compile_threads : 1);
    shared.compiler_opts = (tci_compiler_opts){
        .in_thread = opts->compiler == TCI_COMPILER_THREAD,
        .time_max_ns = opts->compile_time_max_ns > 0 ? opts->compile_time_max_ns : UINT64_MAX,
        .memory_max = opts->compile_memory_max,
    };
    if (opts->cache_dir != NULL &&
        tci_object_cache_open(opts->cache_dir, opts->cache_max, &shared.cache, &error) != TC_OK)
        TC_LOG(TC_LOG_WARN, "%s", error.text);
}

static tc_status add_user(tci_engine_handle *handle, const tci_engine_opts *opts, tc_error *err)
{
    tc_status status = TC_OK;
    pthread_mutex_lock(&shared.lock);
    if (shared.arena == NULL)
        status = tci_code_arena_create(&shared.arena, err);
    if (status == TC_OK) {
        handle->arena = shared.arena;
        if (shared.users++ == 0)
            set_up_locked(opts);
    }
    pthread_mutex_unlock(&shared.lock);
    return status;
}

static tc_status fill_handle(tci_engine_handle *handle, const tci_engine_opts *opts,
                             tc_error *err)
{
    handle->form = opts->form;
    handle->tier = opts->tier;
    handle->cpu_level = tci_cpu_level_host();
    if (opts->engine_path != NULL)
        strncpy(handle->engine_path, opts->engine_path, sizeof handle->engine_path - 1);
    return add_user(handle, opts, err);
}

tc_status tci_engine_acquire(const tci_engine_opts *opts, tci_engine_handle **handle_out,
                             tc_error *err)
{
    tci_engine_handle *handle = calloc(1, sizeof *handle);
    if (handle == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "engine: out of memory");
    tc_status status = fill_handle(handle, opts, err);
    if (status != TC_OK) {
        free(handle);
        return status;
    }
    *handle_out = handle;
    return TC_OK;
}

void tci_engine_set_debuggable(tci_engine_handle *handle)
{
    handle->debuggable = true;
}

void tci_engine_set_profiled(tci_engine_handle *handle)
{
    tci_code_arena_set_profiled(handle->arena);
    tci_perf_map_open();
}

void tci_engine_set_notify(tci_engine_handle *handle, void (*notify)(void *user), void *user)
{
    handle->notify = notify;
    handle->notify_user = user;
}

void tci_engine_release(tci_engine_handle *handle)
{
    if (handle == NULL)
        return;
    pthread_mutex_lock(&shared.lock);
    if (--shared.users == 0) {
        tci_load_queue_stop();
        tci_compiler_pool_destroy(shared.compilers);
        if (shared.engine != NULL)
            shared.ops->destroy(shared.engine);
        tci_code_arena_destroy(shared.arena);
        tci_object_cache_close(shared.cache);
        shared.compilers = NULL;
        shared.cache = NULL;
        shared.engine = NULL;
        shared.arena = NULL;
    }
    pthread_mutex_unlock(&shared.lock);
    free(handle);
}

tci_code_arena *tci_engine_arena(tci_engine_handle *handle)
{
    return handle->arena;
}

bool tci_engine_takes_images(const tci_engine_handle *handle)
{
    return handle->form != TCI_CHOICE_BITCODE;
}

/* --- loading ------------------------------------------------------------------------- */

tc_status tci_engine_load(tci_engine_handle *handle, const tci_load_source *source,
                          tci_code_unit **unit_out, tc_error *err)
{
    tci_code_unit *unit = calloc(1, sizeof *unit);
    tc_status status = TC_E_NO_MEMORY;
    if (unit == NULL)
        tci_error_set(err, status, "out of memory");
    else
        status = tci_code_unit_load(handle, source, unit, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "%s", tci_archive_name(source->archive));
        free(unit);
        return status;
    }
    tci_unsaved_store(unit->unsaved);
    unit->unsaved = NULL;
    *unit_out = unit;
    return TC_OK;
}

tc_status tci_engine_load_now(tci_engine_handle *handle, const tci_load_source *source,
                              tci_code_unit **unit_out, tc_error *err)
{
    if (tci_code_unit_is_quick(handle, source))
        return tci_engine_load(handle, source, unit_out, err);
    if (running() == NULL)
        return TC_E_AGAIN;
    tci_code_unit *unit = calloc(1, sizeof *unit);
    if (unit != NULL && tci_code_unit_load_stored(handle, source, unit) == TC_OK) {
        *unit_out = unit;
        return TC_OK;
    }
    free(unit);
    return TC_E_AGAIN;
}

void tci_engine_unload(tci_engine_handle *handle, tci_code_unit *unit)
{
    if (unit == NULL)
        return;
    tci_code_unit_empty(handle, unit);
    free(unit);
}

const tci_entries *tci_code_unit_entries(const tci_code_unit *unit)
{
    return &unit->entries;
}

bool tci_code_unit_may_improve(const tci_code_unit *unit)
{
    return unit->may_improve;
}

bool tci_code_unit_has_state(const tci_code_unit *unit)
{
    return unit->has_state;
}

size_t tci_code_unit_memory(const tci_code_unit *unit)
{
    return unit->memory;
}

void tci_code_unit_report(const tci_code_unit *unit, tc_load_report *report_out)
{
    report_out->path = unit->path;
    report_out->best = unit->best;
    report_out->memory_bytes = unit->memory;
    memcpy(report_out->stage_ns, unit->stage_ns, sizeof unit->stage_ns);
}
