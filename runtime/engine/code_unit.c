/* Makes the code of one function callable by a load plan, and keeps it as a unit.
 *
 * States of a unit: empty; bound to the libraries of its .deps list (open_symbols); loaded,
 * when its image was placed, its shared object opened, its stored object linked, or its bitcode
 * compiled and linked. end_load then publishes its names for crash handlers and profilers, or
 * unloads a unit that failed, so that callers get loaded units alone. code_unit_life.c starts
 * it, by its constructors. Tier-up fills a second unit while the first one runs, as a compile
 * may take seconds; tci_code_unit_replace exchanges them and keeps the old code as `state` if
 * the function has variables or constructors. tci_code_unit_unload undoes all of this in
 * reverse order.
 *
 * This file must never free code before its names or libraries before their code, compile in
 * tci_code_unit_execute_now, or store objects while a function waits: the caller stores them
 * later (tci_code_unit_load, which does everything in one call, stores them itself). */
#include "code_unit.h"

#include "base/clock.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "code_map.h"
#include "code_unit_life.h"
#include "code_unit_object.h"
#include "code_unit_table.h"
#include "engine/cache/object_cache.h"
#include "engine/engine_shared.h"
#include "engine/linked_code.h"
#include "engine/load_plan.h"
#include "engine_handle.h"
#include "image/image_loader.h"

#include <stdlib.h>
#include <string.h>
#include <tc/load.h>

typedef struct compile_request {
    const tci_engine_shared *shared;
    tci_code_arena *arena;
    tci_object_cache *cache; /* NULL: no cache */
    const tci_load_source *source;
    const tci_load_plan *plan;
    bool debuggable;
    tci_code_output output; /* this and memory_max: see tci_engine_code */
    uint64_t memory_max;
    tci_symbols *symbols;
    const tci_linked_code *base; /* see linked_code.h */
} compile_request;

static tci_engine_code code_of(const compile_request *r, tci_code_level level)
{
    const tci_archive *archive = r->source->archive;
    const tci_slice *slice = tci_archive_slice(archive, r->plan->slice);
    tci_engine_code code = {
        .name = tci_archive_name(archive),
        .entries = tci_archive_entries(archive),
        .level = level,
        .debuggable = r->debuggable,
        .output = r->output,
        .memory_max = r->memory_max,
        .bytes = tci_archive_slice_bytes(archive, r->plan->slice),
        .size = slice->size,
        .producer_major = slice->producer_major,
        .producer_minor = slice->producer_minor,
        .producer_patch = slice->producer_patch,
        .cancelled = r->source->cancelled,
    };
    tci_symbols_serve(r->symbols, &code);
    return code;
}

/* Key bits for objects that differ: debuggable, found to have no assembly, kinds of output. */
#define DEBUGGABLE_LEVEL 0x100u
#define NO_ASSEMBLY_LEVEL 0x200u
#define OUTPUT_LEVEL 0x400u

static tci_object_key key_of(const compile_request *r, tci_code_level level)
{
    const tci_engine_ops *ops = r->shared->ops;
    return (tci_object_key){.id = r->source->id,
                            .cpu = ops->cpu(r->shared->engine),
                            .features = ops->features(r->shared->engine),
                            .llvm = ops->llvm(),
                            .level = (uint32_t)level | (r->debuggable ? DEBUGGABLE_LEVEL : 0) |
                                     (uint32_t)r->output * OUTPUT_LEVEL |
                                     (r->source->scope.policy != NULL ? NO_ASSEMBLY_LEVEL : 0),
                            .slice = (uint32_t)r->plan->slice,
                            .abi = TCI_ENGINE_ABI,
                            .seal = r->source->seal};
}

static tc_status link_object(const compile_request *r, const tci_engine_code *code,
                             const tci_object *object, tci_loaded_code *out, tc_error *err)
{
    uint64_t start_ns = tci_clock_ns();
    const tci_link_request request = {r->shared, r->arena, code, r->symbols, r->base};
    TC_TRY(tci_symbols_resume(r->symbols, err));
    TC_TRY(tci_linked_code_make(&request, object->bytes, object->size, &out->compiled,
                                &out->entries, err));
    uint32_t writable = tci_linked_code_writable(out->compiled);
    out->stage_ns[TC_STAGE_LINK] = tci_clock_ns() - start_ns;
    out->optimised = code->level != TCI_LEVEL_BASELINE;
    out->has_state = writable != 0 || out->entries.life != NULL;
    out->memory = tci_linked_code_memory(out->compiled);
    out->may_tier_up =
        r->plan->may_tier_up && !out->optimised && writable != TCI_WRITABLE_FIXED;
    return TC_OK;
}

