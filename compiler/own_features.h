/* CPU features that single functions were compiled for (__attribute__((target("aes")))), beyond
 * those that all functions share.
 *
 * A library that queries its CPU and then picks a function has such functions. Code for the
 * smallest CPU has no instructions for intrinsics of these features, so the functions keep
 * their features if one of them uses such an instruction by name. Otherwise the features are
 * removed, as those that all functions share are: the same code then runs everywhere, and each
 * target compiles it for its own CPU. */
#ifndef TCI_OWN_FEATURES_H
#define TCI_OWN_FEATURES_H

#include "engine/orc/llvm_compat.h"

#include <tc/status.h>

/* Leaves in each function's attribute "target-features" only its own features, or removes the
 * attribute. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_own_features_keep(LLVMModuleRef module, tc_error *err);

/* Returns the source position of the first instruction used by name that not every processor
 * has, and for which a code generator may have none; for free(). NULL: there is none. `origin`
 * names the file. */
char *tci_own_features_place(LLVMModuleRef module, const char *origin);

#endif
