/* Where the functions of an object are, once it is linked. */
#ifndef TCI_LINKED_NAMES_H
#define TCI_LINKED_NAMES_H

#include "elf_object.h"
#include "engine/engine_ops.h"

/* `main_address` is that of NAME_main. The linker keeps a section in one piece, so it gives the
 * address of every function in its section: all but those that were marked cold. Returns how
 * many there are; *symbols_out is for free(), or NULL. */
size_t tci_linked_names(const tci_elf_object *object, const tci_engine_code *code,
                        uintptr_t main_address, tci_code_symbol **symbols_out);

#endif
