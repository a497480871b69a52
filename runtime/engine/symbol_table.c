/* Looks up names in the GNU hash table of a file, or in the older one if the file has no
 * other. */
#include "symbol_table.h"

#include <stddef.h>
#include <string.h>

/* The loader has made most addresses in it absolute; those of the kernel's vDSO stay
 * relative. */
static const void *pointer(uintptr_t base, Elf64_Addr value)
{
    return (const void *)(value < base ? base + value : value);
}

bool tci_symbol_table_read(uintptr_t base, const Elf64_Dyn *dynamic, tci_symbol_table *out)
{
    const Elf64_Dyn *soname = NULL;
    memset(out, 0, sizeof *out);
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        const void *table = pointer(base, dynamic->d_un.d_ptr);
        if (dynamic->d_tag == DT_SYMTAB)
            out->symbols = table;
        else if (dynamic->d_tag == DT_STRTAB)
            out->names = table;
        else if (dynamic->d_tag == DT_GNU_HASH)
            out->gnu_hash = table;
        else if (dynamic->d_tag == DT_HASH)
            out->old_hash = table;
        else if (dynamic->d_tag == DT_VERSYM)
            out->versions = table;
        else if (dynamic->d_tag == DT_SONAME)
            soname = dynamic;
    }
    if (out->names != NULL && soname != NULL)
        out->soname = out->names + soname->d_un.d_val;
    return out->symbols != NULL && out->names != NULL &&
           (out->gnu_hash != NULL || out->old_hash != NULL);
}

typedef struct gnu_hash_table {
    uint32_t bucket_count;
    uint32_t first; /* index of the first symbol in it */
    const uint32_t *buckets;
    const uint32_t *chains; /* for the symbol `first` and those after it */
} gnu_hash_table;

static gnu_hash_table open_gnu_hash(const tci_symbol_table *table)
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

/* Only the hash table shows the number of symbols. */
uint32_t tci_symbol_table_count(const tci_symbol_table *table)
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

/* --- looking up -------------------------------------------------------------------------- */

typedef bool symbol_visitor(void *user, uint32_t index);

static bool is_named(const tci_symbol_table *table, uint32_t index, const char *name)
{
    return strcmp(table->names + table->symbols[index].st_name, name) == 0;
}

static void look_up_gnu(const tci_symbol_table *table, const char *name, symbol_visitor *visit,
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
        if ((found | 1) == (wanted | 1) && is_named(table, index, name) && !visit(user, index))
            return;
        if ((found & 1) != 0)
            return;
    }
}

/* Few files have this table alone, so it is walked from end to end. */
static void look_up_old(const tci_symbol_table *table, const char *name, symbol_visitor *visit,
                        void *user)
{
    for (uint32_t i = 1; i < table->old_hash[1]; i++) {
        if (is_named(table, i, name) && !visit(user, i))
            return;
    }
}

void tci_symbol_table_look_up(const tci_symbol_table *table, const char *name,
                              symbol_visitor *visit, void *user)
{
    if (table->gnu_hash != NULL)
        look_up_gnu(table, name, visit, user);
    else
        look_up_old(table, name, visit, user);
}
