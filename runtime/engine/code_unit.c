/* Which code of a function is made callable, and which replaces it. */
#include "engine_private.h"

#include "base/clock.h"
#include "base/error_text.h"
#include "base/triple.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t lap(uint64_t *last_ns)
{
    uint64_t now_ns = tci_clock_ns();
    uint64_t took_ns = now_ns - *last_ns;
    *last_ns = now_ns;
    return took_ns;
}

/* --- bitcode ------------------------------------------------------------------------- */

static void *resolve_symbol(void *user, const char *symbol)
{
    return tci_symbols_resolve(user, symbol);
}

/* What is compiled, as what, and what it links with. */
typedef struct recipe {
    const tci_load_source *source;
    size_t index; /* of the slice */
    tci_code_level level;
    bool debuggable;
    bool background; /* nobody waits for it */
    const tci_symbols *symbols;
    const tci_loaded *over;
} recipe;

static tci_engine_code code_of(const recipe *r)
{
    const tci_load_source *source = r->source;
    size_t index = r->index;
    const tci_slice *slice = tci_archive_slice(source->archive, index);
    return (tci_engine_code){
        .name = tci_archive_name(source->archive),
        .entries = tci_archive_entries(source->archive),
        .level = r->level,
        .debuggable = r->debuggable,
        .bytes = tci_archive_slice_bytes(source->archive, index),
        .size = slice->size,
        .producer_major = slice->producer_major,
        .producer_minor = slice->producer_minor,
        .producer_patch = slice->producer_patch,
        .resolve = resolve_symbol,
        .resolve_user = (void *)(uintptr_t)r->symbols,
    };
}

/* Objects that debuggers can look into are others. */
#define DEBUGGABLE_LEVEL 0x100u

static tci_object_key key_of(const recipe *r)
{
    const tci_engine_ops *ops = tci_engine_module_ops();
    return (tci_object_key){.id = r->source->id,
                            .cpu = ops->cpu(tci_engine_running()),
                            .features = ops->features(tci_engine_running()),
                            .llvm = ops->llvm(),
                            .level =
                                (uint32_t)r->level | (r->debuggable ? DEBUGGABLE_LEVEL : 0),
                            .slice = (uint32_t)r->index,
                            .abi = TCI_ENGINE_ABI};
}

static tc_status link_object(const tci_engine_code *code, const tci_object *object,
                             const tci_loaded *over, tci_code_unit *unit, tc_error *err)
{
    uint64_t last_ns = tci_clock_ns();
    const tci_engine_ops *ops = tci_engine_module_ops();
    TC_TRY(ops->link(tci_engine_running(), code, object->bytes, object->size, over,
                     &unit->compiled, &unit->entries, err));
    unit->best = code->level != TCI_LEVEL_QUICK;
    unit->stage_ns[TC_STAGE_LINK] = lap(&last_ns);
    unit->has_state = ops->writable(unit->compiled) != 0;
    unit->memory = ops->memory(unit->compiled);
    return TC_OK;
}

/* An object that an earlier process stored. TC_E_NOT_FOUND, or what linking says. */
static tc_status link_stored(const recipe *r, tci_code_unit *unit, tc_error *err)
{
    tci_object object = {0};
    uint64_t last_ns = tci_clock_ns();
    const tci_engine_code code = code_of(r);
    const tci_object_key key = key_of(r);
    tc_status status =
        tci_object_cache_find(tci_engine_cache(), &key, &object.bytes, &object.size);
    unit->stage_ns[TC_STAGE_CACHE] += lap(&last_ns);
    if (status != TC_OK)
        return status;
    unit->path = TC_LOAD_CACHED;
    status = link_object(&code, &object, r->over, unit, err);
    free(object.bytes);
    return status;
}

/* Storing can wait until the function was called. */
static void keep_for_store(const recipe *r, const tci_object *object, tci_code_unit *unit)
{
    tci_unsaved *unsaved = tci_engine_cache() != NULL ? malloc(sizeof *unsaved) : NULL;
    if (unsaved == NULL) {
        free(object->bytes);
        return;
    }
    unsaved->key = key_of(r);
    unsaved->bytes = object->bytes;
    unsaved->size = object->size;
    (void)snprintf(unsaved->name, sizeof unsaved->name, "%s",
                   tci_archive_name(r->source->archive));
    unit->unsaved = unsaved;
}

