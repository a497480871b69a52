/* The functions that a context knows, by content id: opened here, or received. Each is loaded
 * at most once, however many peers send it.
 *
 * A function without references stays until its index or memory is needed, so a peer that comes
 * back finds its code compiled. Single-threaded, like the context. */
#ifndef TCI_REGISTRY_H
#define TCI_REGISTRY_H

#include "archive.h"
#include "base/arch.h"
#include "base/content_id.h"
#include "base/option_table.h"
#include "code_statement.h"
#include "engine/engine.h"
#include "engine/loading.h"
#include "ifunc/use_order.h"
#include "wire/frame.h"

#include <tc/ifunc.h>

#define TCI_SIGNER_MAX 64 /* bytes of a key's name, with terminator */
/* Times the option code_memory_max: archives that peers sent, packed and unpacked. */
#define TCI_ARCHIVE_SHARES_MAX 4u

typedef enum tci_load_state {
    TCI_NOT_LOADED = 0,
    TCI_LOADING, /* by a loader's thread: `job` */
    TCI_LOADED,  /* with a job: it tiers up */
    TCI_LOAD_FAILED
} tci_load_state;

typedef enum tci_standing {
    TCI_STANDING_BARRED = 0, /* no one may use it */
    TCI_STANDING_LOCAL,      /* the program may use it, peers may not */
    TCI_STANDING_OPEN        /* all may use it */
} tci_standing;

typedef struct tci_registry tci_registry;
typedef struct tci_registry_events tci_registry_events;

/* See modules/injected/inject_section.h. */
typedef struct tci_injected_code {
    uint8_t *bytes;
    size_t size;
} tci_injected_code;

/* Events for endpoints, and questions to them. */
struct tci_registry_events {
    /* An index is about to refer to another function. */
    void (*forget)(void *user, uint16_t index);
    /* Indices below `capacity` are about to be in use: makes space in tables by index.
     * False: out of memory. */
    bool (*grow)(void *user, size_t capacity);
    /* The function of that index has got a signature: peers that refused it are asked again. */
    void (*retry)(void *user, uint16_t index);
    /* Returns whether a peer may still ask for the code of messages that were sent to it. */
    bool (*is_wanted)(void *user, const tc_ifunc *fn);
    /* Its entries have changed: it was loaded, failed to load, or got optimised code. */
    void (*changed)(void *user, tc_ifunc *fn, bool tiered_up);
    /* Its code is about to be unloaded: it must not be called any more, and slots release
     * it. */
    void (*evict)(void *user, tc_ifunc *fn);
};

/* See call_count.h. */
typedef struct tci_call_count {
    uint64_t step;         /* initial value of calls_left */
    uint64_t beyond;       /* calls after those, until the number is reached */
    uint64_t time_left_ns; /* time that calls may still take; UINT64_MAX: unlimited */
    uint64_t timed;        /* calls that were timed */
    bool closely;          /* each call is timed, as the last one took long */
} tci_call_count;

