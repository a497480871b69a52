/* What an object file in memory says of itself: how much memory its code will take, and where
 * its functions are; and what they are called once it is linked.
 *
 * The bytes are LLVM's own, or passed a checksum; all the same nothing outside of them is read,
 * and what makes no sense counts as nothing. */
#ifndef TCI_ELF_OBJECT_H
#define TCI_ELF_OBJECT_H

#include "engine/engine_ops.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tci_elf_object {
    const uint8_t *bytes;
    size_t size;
    size_t headers; /* where its section headers are */
    size_t count;   /* of them; 0 when the bytes are no object of a 64-bit machine */
} tci_elf_object;

tci_elf_object tci_elf_object_open(const void *bytes, size_t size);

/* Bytes that the linked object takes: what may be run, what may be written and the rest have
 * pages of their own. With an address and a jump for every undefined symbol, which the linker
 * may add. */
size_t tci_elf_object_memory(const tci_elf_object *object);

/* clang -g. */
bool tci_elf_object_has_debug_info(const tci_elf_object *object);

typedef struct tci_elf_function {
    const char *name; /* a view of the object's bytes */
    unsigned section;
    uint64_t offset; /* in that section */
    uint64_t size;
} tci_elf_function;

/* One after the other: *at is 0 at first. False: there are no more. */
bool tci_elf_object_next_function(const tci_elf_object *object, size_t *at,
                                  tci_elf_function *function_out);

/* The pieces of a function's code and their names, once it is linked. `main_address` is that of NAME_main. The linker keeps a section in one piece, so it gives the
 * address of every function in its section: all but those that were marked cold. Returns how
 * many there are; *symbols_out is for free(), or NULL. */
size_t tci_elf_object_names(const tci_elf_object *object, const tci_engine_code *code,
                            uintptr_t main_address, tci_code_symbol **symbols_out);

#endif
