#include "symbol_owner.h"

#include "symbol_policy.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* What a file's dynamic section says of its symbols. */
typedef struct symbol_table {
    const Elf64_Sym *symbols;
    const char *names;
    const uint32_t *gnu_hash;
    const uint32_t *old_hash;
    const char *soname;
} symbol_table;

/* The loader has made most addresses in it absolute; the kernel's vDSO keeps its own. */
static const void *pointer(uintptr_t base, Elf64_Addr value)
{
    return (const void *)(value < base ? base + value : value);
}

static bool read_table(uintptr_t base, const Elf64_Dyn *dynamic, symbol_table *out)
{
    const Elf64_Dyn *soname = NULL;
    memset(out, 0, sizeof *out);
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag == DT_SYMTAB)
            out->symbols = pointer(base, dynamic->d_un.d_ptr);
        else if (dynamic->d_tag == DT_STRTAB)
            out->names = pointer(base, dynamic->d_un.d_ptr);
        else if (dynamic->d_tag == DT_GNU_HASH)
            out->gnu_hash = pointer(base, dynamic->d_un.d_ptr);
        else if (dynamic->d_tag == DT_HASH)
            out->old_hash = pointer(base, dynamic->d_un.d_ptr);
        else if (dynamic->d_tag == DT_SONAME)
            soname = dynamic;
    }
    if (out->names != NULL && soname != NULL)
        out->soname = out->names + soname->d_un.d_val;
    return out->symbols != NULL && out->names != NULL &&
           (out->gnu_hash != NULL || out->old_hash != NULL);
}

/* --- hash tables ------------------------------------------------------------------------- */

typedef struct gnu_hash_table {
    uint32_t bucket_count;
    uint32_t first; /* index of the first symbol that it has */
    const uint32_t *buckets;
    const uint32_t *chains; /* of the symbol `first` and those behind it */
} gnu_hash_table;

static gnu_hash_table open_gnu_hash(const symbol_table *table)
{
    const uint32_t *head = table->gnu_hash; /* buckets, first, words of a filter, its shift */
    const uint32_t *buckets = head + 4 + head[2] * (sizeof(Elf64_Xword) / sizeof *head);
    return (gnu_hash_table){.bucket_count = head[0],
                            .first = head[1],
                            .buckets = buckets,
                            .chains = buckets + head[0]};
}

static uint32_t gnu_hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (; *name != '\0'; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

static bool defines(const Elf64_Sym *symbol)
{
    unsigned binding = ELF64_ST_BIND(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF &&
           (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE);
}

static bool is_named(const symbol_table *table, uint32_t index, const char *name)
{
    const Elf64_Sym *symbol = &table->symbols[index];
    return defines(symbol) && strcmp(table->names + symbol->st_name, name) == 0;
}

/* Calls visit for each symbol of that name (versions of one name are several), until it says
 * false. */
typedef bool symbol_visitor(void *user, const Elf64_Sym *symbol);

static void look_up_gnu(const symbol_table *table, const char *name, symbol_visitor *visit,
                        void *user)
{
    const gnu_hash_table hash = open_gnu_hash(table);
    const uint32_t wanted = gnu_hash_of(name);
    if (hash.bucket_count == 0)
        return;
    uint32_t index = hash.buckets[wanted % hash.bucket_count];
    if (index < hash.first)
        return;
    for (;; index++) {
        uint32_t found = hash.chains[index - hash.first];
        if ((found | 1) == (wanted | 1) && is_named(table, index, name) &&
            !visit(user, &table->symbols[index]))
            return;
        if ((found & 1) != 0)
            return;
    }
}

/* Few files have this table alone, so it is walked from end to end. */
static void look_up_old(const symbol_table *table, const char *name, symbol_visitor *visit,
                        void *user)
{
    for (uint32_t i = 1; i < table->old_hash[1]; i++) {
        if (is_named(table, i, name) && !visit(user, &table->symbols[i]))
            return;
    }
}

static void look_up(const symbol_table *table, const char *name, symbol_visitor *visit,
                    void *user)
{
    if (table->gnu_hash != NULL)
        look_up_gnu(table, name, visit, user);
    else
        look_up_old(table, name, visit, user);
}

/* --- owners ------------------------------------------------------------------------------ */

typedef struct search {
    const char *name;
    tci_symbol_owner *owners;
    size_t count;
    const struct dl_phdr_info *file;
    const symbol_table *table;
    const void *dynamic;
} search;

/* The program itself has an empty name, and so has the first file alone. */
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

static bool add_owner(void *user, const Elf64_Sym *symbol)
{
    search *s = user;
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
    symbol_table table;
    (void)size;
    s->dynamic = find_dynamic(file);
    if (s->dynamic == NULL || !read_table(file->dlpi_addr, s->dynamic, &table))
        return 0;
    s->file = file;
    s->table = &table;
    look_up(&table, s->name, add_owner, s);
    return 0;
}

size_t tci_symbol_owner_find(const char *symbol, tci_symbol_owner owners[TCI_SYMBOL_OWNERS_MAX])
{
    search s = {.name = symbol, .owners = owners};
    (void)dl_iterate_phdr(search_file, &s);
    return s.count;
}

/* --- aliases ----------------------------------------------------------------------------- */

/* The table of hashes is what tells how many there are. */
static uint32_t count_symbols(const symbol_table *table)
{
    if (table->old_hash != NULL)
        return table->old_hash[1];
    const gnu_hash_table hash = open_gnu_hash(table);
    uint32_t last = 0;
    for (uint32_t i = 0; i < hash.bucket_count; i++)
        last = hash.buckets[i] > last ? hash.buckets[i] : last;
    if (last < hash.first)
        return hash.first;
    while ((hash.chains[last - hash.first] & 1) == 0)
        last++;
    return last + 1;
}

bool tci_symbol_owner_aliases(const tci_symbol_owner *owner, const char *symbol,
                              bool (*visit)(void *user, const char *alias), void *user)
{
    symbol_table table;
    if (!read_table(owner->base, owner->dynamic, &table))
        return true;
    const uint32_t count = count_symbols(&table);
    const uintptr_t place = owner->address - owner->base;
    for (uint32_t i = 1; i < count; i++) {
        const Elf64_Sym *s = &table.symbols[i];
        if (s->st_value != place || !defines(s)) /* in this order: there are thousands */
            continue;
        const char *name = table.names + s->st_name;
        if (strcmp(name, symbol) != 0 && !visit(user, name))
            return false;
    }
    return true;
}
