/* Variables that are declared thread-local.
 *
 * The functions of a context run in the one thread that progresses it, and each context has copies
 * of their variables. So a variable of one thread is an ordinary variable of such a copy. */
#ifndef TCI_THREAD_LOCALS_H
#define TCI_THREAD_LOCALS_H

#include "engine/orc/llvm_compat.h"
#include "text_list.h"

/* Adds a line to `findings` for each variable that cannot be one: what is only declared is a library's,
 * and threads that the code starts would share it. `origin` names the file. */
void tci_thread_locals_check(LLVMModuleRef module, const char *origin, tci_text_list *findings);

/* Makes ordinary variables of all others. */
void tci_thread_locals_lower(LLVMModuleRef module);

#endif
