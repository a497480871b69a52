/* Undefined names that no target finds, or that must not be called there, although every linker
 * here would be content: found by file and line, before an archive is made. */
#ifndef TCI_NAME_CHECKS_H
#define TCI_NAME_CHECKS_H

#include "engine/orc/llvm_compat.h"
#include "text_list.h"

#include <stdbool.h>

/* Adds a line to `findings`, as the ship checks do, for each such name that a module of all
 * sources uses. With for_bitcode also for what its assembly defines and only an image can have.
 * `origin` names the file where no line is known. */
void tci_name_checks_run(LLVMModuleRef module, const char *origin, bool for_bitcode,
                         tci_text_list *findings);

#endif