void tci_unsaved_store(tci_unsaved *unsaved)
{
    if (unsaved == NULL)
        return;
    tci_object_cache_store(tci_engine_cache(), &unsaved->key, unsaved->name, unsaved->bytes,
                           unsaved->size);
    free(unsaved->bytes);
    free(unsaved);
}

static tc_status compile(const recipe *r, tci_code_unit *unit, tc_error *err)
{
    tci_object object;
    const tci_engine_code code = code_of(r);
    TC_TRY(tci_compiler_pool_compile(tci_engine_compilers(), tci_engine_running(), &code,
                                     r->background, &object, err));
    unit->stage_ns[TC_STAGE_PARSE] = object.parse_ns;
    unit->stage_ns[TC_STAGE_VERIFY] = object.verify_ns;
    unit->stage_ns[TC_STAGE_PASSES] = object.passes_ns;
    unit->stage_ns[TC_STAGE_CODEGEN] = object.codegen_ns;
    unit->path = TC_LOAD_JIT;
    tc_status status = link_object(&code, &object, r->over, unit, err);
    if (status == TC_OK)
        keep_for_store(r, &object, unit);
    else
        free(object.bytes);
    return status;
}

/* What this library cannot bind, compiling it again cannot either; anything else that is wrong
 * with a stored object can be mended. */
static bool is_final(tc_status status_of_stored)
{
    return status_of_stored == TC_OK || status_of_stored == TC_E_UNRESOLVED;
}

static tc_status start_compiler(tci_engine_handle *handle, bool background, tc_error *err)
{
    tc_status status = tci_engine_start_to_compile(handle, background, err);
    if (status != TC_OK)
        tci_error_prefix(err, "it is bitcode, which takes a compiler");
    return status;
}

static void note_quick(const tci_engine_handle *handle, tci_code_unit *unit)
{
    unit->may_improve = handle->tier == TCI_TIER_AUTO &&
                        tci_engine_module_ops()->writable(unit->compiled) != TCI_WRITABLE_FIXED;
}

/* The best that was stored. Otherwise r->level is what to compile. */
static tc_status link_any_stored(const tci_engine_handle *handle, recipe *r,
                                 tci_code_unit *unit, tc_error *err)
{
    tc_status status = TC_E_NOT_FOUND;
    r->level = TCI_LEVEL_BEST;
    if (handle->tier != TCI_TIER_FAST)
        status = link_stored(r, unit, err);
    if (status == TC_OK || handle->tier == TCI_TIER_BEST)
        return status;
    r->level = TCI_LEVEL_QUICK;
    TC_TRY(link_stored(r, unit, err));
    note_quick(handle, unit);
    return TC_OK;
}

static tc_status load_bitcode(tci_engine_handle *handle, const tci_load_source *source,
                              tci_code_unit *unit, tc_error *err)
{
    recipe r = {.source = source, .debuggable = handle->debuggable, .symbols = unit->symbols};
    tc_status status = tci_archive_select(source->archive, tci_triple_host(), &r.index, err);
    if (status != TC_OK && handle->form != TCI_CHOICE_BITCODE)
        tci_error_prefix(err, "no image runs here (level %s)",
                         tci_cpu_level_text(tci_triple_host(), handle->cpu_level));
    if (status != TC_OK)
        return status;
    TC_TRY(start_compiler(handle, false, err));
    status = link_any_stored(handle, &r, unit, err);
    if (is_final(status))
        return status;
    status = compile(&r, unit, err);
    if (status == TC_OK && r.level == TCI_LEVEL_QUICK)
        note_quick(handle, unit);
    return status;
}

/* --- images -------------------------------------------------------------------------- */

static bool has_bitcode(const tci_load_source *source)
{
    size_t index;
    return tci_archive_select(source->archive, tci_triple_host(), &index, NULL) == TC_OK;
}

