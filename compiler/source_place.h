/* Finds the source position of code, as far as debug information gives it. */
#ifndef TCI_SOURCE_PLACE_H
#define TCI_SOURCE_PLACE_H

#include "engine/orc/llvm_compat.h"

#include <stdbool.h>
#include <stddef.h>

#define TCI_PLACE_MAX 4200 /* a path, a line number, a column */

/* Writes "dir/foo.c:12:3" (or without the column) for an instruction, a defined function or a
 * defined variable; for a declaration its first use. Writes `origin` (the name of the compiled
 * file) when nothing is known. */
void tci_source_place_of(LLVMValueRef value, const char *origin, char out[TCI_PLACE_MAX]);

/* Writes the position of a value's first use, or else its own: that of a declaration may be in
 * a header. */
void tci_source_place_of_use(LLVMValueRef value, const char *origin, char out[TCI_PLACE_MAX]);

/* Returns whether a directory is the working directory. clang splits a path there, so the
 * file's own part is enough. */
bool tci_source_place_is_working_directory(const char *directory, size_t size);

#endif
