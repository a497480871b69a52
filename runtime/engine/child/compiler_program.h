/* Where tc-compile is. */
#ifndef TCI_COMPILER_PROGRAM_H
#define TCI_COMPILER_PROGRAM_H

#include "engine/engine_ops.h"

#include <limits.h>

#define TCI_COMPILER_PATH_MAX PATH_MAX

/* Beside the module that `ops` is of: nowhere else is one that is sure to fit it. Also gives
 * the module's folder. TC_E_NOT_FOUND. */
TC_MUST_CHECK tc_status tci_compiler_program_find(const tci_engine_ops *ops,
                                                  char program_out[TCI_COMPILER_PATH_MAX],
                                                  char folder_out[TCI_COMPILER_PATH_MAX],
                                                  tc_error *err);

#endif
