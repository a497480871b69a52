/* What cannot work when code is shipped, found before it is.
 *
 * Each check adds one line to `findings`, "file:line: error: what, and what to do instead". The
 * checks of one module run before modules are linked and shrunk, so that what the other sources
 * use of it does not matter. */
#ifndef TCI_SHIP_CHECKS_H
#define TCI_SHIP_CHECKS_H

#include "engine/orc/llvm_compat.h"
#include "text_list.h"

/* Thread-local variables, GNU ifuncs, constructors and destructors, assembly (unless
 * allow_asm). `origin` names the file. */
void tci_ship_checks_run(LLVMModuleRef module, const char *origin, bool allow_asm,
                         tci_text_list *findings);

#endif
