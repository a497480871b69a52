/* Bounds for code of a few bytes that LLVM would never finish, or fail on.
 *
 * LLVM's reader takes integers of eight million bits, arrays as single values, and functions
 * aligned to 4 GiB; its code generator works on them word by word, calls itself for each part,
 * or wants memory for all of it. Compilers of languages come nowhere near these bounds. The
 * node checks them before it compiles a function; tc-clang and tc-ar check them before they
 * make an image. */
#ifndef TCI_CODE_BOUNDS_H
#define TCI_CODE_BOUNDS_H

#include "llvm_compat.h"

#include <tc/status.h>

#include <stdint.h>

/* Widest integer that code may compute with, in bits, and widest vector. */
#define TCI_INTEGER_BITS_MAX 4096u
#define TCI_VECTOR_ELEMENTS_MAX 4096u
/* Parts of an array or structure that code loads, stores or passes as one value: its elements
 * and theirs. */
#define TCI_VALUE_PARTS_MAX 4096u
/* Most bytes that memset.inline and memcpy.inline may handle. */
#define TCI_INLINE_BYTES_MAX 65536ull
/* All elements of one array of arrays. */
#define TCI_ARRAY_BYTES_MAX (1ull << 48)

typedef struct tci_code_excess {
    tc_status status;   /* TC_E_TOO_LARGE: the values of variables; else TC_E_UNSUPPORTED */
    LLVMValueRef where; /* a function, an instruction or a variable */
    char text[256];     /* the value found, and the one expected */
} tci_code_excess;

/* Returns whether a part of the module exceeds these bounds; *excess_out is the first such
 * part. The module was verified, and has its target's layout. */
bool tci_code_bounds_exceeded(LLVMModuleRef module, tci_code_excess *excess_out);

/* Returns the alignment of a variable or a function, in bytes; 0: that of its type, or the
 * target's choice. LLVM's C interface shows the greatest alignment, 4 GiB, as 0. */
uint64_t tci_code_bounds_alignment(LLVMModuleRef module, LLVMValueRef value);

#endif
