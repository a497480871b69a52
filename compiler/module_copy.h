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

/* LLVM's text names what has no name by a number. With addresses of blocks in it, that can be read
 * again only when the two below were called. */

/* Gives a name to each function without one. LLVM 19 compares names with numbers when it
 * looks for what was said of a function's blocks before the function came, and takes one function
 * for another by chance. */
void tci_module_copy_name_functions(LLVMModuleRef module);
/* Gives a name to each block without one whose address is taken. The text can say the address of
 * a block with a number only after that block. */
void tci_module_copy_name_labels(LLVMModuleRef module);

#endif
