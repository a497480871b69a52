/* What makes code callable in this process, shared by all contexts, any thread.
 *
 * Images are placed and linked by the library itself. Bitcode needs a compiler: the module
 * libtchains-orc.so, the only part that needs LLVM, which is found, loaded and started when the
 * first bitcode wants it. A process whose functions all have images never pays for it, and one
 * that lacks it runs images alone. */
#ifndef TCI_ENGINE_H
#define TCI_ENGINE_H

#include "archive.h"
#include "base/content_id.h"
#include "base/option_table.h"
#include "engine/engine_ops.h"
#include "engine/symbols.h"

typedef struct tci_engine_handle tci_engine_handle;

/* One function, callable. */
typedef struct tci_code_unit tci_code_unit;

/* Release it as often as it was acquired. Starts nothing. `engine_path` is the folder of the
 * option engine_path; NULL or "" searches beside this library, in ../lib from there, and where
 * it was installed. A path that differs from the first one's has no effect once the module is
 * loaded. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_engine_acquire(const char *engine_path, tci_form_choice choice,
                                           tci_engine_handle **handle_out, tc_error *err);

/* What is loaded by this handle from now on can be debugged, though it was compiled without -g:
 * debuggers know its names and see its callers (option debug_code). Bitcode is taken before an
 * image. */
void tci_engine_set_debuggable(tci_engine_handle *handle);

/* Writes a perf map (perf_map.h) from now on, of the whole process. */
void tci_engine_set_profiled(tci_engine_handle *handle);

/* The last one ends the engine; its module stays loaded. After the units were unloaded. NULL is
 * allowed. */
void tci_engine_release(tci_engine_handle *handle);

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

/* Makes an archive's function callable: places the image for this host of the highest level
 * that the CPU reaches, or compiles the bitcode, as the handle's choice has it. The archive may
 * be closed afterwards; `symbols` must outlive the unit. An image takes some microseconds,
 * bitcode 0.5 ms and more. Any number of threads at once. TC_E_NO_SLICE, TC_E_VERSION,
 * TC_E_UNRESOLVED, TC_E_COMPILE, TC_E_UNSUPPORTED, TC_E_CORRUPT, TC_E_TOO_LARGE,
 * TC_E_NO_MEMORY; err's text begins with the function's name. */
TC_MUST_CHECK tc_status tci_engine_load(tci_engine_handle *handle, const tci_archive *archive,
                                        const tci_symbols *symbols, tci_code_unit **unit_out,
                                        tc_error *err);

/* Gives the unit's code the names that crash handlers and profilers know it by (code_map.h).
 * `name` is the function's, `id` what it was loaded from. */
void tci_code_unit_publish(tci_code_unit *unit, const char *name, const tci_content_id *id);

/* Frees code and data; no call of the entries may be running. NULL is allowed. */
void tci_engine_unload(tci_engine_handle *handle, tci_code_unit *unit);

/* Valid while the unit is. */
const tci_entries *tci_code_unit_entries(const tci_code_unit *unit);

#endif