static tc_status link_stored(const compile_request *r, tci_code_level level,
                             tci_loaded_code *out, tc_error *err)
{
    tci_object object = {0};
    uint64_t start_ns = tci_clock_ns();
    const tci_engine_code code = code_of(r, level);
    const tci_object_key key = key_of(r, level);
    tc_status status = tci_object_cache_find(r->cache, &key, &object.bytes, &object.size);
    out->stage_ns[TC_STAGE_CACHE] += tci_clock_ns() - start_ns;
    if (status != TC_OK)
        return status;
    out->path = TC_LOAD_CACHED;
    status = link_object(r, &code, &object, out, err);
    free(object.bytes);
    return status;
}

/* Links the plan's most optimised stored object. TC_E_NOT_FOUND: compile it; only the code's
 * times and path have changed. TC_E_UNRESOLVED: compiling again would not help. */
static tc_status load_stored(const compile_request *request, tci_loaded_code *code_out,
                             tc_error *err)
{
    if (request->plan->takes_optimised &&
        link_stored(request, TCI_LEVEL_OPTIMISED, code_out, err) == TC_OK)
        return TC_OK;
    tc_status status = link_stored(request, request->plan->level, code_out, err);
    /* Compiling again cannot bind a missing symbol, but mends any other fault of an object. */
    return status == TC_OK || status == TC_E_UNRESOLVED ? status : TC_E_NOT_FOUND;
}

static tc_status compile(const compile_request *r, tci_code_level level, tci_loaded_code *out,
                         tc_error *err)
{
    tci_object object;
    const tci_engine_code code = code_of(r, level);
    const tci_object_key key = key_of(r, level);
    TC_TRY(tci_compiler_pool_compile(r->shared->compilers, r->shared->engine, &code,
                                     r->plan->background, &object, err));
    out->stage_ns[TC_STAGE_PARSE] = object.parse_ns;
    out->stage_ns[TC_STAGE_VERIFY] = object.verify_ns;
    out->stage_ns[TC_STAGE_PASSES] = object.passes_ns;
    out->stage_ns[TC_STAGE_CODEGEN] = object.codegen_ns;
    out->path = TC_LOAD_JIT;
    tc_status status = link_object(r, &code, &object, out, err);
    if (status != TC_OK)
        free(object.bytes);
    else
        out->pending =
            tci_object_write_create(r->cache, &key, code.name, object.bytes, object.size);
    return status;
}

/* Returns whether baseline code will do: a caller waits, and optimising failed or timed out. */
static bool may_do_with_less(const compile_request *r, tc_status status)
{
    return (status == TC_E_TIMEOUT || status == TC_E_COMPILE) && !r->plan->background &&
           r->plan->level == TCI_LEVEL_OPTIMISED;
}

static tc_status load_quick(const compile_request *r, tci_loaded_code *out, tc_error *err)
{
    TC_LOG(TC_LOG_WARN, "%s: not optimised, %s", tci_archive_name(r->source->archive),
           err != NULL ? err->text : tc_status_text(TC_E_COMPILE));
    if (r->plan->kind == TCI_LOAD_STORED &&
        link_stored(r, TCI_LEVEL_BASELINE, out, err) == TC_OK)
        return TC_OK;
    return compile(r, TCI_LEVEL_BASELINE, out, err);
}

/* Loads by the request's plan. Statuses of tci_engine_ops.compile and .link. */
static tc_status load_compiled(const compile_request *request, tci_loaded_code *code_out,
                               tc_error *err)
{
    if (request->plan->kind == TCI_LOAD_STORED) {
        tc_status status = load_stored(request, code_out, err);
        if (status != TC_E_NOT_FOUND)
            return status;
    }
    tc_status status = compile(request, request->plan->level, code_out, err);
    return may_do_with_less(request, status) ? load_quick(request, code_out, err) : status;
}

static tci_code_unit *create(const tci_load_source *source, tc_error *err)
{
    tci_code_unit *unit = calloc(1, sizeof *unit);
    if (unit == NULL)
        (void)tci_error_set(err, TC_E_NO_MEMORY, "%s: out of memory",
                            tci_archive_name(source->archive));
    return unit;
}

static tc_status open_symbols(const tci_load_source *source, tci_code_unit *unit, tc_error *err)
{
    uint64_t start_ns = tci_clock_ns();
    TC_TRY(tci_symbols_create(source->deps, source->deps_size, &source->scope, &unit->symbols,
                              err));
    unit->code.stage_ns[TC_STAGE_LIBRARIES] = tci_clock_ns() - start_ns;
    return TC_OK;
}

