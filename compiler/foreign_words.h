/* What foreign code needs of its own language's runtime, said in that language's words: undefined symbols of Rust, Julia,
 * Python (Numba), C++, Fortran and D, and what a module says of collectors of garbage and of D's runtime.
 *
 * The table of what is known is in foreign_words.c; everything else an unknown symbol is for the target to find. */
#ifndef TCI_FOREIGN_WORDS_H
#define TCI_FOREIGN_WORDS_H

#include "engine/orc/llvm_compat.h"
#include "text_list.h"

/* For each of `symbols`, which the code leaves to its target, what it is and what to do. `libraries`: the lines of the
 * code's list of libraries; a symbol that one of them gives is not mentioned. `origin` is the name of the file.
 *   errors    "FILE: error: ...": no target has it
 *   warnings  "FILE: warning: ...": some have */
void tci_foreign_words_of_symbols(const tci_text_list *symbols, const tci_text_list *libraries,
                                  const char *origin, tci_text_list *errors,
                                  tci_text_list *warnings);

/* The same of a module before it is shrunk: functions for a collector of garbage, and modules that D's runtime has to know.
 * If there are findings, notes name the functions of a language's runtime that it calls, too: they may be the reason. */
void tci_foreign_words_of_module(LLVMModuleRef module, const char *origin,
                                 tci_text_list *findings);

#endif
