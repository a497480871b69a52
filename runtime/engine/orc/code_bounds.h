/* What LLVM never comes to an end of, or dies of, in code of a few bytes.
 *
 * Its reader takes integers of eight million bits, arrays as single values, and functions aligned
 * to 4 GiB; what makes machine code of them works word by word, calls itself for each part, or
 * wants memory for all of it. Compilers of languages make nothing that comes near these bounds.
 * The node asks before it compiles a function; tc-clang and tc-ar ask before they make an image. */
#ifndef TCI_CODE_BOUNDS_H
#define TCI_CODE_BOUNDS_H

#include "llvm_compat.h"

#include <tc/status.h>

#include <stdint.h>

/* Widest integer that code may compute with, in bits, and widest vector. */
#define TCI_INTEGER_BITS_MAX 4096u
#define TCI_VECTOR_ELEMENTS_MAX 4096u
/* Parts of an array or structure that code loads, stores or passes as one value: its elements and
 * theirs. */
#define TCI_VALUE_PARTS_MAX 4096u
/* What memset.inline and memcpy.inline may be asked for. */
#define TCI_INLINE_BYTES_MAX 65536ull
/* All elements of one array of arrays. */
#define TCI_ARRAY_BYTES_MAX (1ull << 48)

typedef struct tci_code_excess {
    tc_status status;   /* TC_E_TOO_LARGE: the values of variables; else TC_E_UNSUPPORTED */
    LLVMValueRef where; /* a function, an instruction or a variable */
    char text[256];     /* what was found, and what was expected */
} tci_code_excess;

/* Whether something of a module that was verified, and has its target's layout, is beyond these
 * bounds; then the first of it. */
bool tci_code_bounds_exceeded(LLVMModuleRef module, tci_code_excess *excess_out);

/* How a variable or a function is aligned, in bytes; 0: as its type, or as the target likes.
 * LLVM's C interface shows the greatest alignment, 4 GiB, as none. */
uint64_t tci_code_bounds_alignment(LLVMModuleRef module, LLVMValueRef value);

#endif