/* Variables of an image cannot be found by name, so one that has some is not replaced. */
static tc_status load_image(const tci_engine_handle *handle, const tci_load_source *source,
                            const tci_load_plan *plan, tci_code_unit *unit, tc_error *err)
{
    uint64_t start_ns = tci_clock_ns();
    TC_TRY(tci_image_loader_load(handle->arena, source->archive, plan->slice, unit->symbols,
                                 handle->policy.code_memory_max, &unit->image,
                                 &unit->code.entries, err));
    unit->code.path = TC_LOAD_IMAGE;
    unit->code.stage_ns[TC_STAGE_IMAGE] = tci_clock_ns() - start_ns;
    unit->code.has_state = tci_image_loader_has_data(unit->image) || unit->code.entries.life;
    unit->code.memory = tci_image_loader_memory(unit->image);
    unit->code.may_tier_up = plan->may_tier_up && !unit->code.has_state;
    return TC_OK;
}

/* Code that may have to be bound again is compiled to an image: code_rebind.h. */
static tci_code_output output_of(const tci_engine_handle *handle, const tci_symbols *symbols)
{
    bool binds_again = tci_symbols_library(symbols, 0) != NULL && !handle->policy.debuggable;
    return binds_again ? TCI_OUTPUT_IMAGE : handle->policy.output;
}

static compile_request request_of(const tci_engine_handle *handle,
                                  const tci_load_source *source, const tci_load_plan *plan,
                                  tci_symbols *symbols)
{
    return (compile_request){.shared = tci_engine_shared_running(),
                             .arena = handle->arena,
                             .cache = handle->cache,
                             .source = source,
                             .plan = plan,
                             .debuggable = handle->policy.debuggable,
                             .output = output_of(handle, symbols),
                             .memory_max = handle->policy.code_memory_max,
                             .symbols = symbols};
}

static tc_status load_bitcode(const tci_engine_handle *handle, const tci_load_source *source,
                              const tci_load_plan *plan, const tci_code_unit *replaced,
                              tci_code_unit *unit, tc_error *err)
{
    tc_status status = tci_engine_shared_start(
        handle->engine_path, plan->background ? TCI_NEXT_BACKGROUND : TCI_NEXT_SOON, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "it is bitcode, which takes a compiler");
        return status;
    }
    compile_request request =
        request_of(handle, source, plan, replaced != NULL ? replaced->symbols : unit->symbols);
    if (replaced == NULL) /* a compile may take seconds; libraries need not stay for it */
        tci_symbols_rest(unit->symbols);
    else
        request.base = replaced->code.compiled;
    if (plan->level == TCI_LEVEL_OPTIMISED_SHARED)
        request.output = tci_linked_code_output(request.base);
    return load_compiled(&request, &unit->code, err);
}

static void publish(const tci_load_source *source, tci_code_unit *unit)
{
    if (unit->image != NULL) {
        tci_image_names names;
        tci_image_loader_names(unit->image, tci_archive_name(source->archive), &names);
        unit->names = tci_code_map_add(&source->id, names.symbols, names.count);
    } else if (unit->code.compiled != NULL) {
        const tci_code_symbol *symbols;
        size_t count = tci_linked_code_symbols(unit->code.compiled, &symbols);
        unit->names = tci_code_map_add(&source->id, symbols, count);
    }
}

static tc_status end_load(tci_engine_handle *handle, const tci_load_source *source,
                          tc_status status, tci_code_unit *unit, tci_code_unit **unit_out,
                          tc_error *err)
{
    if (status != TC_OK) {
        status = tci_symbols_explain(unit->symbols, status, err);
        tci_error_prefix(err, "%s", tci_archive_name(source->archive));
        tci_code_unit_unload(handle, unit);
        return status;
    }
    publish(source, unit);
    *unit_out = unit;
    return TC_OK;
}

tc_status tci_code_unit_execute(tci_engine_handle *handle, const tci_load_source *source,
                                const tci_load_plan *plan, tci_code_unit **unit_out,
                                tc_error *err)
{
    tci_code_unit *unit = create(source, err);
    if (unit == NULL)
        return TC_E_NO_MEMORY;
    tc_status status = open_symbols(source, unit, err);
    if (status == TC_OK && plan->kind == TCI_LOAD_IMAGE)
        status = load_image(handle, source, plan, unit, err);
    else if (status == TC_OK && plan->kind == TCI_LOAD_SHARED)
        status = tci_code_unit_table_open(source, plan, unit, err);
    else if (status == TC_OK)
        status = load_bitcode(handle, source, plan, NULL, unit, err);
    return end_load(handle, source, status, unit, unit_out, err);
}

