/* Reads segments, sections and entries with libelf, and refuses those that an image cannot
 * express. */
#include "image_elf.h"

#include "archive_layout.h"
#include "base/error_text.h"
#include "image_layout.h"

#include <stdio.h>
#include <string.h>

typedef struct reading {
    Elf *elf;
    const uint8_t *bytes;
    size_t size;
    const char *name;
    const char *size_suffix; /* suffix of the entry that measures payloads */
    tci_image_elf *out;
    size_t hole_sections[TCI_HOLE_FLOATING + 1]; /* indexes by kind; 0: it is missing */
    tc_error *err;
} reading;

static tc_status damaged(const reading *in, const char *what)
{
    return tci_error_set(in->err, TC_E_CORRUPT, "%s: %s", what, elf_errmsg(-1));
}

static tc_status read_machine(reading *in)
{
    GElf_Ehdr header;
    if (elf_kind(in->elf) != ELF_K_ELF || gelf_getehdr(in->elf, &header) == NULL)
        return damaged(in, "damaged ELF header");
    if (gelf_getclass(in->elf) != ELFCLASS64 || header.e_type != ET_DYN ||
        (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64))
        return tci_error_set(in->err, TC_E_CORRUPT,
                             "ELF type %u for machine %u, expected a shared object",
                             header.e_type, header.e_machine);
    in->out->source.machine =
        header.e_machine == EM_X86_64 ? TCI_IMAGE_X86_64 : TCI_IMAGE_AARCH64;
    return TC_OK;
}

/* --- segments ---------------------------------------------------------------------------- */

static tci_image_kind kind_of(uint32_t flags)
{
    return (flags & PF_X) != 0   ? TCI_IMAGE_CODE
           : (flags & PF_W) != 0 ? TCI_IMAGE_DATA
                                 : TCI_IMAGE_CONSTANTS;
}

static tc_status add_segment(reading *in, const GElf_Phdr *header)
{
    tci_image_source *source = &in->out->source;
    if (header->p_memsz == 0)
        return TC_OK;
    if (header->p_vaddr + header->p_memsz > TCI_IMAGE_MEMORY_MAX)
        return tci_error_set(
            in->err, TC_E_TOO_LARGE, "code and data end at byte %llu of memory, limit %u",
            (unsigned long long)(header->p_vaddr + header->p_memsz), TCI_IMAGE_MEMORY_MAX);
    if (source->segment_count == TCI_IMAGE_SEGMENTS_MAX)
        return tci_error_set(in->err, TC_E_TOO_LARGE, "more than %d segments",
                             TCI_IMAGE_SEGMENTS_MAX);
    if (header->p_filesz > header->p_memsz || header->p_offset > in->size ||
        header->p_filesz > in->size - header->p_offset)
        return tci_error_set(in->err, TC_E_CORRUPT, "a segment outside the file");
    source->segments[source->segment_count++] =
        (tci_image_segment){.offset = (uint32_t)header->p_vaddr,
                            .file_bytes = (uint32_t)header->p_filesz,
                            .memory_bytes = (uint32_t)header->p_memsz,
                            .kind = kind_of(header->p_flags),
                            .bytes = in->bytes + header->p_offset};
    return TC_OK;
}

/* The segment with the dynamic section is for dynamic loaders only; everything in front of it
 * is the image. */
static tc_status read_segments(reading *in)
{
    size_t count = 0;
    uint64_t rest = 0;
    GElf_Phdr header;
    if (elf_getphdrnum(in->elf, &count) != 0)
        return damaged(in, "damaged program headers");
    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(in->elf, (int)i, &header) == NULL)
            return damaged(in, "damaged program header");
        if (header.p_type == PT_TLS)
            return tci_error_set(in->err, TC_E_UNSUPPORTED, "thread-local variables");
        if (header.p_type == PT_DYNAMIC)
            rest = header.p_vaddr;
    }
    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(in->elf, (int)i, &header) == NULL)
            return damaged(in, "damaged program header");
        bool is_rest = rest >= header.p_vaddr && rest - header.p_vaddr < header.p_memsz;
        if (header.p_type == PT_LOAD && !is_rest)
            TC_TRY(add_segment(in, &header));
    }
    return TC_OK;
}

/* --- sections ---------------------------------------------------------------------------- */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_for_constructors(const GElf_Shdr *header, const char *name)
{
    return header->sh_type == SHT_INIT_ARRAY || header->sh_type == SHT_FINI_ARRAY ||
           header->sh_type == SHT_PREINIT_ARRAY || starts_with(name, ".init") ||
           starts_with(name, ".fini") || starts_with(name, ".preinit_array") ||
           starts_with(name, ".ctors") || starts_with(name, ".dtors");
}

/* Returns the kind of the segment that contains the section; 0: no segment of the image
 * does. */
