/* __start_SECTION and __stop_SECTION, which linkers of programs define: the bounds of the
 * variables in a section, as registries use them. All variables of all sources are known when
 * an archive is made, so nothing is left for a linker, in images and in bitcode. */
#ifndef TCI_SECTION_BOUNDS_H
#define TCI_SECTION_BOUNDS_H

#include "engine/orc/llvm_compat.h"

#include <tc/status.h>

/* Merges the variables of each section that the module uses the bounds of into one variable, in
 * their order, and replaces uses of them and of the bounds by offsets into it. Bounds of
 * sections without variables stay undefined. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_section_bounds_define(LLVMModuleRef module, tc_error *err);

#endif
