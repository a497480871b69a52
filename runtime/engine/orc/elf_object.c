/* Each table is read through read_at, which checks the range and copies, so an entry may lie at
 * any address. Memory is estimated as JITLink lays it out: sections by kind, in pages, with a
 * jump and an address for each undefined symbol. */
#include "elf_object.h"

#include "entry_names.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Those of the larger jump, aarch64's: three instructions. */
#define JUMP_BYTES 12u
#define ADDRESS_BYTES 8u

/* Reads from the object at `at`, which need not be aligned. */
static bool read_at(const tci_elf_object *object, uint64_t at, void *out, size_t size)
{
    if (at > object->size || size > object->size - at)
        return false;
    memcpy(out, object->bytes + at, size);
    return true;
}

static bool read_section(const tci_elf_object *object, size_t index, Elf64_Shdr *out)
{
    return index < object->count &&
           read_at(object, object->headers + index * sizeof *out, out, sizeof *out);
}

static size_t find_symbols(const tci_elf_object *object)
{
    Elf64_Shdr section;
    for (size_t i = 0; read_section(object, i, &section); i++) {
        if (section.sh_type == SHT_SYMTAB)
            return i;
    }
    return SIZE_MAX;
}

tci_elf_object tci_elf_object_open(const void *bytes, size_t size)
{
    tci_elf_object object = {.bytes = bytes, .size = size, .symbols = SIZE_MAX};
    Elf64_Ehdr header;
    if (!read_at(&object, 0, &header, sizeof header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr) ||
        header.e_shoff > size)
        return object;
    size_t capacity = (size - header.e_shoff) / sizeof(Elf64_Shdr);
    object.headers = header.e_shoff;
    object.count = header.e_shnum < capacity ? header.e_shnum : capacity;
    object.names = header.e_shstrndx;
    object.symbols = find_symbols(&object);
    return object;
}

/* Returns a text of a string table, or NULL. */
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

bool tci_elf_object_section(const tci_elf_object *object, size_t index,
                            tci_elf_section *section_out)
{
    Elf64_Shdr section;
    if (!read_section(object, index, &section))
        return false;
    const char *name = text_at(object, object->names, section.sh_name);
    bool is_there = section.sh_type != SHT_NOBITS && section.sh_offset <= object->size &&
                    section.sh_size <= object->size - section.sh_offset;
    *section_out =
        (tci_elf_section){.name = name != NULL ? name : "",
                          .type = section.sh_type,
                          .flags = section.sh_flags,
                          .size = section.sh_size,
                          .alignment = section.sh_addralign,
                          .about = section.sh_info,
                          .content = is_there ? object->bytes + section.sh_offset : NULL};
    return true;
}

bool tci_elf_object_relocation(const tci_elf_section *section, size_t index,
                               tci_elf_relocation *relocation_out)
{
    Elf64_Rela entry;
    if (section->type != SHT_RELA || section->content == NULL ||
        index >= section->size / sizeof entry)
        return false;
    memcpy(&entry, section->content + index * sizeof entry, sizeof entry);
    *relocation_out = (tci_elf_relocation){.offset = entry.r_offset,
                                           .type = (uint32_t)ELF64_R_TYPE(entry.r_info),
                                           .symbol = (uint32_t)ELF64_R_SYM(entry.r_info),
                                           .addend = entry.r_addend};
    return true;
}

/* --- symbols ----------------------------------------------------------------------------- */

/* Reads the next symbol, without the first, which every table begins with; *name_out may be
 * NULL. */
static bool next_symbol(const tci_elf_object *object, size_t *at, Elf64_Sym *symbol_out,
                        const char **name_out)
{
    Elf64_Shdr table;
    if (*at == 0)
        *at = 1;
    if (!read_section(object, object->symbols, &table) ||
        *at >= table.sh_size / sizeof *symbol_out ||
        !read_at(object, table.sh_offset + *at * sizeof *symbol_out, symbol_out,
                 sizeof *symbol_out))
        return false;
    ++*at;
    *name_out = text_at(object, table.sh_link, symbol_out->st_name);
    return true;
}

bool tci_elf_object_symbol(const tci_elf_object *object, size_t index,
                           tci_elf_symbol *symbol_out)
{
    Elf64_Sym symbol;
    const char *name;
    size_t at = index;
    if (index == 0 || !next_symbol(object, &at, &symbol, &name))
        return false;
    *symbol_out = (tci_elf_symbol){.name = name != NULL ? name : "",
                                   .type = ELF64_ST_TYPE(symbol.st_info),
                                   .is_weak = ELF64_ST_BIND(symbol.st_info) == STB_WEAK,
                                   .section = symbol.st_shndx,
                                   .offset = symbol.st_value,
                                   .size = symbol.st_size};
    return true;
}

bool tci_elf_object_next_function(const tci_elf_object *object, size_t *at,
                                  tci_elf_function *function_out)
{
    Elf64_Sym symbol;
    const char *name;
    while (next_symbol(object, at, &symbol, &name)) {
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

const char *tci_elf_object_next_undefined(const tci_elf_object *object, size_t *at)
{
    Elf64_Sym symbol;
    const char *name;
    while (next_symbol(object, at, &symbol, &name)) {
        if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_WEAK &&
            name != NULL && *name != '\0')
            return name;
    }
    return NULL;
}

/* --- memory ------------------------------------------------------------------------------ */

static size_t count_undefined(const tci_elf_object *object)
{
    Elf64_Sym symbol;
    const char *name;
    size_t count = 0;
    for (size_t at = 0; next_symbol(object, &at, &symbol, &name);)
        count += symbol.st_shndx == SHN_UNDEF;
    return count;
}

static size_t add(size_t a, uint64_t b)
{
    return b > SIZE_MAX - a ? SIZE_MAX : a + (size_t)b;
}

static size_t align_up(size_t bytes, uint64_t alignment)
{
    if (alignment <= 1 || bytes % alignment == 0)
        return bytes;
    return add(bytes, alignment - bytes % alignment);
}

size_t tci_elf_object_memory(const tci_elf_object *object)
{
    enum { READ, WRITE, RUN, KINDS };
    size_t undefined = count_undefined(object), sum = 0;
    size_t bytes[KINDS] = {[READ] = undefined * ADDRESS_BYTES, [RUN] = undefined * JUMP_BYTES};
    Elf64_Shdr section;
    for (size_t i = 0; read_section(object, i, &section); i++) {
        if ((section.sh_flags & SHF_ALLOC) == 0)
            continue;
        int kind = section.sh_flags & SHF_EXECINSTR ? RUN
                   : section.sh_flags & SHF_WRITE   ? WRITE
                                                    : READ;
        bytes[kind] = add(align_up(bytes[kind], section.sh_addralign), section.sh_size);
    }
    for (int kind = 0; kind < KINDS; kind++)
        sum = add(sum, align_up(bytes[kind], (uint64_t)sysconf(_SC_PAGESIZE)));
    return sum;
}

bool tci_elf_object_has_debug_info(const tci_elf_object *object)
{
    tci_elf_section section;
    for (size_t i = 0; tci_elf_object_section(object, i, &section); i++) {
        if (strcmp(section.name, ".debug_info") == 0)
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

/* Writes a name such as "count_main" or "count:helper". Returns the end of the text. */
static char *write_name(const naming *n, const char *symbol, char *out)
{
    if (!is_entry(n, symbol))
        out = append(append(out, n->name), ":");
    return append(out, symbol);
}

/* Finds the next function in that section. */
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
