/* Which code of a function is made callable: decided once, from the function's archive and the
 * process's preferences alone. Nothing is opened, looked up or compiled here; code_unit.h
 * executes the plan. */
#ifndef TCI_LOAD_PLAN_H
#define TCI_LOAD_PLAN_H

#include "archive.h"
#include "base/content_id.h"
#include "base/option_table.h"
#include "engine/cache/cache_entry.h"
#include "engine/engine_ops.h"
#include "engine/symbols.h"

/* What a function is loaded from. */
typedef struct tci_load_source {
    const tci_archive *archive; /* stays open until the load has ended */
    const char *deps;           /* text of the .deps file, as long */
    size_t deps_size;
    tci_symbol_scope scope; /* what it points to stays as long as the unit */
    tci_content_id id;
    tci_object_seal seal;         /* of what is stored of it */
    tci_form_choice form;         /* what of it may run, whatever the policy wants */
    const atomic_bool *cancelled; /* see tci_engine_code */
    uint64_t *work_ns; /* where a loader's thread leaves how long it took; NULL: nowhere */
} tci_load_source;

/* What a handle wants and what this process can do. */
typedef struct tci_load_policy {
    tci_form_choice form;
    tci_tier_choice tier;
    uint8_t cpu_level; /* that this CPU reaches */
    bool debuggable;   /* debuggers are to see inside the code, and cannot with an image */
    uint64_t code_memory_max; /* option; 0: any */
    bool compiled_image;      /* option compiled */
    bool has_compiler;        /* the compiler's module is there */
    unsigned llvm_major;      /* the compiler's LLVM, which reads no bitcode of a newer one */
    bool has_cache;
} tci_load_policy;

typedef enum tci_load_kind {
    TCI_LOAD_IMAGE,   /* place the image */
    TCI_LOAD_STORED,  /* link an object that was stored; compile the bitcode if there is none */
    TCI_LOAD_COMPILE, /* compile the bitcode */
    TCI_LOAD_SHARED   /* open the shared object, of a library */
} tci_load_kind;

typedef struct tci_load_plan {
    tci_load_kind kind;
    size_t slice;
    tci_code_level level; /* of what is compiled */
    /* TCI_LOAD_STORED: TCI_LEVEL_OPTIMISED will do as well, and is better. */
    bool takes_optimised;
    bool at_once;     /* takes microseconds if no object has to be compiled */
    bool may_tier_up; /* a later compile could give faster code */
    bool background;  /* nobody waits for it */
} tci_load_plan;

/* The image for this host of the highest level that the CPU reaches, or the bitcode, as the
 * policy has it. TC_E_NO_SLICE; err's text begins with the function's name. */
TC_MUST_CHECK tc_status tci_load_plan_make(const tci_load_policy *policy,
                                           const tci_load_source *source,
                                           tci_load_plan *plan_out, tc_error *err);

/* For code that replaces what runs already; with `has_state` it uses that code's variables.
 * TC_E_NO_SLICE, likewise. */
TC_MUST_CHECK tc_status tci_load_plan_tier_up(const tci_load_policy *policy,
                                              const tci_load_source *source, bool has_state,
                                              tci_load_plan *plan_out, tc_error *err);

#endif
