/* Features of a CPU that single functions were compiled for (__attribute__((target("aes")))),
 * beyond those of all others.
 *
 * A library that asks for its CPU and then picks a function has some. Code for the least CPU has
 * no instructions for what those are made of, so they keep their features where one of them asks
 * for such an instruction by name. Otherwise the features go, as those that all functions
 * share do: the same code then runs everywhere, and each target compiles it for its own CPU. */
#ifndef TCI_OWN_FEATURES_H
#define TCI_OWN_FEATURES_H

#include "engine/orc/llvm_compat.h"

#include <tc/status.h>

/* Leaves in each function's attribute "target-features" what is its own, or takes the attribute
 * away. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_own_features_keep(LLVMModuleRef module, tc_error *err);

/* Where the first call of an instruction by name is that not every processor has, which a code
 * generator may have none for; for free(). NULL: there is none. `origin` names the file. */
char *tci_own_features_place(LLVMModuleRef module, const char *origin);

#endif
