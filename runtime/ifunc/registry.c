#include "registry.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "ifunc/inject_section.h"
#include "ifunc/registry_private.h"
#include "wire/frame.h"

#include <stdlib.h>

tc_status tci_registry_init(tci_registry *registry, const struct tc_options *options,
                            tc_error *err)
{
    registry->options = options;
    registry->table = calloc(options->functions_max, sizeof(tc_ifunc *));
    if (registry->table == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "function table: out of memory");
    const tci_engine_opts opts = {.engine_path = options->engine_path,
                                  .form = (tci_form_choice)options->form,
                                  .tier = (tci_tier_choice)options->tier,
                                  .compile_threads = (unsigned)options->compile_threads,
                                  .cache_dir = options->cache_dir,
                                  .cache_max = options->cache_max,
                                  .compiler = (tci_compiler_choice)options->compiler,
                                  .compile_time_max_ns = options->compile_time_max,
                                  .compile_memory_max = options->compile_memory_max};
    TC_TRY(tci_engine_acquire(&opts, &registry->engine, err));
    if (options->debug_code)
        tci_engine_set_debuggable(registry->engine);
    if (options->perf_map)
        tci_engine_set_profiled(registry->engine);
    return TC_OK;
}

static tc_ifunc **bucket_of(tci_registry *registry, const tci_content_id *id)
{
    uint32_t key;
    memcpy(&key, id->bytes, sizeof key);
    return &registry->buckets[key % TCI_REGISTRY_BUCKETS];
}

tc_ifunc *tci_registry_find(tci_registry *registry, const tci_content_id *id)
{
    tc_ifunc *fn = *bucket_of(registry, id);
    while (fn != NULL && !tci_content_id_equal(&fn->id, id))
        fn = fn->bucket_next;
    return fn;
}

static void free_function(tc_ifunc *fn)
{
    tci_ifunc_unload(fn);
    if (fn->archive != NULL)
        tci_archive_close(fn->archive);
    tci_inject_sections_free(fn);
    free(fn->plain);
    free(fn->load_error);
    free((void *)(uintptr_t)fn->code);
    free(fn);
}

void tci_registry_remove(tc_ifunc *fn)
{
    tci_registry *registry = fn->registry;
    tc_ifunc **link = bucket_of(registry, &fn->id);
    while (*link != fn)
        link = &(*link)->bucket_next;
    *link = fn->bucket_next;
    registry->table[fn->index] = NULL;
    registry->count--;
    if (registry->events != NULL)
        registry->events->forget(registry->events_user, fn->index);
    free_function(fn);
}

void tci_registry_fini(tci_registry *registry)
{
    if (registry->table != NULL) {
        registry->events = NULL;
        for (size_t i = 0; i < registry->options->functions_max; i++) {
            if (registry->table[i] != NULL)
                tci_registry_remove(registry->table[i]);
        }
    }
    tci_engine_release(registry->engine);
    registry->engine = NULL;
    free(registry->table);
    registry->table = NULL;
}

static bool is_wanted(const tc_ifunc *fn)
{
    const tci_registry *registry = fn->registry;
    return registry->events != NULL && registry->events->is_wanted(registry->events_user, fn);
}

/* Of the functions that nobody holds, the one that was let go longest ago. */
static tc_ifunc *find_idle(tci_registry *registry)
{
    tc_ifunc *oldest = NULL;
    for (size_t i = 0; i < registry->options->functions_max; i++) {
        tc_ifunc *fn = registry->table[i];
        if (fn != NULL && fn->holders == 0 && !is_wanted(fn) &&
            (oldest == NULL || fn->last_use < oldest->last_use))
            oldest = fn;
    }
    return oldest;
}

static tc_status take_index(tci_registry *registry, uint16_t *index_out, tc_error *err)
{
    size_t max = registry->options->functions_max;
    if (registry->count == max) {
        tc_ifunc *idle = find_idle(registry);
        if (idle == NULL)
            return tci_error_set(err, TC_E_TOO_LARGE,
                                 "all %zu functions of option functions_max are in use", max);
        tci_registry_remove(idle);
    }
    size_t index = 0;
    while (registry->table[index] != NULL)
        index++;
    *index_out = (uint16_t)index;
    return TC_OK;
}

static tc_status copy_code(tc_ifunc *fn, const void *archive, size_t archive_size,
                           const void *deps, size_t deps_size, tc_error *err)
{
    fn->code_bytes = TCI_CODE_SECTION_BYTES + archive_size + deps_size;
    uint8_t *code = malloc(fn->code_bytes);
    if (code == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "function: out of memory");
    const tci_code_section section = {
        .id = fn->id, .archive_size = (uint32_t)archive_size, .deps_size = (uint32_t)deps_size};
    tci_code_section_encode(&section, code);
    memcpy(code + TCI_CODE_SECTION_BYTES, archive, archive_size);
    if (deps_size > 0)
        memcpy(code + TCI_CODE_SECTION_BYTES + archive_size, deps, deps_size);
    fn->code = code;
    fn->archive_size = archive_size;
    return TC_OK;
}

static tc_status insert_function(tci_registry *registry, tc_ifunc *fn, tc_error *err)
{
    TC_TRY(take_index(registry, &fn->index, err));
    const tci_frame call = {.slot = fn->index, .kind = TCI_FRAME_CALL};
    fn->call_word = tci_frame_word(&call);
    tc_ifunc **bucket = bucket_of(registry, &fn->id);
    fn->bucket_next = *bucket;
    *bucket = fn;
    registry->table[fn->index] = fn;
    registry->count++;
    return TC_OK;
}

tc_status tci_registry_add(tci_registry *registry, const void *archive, size_t archive_size,
                           const void *deps, size_t deps_size, const tci_content_id *expected,
                           tc_ifunc **fn_out, tc_error *err)
{
    uint64_t max = registry->options->code_bytes_max;
    if (archive_size > max || deps_size > max - archive_size)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "code of %zu bytes, option code_bytes_max is %llu",
                             archive_size + deps_size, (unsigned long long)max);
    tci_content_id id;
    tci_content_id_of(archive, archive_size, deps, deps_size, &id);
    if (expected != NULL && !tci_content_id_equal(&id, expected)) {
        char found[TCI_CONTENT_ID_TEXT], wanted[TCI_CONTENT_ID_TEXT];
        tci_content_id_text(&id, found);
        tci_content_id_text(expected, wanted);
        return tci_error_set(err, TC_E_CORRUPT, "code has id %s, expected %s", found, wanted);
    }
    tc_ifunc *known = tci_registry_find(registry, &id);
    if (known != NULL) {
        tci_ifunc_hold(known);
        *fn_out = known;
        return TC_OK;
    }

    tc_ifunc *fn = calloc(1, sizeof *fn);
    if (fn == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "function: out of memory");
    fn->registry = registry;
    fn->id = id;
    fn->holders = 1;
    tc_status status = copy_code(fn, archive, archive_size, deps, deps_size, err);
    if (status == TC_OK)
        status = tci_archive_open(fn->code + TCI_CODE_SECTION_BYTES, archive_size, &fn->archive,
                                  err);
    if (status == TC_OK)
        status = insert_function(registry, fn, err);
    if (status != TC_OK) {
        free_function(fn);
        return status;
    }
    fn->entries = tci_archive_entries(fn->archive);
    *fn_out = fn;
    return TC_OK;
}

void tci_ifunc_hold(tc_ifunc *fn)
{
    fn->holders++;
}

void tci_ifunc_release(tc_ifunc *fn)
{
    fn->holders--;
    fn->last_use = ++fn->registry->clock;
}
