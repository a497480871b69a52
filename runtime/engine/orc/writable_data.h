/* The variables that a function writes and that live as long as it does (static, or global in
 * its source).
 *
 * Code that replaces other code of the same function has to continue with the variables of the
 * first, to which callers may keep pointers. So baseline code shows them to the linker under
 * names of their own, by their order in the module, and TCI_LEVEL_OPTIMISED_SHARED code only
 * declares them. Both are made of the same bitcode, which makes the order the same. */
#ifndef TCI_WRITABLE_DATA_H
#define TCI_WRITABLE_DATA_H

#include "engine/engine_ops.h"
#include "llvm_compat.h"

#include <stdio.h>

/* Functions with more keep the code that they were compiled to first. */
#define TCI_WRITABLE_MAX 256u
#define TCI_WRITABLE_SYMBOL_MAX 32

/* Counts them, and names or declares them as the level requires. Called after tci_object_emit
 * made every name internal. Returns TCI_WRITABLE_FIXED, and changes nothing, for more than the
 * maximum, for aliases, which cannot point at a declaration, and where a variable may hold the
 * address of a label (jump_origin.h), which is invalid in other code. */
uint32_t tci_writable_data_share(LLVMModuleRef module, tci_code_level level);

static inline void tci_writable_symbol(uint32_t index, char out[TCI_WRITABLE_SYMBOL_MAX])
{
    (void)snprintf(out, TCI_WRITABLE_SYMBOL_MAX, "tc.writable.%u", index);
}

/* Returns the index in such a name; false for any other name. */
bool tci_writable_index(const char *symbol, uint32_t *index_out);

#endif