struct tc_ifunc {
    /* Calls until its code needs attention: call_count.h. Stored beside the entry because every
     * call counts here. */
    uint64_t calls_left;
    tci_entries entry; /* null until loaded */
    tci_registry *registry;
    unsigned entries;    /* TCI_ENTRY_ bits of the archive */
    unsigned references; /* open handles and bound slots */
    unsigned bound;      /* those references that are slots of endpoints */
    uint16_t index;      /* its slot number in frames that this context sends */
    uint64_t call_word;  /* header word of its CALL frames, without the payload's size */
    unsigned alignment;  /* of its payloads, bytes */
    tci_load_state state;
    tci_content_id id;
    tci_archive *archive; /* reads from code */
    /* The code section as it travels: id and sizes, archive, deps. The signature, if any, is
     * behind code_bytes. */
    const uint8_t *code;
    size_t code_bytes;
    size_t archive_size;
    uint64_t arrived_bytes; /* of the registry's arrived_memory; 0: opened here */
    uint8_t *plain; /* NULL, or the section for peers without a dictionary: code_form.h */
    size_t plain_bytes;
    uint8_t *stored; /* the same for signed code */
    size_t stored_bytes;
    struct tci_code_signature *signature; /* came with the code; NULL: unsigned */
    char signer[TCI_SIGNER_MAX];          /* the trusted key's name; "": no trusted signer */
    const char *signer_name;              /* the same, for loader threads; or NULL */
    tci_form_choice signer_form;          /* forms of it that the key allows to run */
    int64_t good_until; /* the end of that key, as not_after has it; 0: no end */
    bool content_known;
    uint8_t content[TCI_CODE_DIGEST_BYTES]; /* its digest: trust_ops.h */
    tci_standing standing;
    tci_code_unit *unit;
    tci_library *library; /* as a library for others: libraries.h; NULL: not in use as one */
    tci_load_job *job;
    tc_ifunc *job_next;  /* in the registry's list of those with jobs; bound: functions_max */
    uint64_t changes;    /* of the libraries in force, before its load began */
    uint64_t last_use;   /* registry clock */
    uint64_t calls_seen; /* calls_left when last_use was set; 0: it was called since */
    tci_call_count count;
    uint64_t seen_ns;           /* time when a message first asked for it */
    uint64_t work_ns;           /* time of loader threads, not charged to a peer yet */
    const char *agreed;         /* the caller's prototype that was compared last, or NULL */
    bool report_due;            /* its first call has not been reported */
    bool payload_readonly;      /* it gets copies that it cannot write to */
    struct tci_held_code *held; /* held_code.h; NULL: no message of it waits */
    tc_ifunc *bucket_next;      /* bound: functions_max */
    tci_injected_code injected[TCI_ARCH_COUNT];
    tc_error *load_error;         /* why state is TCI_LOAD_FAILED */
    bool failure_told, own;       /* a caller has received load_error; tci_registry_code.own */
    bool unfilled;                /* it has holes, and no values for them */
    struct tci_filled *filled;    /* holes_ops.h; NULL: its code is its own */
    struct tci_usage_item *usage; /* core/usage_ops.h; NULL: never counted */
    tci_use_link idle_link, code_link;     /* in the registry's orders */
    uint16_t bound_connection, bound_slot; /* of the slot that was bound to it last */
    bool is_stateless;                     /* its loaded code has no variables of its own */
};

struct tci_registry {
    const struct tc_options *options;
    struct tci_trust_head *trust;              /* trust_ops.h; NULL without the module */
    tci_symbol_scope scope;                    /* symbols that shipped code may link with */
    const struct tci_libraries_ops *libraries; /* libraries_ops.h; NULL without the module */
    const tci_loading_ops *loading; /* NULL: without the module engine; set before init */
    tci_engine_handle *engine;      /* NULL then, too */
    tc_ifunc **table;               /* by index */
    tc_ifunc **buckets;             /* by content id */
    size_t capacity;                /* of both; grows up to the option functions_max */
    size_t count;                   /* indices in use */
    size_t stateless;               /* functions with loaded code and no variables */
    size_t used_below;              /* all indices below are in use */
    tci_use_order idle;             /* functions without references, by their release */
    tci_use_order code;             /* functions with a unit, by their last use */
    uint64_t clock;
    uint64_t code_memory; /* of loaded units and of their archives */
    uint64_t arrived_memory;
    tc_ifunc *jobs; /* functions with jobs, by job_next */
    const tci_registry_events *events;
    void *events_user;
    const struct tci_holes_ops *holes; /* holes_ops.h; NULL without the module */
};

TC_MUST_CHECK tc_status tci_registry_init(tci_registry *registry,
                                          const struct tc_options *options, tc_error *err);
/* Unloads everything; no function may be running. */
void tci_registry_fini(tci_registry *registry);

