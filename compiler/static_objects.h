/* C++'s variables with constructors: which ones a function for the start of a program makes. */
#ifndef TCI_STATIC_OBJECTS_H
#define TCI_STATIC_OBJECTS_H

#include "engine/orc/llvm_compat.h"
#include "text_list.h"

#include <stdbool.h>

/* Adds a line to `findings`, as the ship checks do, for each variable that `constructor` makes; false:
 * it is not one that a compiler has written, or makes none that has a name. */
bool tci_static_objects_report(LLVMValueRef constructor, const char *origin,
                               tci_text_list *findings);

#endif
