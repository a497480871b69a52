/* Copies a module, and keeps the addresses of its blocks correct.
 *
 * LLVM's own copy does not: in the result of LLVMCloneModule, the address of a block that a
 * variable holds (&&label in a table) is that of the original's block. */
#ifndef TCI_MODULE_COPY_H
#define TCI_MODULE_COPY_H

#include "engine/orc/llvm_compat.h"

#include <tc/status.h>

/* Makes a copy in `context`, by way of bitcode; the caller owns it. TC_E_COMPILE: LLVM cannot
 * read its own bitcode. */
TC_MUST_CHECK tc_status tci_module_copy(LLVMModuleRef module, LLVMContextRef context,
                                        LLVMModuleRef *copy_out, tc_error *err);

/* LLVM's text names unnamed values by a number. Text with addresses of blocks in it can be read
 * again only if the two functions below were called. */

/* Gives a name to each function without one. LLVM 19 compares names with numbers when it looks
 * up the references to a function's blocks that preceded the function, and may take one
 * function for another. */
void tci_module_copy_name_functions(LLVMModuleRef module);
/* Gives a name to each unnamed block with a use of its address. The text can refer to the
 * address of a numbered block only after that block. */
void tci_module_copy_name_labels(LLVMModuleRef module);

#endif
