/* The parts of a module that LLVM's C API can add but not remove, removed in LLVM's assembly text. */
#ifndef TCI_MODULE_TEXT_H
#define TCI_MODULE_TEXT_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <tc/status.h>

/* Prints the module, drops named metadata (kept with keep_metadata: debug information hangs there) and the promise of
 * undefined symbols to be near (dso_local, from code compiled without -fPIC), and reads the text again in the same
 * context. On success *module_inout is the new module and the old one is gone; on failure it is unchanged.
 * TC_E_COMPILE (LLVM's text), TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_module_text_clean(LLVMModuleRef *module_inout, bool keep_metadata,
                                              tc_error *err);

#endif
