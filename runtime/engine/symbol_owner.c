/* Searches the symbol tables of all loaded files, as dl_iterate_phdr lists them. */
#include "symbol_owner.h"

#include "symbol_policy.h"
#include "symbol_table.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* --- owners ------------------------------------------------------------------------------ */

typedef struct search {
    const char *name;
    tci_symbol_owner *owners;
    size_t count;
    const struct dl_phdr_info *file;
    const tci_symbol_table *table;
    const void *dynamic;
} search;

/* The program is the first file and the only one with an empty path. */
static void name_library(const search *s, char out[TCI_SYMBOL_OWNER_NAME_MAX])
{
    const char *path = s->file->dlpi_name;
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    if (*path == '\0' && s->table->soname == NULL)
        name = TCI_LIBRARY_PROGRAM;
    else if (s->table->soname != NULL && *s->table->soname != '\0')
        name = s->table->soname;
    (void)snprintf(out, TCI_SYMBOL_OWNER_NAME_MAX, "%s", name);
}

static bool add_owner(void *user, uint32_t index)
{
    search *s = user;
    const Elf64_Sym *symbol = &s->table->symbols[index];
    if (!tci_symbol_table_is_defined(symbol))
        return true;
    if (s->count == TCI_SYMBOL_OWNERS_MAX)
        return false;
    tci_symbol_owner *owner = &s->owners[s->count++];
    uintptr_t base = symbol->st_shndx == SHN_ABS ? 0 : s->file->dlpi_addr;
    *owner = (tci_symbol_owner){.address = base + symbol->st_value,
                                .is_ifunc = ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC,
                                .base = s->file->dlpi_addr,
                                .dynamic = s->dynamic};
    name_library(s, owner->library);
    return true;
}

static const void *find_dynamic(const struct dl_phdr_info *file)
{
    for (Elf64_Half i = 0; i < file->dlpi_phnum; i++) {
        if (file->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const void *)(file->dlpi_addr + file->dlpi_phdr[i].p_vaddr);
    }
    return NULL;
}

static int search_file(struct dl_phdr_info *file, size_t size, void *user)
{
    search *s = user;
    tci_symbol_table table;
    (void)size;
    s->dynamic = find_dynamic(file);
    if (s->dynamic == NULL || !tci_symbol_table_read(file->dlpi_addr, s->dynamic, &table))
        return 0;
    s->file = file;
    s->table = &table;
    tci_symbol_table_look_up(&table, s->name, add_owner, s);
    return 0;
}

size_t tci_symbol_owner_find(const char *symbol, tci_symbol_owner owners[TCI_SYMBOL_OWNERS_MAX])
{
    search s = {.name = symbol, .owners = owners};
    (void)dl_iterate_phdr(search_file, &s);
    return s.count;
}

/* --- aliases ----------------------------------------------------------------------------- */

bool tci_symbol_owner_aliases(const tci_symbol_owner *owner, const char *symbol,
                              bool (*visit)(void *user, const char *alias), void *user)
{
    tci_symbol_table table;
    if (!tci_symbol_table_read(owner->base, owner->dynamic, &table))
        return true;
    const uint32_t count = tci_symbol_table_count(&table);
    const uintptr_t offset = owner->address - owner->base;
    for (uint32_t i = 1; i < count; i++) {
        const Elf64_Sym *s = &table.symbols[i];
        if (s->st_value != offset ||
            !tci_symbol_table_is_defined(s)) /* the cheap check first: there are thousands */
            continue;
        const char *name = table.names + s->st_name;
        if (strcmp(name, symbol) != 0 && !visit(user, name))
            return false;
    }
    return true;
}
