/* The functions that a context knows, by content id: opened here, or received. Each is loaded
 * at most once, however many peers send it.
 *
 * A function that nobody holds any more stays until its place is needed, so a peer that comes
 * back finds its code compiled. Single-threaded, like the context. */
#ifndef TCI_REGISTRY_H
#define TCI_REGISTRY_H

#include "archive.h"
#include "base/arch.h"
#include "base/content_id.h"
#include "base/option_table.h"
#include "engine/engine.h"
#include "engine/load_queue.h"
#include "ifunc/code_signature.h"
#include "ifunc/trust.h"
#include "wire/frame.h"

#include <tc/ifunc.h>

#define TCI_REGISTRY_BUCKETS 1024u

typedef enum tci_load_state {
    TCI_NOT_LOADED = 0,
    TCI_LOADING, /* by a loader's thread: `job` */
    TCI_LOADED,  /* with a job: it tiers up */
    TCI_LOAD_FAILED
} tci_load_state;

typedef enum tci_standing {
    TCI_STANDING_BARRED = 0, /* nobody may use it */
    TCI_STANDING_LOCAL,      /* the program may, peers may not */
    TCI_STANDING_OPEN        /* all may */
} tci_standing;

typedef struct tci_registry tci_registry;
typedef struct tci_registry_events tci_registry_events;

/* See transfer/inject_send.h. */
typedef struct tci_injected_code {
    uint8_t *bytes;
    size_t size;
} tci_injected_code;

/* What endpoints have to know, and what they are asked. */
struct tci_registry_events {
    /* An index is about to mean another function. */
    void (*forget)(void *user, uint16_t index);
    /* The function of that index has got a signature: peers that refused it are asked again. */
    void (*retry)(void *user, uint16_t index);
    /* Whether a peer may still ask for the code of messages that were sent to it. */
    bool (*is_wanted)(void *user, const tc_ifunc *fn);
    /* Its entries have changed: it was loaded, failed to, or optimised code came. */
    void (*changed)(void *user, tc_ifunc *fn, bool tiered_up);
    /* Its code is about to go: nobody may call it any more, and slots let it go. */
    void (*evict)(void *user, tc_ifunc *fn);
};

/* See call_count.h. */
typedef struct tci_call_count {
    uint64_t step;         /* what calls_left began with */
    uint64_t beyond;       /* calls behind those, until there were enough */
    uint64_t time_left_ns; /* that calls may still take; UINT64_MAX: any */
    uint64_t timed;        /* calls that were timed */
    bool closely;          /* each call is timed, as the last one took long */
} tci_call_count;

struct tc_ifunc {
    /* Calls until something is to be done about its code: call_count.h. Beside the entry because
     * every call counts here. */
    uint64_t calls_left;
    tci_entries entry; /* null until loaded */
    tci_registry *registry;
    unsigned entries;    /* TCI_ENTRY_ bits of the archive */
    unsigned references; /* open handles and bound slots */
    unsigned bound;      /* those that are slots of endpoints */
    uint16_t index;      /* its slot number in frames that this context sends */
    uint64_t call_word;  /* header word of its CALL frames, but for the payload's size */
    unsigned alignment;  /* of its payloads, bytes */
    tci_load_state state;
    tci_content_id id;
    tci_archive *archive; /* reads from code */
    /* The code section as it travels: id and sizes, archive, deps; and behind code_bytes the
     * signature, if there is one. */
    const uint8_t *code;
    size_t code_bytes;
    size_t archive_size;
    uint8_t *plain; /* NULL, or the section for peers without a dictionary: code_form.h */
    size_t plain_bytes;
    uint8_t *stored; /* the same of code that is signed */
    size_t stored_bytes;
    tci_code_signature *signature; /* that came with it; NULL: none */
    bool is_verified;              /* `verified` was found to have made it */
    tci_minisign_public verified;
    char signer[TCI_SIGNER_MAX]; /* the trusted key's name; "": nobody that is trusted */
    const char *signer_name;     /* the same, for loader threads; NULL */
    tci_form_choice signer_form; /* what of it that key may have run */
    int64_t good_until;          /* the end of that key, as not_after has it; 0: none */
    bool content_known;
    uint8_t content[TCI_CODE_DIGEST_BYTES]; /* its digest: tci_standing_content */
    tci_standing standing;
    tci_code_unit *unit;
    tci_library *library; /* what it is for others: libraries.h; NULL: nothing, or no longer */
    tci_load_job *job;
    tc_ifunc *job_next;  /* in the registry's list of those with jobs */
    uint64_t changes;    /* of the libraries in force, before its load began */
    uint64_t last_use;   /* registry clock, for eviction */
    uint64_t calls_seen; /* calls_left when last_use was decided; 0: it was called since */
    tci_call_count count;
    uint64_t seen_ns;      /* when a message first asked for it */
    uint64_t work_ns;      /* that loader threads took since somebody was charged for it */
    bool report_due;       /* its first call has not been reported */
    bool payload_readonly; /* it gets copies that nothing can write to */
    tc_ifunc *bucket_next;
    tci_injected_code injected[TCI_ARCH_COUNT];
    tc_error *load_error; /* why state is TCI_LOAD_FAILED */
    bool failure_told;    /* somebody has heard of it */
};

