/* __start_SECTION and __stop_SECTION, which linkers of programs make: where the variables of a
 * section begin and end, as registries use it. All variables of all sources are known when an
 * archive is made, so nothing is left for a linker, in images and in bitcode. */
#ifndef TCI_SECTION_BOUNDS_H
#define TCI_SECTION_BOUNDS_H

#include "engine/orc/llvm_compat.h"

#include <tc/status.h>

/* Makes one variable of those in each section that the module asks for the bounds of, in their
 * order, and puts places in it where they and the bounds are used. Bounds of sections without
 * variables stay undefined. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_section_bounds_define(LLVMModuleRef module, tc_error *err);

#endif
