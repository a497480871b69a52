/* Needs of foreign code for its own language's runtime, reported in that language's words:
 * undefined symbols of Rust, Julia, Python (Numba), C++, Fortran and D, and a module's use of
 * garbage collectors and of D's runtime.
 *
 * The known symbols are in foreign_words.c; any other symbol is left for the target to find. */
#ifndef TCI_FOREIGN_WORDS_H
#define TCI_FOREIGN_WORDS_H

#include "engine/orc/llvm_compat.h"
#include "text_list.h"

/* Reports, for each of `symbols`, which the code leaves to its target, its meaning and a
 * remedy. `libraries`: the lines of the code's list of libraries; a symbol that one of them
 * provides is not mentioned. `origin` is the name of the file.
 *   errors    "FILE: error: ...": no target has it
 *   warnings  "FILE: warning: ...": some have */
void tci_foreign_words_of_symbols(const tci_text_list *symbols, const tci_text_list *libraries,
                                  const char *origin, tci_text_list *errors,
                                  tci_text_list *warnings);

/* Checks a module before it is shrunk: functions for a garbage collector, and modules that D's
 * runtime has to register. If there are findings, notes also name the functions of a language's
 * runtime that it calls: they may be the reason. */
void tci_foreign_words_of_module(LLVMModuleRef module, const char *origin,
                                 tci_text_list *findings);

#endif
