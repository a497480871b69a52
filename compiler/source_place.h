/* Where in the source something is, as far as debug information tells. */
#ifndef TCI_SOURCE_PLACE_H
#define TCI_SOURCE_PLACE_H

#include "engine/orc/llvm_compat.h"

#include <stdbool.h>
#include <stddef.h>

#define TCI_PLACE_MAX 4200 /* a path, a line number, a column */

/* "dir/foo.c:12:3" (or without the column) of an instruction, a defined function or a defined
 * variable; of a declaration the first place that uses it. `origin` (the name of the file that
 * was compiled) when nothing is known. */
void tci_source_place_of(LLVMValueRef value, const char *origin, char out[TCI_PLACE_MAX]);

/* The first place that uses something, or else its own: a declaration's own may be that in a
 * header. */
void tci_source_place_of_use(LLVMValueRef value, const char *origin, char out[TCI_PLACE_MAX]);

/* clang splits a path at the working directory; seen from there the file's own part is enough.
 */
bool tci_source_place_is_working_directory(const char *directory, size_t size);

#endif
