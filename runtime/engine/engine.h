/* What makes code callable in this process, shared by all contexts, any thread.
 *
 * Images are placed and linked by the library itself. Bitcode needs a compiler: the module
 * libtchains-orc.so, the only part that needs LLVM, which is found, loaded and started when the
 * first bitcode wants it. A process whose functions all have images that fit its CPU never pays
 * for it, and one that lacks it runs images alone.
 *
 * A function begins with the code that is there soonest: an image, an object that was stored,
 * or bitcode compiled quickly. What is called often is compiled again for the very CPU, by a
 * thread of low priority, and replaced. */
#ifndef TCI_ENGINE_H
#define TCI_ENGINE_H

#include "base/content_id.h"
#include "base/option_table.h"
#include "engine/engine_ops.h"

typedef struct tci_engine_handle tci_engine_handle;

typedef struct tci_code_arena tci_code_arena;

/* Which of the options a handle goes by. */
typedef struct tci_engine_opts {
    /* NULL or "": beside this library, in its folder of modules, in ../lib from there, and
     * where it was installed */
    const char *engine_path;
    tci_form_choice form;
    tci_tier_choice tier;
    /* What is loaded can be debugged, though it was compiled without -g: debuggers know its names
     * and see its callers. Bitcode is taken before an image. */
    bool debuggable;
    uint64_t code_memory_max; /* no function alone may take more; 0: any */
    unsigned compile_threads; /* the first handle's holds for the process; so do those below */
    const char *cache_dir;    /* see object_cache.h */
    uint64_t cache_max;
    tci_compiler_choice compiler; /* see compiler_process.h; this as well: */
    tci_wall_choice wall;
    bool compiled_image; /* of each handle; see linked_code.h */
    uint64_t compile_time_max_ns;
    uint64_t compile_memory_max;
} tci_engine_opts;

/* Release it as often as it was acquired. Starts nothing. An engine_path that differs from the
 * first one's has no effect once the module is loaded. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_engine_acquire(const tci_engine_opts *opts,
                                           tci_engine_handle **handle_out, tc_error *err);

/* Writes a perf map (code_map.h) from now on, of the whole process. */
void tci_engine_set_profiled(tci_engine_handle *handle);

/* The last one ends the engine and its threads; its module stays loaded. After the units were
 * unloaded and the jobs finished. NULL is allowed. */
void tci_engine_release(tci_engine_handle *handle);

/* Called by a loader's thread when a job of this handle has ended; never after
 * tci_load_queue_finish or tci_load_queue_cancel of that job has returned. Must not call the
 * engine. */
void tci_engine_set_notify(tci_engine_handle *handle, void (*notify)(void *user), void *user);

/* Finds, loads and starts the compiler now, some 20 ms, so that no function waits for it.
 * TC_E_UNSUPPORTED (none found, the text says where), TC_E_VERSION (a module of another version
 * of this library), TC_E_COMPILE (LLVM does not work here), TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_engine_start(tci_engine_handle *handle, tc_error *err);

/* The same, and as many processes to compile in as are kept: for who can start none later. They
 * are started, and not waited for. */
TC_MUST_CHECK tc_status tci_engine_start_compilers(tci_engine_handle *handle, tc_error *err);

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

/* Deletes what the object cache has of this code. */
void tci_engine_forget_stored(tci_engine_handle *handle, const tci_content_id *id);

/* For the injector: the memory of images, and whether they may run here; not so when the option
 * says that bitcode alone is wanted. */
tci_code_arena *tci_engine_arena(tci_engine_handle *handle);
bool tci_engine_takes_images(const tci_engine_handle *handle);

#endif
