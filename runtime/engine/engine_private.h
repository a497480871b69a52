/* What the files of this folder share about the process's one engine. */
#ifndef TCI_ENGINE_PRIVATE_H
#define TCI_ENGINE_PRIVATE_H

#include "engine.h"

#include "code_map.h"
#include "engine/child/compiler_pool.h"
#include "image/code_arena.h"
#include "image/image_loader.h"
#include "engine/cache/object_cache.h"

/* The shared parts are the same for all; what one wants of them is not. */
struct tci_engine_handle {
    tci_code_arena *arena;
    tci_form_choice form;
    tci_tier_choice tier;
    uint8_t cpu_level;
    bool debuggable;
    void (*notify)(void *user); /* see load_queue.c for its lock */
    void *notify_user;
    char engine_path[TCI_OPTION_TEXT_MAX];
};

/* An object that the cache has not got yet. */
typedef struct tci_unsaved {
    tci_object_key key;
    void *bytes;
    size_t size;
    char name[TCI_ARCHIVE_NAME_MAX + 1];
} tci_unsaved;

struct tci_code_unit {
    tci_entries entries; /* first: what most ask for */
    tci_symbols *symbols;
    tci_loaded *compiled; /* one of these two */
    tci_loaded_image *image;
    tci_code_names *names;
    tci_loaded *state; /* code that was replaced, whose variables `compiled` uses; or NULL */
    bool may_improve;
    bool has_state;
    bool best;
    tc_load_path path;
    size_t memory;
    tci_unsaved *unsaved; /* NULL: nothing to store */
    uint64_t stage_ns[TC_STAGE_COUNT];
};

/* tci_engine_start for who compiles next. */
TC_MUST_CHECK tc_status tci_engine_start_to_compile(tci_engine_handle *handle, bool background,
                                                    tc_error *err);

/* The compiler's functions and itself: after tci_engine_start gave TC_OK, and while there are
 * handles. */
const tci_engine_ops *tci_engine_module_ops(void);
tci_engine *tci_engine_running(void);
tci_compiler_pool *tci_engine_compilers(void);
/* NULL: none. While there are handles. */
tci_object_cache *tci_engine_cache(void);

/* Stores it, which may take milliseconds, and frees it. NULL is allowed. */
void tci_unsaved_store(tci_unsaved *unsaved);

/* tci_engine_load without the name in front of errors. */
TC_MUST_CHECK tc_status tci_code_unit_load(tci_engine_handle *handle,
                                           const tci_load_source *source, tci_code_unit *unit,
                                           tc_error *err);
/* Links a small object that was stored, without compiling anything; while the compiler runs.
 * Anything but TC_OK: the unit is as it was, and tci_code_unit_load has to find out. */
TC_MUST_CHECK tc_status tci_code_unit_load_stored(tci_engine_handle *handle,
                                                  const tci_load_source *source,
                                                  tci_code_unit *unit);
/* Whether tci_code_unit_load would only place an image. */
bool tci_code_unit_is_quick(const tci_engine_handle *handle, const tci_load_source *source);

/* Fills a fresh unit with better code for `unit`. */
TC_MUST_CHECK tc_status tci_code_unit_make_better(tci_engine_handle *handle,
                                                  const tci_load_source *source,
                                                  const tci_code_unit *unit,
                                                  tci_code_unit *better, tc_error *err);
/* Moves it into `unit`; `better` is empty afterwards. */
void tci_code_unit_replace(tci_engine_handle *handle, tci_code_unit *unit,
                           tci_code_unit *better);

/* Frees what is in it, not itself. */
void tci_code_unit_empty(tci_engine_handle *handle, tci_code_unit *unit);

/* The loader's threads end; no job is left. */
void tci_load_queue_stop(void);
/* Before the first job. */
void tci_load_queue_limit(unsigned threads);

#endif
