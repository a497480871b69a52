/* Makes a library of a module: defines its main, which for a function the author writes. It
 * gives the loader the addresses of the library's entries and exports. */
#ifndef TCI_LIBRARY_EXPORTS_H
#define TCI_LIBRARY_EXPORTS_H

#include "archive.h"
#include "engine/orc/llvm_compat.h"
#include "text_list.h"

/* Defines NAME_main, which stores the address of a table at its payload: NAME_init or null,
 * NAME_fini or null, then the exports in byte order. `exports` gets their names, each preceded
 * by the digit of its kind. Every definition that is neither static nor hidden is exported. A
 * definition that cannot be exported is a line in `findings`. */
void tci_library_exports_define(LLVMModuleRef module, const char *name, const char *origin,
                                tci_text_list *exports, tci_text_list *findings);

/* Returns the item of such a list in the form that the archive's writer takes. */
tci_export tci_library_exports_of(const char *item);

#endif
