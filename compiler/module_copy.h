/* Copies of a module, and what keeps its blocks' addresses whole on the way.
 *
 * LLVM's own copy is none for them: in what LLVMCloneModule makes, the address of a block that
 * a variable holds (&&label in a table) is that of the original's block. */
#ifndef TCI_MODULE_COPY_H
#define TCI_MODULE_COPY_H

#include "engine/orc/llvm_compat.h"

#include <tc/status.h>

/* A copy in `context`, by way of bitcode; the caller's. TC_E_COMPILE: LLVM does not read what it
 * wrote. */
TC_MUST_CHECK tc_status tci_module_copy(LLVMModuleRef module, LLVMContextRef context,
                                        LLVMModuleRef *copy_out, tc_error *err);

/* Gives a name to each block without one whose address is taken. LLVM's text can say the address
 * of such a block only once the block was there. */
void tci_module_copy_name_labels(LLVMModuleRef module);
/* Takes the names of those blocks away. */
void tci_module_copy_forget_labels(LLVMModuleRef module);

#endif
