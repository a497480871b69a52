/* Links code that tc-clang adds to a module, written in LLVM's assembly language. */
#ifndef TCI_MODULE_TEXT_H
#define TCI_MODULE_TEXT_H

#include "engine/orc/llvm_compat.h"

#include <stddef.h>
#include <tc/status.h>

/* Links the text to the module, by the names that are not internal in either. `what` is the
 * text's name in errors. TC_E_COMPILE: LLVM rejects it. */
TC_MUST_CHECK tc_status tci_module_text_link(LLVMModuleRef module, const char *what,
                                             const char *text, size_t size, tc_error *err);

#endif
