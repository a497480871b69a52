/* Decides which code of a function is made callable: once, from the function's archive and the
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

/* The source that a function is loaded from. */
typedef struct tci_load_source {
    const tci_archive *archive; /* stays open until the load has ended */
    const char *deps;           /* text of the .deps file; stays as long */
    size_t deps_size;
    tci_symbol_scope scope; /* its pointers stay valid as long as the unit */
    tci_content_id id;
    tci_object_seal seal;         /* of its stored objects */
    tci_form_choice form;         /* the form that may run, regardless of the policy */
    const atomic_bool *cancelled; /* see tci_engine_code */
    uint64_t *work_ns; /* a loader's thread stores its duration there; NULL: nowhere */
} tci_load_source;

/* The preferences of a handle and the abilities of this process. */
typedef struct tci_load_policy {
    tci_form_choice form;
    tci_tier_choice tier;
    uint8_t cpu_level; /* reached by this CPU */
    bool debuggable;   /* debuggers are to see inside the code, and cannot with an image */
    uint64_t code_memory_max; /* option; 0: any */
    tci_code_output output;   /* option compiled */
    bool has_compiler;        /* the compiler's module was found */
    unsigned llvm_major;      /* the compiler's LLVM, which cannot read newer bitcode */
    bool has_cache;
} tci_load_policy;

typedef enum tci_load_kind {
    TCI_LOAD_IMAGE,   /* load the image */
    TCI_LOAD_STORED,  /* link a stored object; without one, compile the bitcode */
    TCI_LOAD_COMPILE, /* compile the bitcode */
    TCI_LOAD_SHARED   /* open the shared object, of a library */
} tci_load_kind;

typedef struct tci_load_plan {
    tci_load_kind kind;
    size_t slice;
    tci_code_level level; /* of the compiled code */
    /* TCI_LOAD_STORED: an object of TCI_LEVEL_OPTIMISED is accepted, too, and preferred. */
    bool takes_optimised;
    bool at_once;     /* takes microseconds if no object has to be compiled */
    bool may_tier_up; /* a later compile could give faster code */
    bool background;  /* no caller waits for it */
} tci_load_plan;

/* Chooses the image for this host of the highest level that the CPU reaches, the bitcode, or a
 * shared object, as the policy states. TC_E_NO_SLICE, TC_E_REFUSED (by the form that the signer
 * is restricted to); err's text begins with the function's name. */
TC_MUST_CHECK tc_status tci_load_plan_make(const tci_load_policy *policy,
                                           const tci_load_source *source,
                                           tci_load_plan *plan_out, tc_error *err);

/* Plans code that replaces running code; with `has_state` it uses that code's variables.
 * TC_E_NO_SLICE, likewise. */
TC_MUST_CHECK tc_status tci_load_plan_tier_up(const tci_load_policy *policy,
                                              const tci_load_source *source, bool has_state,
                                              tci_load_plan *plan_out, tc_error *err);

#endif
