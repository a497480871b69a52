/* Where computed jumps (goto *p) get their addresses from.
 *
 * The address of a label is good in the very code that took it. A variable that outlives a call
 * may carry it into the next one, which must then not be of other code. */
#ifndef TCI_JUMP_ORIGIN_H
#define TCI_JUMP_ORIGIN_H

#include "llvm_compat.h"

/* Whether all computed jumps of a module go to addresses that came from its constants, as those of
 * an interpreter with a table of labels do. False also for what is too entangled to tell. */
bool tci_jump_origin_is_constant(LLVMModuleRef module);

#endif
