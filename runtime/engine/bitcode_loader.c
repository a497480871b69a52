#include "bitcode_loader.h"

#include "base/clock.h"
#include "base/error_text.h"

#include <stdlib.h>

static void *resolve_symbol(void *user, const char *symbol)
{
    return tci_symbols_resolve(user, symbol);
}

static tci_engine_code code_of(const tci_compile_request *r, tci_code_level level)
{
    const tci_archive *archive = r->source->archive;
    const tci_slice *slice = tci_archive_slice(archive, r->plan->slice);
    return (tci_engine_code){
        .name = tci_archive_name(archive),
        .entries = tci_archive_entries(archive),
        .level = level,
        .debuggable = r->debuggable,
        .bytes = tci_archive_slice_bytes(archive, r->plan->slice),
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

static tci_object_key key_of(const tci_compile_request *r, tci_code_level level)
{
    const tci_engine_ops *ops = r->shared->ops;
    return (tci_object_key){.id = r->source->id,
                            .cpu = ops->cpu(r->shared->engine),
                            .features = ops->features(r->shared->engine),
                            .llvm = ops->llvm(),
                            .level = (uint32_t)level | (r->debuggable ? DEBUGGABLE_LEVEL : 0),
                            .slice = (uint32_t)r->plan->slice,
                            .abi = TCI_ENGINE_ABI};
}

static tc_status link_object(const tci_compile_request *r, const tci_engine_code *code,
                             const tci_object *object, tci_loaded_code *out, tc_error *err)
{
    uint64_t start_ns = tci_clock_ns();
    const tci_engine_ops *ops = r->shared->ops;
    TC_TRY(ops->link(r->shared->engine, code, object->bytes, object->size, r->base,
                     &out->compiled, &out->entries, err));
    uint32_t writable = ops->writable(out->compiled);
    out->stage_ns[TC_STAGE_LINK] = tci_clock_ns() - start_ns;
    out->optimised = code->level != TCI_LEVEL_BASELINE;
    out->has_state = writable != 0;
    out->memory = ops->memory(out->compiled);
    out->may_tier_up =
        r->plan->may_tier_up && !out->optimised && writable != TCI_WRITABLE_FIXED;
    return TC_OK;
}

static tc_status link_stored(const tci_compile_request *r, tci_code_level level,
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

/* What this library cannot bind, compiling it again cannot either; anything else that is wrong
 * with a stored object can be mended. */
static tc_status final_or_not_found(tc_status status)
{
    return status == TC_OK || status == TC_E_UNRESOLVED ? status : TC_E_NOT_FOUND;
}

tc_status tci_bitcode_loader_load_stored(const tci_compile_request *request,
                                         tci_loaded_code *code_out, tc_error *err)
{
    if (request->plan->takes_optimised &&
        link_stored(request, TCI_LEVEL_OPTIMISED, code_out, err) == TC_OK)
        return TC_OK;
    return final_or_not_found(link_stored(request, request->plan->level, code_out, err));
}

static tc_status compile(const tci_compile_request *r, tci_loaded_code *out, tc_error *err)
{
    tci_object object;
    const tci_engine_code code = code_of(r, r->plan->level);
    const tci_object_key key = key_of(r, r->plan->level);
    TC_TRY(tci_compiler_pool_compile(r->shared->compilers, r->shared->engine, &code,
                                     r->plan->background, &object, err));
    out->stage_ns[TC_STAGE_PARSE] = object.parse_ns;
    out->stage_ns[TC_STAGE_VERIFY] = object.verify_ns;
    out->stage_ns[TC_STAGE_PASSES] = object.passes_ns;
    out->stage_ns[TC_STAGE_CODEGEN] = object.codegen_ns;
    out->path = TC_LOAD_JIT;
    tc_status status = link_object(r, &code, &object, out, err);
    if (status == TC_OK)
        out->pending =
            tci_pending_write_create(r->cache, &key, code.name, object.bytes, object.size);
    else
        free(object.bytes);
    return status;
}

tc_status tci_bitcode_loader_load(const tci_compile_request *request, tci_loaded_code *code_out,
                                  tc_error *err)
{
    if (request->plan->kind == TCI_LOAD_STORED) {
        tc_status status = tci_bitcode_loader_load_stored(request, code_out, err);
        if (status != TC_E_NOT_FOUND)
            return status;
    }
    return compile(request, code_out, err);
}
