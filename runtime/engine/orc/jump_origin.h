/* Finds the origin of the addresses of computed jumps (goto *p).
 *
 * The address of a label is valid only in the code that took it. A variable that outlives a
 * call may carry it into the next one, which must then not be of other code. */
#ifndef TCI_JUMP_ORIGIN_H
#define TCI_JUMP_ORIGIN_H

#include "llvm_compat.h"

/* Returns whether all computed jumps of a module go to addresses that came from its constants,
 * as those of an interpreter with a table of labels do. Also returns false if this is too
 * complex to determine. */
bool tci_jump_origin_is_constant(LLVMModuleRef module);

#endif
