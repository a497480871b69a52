/* The process's code engine: found and loaded when first wanted, shared by all contexts, any
 * thread.
 *
 * An engine is libtchains-orc.so. Only it needs LLVM; a process that never makes code callable
 * never loads it, and one that lacks it gets TC_E_UNSUPPORTED with the places that were
 * searched. */
#ifndef TCI_ENGINE_H
#define TCI_ENGINE_H

#include "archive.h"
#include "engine/engine_ops.h"
#include "engine/symbols.h"

typedef struct tci_engine_handle tci_engine_handle;

/* One function, callable. */
typedef struct tci_code_unit tci_code_unit;

/* Finds, loads and starts the engine, or shares the one that runs: release it as often as it
 * was acquired. Starting takes some ten milliseconds. `engine_path` is the folder of the option
 * engine_path; NULL or "" searches beside this library, in ../lib from there, and where it was
 * installed. A path that differs from the first one's has no effect once the engine is loaded.
 * TC_E_UNSUPPORTED (none found), TC_E_VERSION (an engine of another version of this library),
 * TC_E_COMPILE (LLVM does not work here), TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_engine_acquire(const char *engine_path,
                                           tci_engine_handle **handle_out, tc_error *err);

/* The last one ends the engine; its module stays loaded. After the units were unloaded. NULL is
 * allowed. */
void tci_engine_release(tci_engine_handle *handle);

/* The LLVM of the engine, "19.1.7", or NULL without one. Loads the module (some 8 ms, once) but
 * starts nothing. The text stays valid. */
const char *tci_engine_llvm_version(const char *engine_path);

/* CPU name and feature string of this host, as LLVM names them; valid while the handle is. */
const char *tci_engine_cpu(const tci_engine_handle *handle);
const char *tci_engine_features(const tci_engine_handle *handle);

/* Makes an archive's function callable: selects the slice for this host and compiles it. The
 * archive may be closed afterwards; `symbols` must outlive the unit. A load takes 0.5 ms and
 * more. Any number of threads at once. TC_E_NO_SLICE, TC_E_VERSION, TC_E_UNRESOLVED,
 * TC_E_COMPILE, TC_E_UNSUPPORTED, TC_E_CORRUPT, TC_E_NO_MEMORY; err's text begins with the
 * function's name. */
TC_MUST_CHECK tc_status tci_engine_load(tci_engine_handle *handle, const tci_archive *archive,
                                        const tci_symbols *symbols, tci_code_unit **unit_out,
                                        tc_error *err);

/* Frees code and data; no call of the entries may be running. NULL is allowed. */
void tci_engine_unload(tci_engine_handle *handle, tci_code_unit *unit);

/* Valid while the unit is. */
const tci_entries *tci_code_unit_entries(const tci_code_unit *unit);

#endif
