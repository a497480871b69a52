/* Whether a module has the entry points of its function, as checks of ship_checks.h. */
#ifndef TCI_ENTRY_CHECKS_H
#define TCI_ENTRY_CHECKS_H

#include "engine/orc/llvm_compat.h"
#include "text_list.h"

/* Presence and signatures of NAME_main and its two companions. Returns TCI_ENTRY_ bits of what
 * is there, also when there are findings. */
unsigned tci_entry_checks_run(LLVMModuleRef module, const char *name, const char *origin,
                              tci_text_list *findings);

#endif
