/* The code engine of a world, the module `engine`: a function runs as the C function that
 * tc_sim_function bound to its name. Loads take simulated time, which differs from load to
 * load, as with a compiler and its threads. */
#include "sim_memory.h"
#include "sim_word.h"

#include "archive.h"
#include "base/error_text.h"
#include "core/module.h"
#include "engine/library_set.h"
#include "engine/loading.h"
#include "ifunc/bitcode_slices.h"
#include "ifunc/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_MAX 256u
#define NAME_BYTES 64u
#define LOAD_NS 2000000u /* the longest load */
#define LOADER_STACK ((size_t)64 << 10)
#define UNIT_MEMORY 4096u /* that a unit claims to take */

typedef struct function {
    char name[NAME_BYTES];
    void (*main)(void *payload, size_t size, void *target_args);
} function;

struct tci_code_unit {
    tci_entries entries;
};

struct tci_load_job {
    char name[NAME_BYTES];
    tci_engine_handle *handle;
    bool done;
};

struct tci_engine_handle {
    void (*notify)(void *user);
    void *user;
};

static function functions[FUNCTIONS_MAX];
static size_t function_count;

tc_status tc_sim_function(const char *name,
                          void (*main)(void *payload, size_t size, void *target_args),
                          tc_error *err)
{
    size_t at = 0;
    while (at < function_count && strcmp(functions[at].name, name) != 0)
        at++;
    if (strlen(name) >= NAME_BYTES || at == FUNCTIONS_MAX)
        return tci_error_set(err, TC_E_INVALID,
                             "tc_sim_function '%.80s': at most %u functions, with names of at "
                             "most %u bytes",
                             name, FUNCTIONS_MAX, NAME_BYTES - 1);
    (void)strcpy(functions[at].name, name);
    functions[at].main = main;
    function_count += at == function_count;
    return TC_OK;
}

static const function *function_of(const char *name)
{
    for (size_t i = 0; i < function_count; i++) {
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    }
    return NULL;
}

/* --- the engine -------------------------------------------------------------------------- */

static tc_status acquire(const struct tc_options *options, tci_engine_handle **handle_out,
                         tc_error *err)
{
    (void)options;
    *handle_out = calloc(1, sizeof **handle_out);
    return *handle_out != NULL ? TC_OK : tci_error_set(err, TC_E_NO_MEMORY, "engine");
}

static void release(tci_engine_handle *handle)
{
    free(handle);
}

static void set_notify(tci_engine_handle *handle, void (*notify)(void *user), void *user)
{
    handle->notify = notify;
    handle->user = user;
}

static void prepare(tci_engine_handle *handle)
{
    (void)handle;
}

static tc_status start(tci_engine_handle *handle, tc_error *err)
{
    (void)handle, (void)err;
    return TC_OK;
}

static const char *no_version(const char *engine_path)
{
    (void)engine_path;
    return NULL;
}

static const char *nothing(const tci_engine_handle *handle)
{
    (void)handle;
    return "";
}

static void forget_stored(tci_engine_handle *handle, const tci_content_id *id)
{
    (void)handle, (void)id;
}

/* Nodes have no policy: their functions are those of the process. */
static tc_status scope_open(const struct tc_options *options, tci_symbol_scope *scope,
                            tc_error *err)
{
    (void)options;
    return tci_library_set_create(&scope->libraries, err);
}

static void scope_close(tci_symbol_scope *scope)
{
    tci_library_set_destroy(scope->libraries);
}

/* --- loads ------------------------------------------------------------------------------- */

