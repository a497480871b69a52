/* GNU ifuncs: functions with code that a resolver chooses for the processor (attributes ifunc,
 * target_clones, target_version). Loaders of programs call resolvers; loaders of code that is
 * sent do not. So each becomes an ordinary function, which calls its resolver at its first
 * call. */
#ifndef TCI_GNU_IFUNCS_H
#define TCI_GNU_IFUNCS_H

#include "engine/orc/llvm_compat.h"

#include <tc/status.h>

/* Makes functions of the module's ifuncs. Each version of the code calls the resolver itself,
 * also the better code that a target makes later: the choice is no variable that they share.
 * TC_E_UNSUPPORTED: one has more than 128 parameters; TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_gnu_ifuncs_lower(LLVMModuleRef module, tc_error *err);

#endif