struct tci_registry {
    const struct tc_options *options;
    tci_trust trust;
    tci_symbol_scope scope; /* what shipped code may link with */
    /* What a message to a library runs, in place of a main; NULL: nobody sends any. */
    void (*library_main)(void *payload, size_t payload_size, void *target_args);
    tci_symbol_policy *policy; /* of the option symbols, or NULL; the scope has it, too */
    tci_engine_handle *engine;
    tc_ifunc **table; /* by index */
    size_t count;     /* places in use */
    uint64_t clock;
    uint64_t code_memory; /* of loaded units and of their archives */
    tc_ifunc *jobs;       /* functions with jobs, by job_next */
    tc_ifunc *buckets[TCI_REGISTRY_BUCKETS];
    const tci_registry_events *events;
    void *events_user;
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
    /* What came with it: TCI_CODE_SIGNATURE_BYTES as they travel, or from a file; or NULL. */
    const uint8_t *signature;
    const tci_minisign_signature *signature_file;
    /* From a peer, while no function runs: one that only slots hold may leave for it, and comes
     * again when it is called; not one with variables of its own. */
    bool arrived;
} tci_registry_code;

/* Checks and copies both byte ranges; a function that is known is found. Either way *fn_out is
 * held once more. TC_E_CORRUPT, TC_E_VERSION, TC_E_TOO_LARGE (also: functions_max functions are
 * all held), TC_E_REFUSED (it may not run here: standing.h), TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_registry_add(tci_registry *registry, const tci_registry_code *code,
                                         tc_ifunc **fn_out, tc_error *err);

static inline tci_code_bytes tci_registry_bytes(const tc_ifunc *fn)
{
    const uint8_t *archive = fn->code + TCI_CODE_SECTION_BYTES;
    return (tci_code_bytes){archive, fn->archive_size, archive + fn->archive_size,
                            fn->code_bytes - TCI_CODE_SECTION_BYTES - fn->archive_size};
}

/* Unloads it: every slot forgets it, and one that only slots held is gone with its archive. No
 * function may be running. */
void tci_registry_evict(tc_ifunc *fn);

/* Reads keys and lists once more. What may not run any more is unloaded, leaves the object cache,
 * and those that sent it hear why; what may again, does. No function may be running. Statuses of
 * tci_trust_reload. */
TC_MUST_CHECK tc_status tci_registry_reload_trust(tci_registry *registry, tc_error *err);
/* The same for one function, if the key that it was judged by has ended. */
void tci_registry_check_end(tc_ifunc *fn);

void tci_registry_retain(tc_ifunc *fn);
void tci_registry_release(tc_ifunc *fn);

/* Whether its place is taken as long as slots hold it, and they alone do: it has variables of its
 * own, or is not loaded yet. */
bool tci_registry_is_stuck(const tc_ifunc *fn);

/* Bytes of the option code_memory_max that it takes and nobody else can get: it is loaded and has
 * variables of its own, or runs code of the process. 0: it may leave. */
uint64_t tci_registry_kept_bytes(const tc_ifunc *fn);

/* Takes what loader threads have finished. What does not fit then is given up, so that nothing
 * else is refused because of it. No function may be running. */
void tci_registry_take_finished(tci_registry *registry);

/* Lets the functions go that were not called for longest, until code takes no more than the
 * option code_memory_max; `keep` stays in any case. Functions with variables of their own stay
 * while somebody holds them, as do those that run code of the process itself. No function may be
 * running. TC_OK also when some can only leave later. TC_E_TOO_LARGE: that is not enough.
 * TC_E_NO_MEMORY: neither, but `keep` alone would fit. */
TC_MUST_CHECK tc_status tci_registry_trim(tci_registry *registry, const tc_ifunc *keep,
                                          tc_error *err);

#endif
