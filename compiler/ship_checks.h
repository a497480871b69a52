/* Finds code that cannot work after it is shipped, before it is.
 *
 * Each check adds one line to `findings`, "file:line: error: problem, and a remedy". The checks
 * of one module run before modules are linked and shrunk, so that uses of it by the other
 * sources do not matter. */
#ifndef TCI_SHIP_CHECKS_H
#define TCI_SHIP_CHECKS_H

#include "engine/orc/llvm_compat.h"
#include "text_list.h"

/* Checks for sections of constructors that nothing reads, alignments beyond a page, assembly
 * (unless allow_asm) and needs of foreign runtimes (foreign_words.h). `origin` names the
 * file. */
void tci_ship_checks_run(LLVMModuleRef module, const char *origin, bool allow_asm,
                         tci_text_list *findings);

/* Runs on a verified module before any other step: returns whether it is within the bounds that
 * LLVM can handle (code_bounds.h). */
bool tci_ship_checks_of_bounds(LLVMModuleRef module, const char *origin,
                               tci_text_list *findings);

/* Adds a line to `findings`, as the ship checks do, for each variable with an address in its
 * initial value at an offset that no relocation of an image can have. */
void tci_ship_checks_of_image(LLVMModuleRef module, const char *origin,
                              tci_text_list *findings);

/* Checks presence and signatures of NAME_main and its two companions. Returns TCI_ENTRY_ bits
 * of those present, also when there are findings. */
unsigned tci_ship_checks_of_entries(LLVMModuleRef module, const char *name, const char *origin,
                                    tci_text_list *findings);

#endif
