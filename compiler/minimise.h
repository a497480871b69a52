/* Makes a checked module small: removes the parts that the receiver decides anyway, and those
 * that only people read.
 *
 * Removed: every definition that no entry point reaches, the names of the others (but entry
 * points and undefined symbols), debug information (unless kept), string attributes but those
 * listed in minimise.c, alias-analysis metadata, all module-level metadata (flags, ident),
 * source file name, target triple and data layout. The receiver sets triple and data layout
 * from its own TargetMachine before it verifies or compiles; the archive carries the triple. */
#ifndef TCI_MINIMISE_H
#define TCI_MINIMISE_H

#include "engine/orc/llvm_compat.h"

#include <stdbool.h>
#include <tc/status.h>

/* Gives internal linkage to all definitions but the entry points of `name`, which become plain
 * external symbols. Replaces uses of aliases by the aliased values: code with aliases could not
 * be replaced by better code. Declares external variables without the promise that they are
 * near the code (dso_local). TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_minimise_internalise(LLVMModuleRef module, const char *name);

/* Removes unreachable definitions. With pipeline ("default<O2>", or NULL) optimises first, for
 * the module's own target. The module must still have its triple and data layout.
 * TC_E_COMPILE. */
TC_MUST_CHECK tc_status tci_minimise_optimise(LLVMModuleRef module, const char *pipeline,
                                              tc_error *err);

/* Removes the rest of the list above, on a copy made in `context`, which should be a new one.
 * *module is spoilt but still the caller's, as is the copy. TC_E_COMPILE, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_minimise_strip(LLVMModuleRef module, bool keep_debug,
                                           LLVMContextRef context, LLVMModuleRef *copy_out,
                                           tc_error *err);

#endif
