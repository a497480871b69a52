#include "engine.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "base/triple.h"
#include "engine_handle.h"
#include "engine_shared.h"
#include "image/code_arena.h"
#include "image/image_loader.h"
#include "load_queue.h"
#include "code_map.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Shared by all handles: the first one creates it, the last one ends it. */
static struct {
    pthread_mutex_t lock; /* guards all below; a caller with a handle needs no lock */
    tci_code_arena *arena;
    tci_object_cache *cache; /* NULL: no cache */
    unsigned users;
} common = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- the compiler ------------------------------------------------------------------------ */

tc_status tci_engine_start(tci_engine_handle *handle, tc_error *err)
{
    return tci_engine_shared_start(handle->engine_path, TCI_NEXT_NONE, err);
}

tc_status tci_engine_start_compilers(tci_engine_handle *handle, tc_error *err)
{
    if (handle->policy.form == TCI_CHOICE_IMAGE)
        return TC_OK; /* they would get nothing to compile */
    TC_TRY(tci_engine_start(handle, err));
    return tci_compiler_pool_fill(tci_engine_shared_running()->compilers, err);
}

void tci_engine_prepare(tci_engine_handle *handle)
{
    tc_error error;
    tci_archive_prepare();
    tci_symbols_prepare();
    tci_image_loader_prepare();
    const tci_load_policy *policy = &handle->policy;
    bool compiles =
        policy->form == TCI_CHOICE_BITCODE ||
        (policy->form == TCI_CHOICE_AUTO && policy->debuggable && tci_engine_shared_is_built());
    if (!compiles || policy->output != TCI_OUTPUT_OBJECT)
        tci_code_arena_prepare(handle->arena);
    if (compiles &&
        tci_engine_shared_start(handle->engine_path, TCI_NEXT_SOON, &error) != TC_OK)
        TC_LOG(TC_LOG_WARN, "%s", error.text);
}

const char *tci_engine_llvm_version(const char *engine_path)
{
    return tci_engine_shared_llvm(engine_path);
}

const char *tci_engine_cpu(const tci_engine_handle *handle)
{
    const tci_engine_shared *shared = tci_engine_shared_running();
    return shared != NULL ? shared->ops->cpu(shared->engine)
                          : tci_cpu_level_text(tci_triple_host(), handle->policy.cpu_level);
}

const char *tci_engine_features(const tci_engine_handle *handle)
{
    (void)handle;
    const tci_engine_shared *shared = tci_engine_shared_running();
    return shared != NULL ? shared->ops->features(shared->engine) : "";
}

/* --- handles ----------------------------------------------------------------------------- */

/* Applies the options that the first handle sets for the process. */
static void set_up_locked(const tci_engine_opts *opts)
{
    tc_error error;
    const tci_compiler_opts compiler_opts = {
        .in_thread = opts->compiler == TCI_COMPILER_THREAD,
        .or_in_thread = opts->compiler == TCI_COMPILER_AUTO,
        .wall = opts->wall,
        .time_max_ns = opts->compile_time_max_ns > 0 ? opts->compile_time_max_ns : UINT64_MAX,
        .memory_max = opts->compile_memory_max,
    };
    tci_engine_shared_set_up(&compiler_opts);
    tci_load_queue_limit(opts->compile_threads > 0 ? opts->compile_threads : 1);
    if (opts->cache_dir != NULL &&
        tci_object_cache_open(opts->cache_dir, opts->cache_max, &common.cache, &error) != TC_OK)
        TC_LOG(TC_LOG_WARN, "%s", error.text);
}

static tc_status add_user(tci_engine_handle *handle, const tci_engine_opts *opts, tc_error *err)
{
    tc_status status = TC_OK;
    pthread_mutex_lock(&common.lock);
    if (common.users == 0)
        status = tci_code_arena_create(&common.arena, err);
    if (status == TC_OK) {
        if (common.users++ == 0)
            set_up_locked(opts);
        handle->arena = common.arena;
        handle->cache = common.cache;
    }
    pthread_mutex_unlock(&common.lock);
    return status;
}

static unsigned major_of(const char *version)
{
    return version != NULL ? (unsigned)strtoul(version, NULL, 10) : 0;
}

static tc_status fill_handle(tci_engine_handle *handle, const tci_engine_opts *opts,
                             tc_error *err)
{
    TC_TRY(add_user(handle, opts, err));
    if (opts->engine_path != NULL)
        strncpy(handle->engine_path, opts->engine_path, sizeof handle->engine_path - 1);
    const char *llvm = tci_engine_shared_llvm(handle->engine_path);
    handle->policy = (tci_load_policy){
        .form = opts->form,
        .tier = opts->tier,
        .cpu_level = tci_image_cpu_level(),
        .code_memory_max = opts->code_memory_max,
        .debuggable = opts->debuggable,
        .output = opts->output,
        .has_compiler = llvm != NULL,
        .llvm_major = major_of(llvm),
        .has_cache = handle->cache != NULL,
    };
    return TC_OK;
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

void tci_engine_set_profiled(tci_engine_handle *handle)
{
    tci_code_arena_set_profiled(handle->arena);
    tci_code_map_open_perf();
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
    pthread_mutex_lock(&common.lock);
    if (--common.users == 0) {
        tci_load_queue_stop();
        tci_engine_shared_stop();
        tci_code_arena_destroy(common.arena);
        tci_object_cache_close(common.cache);
        common.arena = NULL;
        common.cache = NULL;
    }
    pthread_mutex_unlock(&common.lock);
    free(handle);
}

void tci_engine_forget_stored(tci_engine_handle *handle, const tci_content_id *id)
{
    tci_object_cache_forget(handle->cache, id);
}

tci_code_arena *tci_engine_arena(tci_engine_handle *handle)
{
    return handle->arena;
}

bool tci_engine_takes_images(const tci_engine_handle *handle)
{
    return handle->policy.form != TCI_CHOICE_BITCODE;
}
