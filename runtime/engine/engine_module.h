/* Finds the engine's module, its table of functions, and its compiler program. */
#ifndef TCI_ENGINE_MODULE_H
#define TCI_ENGINE_MODULE_H

#include "engine/engine_ops.h"

#include <limits.h>
#include <stdbool.h>

/* Searches as engine.h describes and loads the module for the rest of the process's life: LLVM
 * does not survive being unloaded. TC_E_UNSUPPORTED, TC_E_VERSION. */
TC_MUST_CHECK tc_status tci_engine_module_open(const char *engine_path,
                                               const tci_engine_ops **ops_out, tc_error *err);

/* Returns whether a file of the module's name is in one of those folders. Opens nothing. */
bool tci_engine_module_is_there(const char *engine_path);

#define TCI_ENGINE_PATH_MAX PATH_MAX

/* Finds tc-compile beside the module of `ops`: only a program there is sure to fit the module.
 * Also gives the module's folder. TC_E_NOT_FOUND: the program is "". */
TC_MUST_CHECK tc_status tci_engine_module_compiler(const tci_engine_ops *ops,
                                                   char program_out[TCI_ENGINE_PATH_MAX],
                                                   char folder_out[TCI_ENGINE_PATH_MAX],
                                                   tc_error *err);

#endif
