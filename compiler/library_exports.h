/* What makes a library of a module: its main, which functions have from their author, is made here.
 * It gives whoever loads the library the addresses of its entries and exports. */
#ifndef TCI_LIBRARY_EXPORTS_H
#define TCI_LIBRARY_EXPORTS_H

#include "archive.h"
#include "engine/orc/llvm_compat.h"
#include "text_list.h"

/* Defines NAME_main, which stores the address of a table at its payload: NAME_init or null,
 * NAME_fini or null, then the exports in byte order, which `exports` gets, each behind its kind's
 * digit. Exported is every definition that is not static and not hidden. What cannot be is a line in
 * `findings`. */
void tci_library_exports_define(LLVMModuleRef module, const char *name, const char *origin,
                                tci_text_list *exports, tci_text_list *findings);

/* As the archive's writer wants one. */
tci_export tci_library_exports_of(const char *item);

#endif
