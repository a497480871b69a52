/* The module is loaded once and stays; the engine and its compilers start and stop with the
 * handles. A lock guards the start; `running` is read without it. */
#include "engine_shared.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "engine/engine_module.h"

#include <pthread.h>
#include <stdatomic.h>

#ifndef TC_BUILT_WITH_LLVM
#define TC_BUILT_WITH_LLVM ""
#endif

static const char built_with_llvm[] = TC_BUILT_WITH_LLVM;

static struct {
    pthread_mutex_t lock; /* guards starting and `ops` */
    tci_compiler_opts opts;
    const tci_engine_ops *ops; /* NULL until the module was loaded, which happens once */
    tci_engine_shared parts;
    _Atomic(const tci_engine_shared *) running; /* `parts`, when they are complete */
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

const tci_engine_shared *tci_engine_shared_running(void)
{
    return atomic_load_explicit(&shared.running, memory_order_acquire);
}

void tci_engine_shared_set_up(const tci_compiler_opts *opts)
{
    shared.opts = *opts;
}

static void log_from_engine(tc_log_level level, const char *line)
{
    TC_LOG(level, "engine: %s", line);
}

/* Starts the other process first, so that it gets ready while this one does. */
static tc_status create_locked(tci_next_compile next, tc_error *err)
{
    tci_engine_shared parts = {.ops = shared.ops};
    shared.opts.ops = shared.ops;
    TC_TRY(tci_compiler_pool_create(&shared.opts, &parts.compilers, err));
    tc_status status = TC_OK;
    if (next != TCI_NEXT_NONE)
        status = tci_compiler_pool_prepare(parts.compilers, next == TCI_NEXT_BACKGROUND, err);
    if (status == TC_OK)
        status = shared.ops->create(log_from_engine, &parts.engine, err);
    if (status != TC_OK) {
        tci_compiler_pool_destroy(parts.compilers);
        return status;
    }
    shared.parts = parts;
    atomic_store_explicit(&shared.running, &shared.parts, memory_order_release);
    TC_LOG(TC_LOG_INFO, "engine: %s with LLVM %s for %s", parts.ops->name, parts.ops->llvm(),
           parts.ops->cpu(parts.engine));
    return TC_OK;
}

static tc_status start_locked(const char *engine_path, tci_next_compile next, tc_error *err)
{
    if (tci_engine_shared_running() != NULL)
        return TC_OK;
    if (!tci_engine_shared_is_built())
        return tci_error_set(err, TC_E_UNSUPPORTED, "this library was built without LLVM");
    if (shared.ops == NULL)
        TC_TRY(tci_engine_module_open(engine_path, &shared.ops, err));
    return create_locked(next, err);
}

tc_status tci_engine_shared_start(const char *engine_path, tci_next_compile next, tc_error *err)
{
    pthread_mutex_lock(&shared.lock);
    tc_status status = start_locked(engine_path, next, err);
    pthread_mutex_unlock(&shared.lock);
    return status;
}

bool tci_engine_shared_is_built(void)
{
    return built_with_llvm[0] != '\0';
}

const char *tci_engine_shared_llvm(const char *engine_path)
{
    const char *version = NULL;
    pthread_mutex_lock(&shared.lock);
    if (shared.ops != NULL)
        version = shared.ops->llvm();
    else if (tci_engine_shared_is_built() && tci_engine_module_is_there(engine_path))
        version = built_with_llvm;
    pthread_mutex_unlock(&shared.lock);
    return version;
}

void tci_engine_shared_stop(void)
{
    const tci_engine_shared *running = tci_engine_shared_running();
    if (running == NULL)
        return;
    tci_compiler_pool_destroy(running->compilers);
    running->ops->destroy(running->engine);
    atomic_store_explicit(&shared.running, NULL, memory_order_relaxed);
}
