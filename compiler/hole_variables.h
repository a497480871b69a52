/* The variables that TC_HOLE (<tc/entry.h>) defines: constants that the sender of a function
 * sets. */
#ifndef TCI_HOLE_VARIABLES_H
#define TCI_HOLE_VARIABLES_H

#include "engine/orc/llvm_compat.h"
#include "ifunc_module.h"

/* Returns whether a global is the definition of a hole. */
bool tci_hole_variables_is(LLVMValueRef global);

/* Moves a hole that is a number into the section of its kind, for the image's maker.
 * Other languages than C name that section themselves. */
void tci_hole_variables_state_kind(LLVMValueRef global);

/* Returns whether the module defines any. */
bool tci_hole_variables_exist(LLVMModuleRef module);

/* Expects the same holes in all images, an image beside all bitcode with holes, and no library
 * with any. TC_E_INVALID, TC_E_UNSUPPORTED. */
TC_MUST_CHECK tc_status tci_hole_variables_check(const tci_ifunc_code *codes, size_t count,
                                                 tc_error *err);

#endif
