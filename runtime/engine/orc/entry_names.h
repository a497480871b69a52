/* The entry points of a function. */
#ifndef TCI_ENTRY_NAMES_H
#define TCI_ENTRY_NAMES_H

#include "archive.h"

#include <stdio.h>

#define TCI_ENTRY_COUNT 4
#define TCI_ENTRY_AT_LIFE 3 /* code may lack it, whatever the archive has */
#define TCI_ENTRY_SYMBOL_MAX (TCI_ARCHIVE_NAME_MAX + 32)

/* Writes the symbol of an entry ("NAME_main", ...) of a function with these TCI_ENTRY_ bits,
 * and returns the entry's bit. */
static inline unsigned tci_entry_symbol(const char *name, unsigned entries, int index,
                                        char out[TCI_ENTRY_SYMBOL_MAX])
{
    static const struct entry_name {
        const char *suffix;
        unsigned bit;
    } names[TCI_ENTRY_COUNT] = {{"_main", TCI_ENTRY_MAIN},
                                {"_payload_get_max_size", TCI_ENTRY_MAX_SIZE},
                                {"_payload_init", TCI_ENTRY_INIT},
                                {TCI_LIFE_SUFFIX, TCI_ENTRY_LIFE}};
    const char *suffix = names[index].suffix;
    if (index == 1 && (entries & TCI_ENTRY_ORIGINAL) != 0)
        suffix = "_payload_bound";
    (void)snprintf(out, TCI_ENTRY_SYMBOL_MAX, "%s%s", name, suffix);
    return names[index].bit;
}

#endif
