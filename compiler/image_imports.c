/* Relocations are converted first, with the object's symbol numbers; the used names are then
 * numbered in byte order. */
#include "image_imports.h"

#include "base/error_text.h"

#include <stdlib.h>
#include <string.h>

/* A symbol of the object, with its future index in a list of names. */
typedef struct symbol {
    const char *name;
    uint64_t value;
    uint32_t number; /* index in its list, once that is sorted */
    bool is_undefined;
    bool is_weak;
    bool is_used;
} symbol;

typedef struct reading {
    Elf *elf;
    tci_image_machine machine;
    tci_image_imports *imports;
    symbol *symbols;
    size_t symbol_count;
    tc_error *err;
} reading;

typedef enum meaning { RELATIVE, ADDRESS, SLOT, OTHER } meaning;

/* The addend of a slot is ignored. */
static meaning meaning_of(tci_image_machine machine, uint64_t type)
{
    if (machine == TCI_IMAGE_X86_64)
        return type == R_X86_64_RELATIVE                                 ? RELATIVE
               : type == R_X86_64_64                                     ? ADDRESS
               : type == R_X86_64_GLOB_DAT || type == R_X86_64_JUMP_SLOT ? SLOT
                                                                         : OTHER;
    return type == R_AARCH64_RELATIVE                              ? RELATIVE
           : type == R_AARCH64_ABS64 || type == R_AARCH64_GLOB_DAT ? ADDRESS
           : type == R_AARCH64_JUMP_SLOT                           ? SLOT
                                                                   : OTHER;
}

/* Returns the reason for refusing a type; the first one is for a type that occurs in
 * programs. */
static const char *reason_of(tci_image_machine machine, uint64_t type)
{
    bool is_indirect =
        machine == TCI_IMAGE_X86_64 ? type == R_X86_64_IRELATIVE : type == R_AARCH64_IRELATIVE;
    return is_indirect
               ? "assembly defines an indirect function, whose resolver nothing would run: "
                 "write it in C with the attribute ifunc"
               : "an image has no words for it";
}

/* --- symbols ----------------------------------------------------------------------------- */

static tc_status read_symbols(reading *in, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
    if (data == NULL || in->symbols != NULL)
        return tci_error_set(in->err, TC_E_CORRUPT, "damaged table of symbols");
    in->symbols = calloc(count + 1, sizeof *in->symbols);
    if (in->symbols == NULL)
        return tci_error_set(in->err, TC_E_NO_MEMORY, "no memory for %zu symbols", count);
    for (size_t i = 0; i < count; i++) {
        GElf_Sym entry;
        if (gelf_getsym(data, (int)i, &entry) == NULL)
            return tci_error_set(in->err, TC_E_CORRUPT, "symbol %zu: %s", i, elf_errmsg(-1));
        const char *name = elf_strptr(in->elf, header->sh_link, entry.st_name);
        if (name == NULL)
            return tci_error_set(in->err, TC_E_CORRUPT, "symbol %zu: no name", i);
        in->symbols[i] = (symbol){.name = name,
                                  .value = entry.st_value,
                                  .is_undefined = entry.st_shndx == SHN_UNDEF,
                                  .is_weak = GELF_ST_BIND(entry.st_info) == STB_WEAK};
    }
    in->symbol_count = count;
    return TC_OK;
}

static int by_name(const void *a, const void *b)
{
    const symbol *const *one = a, *const *other = b;
    return strcmp((*one)->name, (*other)->name);
}

/* Fills the list of used names that are weak, or of those that are not; numbers them in its
 * order. */
static tc_status number_names(reading *in, bool weak, tci_text_list *names)
{
    symbol **sorted = calloc(in->symbol_count + 1, sizeof(symbol *));
    size_t count = 0;
    if (sorted == NULL)
        return tci_error_set(in->err, TC_E_NO_MEMORY, "no memory for %zu symbols",
                             in->symbol_count);
    for (size_t i = 0; i < in->symbol_count; i++) {
        if (in->symbols[i].is_used && in->symbols[i].is_weak == weak)
            sorted[count++] = &in->symbols[i];
    }
    qsort(sorted, count, sizeof(symbol *), by_name);
    for (size_t i = 0; i < count; i++) {
        sorted[i]->number = (uint32_t)i;
        tci_text_list_add(names, sorted[i]->name);
    }
    free(sorted);
    if (names->failed)
        return tci_error_set(in->err, TC_E_NO_MEMORY, "no memory for %zu names", count);
    return TC_OK;
}

/* --- relocations ------------------------------------------------------------------------- */

static tc_status refuse(const reading *in, const GElf_Rela *entry, const char *what)
{
    return tci_error_set(in->err, TC_E_UNSUPPORTED, "relocation of type %llu at 0x%llx: %s",
                         (unsigned long long)GELF_R_TYPE(entry->r_info),
                         (unsigned long long)entry->r_offset, what);
}

