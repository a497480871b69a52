/* The code engine of a world, the module `engine`: a function runs as the C function that
 * tc_sim_function bound to its name. Loads take simulated time, which differs from load to
 * load, as with a compiler and its threads. */
#include "sim_injector.h"
#include "sim_memory.h"
#include "sim_unit.h"
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

#define LOAD_NS 2000000u /* the longest load */
#define LOADER_STACK ((size_t)64 << 10)
#define UNIT_MEMORY 4096u /* that a unit claims to take */

struct tci_load_job {
    tci_load_source source;
    tci_engine_handle *handle;
    bool is_late; /* it is bound when its time is over, not before */
    tc_status status;
    tc_error error;
    tci_code_unit *unit;
    bool done;
};

struct tci_engine_handle {
    void (*notify)(void *user);
    void *user;
};

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

static tc_status load(tci_engine_handle *handle, const tci_load_source *source,
                      tci_code_unit **unit_out, tc_error *err)
{
    (void)handle;
    return sim_unit_make(source, unit_out, err);
}

static void make(tci_load_job *job)
{
    job->status = sim_unit_make(&job->source, &job->unit, &job->error);
}

/* A loader's thread: a fiber of the node, which ends with it. */
static void *run_job(void *argument)
{
    tci_load_job *job = argument;
    if (!job->is_late)
        make(job);
    sim_world_sleep(sim_random_below(&sim_world_node()->world->random, LOAD_NS));
    if (job->is_late)
        make(job);
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
        return sim_unit_make(source, unit_out, err);
    tci_load_job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: out of memory", name);
    job->handle = handle;
    job->source = *source;
    job->is_late = source->deps_size > 0 && sim_random_below(&node->world->random, 2) == 0;
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
    if (job == NULL)
        return;
    await(job);
    sim_unit_free(job->unit);
    free(job);
}

static tc_status finish(tci_load_job *job, tci_code_unit **unit_out, tci_code_unit **old_out,
                        tc_error *err)
{
    *old_out = NULL;
    await(job);
    const tc_status status = job->status;
    *unit_out = job->unit;
    if (status != TC_OK && err != NULL)
        *err = job->error;
    free(job);
    return status;
}

/* --- units ------------------------------------------------------------------------------- */

static tc_status start_unit(tci_code_unit *unit, const char *name, tc_error *err)
{
    (void)unit, (void)name, (void)err;
    return TC_OK;
}

static void unload(tci_engine_handle *handle, tci_code_unit *unit)
{
    (void)handle;
    sim_unit_free(unit);
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
    .rebind = sim_unit_rebind,
    .unload = unload,
    .entries = sim_unit_entries,
    .may_tier_up = no,
    .has_state = no,
    .memory = memory_of,
    .is_old = sim_unit_is_old,
    .report = report,
    .injector_create = sim_injector_create,
    .injector_destroy = sim_injector_ignore,
    .injector_get_ahead = sim_injector_ignore,
    .injector_expect = sim_injector_ignore,
    .injector_place = sim_injector_place,
    .open_slices = tci_bitcode_slices_open,
};

static tc_status attach(tci_registry *registry, const struct tc_options *options, tc_error *err)
{
    (void)options;
    return tci_module_take((const void **)&registry->loading, &table, "engine", err);
}

const tci_module tci_engine_module = {.name = "engine", .attach_registry = attach};
