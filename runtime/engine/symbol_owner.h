/* Finds the loaded files that define a name, without resolving it: resolving a GNU ifunc runs
 * code of the library that has it, and the resulting address may be another library's. Any
 * thread. */
#ifndef TCI_SYMBOL_OWNER_H
#define TCI_SYMBOL_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TCI_SYMBOL_OWNERS_MAX 16u /* files that define one name; further ones are left out */
#define TCI_SYMBOL_OWNER_NAME_MAX 256u

typedef struct tci_symbol_owner {
    /* The file's soname, or its base name without one; TCI_LIBRARY_PROGRAM for the program. */
    char library[TCI_SYMBOL_OWNER_NAME_MAX];
    uintptr_t address; /* of the symbol; of its resolver if it is an ifunc */
    bool is_ifunc;
    uintptr_t base;      /* load address of the file */
    const void *dynamic; /* its dynamic section */
} tci_symbol_owner;

/* Returns the number of files that define it; `owners` has them in load order. */
size_t tci_symbol_owner_find(const char *symbol,
                             tci_symbol_owner owners[TCI_SYMBOL_OWNERS_MAX]);

/* Calls the function for every other name that the owner's file gives to the same address,
 * until it returns false. Then returns false, too. */
bool tci_symbol_owner_aliases(const tci_symbol_owner *owner, const char *symbol,
                              bool (*visit)(void *user, const char *alias), void *user);

#endif
