#include "engine.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "engine_module.h"

#include <pthread.h>
#include <stdlib.h>

/* One per process: LLVM's own state is, and a second JIT would only cost memory. */
struct tci_engine_handle {
    pthread_mutex_t lock;      /* of all below; load and unload need none */
    const tci_engine_ops *ops; /* NULL until a module was loaded */
    tci_engine *engine;        /* NULL while nobody uses it */
    unsigned users;
};

struct tci_code_unit {
    tci_entries entries;
    tci_loaded *loaded;
};

static tci_engine_handle the_engine = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void log_from_engine(tc_log_level level, const char *line)
{
    TC_LOG(level, "engine: %s", line);
}

static tc_status open_module(const char *engine_path, tc_error *err)
{
    if (the_engine.ops != NULL)
        return TC_OK;
    return tci_engine_module_open(engine_path, &the_engine.ops, err);
}

static tc_status start(const char *engine_path, tc_error *err)
{
    if (the_engine.engine != NULL)
        return TC_OK;
    TC_TRY(open_module(engine_path, err));
    TC_TRY(the_engine.ops->create(log_from_engine, &the_engine.engine, err));
    TC_LOG(TC_LOG_INFO, "engine: %s with LLVM %s for %s", the_engine.ops->name,
           the_engine.ops->llvm(), the_engine.ops->cpu(the_engine.engine));
    return TC_OK;
}

tc_status tci_engine_acquire(const char *engine_path, tci_engine_handle **handle_out,
                             tc_error *err)
{
    pthread_mutex_lock(&the_engine.lock);
    tc_status status = start(engine_path, err);
    if (status == TC_OK) {
        the_engine.users++;
        *handle_out = &the_engine;
    }
    pthread_mutex_unlock(&the_engine.lock);
    return status;
}

void tci_engine_release(tci_engine_handle *handle)
{
    if (handle == NULL)
        return;
    pthread_mutex_lock(&handle->lock);
    if (--handle->users == 0) {
        handle->ops->destroy(handle->engine);
        handle->engine = NULL;
    }
    pthread_mutex_unlock(&handle->lock);
}

const char *tci_engine_llvm_version(const char *engine_path)
{
    tc_error err;
    pthread_mutex_lock(&the_engine.lock);
    const char *version = NULL;
    if (open_module(engine_path, &err) == TC_OK)
        version = the_engine.ops->llvm();
    else
        TC_LOG(TC_LOG_INFO, "%s", err.text);
    pthread_mutex_unlock(&the_engine.lock);
    return version;
}

const char *tci_engine_cpu(const tci_engine_handle *handle)
{
    return handle->ops->cpu(handle->engine);
}

const char *tci_engine_features(const tci_engine_handle *handle)
{
    return handle->ops->features(handle->engine);
}

static void *resolve_symbol(void *user, const char *symbol)
{
    return tci_symbols_resolve(user, symbol);
}

static tc_status load_slice(tci_engine_handle *handle, const tci_archive *archive,
                            const tci_symbols *symbols, tci_code_unit *unit, tc_error *err)
{
    size_t index;
    TC_TRY(tci_archive_select(archive, tci_triple_host(), &index, err));
    const tci_slice *slice = tci_archive_slice(archive, index);
    tci_engine_code code = {
        .name = tci_archive_name(archive),
        .entries = tci_archive_entries(archive),
        .level = TCI_LEVEL_FULL,
        .bytes = tci_archive_slice_bytes(archive, index),
        .size = slice->size,
        .producer_major = slice->producer_major,
        .producer_minor = slice->producer_minor,
        .producer_patch = slice->producer_patch,
        .resolve = resolve_symbol,
        .resolve_user = (void *)symbols,
    };
    return handle->ops->load(handle->engine, &code, &unit->loaded, &unit->entries, err);
}

tc_status tci_engine_load(tci_engine_handle *handle, const tci_archive *archive,
                          const tci_symbols *symbols, tci_code_unit **unit_out, tc_error *err)
{
    tci_code_unit *unit = calloc(1, sizeof *unit);
    if (unit == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: out of memory",
                             tci_archive_name(archive));
    tc_status status = load_slice(handle, archive, symbols, unit, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "%s", tci_archive_name(archive));
        free(unit);
        return status;
    }
    *unit_out = unit;
    return TC_OK;
}

void tci_engine_unload(tci_engine_handle *handle, tci_code_unit *unit)
{
    if (unit == NULL)
        return;
    handle->ops->unload(handle->engine, unit->loaded);
    free(unit);
}

const tci_entries *tci_code_unit_entries(const tci_code_unit *unit)
{
    return &unit->entries;
}
