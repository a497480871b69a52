/* The target's processor, for compiled code that queries it: __builtin_cpu_supports,
 * __builtin_cpu_is, and the choice between versions of a function (target_clones,
 * target_version). Programs have these names in a part of libgcc or compiler-rt that no shared
 * library exports. */
#ifndef TCI_PROCESSOR_H
#define TCI_PROCESSOR_H

#include "engine/symbols.h"

enum { TCI_PROCESSOR_NAMES = 3 };

/* Returns the names, and fills their objects for this processor. Called once in a process. */
void tci_processor_names(tci_host_symbol names_out[TCI_PROCESSOR_NAMES]);

#endif
