/* Where the engine's module is, and its table of functions. */
#ifndef TCI_ENGINE_MODULE_H
#define TCI_ENGINE_MODULE_H

#include "engine/engine_ops.h"

#include <limits.h>
#include <stdbool.h>

/* Searches as engine.h says and loads what it finds, for the rest of the process's life: LLVM
 * does not survive being unloaded. TC_E_UNSUPPORTED, TC_E_VERSION. */
TC_MUST_CHECK tc_status tci_engine_module_open(const char *engine_path,
                                               const tci_engine_ops **ops_out, tc_error *err);

/* Whether a file of the module's name is in one of those folders. Opens nothing. */
bool tci_engine_module_is_there(const char *engine_path);

#define TCI_ENGINE_PATH_MAX PATH_MAX

/* Where tc-compile is: beside the module that `ops` is of, as nowhere else is one that is sure
 * to fit it. Also gives the module's folder. TC_E_NOT_FOUND. */
TC_MUST_CHECK tc_status tci_engine_module_compiler(const tci_engine_ops *ops,
                                                   char program_out[TCI_ENGINE_PATH_MAX],
                                                   char folder_out[TCI_ENGINE_PATH_MAX],
                                                   tc_error *err);

#endif
