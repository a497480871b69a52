/* What cannot work when code is shipped, found before it is.
 *
 * Each check adds one line to `findings`, "file:line: error: what, and what to do instead". The
 * checks of one module run before modules are linked and shrunk, so that what the other sources
 * use of it does not matter. */
#ifndef TCI_SHIP_CHECKS_H
#define TCI_SHIP_CHECKS_H

#include "engine/orc/llvm_compat.h"
#include "text_list.h"

/* GNU ifuncs, sections of constructors that nothing reads, alignments beyond a page, assembly (unless allow_asm). `origin` names the file. */
void tci_ship_checks_run(LLVMModuleRef module, const char *origin, bool allow_asm,
                         tci_text_list *findings);

/* Before anything is made of a module that was verified: whether LLVM can be let near it
 * (code_bounds.h). */
bool tci_ship_checks_of_bounds(LLVMModuleRef module, const char *origin,
                               tci_text_list *findings);

/* Adds a line to `findings`, as the ship checks do, for each variable that begins with an
 * address at a place that no relocation of an image reaches. */
void tci_ship_checks_of_image(LLVMModuleRef module, const char *origin,
                              tci_text_list *findings);

/* Presence and signatures of NAME_main and its two companions. Returns TCI_ENTRY_ bits of what
 * is there, also when there are findings. */
unsigned tci_ship_checks_of_entries(LLVMModuleRef module, const char *name, const char *origin,
                                    tci_text_list *findings);

#endif
