#include "linked_names.h"

#include "entry_names.h"

#include <stdlib.h>
#include <string.h>

static bool find_main(const tci_elf_object *object, const char *name, tci_elf_function *main)
{
    char symbol[TCI_ENTRY_SYMBOL_MAX];
    (void)tci_entry_symbol(name, 0, symbol);
    for (size_t at = 0; tci_elf_object_next_function(object, &at, main);) {
        if (strcmp(main->name, symbol) == 0)
            return true;
    }
    return false;
}

static bool is_entry(const char *name, const char *symbol)
{
    char entry[TCI_ENTRY_SYMBOL_MAX];
    for (int i = 0; i < TCI_ENTRY_COUNT; i++) {
        (void)tci_entry_symbol(name, i, entry);
        if (strcmp(entry, symbol) == 0)
            return true;
    }
    return false;
}

/* Bytes of its name with the terminator; written when `out` is not NULL. */
static size_t write_name(const char *name, const char *symbol, char *out)
{
    bool entry = is_entry(name, symbol);
    size_t size = strlen(symbol) + 1 + (entry ? 0 : strlen(name) + 1);
    if (out != NULL)
        (void)snprintf(out, size, "%s%s%s", entry ? "" : name, entry ? "" : ":", symbol);
    return size;
}

/* The next function in that section. */
static bool next_in(const tci_elf_object *object, unsigned section, size_t *at,
                    tci_elf_function *out)
{
    while (tci_elf_object_next_function(object, at, out)) {
        if (out->section == section && out->size > 0)
            return true;
    }
    return false;
}

static void fill(const tci_elf_object *object, const char *name, const tci_elf_function *main,
                 uintptr_t main_address, tci_code_symbol *symbols, char *text)
{
    tci_elf_function function;
    for (size_t at = 0; next_in(object, main->section, &at, &function); symbols++) {
        symbols->name = text;
        symbols->address = main_address - main->offset + function.offset;
        symbols->size = function.size;
        text += write_name(name, function.name, text);
    }
}

size_t tci_linked_names(const tci_elf_object *object, const char *name, uintptr_t main_address,
                        tci_code_symbol **symbols_out)
{
    tci_elf_function main, function;
    size_t count = 0, bytes = 0;
    *symbols_out = NULL;
    if (!find_main(object, name, &main))
        return 0;
    for (size_t at = 0; next_in(object, main.section, &at, &function); count++)
        bytes += sizeof(tci_code_symbol) + write_name(name, function.name, NULL);
    tci_code_symbol *symbols = malloc(bytes + 1);
    if (symbols == NULL)
        return 0;
    fill(object, name, &main, main_address, symbols, (char *)(symbols + count));
    *symbols_out = symbols;
    return count;
}
