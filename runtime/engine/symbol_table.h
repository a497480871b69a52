/* Reads the dynamic symbols of a loaded file by its dynamic section, in the file's own memory,
 * without the dynamic loader and its lock. The file has to stay loaded meanwhile. */
#ifndef TCI_SYMBOL_TABLE_H
#define TCI_SYMBOL_TABLE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct tci_symbol_table {
    const Elf64_Sym *symbols;
    const char *names;
    const uint32_t *gnu_hash; /* NULL: old_hash alone */
    const uint32_t *old_hash;
    const Elf64_Versym *versions; /* by index; NULL: no versions */
    const char *soname;           /* or NULL */
} tci_symbol_table;

/* Returns false if it has no symbols, or no way to find one by its name. */
bool tci_symbol_table_read(uintptr_t base, const Elf64_Dyn *dynamic, tci_symbol_table *out);

/* Returns the number of symbols, including the first one, which has no meaning. */
uint32_t tci_symbol_table_count(const tci_symbol_table *table);

/* Returns whether the file defines the symbol and other files may see it. */
static inline bool tci_symbol_table_is_defined(const Elf64_Sym *symbol)
{
    const unsigned binding = ELF64_ST_BIND(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF &&
           (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE);
}

/* Calls the function for each symbol of that name, defined or not (each version of a name is
 * one), until it returns false. */
void tci_symbol_table_look_up(const tci_symbol_table *table, const char *name,
                              bool (*visit)(void *user, uint32_t index), void *user);

#endif