static tc_status make_unit(const char *name, tci_code_unit **unit_out, tc_error *err)
{
    const function *f = function_of(name);
    if (f == NULL)
        return tci_error_set(err, TC_E_UNRESOLVED,
                             "%s: no function of this name; tc_sim_function binds one", name);
    tci_code_unit *unit = calloc(1, sizeof *unit);
    if (unit == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: out of memory", name);
    unit->entries.main = f->main;
    *unit_out = unit;
    return TC_OK;
}

static tc_status load(tci_engine_handle *handle, const tci_load_source *source,
                      tci_code_unit **unit_out, tc_error *err)
{
    (void)handle;
    return make_unit(tci_archive_name(source->archive), unit_out, err);
}

/* A loader's thread: a fiber of the node, which ends with it. */
static void *run_job(void *argument)
{
    tci_load_job *job = argument;
    sim_world_sleep(sim_random_below(&sim_world_node()->world->random, LOAD_NS));
    tci_engine_handle *handle = job->handle;
    job->done = true; /* it may be freed from here on */
    sim_word_wake(job, SIM_WORD_ALL);
    if (handle->notify != NULL)
        handle->notify(handle->user);
    return NULL;
}

/* Half of the loads are done at once, as those of images are. */
static tc_status begin(tci_engine_handle *handle, const tci_load_source *source,
                       tci_code_unit **unit_out, tci_load_job **job_out, tc_error *err)
{
    const char *name = tci_archive_name(source->archive);
    tc_sim_node *node = sim_world_node();
    if (sim_random_below(&node->world->random, 2) == 0)
        return make_unit(name, unit_out, err);
    tci_load_job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: out of memory", name);
    job->handle = handle;
    (void)snprintf(job->name, sizeof job->name, "%s", name);
    if (sim_world_fails() || !sim_world_spawn_detached(node, run_job, job, LOADER_STACK)) {
        free(job);
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: no thread for the load", name);
    }
    *job_out = job;
    return TC_E_AGAIN;
}

static tc_status begin_tier_up(tci_engine_handle *handle, const tci_load_source *source,
                               tci_code_unit *unit, tci_load_job **job_out, tc_error *err)
{
    (void)handle, (void)source, (void)unit, (void)job_out;
    return tci_error_set(err, TC_E_UNSUPPORTED, "no better code in a simulation");
}

static bool is_done(const tci_load_job *job)
{
    return job->done;
}

static void await(const tci_load_job *job)
{
    while (!job->done)
        (void)sim_word_wait(job, UINT64_MAX);
}

static void cancel(tci_load_job *job)
{
    if (job != NULL)
        await(job);
    free(job);
}

static tc_status finish(tci_load_job *job, tci_code_unit **unit_out, tc_error *err)
{
    char name[NAME_BYTES];
    await(job);
    (void)snprintf(name, sizeof name, "%s", job->name);
    free(job);
    return make_unit(name, unit_out, err);
}

/* --- units ------------------------------------------------------------------------------- */

static tc_status start_unit(tci_code_unit *unit, const char *name, tc_error *err)
{
    (void)unit, (void)name, (void)err;
    return TC_OK;
}

static tc_status rebind(const tci_load_source *source, tci_code_unit *unit, tc_error *err)
{
    (void)source, (void)unit, (void)err;
    return TC_OK;
}

static void unload(tci_engine_handle *handle, tci_code_unit *unit)
{
    (void)handle;
    free(unit);
}

static const tci_entries *entries_of(const tci_code_unit *unit)
{
    return &unit->entries;
}

static bool no(const tci_code_unit *unit)
{
    (void)unit;
    return false;
}

static size_t memory_of(const tci_code_unit *unit)
{
    (void)unit;
    return UNIT_MEMORY;
}

static void report(const tci_code_unit *unit, tc_load_report *report_out)
{
    (void)unit;
    report_out->path = TC_LOAD_IMAGE;
    report_out->memory_bytes = UNIT_MEMORY;
}

/* --- injected code ----------------------------------------------------------------------- */

static const char injector_of_all[1];

static tc_status injector_create(tci_engine_handle *handle, const tci_symbol_scope *scope,
                                 tci_injector **injector_out, tc_error *err)
{
    (void)handle, (void)scope, (void)err;
    *injector_out = (tci_injector *)(uintptr_t)injector_of_all;
    return TC_OK;
}

static void injector_ignore(tci_injector *injector)
{
    (void)injector;
}

static tc_status injector_place(tci_injector *injector, const uint8_t *bytes, size_t image_size,
                                size_t rest_size, void (**main_out)(void *, size_t, void *),
                                tc_error *err)
{
    (void)injector, (void)bytes, (void)image_size, (void)rest_size, (void)main_out;
    return tci_error_set(err, TC_E_UNSUPPORTED, "no injected code in a simulation");
}

static const tci_loading_ops table = {
    .acquire = acquire,
    .release = release,
    .set_notify = set_notify,
    .prepare = prepare,
    .start = start,
    .start_compilers = start,
    .llvm_version = no_version,
    .cpu = nothing,
    .features = nothing,
    .forget_stored = forget_stored,
    .scope_open = scope_open,
    .scope_close = scope_close,
    .library_changes = tci_library_set_changes,
    .load = load,
    .begin = begin,
    .begin_tier_up = begin_tier_up,
    .is_begun = is_done,
    .is_done = is_done,
    .finish = finish,
    .cancel = cancel,
    .start_unit = start_unit,
    .rebind = rebind,
    .unload = unload,
    .entries = entries_of,
    .may_tier_up = no,
    .has_state = no,
    .memory = memory_of,
    .is_old = no,
    .report = report,
    .injector_create = injector_create,
    .injector_destroy = injector_ignore,
    .injector_get_ahead = injector_ignore,
    .injector_expect = injector_ignore,
    .injector_place = injector_place,
    .open_slices = tci_bitcode_slices_open,
};

static tc_status attach(tci_registry *registry, const struct tc_options *options, tc_error *err)
{
    (void)options;
    return tci_module_take((const void **)&registry->loading, &table, "engine", err);
}

const tci_module tci_engine_module = {.name = "engine", .attach_registry = attach};