static bool can_compile(const tci_engine_handle *handle, const tci_load_source *source)
{
    return handle->form != TCI_CHOICE_IMAGE && has_bitcode(source) &&
           tci_engine_llvm_version(handle->engine_path) != NULL;
}

/* The image to take, or TC_E_NO_SLICE. With the tier `best` only one for all that the CPU has
 * comes before bitcode. Debuggers see nothing of an image, so where they are wanted it runs
 * only what has no bitcode. */
static tc_status choose_image(const tci_engine_handle *handle, const tci_load_source *source,
                              size_t *index_out, tc_error *err)
{
    if (handle->form == TCI_CHOICE_BITCODE)
        return tci_error_set(err, TC_E_NO_SLICE, "images are not wanted");
    TC_TRY(tci_archive_select_image(source->archive, tci_triple_host(), handle->cpu_level,
                                    index_out, err));
    bool lacks = handle->tier == TCI_TIER_BEST &&
                 tci_archive_slice(source->archive, *index_out)->cpu_level < handle->cpu_level;
    if ((lacks || handle->debuggable) && can_compile(handle, source))
        return tci_error_set(err, TC_E_NO_SLICE, "bitcode is better");
    return TC_OK;
}

/* What an image lacks is what a newer CPU than it was made for has; and as nobody knows its
 * variables by name, it can only be replaced when it has none. */
static bool image_may_improve(const tci_engine_handle *handle, const tci_load_source *source,
                              size_t index, const tci_code_unit *unit)
{
    return handle->tier == TCI_TIER_AUTO &&
           tci_archive_slice(source->archive, index)->cpu_level < handle->cpu_level &&
           !unit->has_state && can_compile(handle, source);
}

static tc_status load_image(tci_engine_handle *handle, const tci_load_source *source,
                            size_t index, tci_code_unit *unit, tc_error *err)
{
    uint64_t last_ns = tci_clock_ns();
    TC_TRY(tci_image_load(handle->arena, source->archive, index, unit->symbols, &unit->image,
                          &unit->entries, err));
    unit->path = TC_LOAD_IMAGE;
    unit->stage_ns[TC_STAGE_IMAGE] = lap(&last_ns);
    unit->has_state = tci_loaded_image_has_data(unit->image);
    unit->memory = tci_loaded_image_memory(unit->image);
    unit->may_improve = image_may_improve(handle, source, index, unit);
    return TC_OK;
}

/* The names that crash handlers and profilers know it by. */
static void publish(const tci_load_source *source, tci_code_unit *unit)
{
    if (unit->image != NULL) {
        tci_image_names names;
        tci_image_name(unit->image, tci_archive_name(source->archive), &names);
        unit->names = tci_code_map_add(&source->id, names.symbols, names.count);
    } else {
        const tci_code_symbol *symbols;
        size_t count = tci_engine_module_ops()->symbols(unit->compiled, &symbols);
        unit->names = tci_code_map_add(&source->id, symbols, count);
    }
}

/* --- either -------------------------------------------------------------------------- */

bool tci_code_unit_is_quick(const tci_engine_handle *handle, const tci_load_source *source)
{
    size_t index;
    return !tci_deps_name_libraries(source->deps, source->deps_size) &&
           choose_image(handle, source, &index, NULL) == TC_OK;
}

/* An image where there is one; its errors are not a reason to compile, as the bitcode beside it
 * is the same code with the same needs. */
static tc_status load_slice(tci_engine_handle *handle, const tci_load_source *source,
                            tci_code_unit *unit, tc_error *err)
{
    size_t index;
    tc_status status = choose_image(handle, source, &index, err);
    if (status == TC_OK)
        return load_image(handle, source, index, unit, err);
    if (status != TC_E_NO_SLICE || handle->form == TCI_CHOICE_IMAGE)
        return status;
    return load_bitcode(handle, source, unit, err);
}

