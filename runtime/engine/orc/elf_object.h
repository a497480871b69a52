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
    size_t names;   /* index of the section with their names */
    size_t symbols; /* index of its table of symbols; SIZE_MAX: it has none */
} tci_elf_object;

tci_elf_object tci_elf_object_open(const void *bytes, size_t size);

typedef struct tci_elf_section {
    const char *name; /* "" when it has none */
    uint32_t type;    /* SHT_ */
    uint64_t flags;   /* SHF_ */
    uint64_t size;    /* that it will have in memory */
    uint64_t alignment;
    uint32_t about;         /* relocations: the section that they are for */
    const uint8_t *content; /* a view of the object's bytes; NULL when not all of it is there */
} tci_elf_section;

/* False: there are no more. */
bool tci_elf_object_section(const tci_elf_object *object, size_t index,
                            tci_elf_section *section_out);

typedef struct tci_elf_relocation {
    uint64_t offset; /* in the section that it is for */
    uint32_t type;   /* R_ of the machine */
    uint32_t symbol; /* index */
    int64_t addend;
} tci_elf_relocation;

/* Of a section of type SHT_RELA. False: there are no more. */
bool tci_elf_object_relocation(const tci_elf_section *section, size_t index,
                               tci_elf_relocation *relocation_out);

typedef struct tci_elf_symbol {
    const char *name; /* a view of the object's bytes; "" when it has none */
    unsigned type;    /* STT_ */
    bool is_weak;
    unsigned section; /* index, or SHN_ */
    uint64_t offset;  /* in that section */
    uint64_t size;
} tci_elf_symbol;

/* Indices begin at 1. False: there are no more. */
bool tci_elf_object_symbol(const tci_elf_object *object, size_t index,
                           tci_elf_symbol *symbol_out);

/* Bytes that the linked object takes: what may be run, what may be written and the rest have
 * pages of their own. With an address and a jump for every undefined symbol, which the linker
 * may add. SIZE_MAX stands for all that is too much to count. */
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

/* What it needs from elsewhere, one after the other like the functions; weak references, which
 * may stay open, are left out. NULL: there are no more. */
const char *tci_elf_object_next_undefined(const tci_elf_object *object, size_t *at);

/* The pieces of a function's code and their names, once it is linked. `main_address` is that of
 * NAME_main. The linker keeps a section in one piece, so it gives the address of every function
 * in its section: all but those that were marked cold. Returns how many there are; *symbols_out
 * is for free(), or NULL. */
size_t tci_elf_object_names(const tci_elf_object *object, const tci_engine_code *code,
                            uintptr_t main_address, tci_code_symbol **symbols_out);

#endif
