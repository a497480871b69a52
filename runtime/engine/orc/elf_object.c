#include "elf_object.h"

#include <elf.h>
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
