/* Where in the source something is, as far as debug information tells. */
#ifndef TCI_SOURCE_PLACE_H
#define TCI_SOURCE_PLACE_H

#include <llvm-c/Core.h>

#define TCI_PLACE_MAX 4200 /* a path, a line number, a column */

/* "dir/foo.c:12:3" (or without the column) of an instruction, a defined function or a defined
 * variable; of a declaration the first place that uses it. `origin` (the name of the file that
 * was compiled) when nothing is known. */
void tci_place_of(LLVMValueRef value, const char *origin, char out[TCI_PLACE_MAX]);

#endif
