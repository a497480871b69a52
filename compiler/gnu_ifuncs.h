/* GNU ifuncs: functions whose code a resolver chooses for the processor (attributes ifunc,
 * target_clones, target_version). Loaders of programs call resolvers, and those of code that is sent
 * know none. So each becomes an ordinary function, which asks its resolver when it is called first. */
#ifndef TCI_GNU_IFUNCS_H
#define TCI_GNU_IFUNCS_H

#include "engine/orc/llvm_compat.h"

#include <tc/status.h>

/* Makes functions of the module's ifuncs. Each piece of code asks for itself, also the better code that
 * a target makes of it: the choice is no variable that they share. TC_E_UNSUPPORTED: one has more
 * parameters than a program's; TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_gnu_ifuncs_lower(LLVMModuleRef module, tc_error *err);

#endif