tc_status tci_code_unit_load(tci_engine_handle *handle, const tci_load_source *source,
                             tci_code_unit *unit, tc_error *err)
{
    uint64_t last_ns = tci_clock_ns();
    TC_TRY(tci_symbols_create(source->deps, source->deps_size, source->host, source->host_count,
                              &unit->symbols, err));
    unit->stage_ns[TC_STAGE_LIBRARIES] = lap(&last_ns);
    tc_status status = load_slice(handle, source, unit, err);
    if (status == TC_OK)
        publish(source, unit);
    else
        tci_code_unit_empty(handle, unit);
    return status;
}

/* What is linked in less time than a thread needs to wake up. */
#define STORED_AT_ONCE_MAX (16u << 10)

static bool may_be_stored(const tci_engine_handle *handle, const tci_load_source *source,
                          size_t *index_out)
{
    size_t image;
    return tci_engine_cache() != NULL && handle->form != TCI_CHOICE_IMAGE &&
           !tci_deps_name_libraries(source->deps, source->deps_size) &&
           choose_image(handle, source, &image, NULL) != TC_OK &&
           tci_archive_select(source->archive, tci_triple_host(), index_out, NULL) == TC_OK &&
           tci_archive_slice(source->archive, *index_out)->size <= STORED_AT_ONCE_MAX;
}

tc_status tci_code_unit_load_stored(tci_engine_handle *handle, const tci_load_source *source,
                                    tci_code_unit *unit)
{
    recipe r = {.source = source, .debuggable = handle->debuggable};
    uint64_t last_ns = tci_clock_ns();
    tc_error error;
    if (!may_be_stored(handle, source, &r.index))
        return TC_E_AGAIN;
    TC_TRY(tci_symbols_create(source->deps, source->deps_size, source->host, source->host_count,
                              &unit->symbols, NULL));
    unit->stage_ns[TC_STAGE_LIBRARIES] = lap(&last_ns);
    r.symbols = unit->symbols;
    if (link_any_stored(handle, &r, unit, &error) != TC_OK) {
        tci_code_unit_empty(handle, unit);
        return TC_E_AGAIN;
    }
    publish(source, unit);
    return TC_OK;
}

void tci_code_unit_empty(tci_engine_handle *handle, tci_code_unit *unit)
{
    tci_code_map_remove(unit->names);
    if (unit->image != NULL)
        tci_image_unload(handle->arena, unit->image);
    if (unit->compiled != NULL)
        tci_engine_module_ops()->unload(tci_engine_running(), unit->compiled);
    if (unit->state != NULL)
        tci_engine_module_ops()->unload(tci_engine_running(), unit->state);
    tci_symbols_destroy(unit->symbols);
    if (unit->unsaved != NULL)
        free(unit->unsaved->bytes);
    free(unit->unsaved);
    *unit = (tci_code_unit){0};
}

/* --- better code --------------------------------------------------------------------- */

tc_status tci_code_unit_make_better(tci_engine_handle *handle, const tci_load_source *source,
                                    const tci_code_unit *unit, tci_code_unit *better,
                                    tc_error *err)
{
    size_t index;
    TC_TRY(tci_archive_select(source->archive, tci_triple_host(), &index, err));
    TC_TRY(start_compiler(handle, true, err));
    const recipe r = {.source = source,
                      .index = index,
                      .level = unit->has_state ? TCI_LEVEL_BEST_OVER : TCI_LEVEL_BEST,
                      .debuggable = handle->debuggable,
                      .background = true,
                      .symbols = unit->symbols,
                      .over = unit->compiled};
    tc_status status = link_stored(&r, better, err);
    if (!is_final(status))
        status = compile(&r, better, err);
    if (status == TC_OK)
        publish(source, better);
    return status;
}

void tci_code_unit_replace(tci_engine_handle *handle, tci_code_unit *unit,
                           tci_code_unit *better)
{
    better->symbols = unit->symbols;
    unit->symbols = NULL;
    if (unit->has_state) {
        better->has_state = true;
        better->memory += unit->memory;
        better->state = unit->compiled;
        unit->compiled = NULL;
    }
    tci_code_unit_empty(handle, unit);
    *unit = *better;
    *better = (tci_code_unit){0};
}
