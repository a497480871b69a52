/* Two walks over all relocations. The plan checks each and notes which symbols are imports and
 * which need a stub or a slot; the layout then has their number. Applying writes the fields,
 * the stubs and the slots. The table of an architecture maps a relocation's type to its field
 * and its route. */
#include "object_patch.h"

#include "base/arch.h"
#include "base/error_text.h"
#include "object_field.h"
#include "writable_data.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* The way in which a relocation refers to its symbol. */
typedef enum route {
    ADDRESS, /* eight bytes of memory that will hold its address */
    ITSELF,  /* by its distance: it has to be in the image */
    CALL,    /* likewise, or by a stub */
    SLOT     /* by the distance of its slot */
} route;

typedef struct row {
    uint32_t type;
    route route;
    tci_object_field field;
    unsigned unit;
} row;

#if defined(TCI_ARCH_X86_64)

static const row rows[] = {
    {R_X86_64_64, ADDRESS, TCI_FIELD_NEAR64, 0},
    {R_X86_64_PC32, ITSELF, TCI_FIELD_NEAR32, 0},
    {R_X86_64_PC64, ITSELF, TCI_FIELD_NEAR64, 0},
    {R_X86_64_PLT32, CALL, TCI_FIELD_NEAR32, 0},
    {R_X86_64_GOTPCREL, SLOT, TCI_FIELD_NEAR32, 0},
    {R_X86_64_GOTPCRELX, SLOT, TCI_FIELD_NEAR32, 0},
    {R_X86_64_REX_GOTPCRELX, SLOT, TCI_FIELD_NEAR32, 0},
};

/* jmp *slot(%rip), and two bytes that are never run */
static const uint8_t stub_code[] = {0xff, 0x25, 0, 0, 0, 0, 0xcc, 0xcc};

static bool write_stub(uint8_t *bytes, uint32_t offset, uint32_t slot)
{
    /* Counted from the instruction's end. */
    return tci_object_field_write(TCI_FIELD_NEAR32, 0, bytes + 2, (int64_t)offset + 6, slot);
}

#elif defined(TCI_ARCH_AARCH64)

static const row rows[] = {
    {R_AARCH64_ABS64, ADDRESS, TCI_FIELD_NEAR64, 0},
    {R_AARCH64_PREL32, ITSELF, TCI_FIELD_NEAR32, 0},
    {R_AARCH64_PREL64, ITSELF, TCI_FIELD_NEAR64, 0},
    {R_AARCH64_LD_PREL_LO19, ITSELF, TCI_FIELD_BRANCH19, 0},
    {R_AARCH64_ADR_PREL_LO21, ITSELF, TCI_FIELD_ADR, 0},
    {R_AARCH64_ADR_PREL_PG_HI21, ITSELF, TCI_FIELD_PAGE, 0},
    {R_AARCH64_ADD_ABS_LO12_NC, ITSELF, TCI_FIELD_LOW12, 0},
    {R_AARCH64_LDST8_ABS_LO12_NC, ITSELF, TCI_FIELD_LOW12, 0},
    {R_AARCH64_LDST16_ABS_LO12_NC, ITSELF, TCI_FIELD_LOW12, 1},
    {R_AARCH64_LDST32_ABS_LO12_NC, ITSELF, TCI_FIELD_LOW12, 2},
    {R_AARCH64_LDST64_ABS_LO12_NC, ITSELF, TCI_FIELD_LOW12, 3},
    {R_AARCH64_LDST128_ABS_LO12_NC, ITSELF, TCI_FIELD_LOW12, 4},
    {R_AARCH64_TSTBR14, ITSELF, TCI_FIELD_BRANCH14, 0},
    {R_AARCH64_CONDBR19, ITSELF, TCI_FIELD_BRANCH19, 0},
    {R_AARCH64_JUMP26, CALL, TCI_FIELD_BRANCH26, 0},
    {R_AARCH64_CALL26, CALL, TCI_FIELD_BRANCH26, 0},
    {R_AARCH64_ADR_GOT_PAGE, SLOT, TCI_FIELD_PAGE, 0},
    {R_AARCH64_LD64_GOT_LO12_NC, SLOT, TCI_FIELD_LOW12, 3},
};

/* adrp x16, slot; ldr x16, [x16, slot]; br x16; and four bytes that are never run */
static const uint8_t stub_code[] = {0x10, 0, 0,    0x90, 0x10, 2, 0x40, 0xf9,
                                    0,    2, 0x1f, 0xd6, 0,    0, 0,    0};

