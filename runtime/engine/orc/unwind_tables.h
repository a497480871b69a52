/* Chooses the functions of a module that get unwind tables. Linking costs the square of their
 * number (see object_bounds.h). */
#ifndef TCI_UNWIND_TABLES_H
#define TCI_UNWIND_TABLES_H

#include "llvm_compat.h"

/* Gives all functions tables, which senders leave out, so that a debugger shows the callers,
 * too. Does nothing when there are too many. */
void tci_unwind_tables_add(LLVMModuleRef module);

/* If there are too many: takes them from the functions that no exception passes, which lose
 * nothing but their callers' names in a debugger. Called after all passes, since "does not
 * unwind" would be news to them. */
void tci_unwind_tables_limit(LLVMModuleRef module);

#endif