static unsigned kind_at(const reading *in, const GElf_Shdr *header)
{
    for (size_t i = 0; i < in->out->source.segment_count; i++) {
        const tci_image_segment *s = &in->out->source.segments[i];
        if (header->sh_addr >= s->offset && header->sh_addr - s->offset < s->memory_bytes)
            return s->kind;
    }
    return 0;
}

/* Returns whether only the image's loader writes the section, once. */
static bool is_for_relocations(const char *name)
{
    return strcmp(name, ".got") == 0 || strcmp(name, ".data.rel.ro") == 0;
}

static tc_status check_segment(const reading *in, const GElf_Shdr *header, const char *name)
{
    unsigned kind = kind_at(in, header);
    bool is_written = (header->sh_flags & SHF_WRITE) != 0 && !is_for_relocations(name);
    bool is_run = (header->sh_flags & SHF_EXECINSTR) != 0;
    if ((header->sh_flags & SHF_TLS) != 0)
        return tci_error_set(in->err, TC_E_UNSUPPORTED, "section %s: thread-local variables",
                             name);
    if (is_written && is_run)
        return tci_error_set(in->err, TC_E_UNSUPPORTED,
                             "section %s: no memory here can be written and run", name);
    if (kind != 0 &&
        ((is_written && kind != TCI_IMAGE_DATA) || (is_run && kind != TCI_IMAGE_CODE)))
        return tci_error_set(
            in->err, TC_E_UNSUPPORTED, "section %s: lies among %s, where it cannot be %s", name,
            tci_image_kind_text((tci_image_kind)kind), is_run ? "run" : "written");
    return TC_OK;
}

static tc_status read_section(reading *in, const GElf_Shdr *header, const char *name)
{
    tci_image_elf *out = in->out;
    if ((header->sh_flags & SHF_ALLOC) == 0 || header->sh_size == 0)
        return TC_OK;
    if (is_for_constructors(header, name))
        return tci_error_set(in->err, TC_E_UNSUPPORTED,
                             "section %s: nothing would run the functions that it lists", name);
    if (header->sh_addralign > TCI_IMAGE_BASE_ALIGNMENT)
        return tci_error_set(in->err, TC_E_UNSUPPORTED,
                             "section %s holds something aligned to %llu bytes, limit %u", name,
                             (unsigned long long)header->sh_addralign,
                             TCI_IMAGE_BASE_ALIGNMENT);
    TC_TRY(check_segment(in, header, name));
    if (strcmp(name, ".eh_frame") == 0) {
        out->source.eh_frame_place = (uint32_t)header->sh_addr;
        out->source.eh_frame_bytes = (uint32_t)header->sh_size;
    }
    if ((header->sh_flags & SHF_EXECINSTR) == 0 && kind_at(in, header) == TCI_IMAGE_CODE)
        out->constants_bytes += (uint32_t)header->sh_size;
    return TC_OK;
}

/* --- entries ----------------------------------------------------------------------------- */

static tc_status find_symbol(const reading *in, Elf_Scn *section, const GElf_Shdr *header,
                             const char *suffix, uint32_t *place_out)
{
    char wanted[TCI_ARCHIVE_NAME_MAX + 32];
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;
    (void)snprintf(wanted, sizeof wanted, "%s%s", in->name, suffix);
    for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(in->elf, header->sh_link, symbol.st_name);
        if (name != NULL && strcmp(name, wanted) == 0 && symbol.st_shndx != SHN_UNDEF &&
            symbol.st_value < TCI_IMAGE_MEMORY_MAX) {
            *place_out = (uint32_t)symbol.st_value;
            return TC_OK;
        }
    }
    return tci_error_set(in->err, TC_E_CORRUPT, "the linked code does not define %s", wanted);
}

static tc_status read_entries(reading *in, Elf_Scn *section, const GElf_Shdr *header)
{
    tci_image_source *source = &in->out->source;
    TC_TRY(find_symbol(in, section, header, "_main", &source->main_place));
    if ((source->entries & TCI_ENTRY_INIT) != 0) {
        TC_TRY(find_symbol(in, section, header, in->size_suffix, &source->max_size_place));
        TC_TRY(find_symbol(in, section, header, "_payload_init", &source->init_place));
    }
    return (source->entries & TCI_ENTRY_LIFE) != 0
               ? find_symbol(in, section, header, TCI_LIFE_SUFFIX, &source->life_place)
               : TC_OK;
}

/* --- holes ------------------------------------------------------------------------------- */

static uint32_t hole_kind(const reading *in, const GElf_Sym *symbol)
{
    uint32_t kind = TCI_HOLE_FLOATING;
    while (kind > TCI_HOLE_ANY && in->hole_sections[kind] != symbol->st_shndx)
        kind--;
    return kind;
}

static bool is_hole(const reading *in, const GElf_Sym *symbol)
{
    return symbol->st_shndx != SHN_UNDEF &&
           in->hole_sections[hole_kind(in, symbol)] == symbol->st_shndx;
}