tc_ifunc *tci_registry_find(tci_registry *registry, const tci_content_id *id);

/* A function's code as a file, a message or the application has it. */
typedef struct tci_registry_code {
    const void *archive;
    size_t archive_size;
    const void *deps;
    size_t deps_size;
    const tci_content_id *expected; /* the id that it must have; NULL: any */
    /* Its signature: TCI_CODE_SIGNATURE_BYTES as they travel, or a file's text; or NULL. */
    const uint8_t *signature;
    const char *signature_text;
    size_t signature_text_size;
    /* From a peer, while no function runs: a function that only slots hold may be evicted for
     * it, and comes again when it is called; not one with variables of its own. */
    bool arrived;
    bool own; /* the library's, for code of the process: trust does not judge it */
} tci_registry_code;

/* Checks and copies both byte ranges, or finds the function if it is known. In both cases
 * *fn_out gets one more reference. TC_E_CORRUPT, TC_E_VERSION, TC_E_TOO_LARGE (also:
 * functions_max functions are all held), TC_E_REFUSED (it may not run here: trust_ops.h),
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_registry_add(tci_registry *registry, const tci_registry_code *code,
                                         tc_ifunc **fn_out, tc_error *err);

/* For tci_registry_add: gives a new function an index and enters it. TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status tci_registry_insert(tci_registry *registry, tc_ifunc *fn, bool arrived,
                                            tc_error *err);
void tci_registry_free(tc_ifunc *fn);

/* Bytes that its loaded code takes; 0: it is not loaded. */
static inline uint64_t tci_registry_unit_bytes(const tc_ifunc *fn)
{
    return fn->unit != NULL ? fn->registry->loading->memory(fn->unit) : 0;
}

static inline tci_code_bytes tci_registry_bytes(const tc_ifunc *fn)
{
    const uint8_t *archive = fn->code + TCI_CODE_SECTION_BYTES;
    return (tci_code_bytes){archive, fn->archive_size, archive + fn->archive_size,
                            fn->code_bytes - TCI_CODE_SECTION_BYTES - fn->archive_size};
}

/* Unloads it: every slot releases it, and a function that only slots held is removed with its
 * archive. No function may be running. */
void tci_registry_evict(tc_ifunc *fn);

/* The section of the option symbols that it is bound under, or NULL without one. */
static inline const tci_symbol_section *tci_registry_rules(const tc_ifunc *fn)
{
    const tci_registry *registry = fn->registry;
    return registry->scope.policy != NULL
               ? registry->loading->policy_section(registry->scope.policy, fn->signer)
               : NULL;
}

void tci_registry_retain(tc_ifunc *fn);
void tci_registry_release(tc_ifunc *fn);

/* Counts the function as used now. */
void tci_registry_note_use(tc_ifunc *fn);

/* Returns whether only slots hold it and its index stays in use as long as they do: it has
 * variables of its own, or is not loaded yet. */
bool tci_registry_is_stuck(const tc_ifunc *fn);

/* Returns the bytes of the option code_memory_max that it takes and that cannot be freed for
 * others: it is loaded and has variables of its own, or runs code of the process. 0: it may be
 * evicted. */
uint64_t tci_registry_kept_bytes(const tc_ifunc *fn);

/* Takes the results of loader threads. A function that does not fit then is refused, so that no
 * other one is refused because of it. No function may be running. */
void tci_registry_take_finished(tci_registry *registry);

/* Evicts the functions that were not called for longest, until code takes no more than the
 * option code_memory_max; `keep` stays in any case. Functions with variables of their own stay
 * while they are held, as do those that run code of the process itself. No function may be
 * running. TC_OK also when some can only leave later. TC_E_TOO_LARGE: the bound is still
 * exceeded. TC_E_NO_MEMORY: likewise, but `keep` alone would fit. */
TC_MUST_CHECK tc_status tci_registry_trim(tci_registry *registry, const tc_ifunc *keep,
                                          tc_error *err);

#endif
