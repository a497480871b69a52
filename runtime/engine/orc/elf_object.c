#include "elf_object.h"

#include "entry_names.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The larger one's, aarch64: three instructions. */
#define JUMP_BYTES 12u
#define ADDRESS_BYTES 8u

/* What an object has at `at`, which the bytes need not have aligned. */
static bool read_at(const tci_elf_object *object, uint64_t at, void *out, size_t size)
{
    if (at > object->size || size > object->size - at)
        return false;
    memcpy(out, object->bytes + at, size);
    return true;
}

tci_elf_object tci_elf_object_open(const void *bytes, size_t size)
{
    tci_elf_object object = {.bytes = bytes, .size = size};
    Elf64_Ehdr header;
    if (!read_at(&object, 0, &header, sizeof header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr) ||
        header.e_shoff > size)
        return object;
    size_t room = (size - header.e_shoff) / sizeof(Elf64_Shdr);
    object.headers = header.e_shoff;
    object.count = header.e_shnum < room ? header.e_shnum : room;
    return object;
}

static bool read_section(const tci_elf_object *object, size_t index, Elf64_Shdr *out)
{
    return index < object->count &&
           read_at(object, object->headers + index * sizeof *out, out, sizeof *out);
}

static size_t undefined_symbols(const tci_elf_object *object, const Elf64_Shdr *table)
{
    Elf64_Sym symbol;
    size_t count = 0;
    for (uint64_t at = sizeof symbol; at + sizeof symbol <= table->sh_size; at += sizeof symbol)
        count += read_at(object, table->sh_offset + at, &symbol, sizeof symbol) &&
                 symbol.st_shndx == SHN_UNDEF;
    return count;
}

static size_t align_up(size_t bytes, uint64_t alignment)
{
    return alignment > 1 ? (bytes + alignment - 1) / alignment * alignment : bytes;
}

size_t tci_elf_object_memory(const tci_elf_object *object)
{
    enum { READ, WRITE, RUN, KINDS };
    size_t bytes[KINDS] = {0}, sum = 0;
    Elf64_Shdr section;
    for (size_t i = 0; read_section(object, i, &section); i++) {
        if (section.sh_type == SHT_SYMTAB) {
            size_t undefined = undefined_symbols(object, &section);
            bytes[READ] += undefined * ADDRESS_BYTES;
            bytes[RUN] += undefined * JUMP_BYTES;
        }
        if ((section.sh_flags & SHF_ALLOC) == 0)
            continue;
        int kind = section.sh_flags & SHF_EXECINSTR ? RUN
                   : section.sh_flags & SHF_WRITE   ? WRITE
                                                    : READ;
        bytes[kind] = align_up(bytes[kind], section.sh_addralign) + section.sh_size;
    }
    for (int kind = 0; kind < KINDS; kind++)
        sum += align_up(bytes[kind], (uint64_t)sysconf(_SC_PAGESIZE));
    return sum;
}

/* A text of a string table, or NULL. */
static const char *text_at(const tci_elf_object *object, size_t table, uint64_t offset)
{
    Elf64_Shdr strings;
    if (!read_section(object, table, &strings) || strings.sh_type != SHT_STRTAB ||
        strings.sh_offset > object->size ||
        strings.sh_size > object->size - strings.sh_offset || offset >= strings.sh_size)
        return NULL;
    const char *text = (const char *)object->bytes + strings.sh_offset + offset;
    return memchr(text, '\0', strings.sh_size - offset) != NULL ? text : NULL;
}

bool tci_elf_object_has_debug_info(const tci_elf_object *object)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    if (object->count == 0 || !read_at(object, 0, &header, sizeof header))
        return false;
    for (size_t i = 0; read_section(object, i, &section); i++) {
        const char *name = text_at(object, header.e_shstrndx, section.sh_name);
        if (name != NULL && strcmp(name, ".debug_info") == 0)
            return true;
    }
    return false;
}

static bool find_symbols(const tci_elf_object *object, Elf64_Shdr *table_out)
{
    for (size_t i = 0; read_section(object, i, table_out); i++) {
        if (table_out->sh_type == SHT_SYMTAB)
            return true;
    }
    return false;
}

bool tci_elf_object_next_function(const tci_elf_object *object, size_t *at,
                                  tci_elf_function *function_out)
{
    Elf64_Shdr table;
    Elf64_Sym symbol;
    if (!find_symbols(object, &table))
        return false;
    while (*at < table.sh_size / sizeof symbol &&
           read_at(object, table.sh_offset + *at * sizeof symbol, &symbol, sizeof symbol)) {
        ++*at;
        const char *name = text_at(object, table.sh_link, symbol.st_name);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
            name == NULL)
            continue;
        *function_out = (tci_elf_function){.name = name,
                                           .section = symbol.st_shndx,
                                           .offset = symbol.st_value,
                                           .size = symbol.st_size};
        return true;
    }
    return false;
}

/* --- the names of linked code ------------------------------------------------------------ */

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

size_t tci_elf_object_names(const tci_elf_object *object, const tci_engine_code *code,
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
