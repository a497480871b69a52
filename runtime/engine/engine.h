/* What makes code callable in this process, shared by all contexts, any thread.
 *
 * Images are placed and linked by the library itself. Bitcode needs a compiler: the module
 * libtchains-orc.so, the only part that needs LLVM, which is found, loaded and started when the
 * first bitcode wants it. A process whose functions all have images that fit its CPU never pays
 * for it, and one that lacks it runs images alone.
 *
 * A function begins with the code that is there soonest: an image, an object that was stored,
 * or bitcode compiled quickly. What is called often is compiled anew for the very CPU, by a
 * thread of low priority, and replaced. */
#ifndef TCI_ENGINE_H
#define TCI_ENGINE_H

#include "archive.h"
#include "base/content_id.h"
#include "base/option_table.h"
#include "engine/engine_ops.h"
#include "engine/symbols.h"

#include <tc/load.h>

typedef struct tci_engine_handle tci_engine_handle;

/* One function, callable. */
typedef struct tci_code_unit tci_code_unit;

/* A load that loader threads do. */
typedef struct tci_load_job tci_load_job;

/* What a function is loaded from. */
typedef struct tci_load_source {
    const tci_archive *archive; /* stays open until the load has ended */
    const char *deps;           /* text of the .deps file, as long */
    size_t deps_size;
    const tci_host_symbol *host; /* stays as long as the unit */
    size_t host_count;
    tci_content_id id;
} tci_load_source;

/* Which of the options a handle goes by. */
typedef struct tci_engine_opts {
    const char *engine_path; /* NULL or "": beside this library, in its folder of modules, in ../lib
                                from there, and where it was installed */
    tci_form_choice form;
    tci_tier_choice tier;
    unsigned compile_threads; /* the first handle's holds for the process; so do those below */
    const char *cache_dir;    /* see object_cache.h */
    uint64_t cache_max;
    tci_compiler_choice compiler; /* see compiler_process.h */
    uint64_t compile_time_max_ns;
    uint64_t compile_memory_max;
} tci_engine_opts;

/* Release it as often as it was acquired. Starts nothing. An engine_path that differs from the
 * first one's has no effect once the module is loaded. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_engine_acquire(const tci_engine_opts *opts,
                                           tci_engine_handle **handle_out, tc_error *err);

/* What is loaded by this handle from now on can be debugged, though it was compiled without -g:
 * debuggers know its names and see its callers (option debug_code). Bitcode is taken before an
 * image. */
void tci_engine_set_debuggable(tci_engine_handle *handle);

/* Writes a perf map (perf_map.h) from now on, of the whole process. */
void tci_engine_set_profiled(tci_engine_handle *handle);

/* The last one ends the engine and its threads; its module stays loaded. After the units were
 * unloaded and the jobs finished. NULL is allowed. */
void tci_engine_release(tci_engine_handle *handle);

/* Called by a loader's thread when a job of this handle has ended; never after
 * tci_engine_finish or tci_engine_cancel of that job has returned. Must not call the engine. */
void tci_engine_set_notify(tci_engine_handle *handle, void (*notify)(void *user), void *user);

/* Finds, loads and starts the compiler now, some 20 ms, so that no function waits for it.
 * TC_E_UNSUPPORTED (none found, the text says where), TC_E_VERSION (a module of another version
 * of this library), TC_E_COMPILE (LLVM does not work here), TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_engine_start(tci_engine_handle *handle, tc_error *err);

/* For who expects functions soon: what the first one would wait for is done now. That is
 * some 0.3 ms, and with TCI_CHOICE_BITCODE the start of the compiler. A failure is
 * logged, and comes back with the first function. */
void tci_engine_prepare(tci_engine_handle *handle);

/* The compiler's LLVM, "19.1.7", or NULL without one. Loads nothing: before the module was
 * loaded it is the version that this library was built with, if the module is there. The text
 * stays valid. */
const char *tci_engine_llvm_version(const char *engine_path);

/* CPU name and feature string of this host as LLVM names them; before the compiler was started
 * the CPU's level ("x86-64-v3") and no features. Valid while the handle is. */
const char *tci_engine_cpu(const tci_engine_handle *handle);
const char *tci_engine_features(const tci_engine_handle *handle);

/* --- making callable ---------------------------------------------------------------------- */

/* All of it in this thread: places the image for this host of the highest level that the CPU
 * reaches, or compiles the bitcode, as the handle's options have it. An image takes some
 * microseconds, bitcode 0.4 ms and more. Any number of threads at once. TC_E_NO_SLICE,
 * TC_E_VERSION, TC_E_UNRESOLVED, TC_E_NO_LIBRARY, TC_E_COMPILE, TC_E_UNSUPPORTED, TC_E_CORRUPT,
 * TC_E_TOO_LARGE, TC_E_NO_MEMORY; err's text begins with the function's name. */
TC_MUST_CHECK tc_status tci_engine_load(tci_engine_handle *handle,
                                        const tci_load_source *source, tci_code_unit **unit_out,
                                        tc_error *err);

/* The same if it takes microseconds; TC_E_AGAIN if not, and nothing was done. */
TC_MUST_CHECK tc_status tci_engine_load_now(tci_engine_handle *handle,
                                            const tci_load_source *source,
                                            tci_code_unit **unit_out, tc_error *err);

/* Has a loader's thread do it. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_engine_begin(tci_engine_handle *handle,
                                         const tci_load_source *source, tci_load_job **job_out,
                                         tc_error *err);
/* Has a thread of low priority make better code for a unit that tci_code_unit_may_improve says
 * it of. The unit stays as it is until tci_engine_finish. */
TC_MUST_CHECK tc_status tci_engine_begin_better(tci_engine_handle *handle,
                                                const tci_load_source *source,
                                                tci_code_unit *unit, tci_load_job **job_out,
                                                tc_error *err);
bool tci_load_job_is_done(const tci_load_job *job);
/* Whether a thread has taken it up: until then tci_engine_cancel need not wait. */
bool tci_load_job_is_begun(const tci_load_job *job);

/* Waits for the job's end and frees it. Its statuses are tci_engine_load's. With better code
 * for a unit, *unit_out is that unit, whose entries have changed and whose old code is gone
 * unless its variables live on: no call of the old entries may be running. On failure that unit
 * is as it was. */
TC_MUST_CHECK tc_status tci_engine_finish(tci_load_job *job, tci_code_unit **unit_out,
                                          tc_error *err);
/* Lets it go, done or not; waits only for what is under way. NULL is allowed. */
void tci_engine_cancel(tci_load_job *job);

/* Frees code and data; no call of the entries may be running. NULL is allowed. */
void tci_engine_unload(tci_engine_handle *handle, tci_code_unit *unit);

/* Valid while the unit is, and until better code came. */
const tci_entries *tci_code_unit_entries(const tci_code_unit *unit);

/* Whether compiling it anew for this CPU could make it faster. */
bool tci_code_unit_may_improve(const tci_code_unit *unit);
/* Whether the function has variables of its own that it may write, which would be lost with its
 * code. */
bool tci_code_unit_has_state(const tci_code_unit *unit);
/* Bytes that code and data take. */
size_t tci_code_unit_memory(const tci_code_unit *unit);

/* How it was loaded, without the parts that only its caller knows. */
void tci_code_unit_report(const tci_code_unit *unit, tc_load_report *report_out);

#endif
