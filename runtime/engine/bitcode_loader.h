/* From a bitcode slice to entry points that can be called: an object that was stored is linked,
 * or the bitcode compiled. */
#ifndef TCI_BITCODE_LOADER_H
#define TCI_BITCODE_LOADER_H

#include "engine/cache/pending_write.h"
#include "engine/engine_shared.h"
#include "engine/load_plan.h"

#include <tc/load.h>

/* What is compiled, by whom, and what it links with. */
typedef struct tci_compile_request {
    const tci_engine_shared *shared;
    tci_object_cache *cache; /* NULL: none */
    const tci_load_source *source;
    const tci_load_plan *plan;
    bool debuggable;
    const tci_symbols *symbols;
    const tci_loaded *base; /* see tci_engine_ops.link */
} tci_compile_request;

/* What a load gave. */
typedef struct tci_loaded_code {
    tci_entries entries;
    tci_loaded *compiled; /* NULL: an image */
    bool may_tier_up;     /* compiling it again for this CPU could make it faster */
    bool has_state;       /* it has variables of its own that it may write */
    bool optimised;
    tc_load_path path;
    size_t memory;
    tci_pending_write *pending; /* NULL: nothing to store */
    uint64_t stage_ns[TC_STAGE_COUNT];
} tci_loaded_code;

/* The most optimised object that was stored for the plan. TC_E_NOT_FOUND: compiling has to find
 * out; the code is as it was but for its times. TC_E_UNRESOLVED: compiling it again would not
 * help. */
TC_MUST_CHECK tc_status tci_bitcode_loader_load_stored(const tci_compile_request *request,
                                                       tci_loaded_code *code_out,
                                                       tc_error *err);

/* By the request's plan. Statuses of tci_engine_ops.compile and .link. */
TC_MUST_CHECK tc_status tci_bitcode_loader_load(const tci_compile_request *request,
                                                tci_loaded_code *code_out, tc_error *err);

#endif
