#include "engine.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "code_map.h"
#include "engine_module.h"
#include "image/cpu_level.h"
#include "image/engine_places.h"
#include "image/image_loader.h"
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
    pthread_mutex_t lock;      /* of all below; loading and unloading need none */
    const tci_engine_ops *ops; /* NULL until a module was loaded */
    tci_engine *engine;        /* NULL until bitcode wanted it, and when nobody is left */
    tci_code_arena *arena;     /* for images; NULL while there are no handles */
    unsigned users;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The shared parts are the same for all; what one wants of them is not. */
struct tci_engine_handle {
    tci_code_arena *arena;
    tci_form_choice choice;
    uint8_t cpu_level;
    bool debuggable;
    char engine_path[TCI_OPTION_TEXT_MAX];
};

struct tci_code_unit {
    tci_entries entries;
    tci_loaded *compiled; /* one of these two */
    tci_loaded_image *image;
    tci_code_names *names;
};

static void log_from_engine(tc_log_level level, const char *line)
{
    TC_LOG(level, "engine: %s", line);
}

/* --- the compiler -------------------------------------------------------------------- */

static tc_status start_locked(const char *engine_path, tc_error *err)
{
    if (shared.engine != NULL)
        return TC_OK;
    if (built_with_llvm[0] == '\0')
        return tci_error_set(err, TC_E_UNSUPPORTED, "this library was built without LLVM");
    if (shared.ops == NULL)
        TC_TRY(tci_engine_module_open(engine_path, &shared.ops, err));
    TC_TRY(shared.ops->create(log_from_engine, &shared.engine, err));
    TC_LOG(TC_LOG_INFO, "engine: %s with LLVM %s for %s", shared.ops->name, shared.ops->llvm(),
           shared.ops->cpu(shared.engine));
    return TC_OK;
}

tc_status tci_engine_start(tci_engine_handle *handle, tc_error *err)
{
    pthread_mutex_lock(&shared.lock);
    tc_status status = start_locked(handle->engine_path, err);
    pthread_mutex_unlock(&shared.lock);
    return status;
}

void tci_engine_prepare(tci_engine_handle *handle)
{
    tc_error error;
    tci_archive_prepare();
    tci_symbols_prepare();
    bool compiles = handle->choice == TCI_CHOICE_BITCODE ||
                    (handle->choice == TCI_CHOICE_AUTO && handle->debuggable &&
                     built_with_llvm[0] != '\0');
    if (!compiles)
        tci_code_arena_prepare(handle->arena);
    else if (tci_engine_start(handle, &error) != TC_OK)
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

static tc_status add_user(tci_engine_handle *handle, tc_error *err)
{
    tc_status status = TC_OK;
    pthread_mutex_lock(&shared.lock);
    if (shared.arena == NULL)
        status = tci_code_arena_create(&shared.arena, err);
    if (status == TC_OK) {
        handle->arena = shared.arena;
        shared.users++;
    }
    pthread_mutex_unlock(&shared.lock);
    return status;
}

tc_status tci_engine_acquire(const char *engine_path, tci_form_choice choice,
                             tci_engine_handle **handle_out, tc_error *err)
{
    tci_engine_handle *handle = calloc(1, sizeof *handle);
    if (handle == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "engine: out of memory");
    handle->choice = choice;
    handle->cpu_level = tci_cpu_level_host();
    if (engine_path != NULL)
        strncpy(handle->engine_path, engine_path, sizeof handle->engine_path - 1);
    tc_status status = add_user(handle, err);
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

void tci_engine_release(tci_engine_handle *handle)
{
    if (handle == NULL)
        return;
    pthread_mutex_lock(&shared.lock);
    if (--shared.users == 0) {
        if (shared.engine != NULL)
            shared.ops->destroy(shared.engine);
        tci_code_arena_destroy(shared.arena);
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
    return handle->choice != TCI_CHOICE_BITCODE;
}

/* --- loading ------------------------------------------------------------------------- */

static void *resolve_symbol(void *user, const char *symbol)
{
    return tci_symbols_resolve(user, symbol);
}

static tc_status compile(tci_engine_handle *handle, const tci_archive *archive, size_t index,
                         const tci_symbols *symbols, tci_code_unit *unit, tc_error *err)
{
    const tci_slice *slice = tci_archive_slice(archive, index);
    const tci_engine_code code = {
        .name = tci_archive_name(archive),
        .entries = tci_archive_entries(archive),
        .level = TCI_LEVEL_BEST,
        .debuggable = handle->debuggable,
        .bytes = tci_archive_slice_bytes(archive, index),
        .size = slice->size,
        .producer_major = slice->producer_major,
        .producer_minor = slice->producer_minor,
        .producer_patch = slice->producer_patch,
        .resolve = resolve_symbol,
        .resolve_user = (void *)symbols,
    };
    tc_status status = tci_engine_start(handle, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "it is bitcode, which takes a compiler");
        return status;
    }
    tci_object object;
    TC_TRY(shared.ops->compile(shared.engine, &code, &object, err));
    status = shared.ops->link(shared.engine, &code, object.bytes, object.size, NULL,
                              &unit->compiled, &unit->entries, err);
    free(object.bytes);
    return status;
}

/* Debuggers see nothing of an image, so where they are wanted it runs only what has no bitcode.
 */
static bool wants_image(const tci_engine_handle *handle, const tci_archive *archive)
{
    size_t index;
    if (handle->choice != TCI_CHOICE_AUTO || !handle->debuggable || built_with_llvm[0] == '\0')
        return handle->choice != TCI_CHOICE_BITCODE;
    return tci_archive_select(archive, tci_triple_host(), &index, NULL) != TC_OK;
}

/* An image where there is one; its errors are not a reason to compile, as the bitcode beside it
 * is the same code with the same needs. */
static tc_status load_slice(tci_engine_handle *handle, const tci_archive *archive,
                            const tci_symbols *symbols, tci_code_unit *unit, tc_error *err)
{
    size_t index;
    bool image = wants_image(handle, archive);
    if (image) {
        tc_status status = tci_archive_select_image(archive, tci_triple_host(),
                                                    handle->cpu_level, &index, err);
        if (status == TC_OK)
            return tci_image_load(handle->arena, archive, index, symbols, &unit->image,
                                  &unit->entries, err);
        if (status != TC_E_NO_SLICE || handle->choice == TCI_CHOICE_IMAGE)
            return status;
    }
    tc_status status = tci_archive_select(archive, tci_triple_host(), &index, err);
    if (status != TC_OK && image)
        tci_error_prefix(err, "no image runs here (level %s)", level_text(handle));
    if (status != TC_OK)
        return status;
    return compile(handle, archive, index, symbols, unit, err);
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

void tci_code_unit_publish(tci_code_unit *unit, const char *name, const tci_content_id *id)
{
    if (unit->image != NULL) {
        tci_image_names names;
        tci_image_name(unit->image, name, &names);
        unit->names = tci_code_map_add(id, names.symbols, names.count);
    } else {
        const tci_code_symbol *symbols;
        size_t count = shared.ops->symbols(unit->compiled, &symbols);
        unit->names = tci_code_map_add(id, symbols, count);
    }
}

void tci_engine_unload(tci_engine_handle *handle, tci_code_unit *unit)
{
    if (unit == NULL)
        return;
    tci_code_map_remove(unit->names);
    if (unit->image != NULL)
        tci_image_unload(handle->arena, unit->image);
    else
        shared.ops->unload(shared.engine, unit->compiled);
    free(unit);
}

const tci_entries *tci_code_unit_entries(const tci_code_unit *unit)
{
    return &unit->entries;
}