/* Until names are numbered, `import` is the symbol's index in the object. */
static tc_status convert(reading *in, const GElf_Rela *entry, tci_relocation *out)
{
    meaning what = meaning_of(in->machine, GELF_R_TYPE(entry->r_info));
    uint64_t index = GELF_R_SYM(entry->r_info);
    int64_t addend = what == SLOT ? 0 : entry->r_addend;
    if (what == OTHER || index >= in->symbol_count)
        return refuse(in, entry, reason_of(in->machine, GELF_R_TYPE(entry->r_info)));
    if (entry->r_offset > UINT32_MAX || entry->r_offset % 8 != 0)
        return refuse(in, entry,
                      "its place is no multiple of 8, as in a packed structure with a pointer");
    symbol *asked = &in->symbols[index];
    *out =
        (tci_relocation){.kind = TCI_RELOCATION_RELATIVE, .offset = (uint32_t)entry->r_offset};
    if (what != RELATIVE && asked->is_undefined) {
        asked->is_used = true;
        out->kind = asked->is_weak ? TCI_RELOCATION_WEAK : TCI_RELOCATION_SYMBOL;
        out->import = (uint32_t)index;
    } else if (what != RELATIVE) {
        addend += (int64_t)asked->value;
    }
    if (addend != (int32_t)addend || (out->kind == TCI_RELOCATION_RELATIVE && addend < 0))
        return refuse(in, entry, "it points too far away from what it is about");
    out->addend = (int32_t)addend;
    return TC_OK;
}

static tc_status make_room(reading *in, size_t more)
{
    size_t wanted = in->imports->count + more;
    if (wanted > TCI_IMAGE_RELOCATIONS_MAX)
        return tci_error_set(in->err, TC_E_TOO_LARGE, "%zu relocations, limit %d", wanted,
                             TCI_IMAGE_RELOCATIONS_MAX);
    /* bound: TCI_IMAGE_RELOCATIONS_MAX */
    tci_relocation *grown =
        realloc(in->imports->relocations, (wanted + 1) * sizeof *in->imports->relocations);
    if (grown == NULL)
        return tci_error_set(in->err, TC_E_NO_MEMORY, "no memory for %zu relocations", wanted);
    in->imports->relocations = grown;
    return TC_OK;
}

static tc_status read_relocations(reading *in, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
    if (data == NULL)
        return tci_error_set(in->err, TC_E_CORRUPT, "damaged relocations: %s", elf_errmsg(-1));
    TC_TRY(make_room(in, count));
    for (size_t i = 0; i < count; i++) {
        GElf_Rela entry;
        if (gelf_getrela(data, (int)i, &entry) == NULL)
            return tci_error_set(in->err, TC_E_CORRUPT, "relocation %zu: %s", i,
                                 elf_errmsg(-1));
        TC_TRY(convert(in, &entry, &in->imports->relocations[in->imports->count]));
        in->imports->count++;
    }
    return TC_OK;
}

static tc_status read_sections(reading *in, uint32_t type,
                               tc_status (*read)(reading *, Elf_Scn *, const GElf_Shdr *))
{
    GElf_Shdr header;
    for (Elf_Scn *s = elf_nextscn(in->elf, NULL); s != NULL; s = elf_nextscn(in->elf, s)) {
        if (gelf_getshdr(s, &header) == NULL)
            return tci_error_set(in->err, TC_E_CORRUPT, "damaged section: %s", elf_errmsg(-1));
        if (header.sh_type == type && (header.sh_flags & SHF_ALLOC) != 0)
            TC_TRY(read(in, s, &header));
    }
    return TC_OK;
}

static int by_place(const void *a, const void *b)
{
    const tci_relocation *one = a, *other = b;
    return (one->offset > other->offset) - (one->offset < other->offset);
}

static tc_status read_all(reading *in)
{
    tci_image_imports *imports = in->imports;
    TC_TRY(read_sections(in, SHT_DYNSYM, read_symbols));
    TC_TRY(read_sections(in, SHT_RELA, read_relocations));
    TC_TRY(number_names(in, false, &imports->symbols));
    TC_TRY(number_names(in, true, &imports->weak));
    for (size_t i = 0; i < imports->count; i++) {
        tci_relocation *r = &imports->relocations[i];
        if (r->kind != TCI_RELOCATION_RELATIVE)
            r->import = in->symbols[r->import].number;
    }
    if (imports->count > 0)
        qsort(imports->relocations, imports->count, sizeof *imports->relocations, by_place);
    size_t names = imports->symbols.count + imports->weak.count;
    if (names > TCI_IMAGE_IMPORTS_MAX)
        return tci_error_set(in->err, TC_E_TOO_LARGE,
                             "%zu undefined symbols, limit %d, of bitcode too", names,
                             TCI_IMAGE_IMPORTS_MAX);
    return TC_OK;
}

tc_status tci_image_imports_read(Elf *elf, tci_image_machine machine,
                                 tci_image_imports *imports_out, tc_error *err)
{
    reading in = {.elf = elf, .machine = machine, .imports = imports_out, .err = err};
    memset(imports_out, 0, sizeof *imports_out);
    tc_status status = read_all(&in);
    free(in.symbols);
    return status;
}

void tci_image_imports_fini(tci_image_imports *imports)
{
    tci_text_list_fini(&imports->symbols);
    tci_text_list_fini(&imports->weak);
    free(imports->relocations);
    memset(imports, 0, sizeof *imports);
}