static tc_status execute_stored(tci_engine_handle *handle, const tci_load_source *source,
                                tci_load_plan *plan, tci_code_unit **unit_out, tc_error *err)
{
    tci_code_unit *unit = create(source, err);
    if (unit == NULL)
        return TC_E_NO_MEMORY;
    tc_status status = open_symbols(source, unit, err);
    if (status == TC_OK) {
        const compile_request request = request_of(handle, source, plan, unit->symbols);
        status = load_stored(&request, &unit->code, err);
    }
    if (status == TC_E_NOT_FOUND) {
        tci_code_unit_unload(handle, unit);
        plan->kind = TCI_LOAD_COMPILE;
        return TC_E_AGAIN;
    }
    return end_load(handle, source, status, unit, unit_out, err);
}

tc_status tci_code_unit_execute_now(tci_engine_handle *handle, const tci_load_source *source,
                                    tci_load_plan *plan, tci_code_unit **unit_out,
                                    tc_error *err)
{
    if (!plan->at_once)
        return TC_E_AGAIN;
    if (plan->kind == TCI_LOAD_IMAGE)
        return tci_code_unit_execute(handle, source, plan, unit_out, err);
    if (tci_engine_shared_running() == NULL)
        return TC_E_AGAIN;
    return execute_stored(handle, source, plan, unit_out, err);
}

tc_status tci_code_unit_load(tci_engine_handle *handle, const tci_load_source *source,
                             tci_code_unit **unit_out, tc_error *err)
{
    tci_load_plan plan;
    TC_TRY(tci_load_plan_make(&handle->policy, source, &plan, err));
    TC_TRY(tci_code_unit_execute(handle, source, &plan, unit_out, err));
    tci_object_write_store(tci_code_unit_take_pending_write(*unit_out));
    return TC_OK;
}

void tci_code_unit_unload(tci_engine_handle *handle, tci_code_unit *unit)
{
    if (unit == NULL)
        return;
    tci_code_unit_stop(unit);
    tci_code_map_remove(unit->names);
    if (unit->image != NULL)
        tci_image_loader_unload(handle->arena, unit->image);
    tci_linked_code_free(unit->code.compiled);
    tci_linked_code_free(unit->state);
    tci_shared_library_close(unit->shared);
    tci_symbols_destroy(unit->symbols);
    tci_object_write_drop(unit->code.pending);
    free(unit);
}

tc_status tci_code_unit_tier_up(tci_engine_handle *handle, const tci_load_source *source,
                                const tci_load_plan *plan, const tci_code_unit *unit,
                                tci_code_unit **optimised_out, tc_error *err)
{
    tci_code_unit *optimised = create(source, err);
    if (optimised == NULL)
        return TC_E_NO_MEMORY;
    tc_status status = load_bitcode(handle, source, plan, unit, optimised, err);
    status = tci_symbols_explain(unit->symbols, status, err);
    return end_load(handle, source, status, optimised, optimised_out, err);
}

void tci_code_unit_replace(tci_code_unit *unit, tci_code_unit *optimised)
{
    tci_code_unit old = *unit;
    optimised->symbols = old.symbols, old.symbols = NULL;
    optimised->started = old.started, old.started = NULL;
    if (old.code.has_state) {
        optimised->code.has_state = true;
        optimised->code.memory += old.code.memory;
        optimised->state = old.code.compiled;
        old.code.compiled = NULL;
    }
    *unit = *optimised;
    *optimised = old;
}

tci_object_write *tci_code_unit_take_pending_write(tci_code_unit *unit)
{
    tci_object_write *pending = unit->code.pending;
    unit->code.pending = NULL;
    return pending;
}

void tci_code_unit_note_wait(tci_code_unit *unit, uint64_t waited_ns)
{
    unit->code.stage_ns[TC_STAGE_WAIT] = waited_ns;
}

const tci_entries *tci_code_unit_entries(const tci_code_unit *unit)
{
    return &unit->code.entries;
}

bool tci_code_unit_may_tier_up(const tci_code_unit *unit)
{
    return unit->code.may_tier_up;
}

bool tci_code_unit_has_state(const tci_code_unit *unit)
{
    return unit->code.has_state;
}

size_t tci_code_unit_memory(const tci_code_unit *unit)
{
    return unit->code.memory;
}

const tci_symbols *tci_code_unit_symbols(const tci_code_unit *unit)
{
    return unit->symbols;
}

void tci_code_unit_report(const tci_code_unit *unit, tc_load_report *report_out)
{
    report_out->path = unit->code.path;
    report_out->best = unit->code.optimised;
    report_out->memory_bytes = unit->code.memory;
    memcpy(report_out->stage_ns, unit->code.stage_ns, sizeof unit->code.stage_ns);
}
