/* Variables that are declared thread-local.
 *
 * The functions of a context run in the one thread that progresses it, and each context has
 * copies of their variables. So a thread-local variable becomes an ordinary variable of such a
 * copy. */
#ifndef TCI_THREAD_LOCALS_H
#define TCI_THREAD_LOCALS_H

#include "engine/orc/llvm_compat.h"
#include "text_list.h"

/* Adds a line to `findings` for each variable that cannot become ordinary: one that is only
 * declared belongs to a library, and threads that the code starts would share it. `origin`
 * names the file. */
void tci_thread_locals_check(LLVMModuleRef module, const char *origin, tci_text_list *findings);

/* Makes all others ordinary variables. */
void tci_thread_locals_lower(LLVMModuleRef module);

#endif