static bool write_stub(uint8_t *bytes, uint32_t offset, uint32_t slot)
{
    return tci_object_field_write(TCI_FIELD_PAGE, 0, bytes, offset, slot) &&
           tci_object_field_write(TCI_FIELD_LOW12, 3, bytes + 4, (int64_t)offset + 4, slot);
}

#endif

const size_t tci_object_patch_stub_bytes = sizeof stub_code;

static const row *find_row(uint32_t type)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].type == type)
            return &rows[i];
    }
    return NULL;
}

/* --- each relocation ---------------------------------------------------------------------- */

typedef struct one {
    tci_elf_section section; /* that it is in */
    size_t section_index;
    tci_elf_relocation relocation;
    tci_elf_symbol symbol;
    const row *row;
} one;

static tc_status refuse(const one *o, const char *why, tc_error *err)
{
    const char *name = o->symbol.name;
    return tci_error_set(err, TC_E_UNSUPPORTED,
                         "relocation of type %u at %s+0x%llx for '%s': %s", o->relocation.type,
                         o->section.name, (unsigned long long)o->relocation.offset,
                         name[0] != '\0' ? name : "?", why);
}

static tc_status check_one(const one *o, tc_error *err)
{
    if (o->row == NULL)
        return refuse(o, "an image has no words for its kind", err);
    unsigned bytes = tci_object_field_bytes(o->row->field);
    if (o->section.content == NULL || o->section.size < bytes ||
        o->relocation.offset > o->section.size - bytes)
        return tci_error_set(err, TC_E_CORRUPT, "relocation at %s+0x%llx, which is not there",
                             o->section.name, (unsigned long long)o->relocation.offset);
    if (o->symbol.type == STT_TLS)
        return refuse(o, "an image has no thread-local variables", err);
    if (o->symbol.type == STT_GNU_IFUNC)
        return refuse(
            o, "assembly defines an indirect function, whose resolver nothing would run", err);
    bool undefined = o->symbol.section == SHN_UNDEF;
    if (!undefined && o->symbol.section >= SHN_LORESERVE)
        return refuse(o, "its symbol is in no section", err);
    if (undefined && o->row->route == ITSELF)
        return refuse(o, "its symbol is elsewhere, and need not be near", err);
    return TC_OK;
}

typedef tc_status (*visitor)(tci_object_patch *patch, const tci_object_layout *layout,
                             const one *o, tc_error *err);

static tc_status visit_section(tci_object_patch *patch, const tci_object_layout *layout,
                               const tci_elf_section *list, visitor visit, tc_error *err)
{
    one o = {.section_index = list->about};
    if (!tci_elf_object_section(patch->object, list->about, &o.section) ||
        (o.section.flags & SHF_ALLOC) == 0 || o.section.type == SHT_NOTE)
        return TC_OK; /* for debuggers only */
    for (size_t i = 0; tci_elf_object_relocation(list, i, &o.relocation); i++) {
        if (o.relocation.type == 0) /* R_X86_64_NONE, R_AARCH64_NONE */
            continue;
        o.row = find_row(o.relocation.type);
        if (o.relocation.symbol >= patch->symbol_count ||
            !tci_elf_object_symbol(patch->object, o.relocation.symbol, &o.symbol))
            return tci_error_set(err, TC_E_CORRUPT, "relocation for symbol %u of %zu",
                                 o.relocation.symbol, patch->symbol_count);
        TC_TRY(check_one(&o, err));
        TC_TRY(visit(patch, layout, &o, err));
    }
    return TC_OK;
}

static tc_status visit_all(tci_object_patch *patch, const tci_object_layout *layout,
                           visitor visit, tc_error *err)
{
    tci_elf_section list;
    for (size_t i = 0; tci_elf_object_section(patch->object, i, &list); i++) {
        if (list.type == SHT_RELA)
            TC_TRY(visit_section(patch, layout, &list, visit, err));
    }
    return TC_OK;
}

/* --- plan --------------------------------------------------------------------------------- */

