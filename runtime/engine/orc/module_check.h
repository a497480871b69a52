/* What a module must be, and may not contain, before any machine code is made of it.
 *
 * What is refused here would otherwise link and then be wrong without a word: thread-local
 * variables share one copy of somebody else's, constructors never run, code for another target
 * runs as nonsense. */
#ifndef TCI_MODULE_CHECK_H
#define TCI_MODULE_CHECK_H

#include "host_target.h"

/* Triple and data layout, if the module has them, are this host's. TC_E_NO_SLICE,
 * TC_E_UNSUPPORTED. */
tc_status tci_module_check_target(LLVMModuleRef module, const tci_host_target *host,
                                  tc_error *err);

/* Of a variable or a function, in bytes. */
#define TCI_ALIGNMENT_MAX 65536u

/* Thread-local variables, GNU ifuncs, constructors and destructors, what is aligned beyond all
 * pages: TC_E_UNSUPPORTED. More functions than can be linked: TC_E_TOO_LARGE. */
tc_status tci_module_check_contents(LLVMModuleRef module, tc_error *err);

/* Assembly that is not empty, outside functions or in one, which the text names:
 * TC_E_UNSUPPORTED. With LLVM 17, which does not show it, also what is empty. */
tc_status tci_module_check_assembly(LLVMModuleRef module, tc_error *err);

/* What compiling would take for ever over: TC_E_UNSUPPORTED, and TC_E_TOO_LARGE when it is the
 * values of variables. For a module that was verified. */
tc_status tci_module_check_bounds(LLVMModuleRef module, tc_error *err);

/* Every entry point that `code` promises is a function of the module and has its type:
 * TC_E_CORRUPT. */
tc_status tci_module_check_entries(LLVMModuleRef module, const tci_engine_code *code,
                                   tc_error *err);

/* Every symbol that the module uses and does not define has an answer: TC_E_UNRESOLVED, naming
 * those without one. */
tc_status tci_module_check_symbols(LLVMModuleRef module, const tci_engine_code *code,
                                   tc_error *err);

#endif
