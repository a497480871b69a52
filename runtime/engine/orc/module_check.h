/* Checks a module before any machine code is made of it.
 *
 * A module that is refused here would otherwise link and then be wrong silently: thread-local
 * variables share one copy that belongs to other code, constructors never run, code for another
 * target runs as nonsense. */
#ifndef TCI_MODULE_CHECK_H
#define TCI_MODULE_CHECK_H

#include "host_target.h"

/* Checks that triple and data layout, if the module has them, are this host's. TC_E_NO_SLICE,
 * TC_E_UNSUPPORTED. */
tc_status tci_module_check_target(LLVMModuleRef module, const tci_host_target *host,
                                  tc_error *err);

/* Greatest alignment of a variable or a function, in bytes. */
#define TCI_ALIGNMENT_MAX 65536u

/* Refuses holes, thread-local variables, GNU ifuncs, constructors and destructors, and
 * alignments beyond all pages: TC_E_UNSUPPORTED. More functions than can be linked:
 * TC_E_TOO_LARGE. */
tc_status tci_module_check_contents(LLVMModuleRef module, tc_error *err);

/* Refuses assembly that is not empty, outside functions or in one, which the text names:
 * TC_E_UNSUPPORTED. With LLVM 17, which does not show it, also empty assembly. */
tc_status tci_module_check_assembly(LLVMModuleRef module, tc_error *err);

/* Refuses code that would take for ever to compile: TC_E_UNSUPPORTED, or TC_E_TOO_LARGE for the
 * values of variables. The module was verified. */
tc_status tci_module_check_bounds(LLVMModuleRef module, tc_error *err);

/* Checks that every entry point that `code` promises is a function of the module and has its
 * type: TC_E_CORRUPT. */
tc_status tci_module_check_entries(LLVMModuleRef module, const tci_engine_code *code,
                                   tc_error *err);

/* Checks that every symbol that the module uses and does not define can be resolved:
 * TC_E_UNRESOLVED, naming those that cannot. */
tc_status tci_module_check_symbols(LLVMModuleRef module, const tci_engine_code *code,
                                   tc_error *err);

#endif
