/* The target's processor, as compilers have code ask for it: __builtin_cpu_supports, __builtin_cpu_is,
 * and what chooses between the versions of a function (target_clones, target_version). Programs have
 * these names in a part of libgcc or compiler-rt that no shared library exports. */
#ifndef TCI_PROCESSOR_H
#define TCI_PROCESSOR_H

#include "engine/symbols.h"

enum { TCI_PROCESSOR_NAMES = 3 };

/* Gives the names, and fills what they name for this processor. Once in a process. */
void tci_processor_names(tci_host_symbol names_out[TCI_PROCESSOR_NAMES]);

#endif
