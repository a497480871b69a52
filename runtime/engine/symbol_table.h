/* The dynamic symbols of a loaded file, as its dynamic section leads to them: read where they lie,
 * without the dynamic loader and its lock. The file has to stay meanwhile. */
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
    const Elf64_Versym *versions; /* by index; NULL: they have none */
    const char *soname;           /* or NULL */
} tci_symbol_table;

/* False: it has no symbols, or no way to find one by its name. */
bool tci_symbol_table_read(uintptr_t base, const Elf64_Dyn *dynamic, tci_symbol_table *out);

/* How many there are, the first of which means nothing. */
uint32_t tci_symbol_table_count(const tci_symbol_table *table);

/* Of a symbol that others may see. */
static inline bool tci_symbol_table_is_defined(const Elf64_Sym *symbol)
{
    const unsigned binding = ELF64_ST_BIND(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF &&
           (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE);
}

/* Calls visit for each symbol of that name, defined or not (versions of one name are several), until
 * it says false. */
void tci_symbol_table_look_up(const tci_symbol_table *table, const char *name,
                              bool (*visit)(void *user, uint32_t index), void *user);

#endif
