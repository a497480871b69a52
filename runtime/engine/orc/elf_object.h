/* Reads an object file in memory: the memory that its code will take, the offsets of its
 * functions, and their names once it is linked.
 *
 * The bytes are LLVM's own, or passed a checksum. Nevertheless nothing outside them is read,
 * and invalid entries count as absent. */
#ifndef TCI_ELF_OBJECT_H
#define TCI_ELF_OBJECT_H

#include "engine/engine_ops.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tci_elf_object {
    const uint8_t *bytes;
    size_t size;
    size_t headers; /* offset of its section headers */
    size_t count;   /* their number; 0 when the bytes are no object of a 64-bit machine */
    size_t names;   /* index of the section with their names */
    size_t symbols; /* index of its table of symbols; SIZE_MAX: it has no table */
} tci_elf_object;

tci_elf_object tci_elf_object_open(const void *bytes, size_t size);

typedef struct tci_elf_section {
    const char *name; /* "" when it has no name */
    uint32_t type;    /* SHT_ */
    uint64_t flags;   /* SHF_ */
    uint64_t size;    /* its size in memory */
    uint64_t alignment;
    uint32_t about;         /* relocations: the section that they are for */
    const uint8_t *content; /* a view of the object's bytes; NULL when not all of it is there */
} tci_elf_section;

/* Returns false when there are no more. */
bool tci_elf_object_section(const tci_elf_object *object, size_t index,
                            tci_elf_section *section_out);

typedef struct tci_elf_relocation {
    uint64_t offset; /* in the section that it is for */
    uint32_t type;   /* R_ of the machine */
    uint32_t symbol; /* index */
    int64_t addend;
} tci_elf_relocation;

/* Reads a section of type SHT_RELA. Returns false when there are no more. */
bool tci_elf_object_relocation(const tci_elf_section *section, size_t index,
                               tci_elf_relocation *relocation_out);

typedef struct tci_elf_symbol {
    const char *name; /* a view of the object's bytes; "" without a name */
    unsigned type;    /* STT_ */
    bool is_weak;
    unsigned section; /* index, or SHN_ */
    uint64_t offset;  /* in that section */
    uint64_t size;
} tci_elf_symbol;

/* Indices begin at 1. Returns false when there are no more. */
bool tci_elf_object_symbol(const tci_elf_object *object, size_t index,
                           tci_elf_symbol *symbol_out);

/* Returns the bytes that the linked object takes: executable, writable and other bytes have
 * pages of their own. Includes an address and a jump for every undefined symbol, which the
 * linker may add. SIZE_MAX: too much to count. */
size_t tci_elf_object_memory(const tci_elf_object *object);

/* Returns whether it has debug information (clang -g). */
bool tci_elf_object_has_debug_info(const tci_elf_object *object);

typedef struct tci_elf_function {
    const char *name; /* a view of the object's bytes */
    unsigned section;
    uint64_t offset; /* in that section */
    uint64_t size;
} tci_elf_function;

/* Returns one function after the other: *at is 0 at first. Returns false when there are no
 * more. */
bool tci_elf_object_next_function(const tci_elf_object *object, size_t *at,
                                  tci_elf_function *function_out);

/* Returns the undefined symbols, one after the other like the functions; weak references, which
 * may stay undefined, are left out. NULL: there are no more. */
const char *tci_elf_object_next_undefined(const tci_elf_object *object, size_t *at);

/* Finds the pieces of a function's code and their names, once it is linked. `main_address` is
 * that of NAME_main. The linker keeps a section in one piece, so it determines the address of
 * every function in its section: all but those that were marked cold. Returns their number;
 * *symbols_out is for free(), or NULL. */
size_t tci_elf_object_names(const tci_elf_object *object, const tci_engine_code *code,
                            uintptr_t main_address, tci_code_symbol **symbols_out);

#endif
