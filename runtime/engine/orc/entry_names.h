/* The entry points of a function, in the order of their TCI_ENTRY_ bits. */
#ifndef TCI_ENTRY_NAMES_H
#define TCI_ENTRY_NAMES_H

#include "archive.h"

#include <stdio.h>

#define TCI_ENTRY_COUNT 3
#define TCI_ENTRY_SYMBOL_MAX (TCI_ARCHIVE_NAME_MAX + 32)

/* Writes "NAME_main", ... as a function with these TCI_ENTRY_ bits calls it, and returns the
 * entry's bit. */
static inline unsigned tci_entry_symbol(const char *name, unsigned entries, int index,
                                        char out[TCI_ENTRY_SYMBOL_MAX])
{
    static const char *const suffixes[TCI_ENTRY_COUNT] = {"main", "payload_get_max_size",
                                                          "payload_init"};
    const char *suffix = suffixes[index];
    if (index == 1 && (entries & TCI_ENTRY_ORIGINAL) != 0)
        suffix = "payload_bound";
    (void)snprintf(out, TCI_ENTRY_SYMBOL_MAX, "%s_%s", name, suffix);
    return 1u << index;
}

#endif
