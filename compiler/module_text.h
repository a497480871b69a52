/* The parts of a module that LLVM's C API can add but not remove, removed in LLVM's assembly
 * text. */
#ifndef TCI_MODULE_TEXT_H
#define TCI_MODULE_TEXT_H

#include "engine/orc/llvm_compat.h"

#include <stdbool.h>
#include <tc/status.h>

/* Prints the module, drops named metadata (kept with keep_metadata: debug information hangs
 * there) and the promise of undefined symbols to be near (dso_local, from code compiled without
 * -fPIC), and reads the text into `context`. That should be a new one: what a context has seen
 * (names of metadata kinds) is written into all bitcode from it. The new module is the
 * caller's; the old one stays as it is. TC_E_COMPILE (LLVM's text), TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_module_text_clean(LLVMModuleRef module, bool keep_metadata,
                                              LLVMContextRef context, LLVMModuleRef *clean_out,
                                              tc_error *err);

#endif
