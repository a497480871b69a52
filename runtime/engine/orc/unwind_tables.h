/* Which functions of a module get unwind tables. Linking costs the square of their number (see
 * object_bounds.h). */
#ifndef TCI_UNWIND_TABLES_H
#define TCI_UNWIND_TABLES_H

#include "llvm_compat.h"

/* Gives all functions tables, which senders leave out: who debugs wants to see the callers too.
 * Not when there are too many. */
void tci_unwind_tables_add(LLVMModuleRef module);

/* Too many: takes them from the functions that no exception passes, which lose nothing but
 * their callers' names in a debugger. After all passes, since "does not unwind" would be news to
 * them. */
void tci_unwind_tables_limit(LLVMModuleRef module);

#endif
