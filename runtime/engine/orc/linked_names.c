#include "linked_names.h"

#include "entry_names.h"

#include <stdlib.h>
#include <string.h>

typedef struct naming {
    const char *name;
    char entries[TCI_ENTRY_COUNT][TCI_ENTRY_SYMBOL_MAX];
} naming;

static bool find_main(const tci_elf_object *object, const naming *n, tci_elf_function *main)
{
    for (size_t at = 0; tci_elf_object_next_function(object, &at, main);) {
        if (strcmp(main->name, n->entries[0]) == 0)
            return true;
    }
    return false;
}

static bool is_entry(const naming *n, const char *symbol)
{
    for (int i = 0; i < TCI_ENTRY_COUNT; i++) {
        if (strcmp(n->entries[i], symbol) == 0)
            return true;
    }
    return false;
}

static char *append(char *out, const char *text)
{
    size_t size = strlen(text);
    memcpy(out, text, size + 1);
    return out + size;
}

/* "count_main", "count:helper". Returns where the text ends. */
static char *write_name(const naming *n, const char *symbol, char *out)
{
    if (!is_entry(n, symbol))
        out = append(append(out, n->name), ":");
    return append(out, symbol);
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

static void fill(const tci_elf_object *object, const naming *n, const tci_elf_function *main,
                 uintptr_t main_address, tci_code_symbol *symbols, char *text)
{
    tci_elf_function function;
    for (size_t at = 0; next_in(object, main->section, &at, &function); symbols++) {
        symbols->name = text;
        symbols->address = main_address - main->offset + function.offset;
        symbols->size = function.size;
        text = write_name(n, function.name, text) + 1;
    }
}

size_t tci_linked_names(const tci_elf_object *object, const tci_engine_code *code,
                        uintptr_t main_address, tci_code_symbol **symbols_out)
{
    tci_elf_function main, function;
    size_t count = 0, bytes = 0;
    naming n = {.name = code->name};
    for (int i = 0; i < TCI_ENTRY_COUNT; i++)
        (void)tci_entry_symbol(code->name, code->entries, i, n.entries[i]);
    *symbols_out = NULL;
    if (!find_main(object, &n, &main))
        return 0;
    for (size_t at = 0; next_in(object, main.section, &at, &function); count++)
        bytes += sizeof(tci_code_symbol) + strlen(code->name) + strlen(function.name) + 2;
    tci_code_symbol *symbols = malloc(bytes + 1);
    if (symbols == NULL)
        return 0;
    fill(object, &n, &main, main_address, symbols, (char *)(symbols + count));
    *symbols_out = symbols;
    return count;
}
