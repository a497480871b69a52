/* The code engine makes code callable in this process. All contexts share it; any thread may
 * use it.
 *
 * Images are placed and linked by the library itself. Bitcode needs a compiler: the module
 * libtchains-orc.so, the only part that needs LLVM. It is found, loaded and started for the
 * first bitcode. A process in which every function has an image that fits its CPU never pays
 * for it, and a process without it runs images alone.
 *
 * A function begins with the code that is ready soonest: an image, a stored object, or bitcode
 * compiled quickly. Code that is called often is compiled again for this exact CPU, by a thread
 * of low priority, and replaced. */
#ifndef TCI_ENGINE_H
#define TCI_ENGINE_H

#include "base/content_id.h"
#include "base/option_table.h"
#include "engine/engine_ops.h"

typedef struct tci_engine_handle tci_engine_handle;

typedef struct tci_code_arena tci_code_arena;

/* The options of a handle. */
typedef struct tci_engine_opts {
    /* NULL or "": searched beside this library, in its folder of modules, in ../lib from there,
     * and in the installed location */
    const char *engine_path;
    tci_form_choice form;
    tci_tier_choice tier;
    /* Loaded code can be debugged, though it was compiled without -g: debuggers know its names
     * and see its callers. Bitcode is preferred to an image. */
    bool debuggable;
    uint64_t code_memory_max; /* limit of each function; 0: any */
    unsigned compile_threads; /* set for the process by the first handle; so are those below */
    const char *cache_dir;    /* see object_cache.h */
    uint64_t cache_max;
    tci_compiler_choice compiler; /* this and `wall`: see compiler_process.h */
    tci_wall_choice wall;
    tci_code_output output; /* of each handle; see linked_code.h */
    uint64_t compile_time_max_ns;
    uint64_t compile_memory_max;
} tci_engine_opts;

/* Every acquired handle is to be released. Starts nothing. An engine_path that differs from the
 * first one's has no effect once the module is loaded. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_engine_acquire(const tci_engine_opts *opts,
                                           tci_engine_handle **handle_out, tc_error *err);

/* Writes a perf map (code_map.h) from now on, of the whole process. */
void tci_engine_set_profiled(tci_engine_handle *handle);

/* Called after the units were unloaded and the jobs finished. The last handle ends the engine
 * and its threads; its module stays loaded. NULL is allowed. */
void tci_engine_release(tci_engine_handle *handle);

/* Sets the function that a loader's thread calls when a job of this handle has ended; never
 * after tci_load_queue_finish or tci_load_queue_cancel of that job has returned. It must not
 * call the engine. */
void tci_engine_set_notify(tci_engine_handle *handle, void (*notify)(void *user), void *user);

/* Finds, loads and starts the compiler now, which takes some 20 ms, so that no function waits
 * for it. TC_E_UNSUPPORTED (not found; the text has the folders searched), TC_E_VERSION (a
 * module of another version of this library), TC_E_COMPILE (LLVM does not work here),
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_engine_start(tci_engine_handle *handle, tc_error *err);

/* Does the same and starts as many compiler processes as are kept, for a caller that cannot
 * start any later. Does not wait for them. */
TC_MUST_CHECK tc_status tci_engine_start_compilers(tci_engine_handle *handle, tc_error *err);

/* Does in advance the work that the first function would wait for: some 0.3 ms, and if bitcode
 * is preferred, the start of the compiler. A failure is logged, and reported again with the
 * first function. */
void tci_engine_prepare(tci_engine_handle *handle);

/* Returns the compiler's LLVM, "19.1.7", or NULL without one. Loads nothing: before the module
 * was loaded, this is the version that this library was built with, if the module's file
 * exists. The text stays valid. */
const char *tci_engine_llvm_version(const char *engine_path);

/* CPU name and feature string of this host as LLVM names them; before the compiler was started
 * the CPU's level ("x86-64-v3") and no features. Valid while the handle is. */
const char *tci_engine_cpu(const tci_engine_handle *handle);
const char *tci_engine_features(const tci_engine_handle *handle);

/* Deletes this code's objects from the object cache. */
void tci_engine_forget_stored(tci_engine_handle *handle, const tci_content_id *id);

/* For the injector: the memory of images, and whether they may run here. They may not if the
 * option form is bitcode. */
tci_code_arena *tci_engine_arena(tci_engine_handle *handle);
bool tci_engine_takes_images(const tci_engine_handle *handle);

#endif
