/* Finds undefined names that no target has, or that must not be called there, although a linker
 * here accepts them: by file and line, before an archive is made. */
#ifndef TCI_NAME_CHECKS_H
#define TCI_NAME_CHECKS_H

#include "engine/orc/llvm_compat.h"
#include "text_list.h"

/* Adds a line to `findings`, as the ship checks do, for each such name that a module of all
 * sources uses. `origin` names the file where no line is known. */
void tci_name_checks_run(LLVMModuleRef module, const char *origin, tci_text_list *findings);

#endif