static tc_status add_hole(const reading *in, const char *name, const GElf_Sym *symbol)
{
    tci_image_elf *out = in->out;
    uint32_t at = out->source.hole_count;
    if (at == TCI_HOLES_MAX)
        return tci_error_set(in->err, TC_E_TOO_LARGE, "more than %u holes", TCI_HOLES_MAX);
    if (symbol->st_size == 0 || symbol->st_size > TCI_HOLE_BYTES_MAX)
        return tci_error_set(in->err, TC_E_UNSUPPORTED,
                             "hole %s has %llu bytes, expected 1 to %u", name,
                             (unsigned long long)symbol->st_size, TCI_HOLE_BYTES_MAX);
    tci_text_list_add(&out->hole_names, name);
    if (out->hole_names.failed)
        return tci_error_set(in->err, TC_E_NO_MEMORY, "no memory for the names of holes");
    for (; at > 0 && strcmp(out->holes[at - 1].name, name) > 0; at--)
        out->holes[at] = out->holes[at - 1];
    out->holes[at] = (tci_image_hole){
        .name = out->hole_names.items[out->hole_names.count - 1],
        .place = (uint32_t)symbol->st_value,
        .bytes = (uint32_t)symbol->st_size,
        .kind = hole_kind(in, symbol),
    };
    out->source.hole_count++;
    return TC_OK;
}

static tc_status read_holes(const reading *in, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;
    for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(in->elf, header->sh_link, symbol.st_name);
        if (name != NULL && is_hole(in, &symbol))
            TC_TRY(add_hole(in, name, &symbol));
    }
    return TC_OK;
}

static void find_hole_section(reading *in, Elf_Scn *section, const char *name)
{
    static const char *const sections[] = {TCI_HOLE_SECTION, TCI_HOLE_SECTION_INTEGER,
                                           TCI_HOLE_SECTION_FLOATING};
    for (uint32_t kind = 0; name != NULL && kind <= TCI_HOLE_FLOATING; kind++) {
        if (strcmp(name, sections[kind]) == 0)
            in->hole_sections[kind] = elf_ndxscn(section);
    }
}

static tc_status read_sections(reading *in)
{
    size_t names = 0;
    bool has_entries = false;
    GElf_Shdr header;
    if (elf_getshdrstrndx(in->elf, &names) != 0)
        return damaged(in, "damaged section headers");
    for (Elf_Scn *s = elf_nextscn(in->elf, NULL); s != NULL; s = elf_nextscn(in->elf, s)) {
        if (gelf_getshdr(s, &header) == NULL)
            return damaged(in, "damaged section header");
        const char *name = elf_strptr(in->elf, names, header.sh_name);
        TC_TRY(read_section(in, &header, name != NULL ? name : ""));
        find_hole_section(in, s, name);
        if (header.sh_type == SHT_DYNSYM) {
            TC_TRY(read_entries(in, s, &header));
            TC_TRY(read_holes(in, s, &header));
            has_entries = true;
        }
    }
    if (!has_entries)
        return tci_error_set(in->err, TC_E_CORRUPT, "no dynamic symbols");
    return TC_OK;
}

/* --- the whole --------------------------------------------------------------------------- */

static tc_status read_all(reading *in)
{
    tci_image_elf *out = in->out;
    TC_TRY(read_machine(in));
    TC_TRY(read_segments(in));
    TC_TRY(read_sections(in));
    TC_TRY(tci_image_imports_read(in->elf, out->source.machine, &out->imports, in->err));
    out->source.relocations = out->imports.relocations;
    out->source.relocation_count = out->imports.count;
    out->source.weak_names = (const char *const *)out->imports.weak.items;
    out->source.weak_count = out->imports.weak.count;
    return TC_OK;
}

tc_status tci_image_elf_read(void *bytes, size_t size, const char *name, unsigned entries,
                             tci_image_elf *elf_out, tc_error *err)
{
    tci_image_elf out = {.source = {.entries = entries & (TCI_ENTRY_PLACES | TCI_ENTRY_LIFE)}};
    reading in = {.bytes = bytes, .size = size, .name = name, .out = &out, .err = err};
    in.size_suffix = entries & TCI_ENTRY_ORIGINAL ? "_payload_bound" : "_payload_get_max_size";
    (void)elf_version(EV_CURRENT);
    in.elf = elf_memory(bytes, size);
    if (in.elf == NULL)
        return damaged(&in, "not an ELF file");
    tc_status status = read_all(&in);
    (void)elf_end(in.elf);
    if (status != TC_OK) {
        tci_image_elf_fini(&out);
        return status;
    }
    *elf_out = out;
    return TC_OK;
}

void tci_image_elf_fini(tci_image_elf *elf)
{
    tci_image_imports_fini(&elf->imports);
    tci_text_list_fini(&elf->hole_names);
    memset(&elf->source, 0, sizeof elf->source);
}
