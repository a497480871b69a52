/* Constructors and destructors of code that is sent.
 *
 * A loader of programs finds them in sections of their own. Here they become an ordinary
 * function, NAME.life, an entry beside NAME_main: so bitcode, images and stored objects carry
 * them alike, and no linker of a target has to handle them. Functions that code registers for
 * its end (atexit, and the calls that C++ compilers make for static objects) are kept in a list
 * of the code's own. */
#ifndef TCI_CODE_LIFE_H
#define TCI_CODE_LIFE_H

#include "engine/orc/llvm_compat.h"

#include <stdbool.h>
#include <tc/status.h>

/* Defines NAME.life if the module has constructors, destructors or functions for its end, and
 * removes those from the sections in which a linker would look for them:
 *
 *     int NAME.life(char *text, size_t size)
 *
 *   text, size  runs the constructors by priority; nonzero: one threw, its words are in text
 *   NULL, 0     runs the registered functions, last one first, then the destructors
 *   NULL, 1     runs the registered functions alone: after constructors that failed
 *
 * Returns TC_E_COMPILE when LLVM rejects the added code, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_code_life_define(LLVMModuleRef module, const char *name,
                                             tc_error *err);

/* Returns whether tci_code_life_define made one. */
bool tci_code_life_is_defined(LLVMModuleRef module, const char *name);

#endif