static tc_status note(tci_object_patch *patch, const tci_object_layout *layout, const one *o,
                      tc_error *err)
{
    (void)layout, (void)err;
    tci_patch_symbol *s = &patch->symbols[o->relocation.symbol];
    bool undefined = o->symbol.section == SHN_UNDEF;
    bool stub = o->row->route == CALL && undefined;
    s->is_used = s->is_used || undefined;
    if (stub && s->stub == 0)
        s->stub = ++patch->stub_count;
    if ((stub || o->row->route == SLOT) && s->slot == 0)
        s->slot = ++patch->slot_count;
    patch->relocation_count += o->row->route == ADDRESS;
    return TC_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Imports a variable of the code that this code replaces, by its name. */
static tc_status import_given(tci_object_patch *patch, tci_patch_symbol *s, uint32_t index,
                              tc_error *err)
{
    if (patch->given_count == TCI_BUNDLE_VARIABLES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "more than %u shared variables",
                             TCI_BUNDLE_VARIABLES_MAX);
    s->kind = TCI_RELOCATION_SYMBOL;
    s->import = patch->given_count;
    patch->given[patch->given_count++] = index;
    return TC_OK;
}

static tc_status import_symbol(tci_object_patch *patch, size_t index, tc_error *err)
{
    tci_elf_symbol symbol;
    uint32_t variable;
    tci_patch_symbol *s = &patch->symbols[index];
    if (!s->is_used || !tci_elf_object_symbol(patch->object, index, &symbol))
        return TC_OK;
    if (symbol.name[0] == '\0')
        return tci_error_set(err, TC_E_CORRUPT, "undefined symbol %zu has no name", index);
    if (tci_writable_index(symbol.name, &variable))
        return import_given(patch, s, variable, err);
    s->kind = symbol.is_weak ? TCI_RELOCATION_WEAK : TCI_RELOCATION_SYMBOL;
    if (symbol.is_weak)
        patch->weak_names[patch->weak_count++] = symbol.name;
    else
        patch->names[patch->name_count++] = symbol.name;
    return TC_OK;
}

/* Numbers the imports: given ones come before those with names. */
static void number_imports(tci_object_patch *patch)
{
    uint32_t next = patch->given_count;
    if (patch->weak_count > 0)
        qsort(patch->weak_names, patch->weak_count, sizeof *patch->weak_names, by_name);
    for (size_t i = 1; i < patch->symbol_count; i++) {
        tci_elf_symbol symbol;
        uint32_t variable;
        tci_patch_symbol *s = &patch->symbols[i];
        if (!s->is_used || !tci_elf_object_symbol(patch->object, i, &symbol) ||
            tci_writable_index(symbol.name, &variable))
            continue;
        if (s->kind == TCI_RELOCATION_SYMBOL) {
            s->import = next++;
            continue;
        }
        const char **found = bsearch(&symbol.name, patch->weak_names, patch->weak_count,
                                     sizeof *patch->weak_names, by_name);
        s->import = (uint32_t)(found - patch->weak_names);
    }
}

static tc_status plan_imports(tci_object_patch *patch, tc_error *err)
{
    size_t used = 0;
    for (size_t i = 1; i < patch->symbol_count; i++)
        used += patch->symbols[i].is_used;
    /* bound: TCI_OBJECT_BOUNDS_SYMBOLS_MAX */
    patch->names = calloc(used + 1, sizeof *patch->names);
    /* bound: TCI_OBJECT_BOUNDS_SYMBOLS_MAX */
    patch->weak_names = calloc(used + 1, sizeof *patch->weak_names);
    patch->relocations =
        /* bound: TCI_OBJECT_BOUNDS_RELOCATIONS_MAX */
        calloc(patch->relocation_count + patch->slot_count + 1, sizeof *patch->relocations);
    if (patch->names == NULL || patch->weak_names == NULL || patch->relocations == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "image: out of memory");
    patch->relocation_count = 0;
    for (size_t i = 1; i < patch->symbol_count; i++)
        TC_TRY(import_symbol(patch, i, err));
    number_imports(patch);
    return TC_OK;
}

tc_status tci_object_patch_plan(const tci_elf_object *object, tci_object_patch *patch_out,
                                tc_error *err)
{
    tci_elf_symbol symbol;
    *patch_out = (tci_object_patch){.object = object, .symbol_count = 1};
    while (tci_elf_object_symbol(object, patch_out->symbol_count, &symbol))
        patch_out->symbol_count++;
    /* bound: TCI_OBJECT_BOUNDS_SYMBOLS_MAX */
    patch_out->symbols = calloc(patch_out->symbol_count, sizeof *patch_out->symbols);
    if (patch_out->symbols == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "image: out of memory");
    TC_TRY(visit_all(patch_out, NULL, note, err));
    return plan_imports(patch_out, err);
}

/* --- apply -------------------------------------------------------------------------------- */

static uint32_t slot_place(const tci_object_layout *layout, const tci_patch_symbol *s)
{
    return layout->slots_place + 8 * (s->slot - 1);
}

static uint32_t stub_place(const tci_object_layout *layout, const tci_patch_symbol *s)
{
    return layout->stubs_place + (uint32_t)sizeof stub_code * (s->stub - 1);
}

/* Returns false if its section is not in the image. */
static bool place_of(const tci_object_layout *layout, const tci_elf_symbol *symbol,
                     int64_t *place_out)
{
    if (symbol->section >= layout->section_count ||
        layout->places[symbol->section] == TCI_PLACE_NONE ||
        symbol->offset > TCI_IMAGE_MEMORY_MAX)
        return false;
    *place_out = (int64_t)layout->places[symbol->section] + (int64_t)symbol->offset;
    return true;
}

/* Adds eight bytes that will hold the symbol's address. */
static bool add_address(tci_object_patch *patch, const tci_object_layout *layout,
                        uint32_t offset, const tci_patch_symbol *s,
                        const tci_elf_symbol *symbol, int64_t addend)
{
    int64_t target = 0;
    tci_relocation *r = &patch->relocations[patch->relocation_count++];
    *r = (tci_relocation){.kind = TCI_RELOCATION_RELATIVE, .offset = offset};
    if (symbol->section == SHN_UNDEF) {
        r->kind = s->kind;
        r->import = s->import;
    } else if (!place_of(layout, symbol, &target)) {
        return false;
    }
    if (addend < INT32_MIN || addend > INT32_MAX)
        return false;
    target += addend;
    r->addend = (int32_t)target;
    return target == (int32_t)target &&
           (r->kind != TCI_RELOCATION_RELATIVE ||
            (target >= 0 && target <= (int64_t)layout->memory_bytes));
}

static tc_status apply(tci_object_patch *patch, const tci_object_layout *layout, const one *o,
                       tc_error *err)
{
    const tci_patch_symbol *s = &patch->symbols[o->relocation.symbol];
    uint32_t offset = layout->places[o->section_index] + (uint32_t)o->relocation.offset;
    int64_t target = 0;
    if (o->row->route == ADDRESS && offset % 8 != 0)
        return refuse(o, "its place is no multiple of 8, as in a packed structure", err);
    if (o->row->route == ADDRESS)
        return add_address(patch, layout, offset, s, &o->symbol, o->relocation.addend)
                   ? TC_OK
                   : refuse(o, "it points too far away from what it is about", err);
    if (o->row->route == SLOT)
        target = slot_place(layout, s);
    else if (o->symbol.section == SHN_UNDEF)
        target = stub_place(layout, s);
    else if (!place_of(layout, &o->symbol, &target))
        return refuse(o, "its symbol is not in the image", err);
    if (o->relocation.addend < INT32_MIN || o->relocation.addend > INT32_MAX ||
        !tci_object_field_write(o->row->field, o->row->unit, layout->memory + offset, offset,
                                target + o->relocation.addend))
        return refuse(o, "it is too far away", err);
    return TC_OK;
}

static tc_status fill_slots(tci_object_patch *patch, const tci_object_layout *layout,
                            tc_error *err)
{
    for (size_t i = 1; i < patch->symbol_count; i++) {
        tci_elf_symbol symbol;
        const tci_patch_symbol *s = &patch->symbols[i];
        if (s->slot == 0 || !tci_elf_object_symbol(patch->object, i, &symbol))
            continue;
        if (!add_address(patch, layout, slot_place(layout, s), s, &symbol, 0))
            return tci_error_set(err, TC_E_UNSUPPORTED, "symbol '%s' is not in the image",
                                 symbol.name);
        if (s->stub == 0)
            continue;
        uint32_t offset = stub_place(layout, s);
        memcpy(layout->memory + offset, stub_code, sizeof stub_code);
        if (!write_stub(layout->memory + offset, offset, slot_place(layout, s)))
            return tci_error_set(err, TC_E_UNSUPPORTED, "the address of '%s' is too far away",
                                 symbol.name);
    }
    return TC_OK;
}

static int by_place(const void *a, const void *b)
{
    const tci_relocation *left = a, *right = b;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

tc_status tci_object_patch_apply(tci_object_patch *patch, const tci_object_layout *layout,
                                 tc_error *err)
{
    TC_TRY(visit_all(patch, layout, apply, err));
    TC_TRY(fill_slots(patch, layout, err));
    if (patch->relocation_count > 0)
        qsort(patch->relocations, patch->relocation_count, sizeof *patch->relocations,
              by_place);
    return TC_OK;
}

void tci_object_patch_fini(tci_object_patch *patch)
{
    free(patch->symbols);
    free(patch->names);
    free(patch->weak_names);
    free(patch->relocations);
}
