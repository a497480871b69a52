/* Functions that may wait have a stack of their own, with an area below it that cannot be
 * accessed. A frame larger than that area would reach memory behind it. */
#ifndef TCI_STACK_PROBES_H
#define TCI_STACK_PROBES_H

#include "engine/orc/llvm_compat.h"

/* If the module has such functions (tc/task.h), lets each of its frames that is larger than a
 * page touch all of its pages in order, as -fstack-clash-protection does. */
void tci_stack_probes_add(LLVMModuleRef module);

#endif
