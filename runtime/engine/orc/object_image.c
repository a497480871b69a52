#include "object_image.h"

#include "archive_layout.h"
#include "base/arch.h"
#include "base/error_text.h"
#include "entry_names.h"
#include "object_bounds.h"
#include "object_patch.h"
#include "writable_data.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

typedef struct making {
    const tci_engine_code *code;
    tci_elf_object object;
    tci_object_patch patch;
    tci_object_layout layout;
    uint32_t entries[TCI_ENTRY_COUNT];
    bool has_life;
    tci_image_bundle bundle;
    size_t piece_count;
    tci_image_piece *pieces;
    char *piece_names;
} making;

/* --- symbols ------------------------------------------------------------------------------ */

static bool place_of(const making *m, const tci_elf_symbol *symbol, uint32_t *place_out)
{
    if (symbol->section >= m->layout.section_count ||
        m->layout.places[symbol->section] == TCI_PLACE_NONE ||
        symbol->offset > TCI_IMAGE_MEMORY_MAX)
        return false;
    *place_out = m->layout.places[symbol->section] + (uint32_t)symbol->offset;
    return true;
}

static bool find_symbol(const making *m, const char *name, tci_elf_symbol *symbol_out)
{
    for (size_t i = 1; tci_elf_object_symbol(&m->object, i, symbol_out); i++) {
        if (symbol_out->section != SHN_UNDEF && strcmp(symbol_out->name, name) == 0)
            return true;
    }
    return false;
}

/* LLVM makes no code of a body that cannot be reached, and then reports success. */
static tc_status find_entries(making *m, tc_error *err)
{
    for (int i = 0; i < TCI_ENTRY_COUNT; i++) {
        char name[TCI_ENTRY_SYMBOL_MAX];
        tci_elf_symbol symbol;
        if ((m->code->entries & tci_entry_symbol(m->code->name, m->code->entries, i, name)) ==
            0)
            continue;
        const bool found = find_symbol(m, name, &symbol);
        if (i == TCI_ENTRY_AT_LIFE && !found)
            continue;
        m->has_life = m->has_life || i == TCI_ENTRY_AT_LIFE;
        if (!found || !place_of(m, &symbol, &m->entries[i]))
            return tci_error_set(err, TC_E_CORRUPT, "%s is not in the compiled code", name);
        if (symbol.size == 0)
            return tci_error_set(err, TC_E_CORRUPT, "%s has no instructions", name);
    }
    return TC_OK;
}

/* Finds the variables in the order of their indices, which are their names. */
static tc_status find_variables(making *m, tc_error *err)
{
    if (m->code->level != TCI_LEVEL_BASELINE || m->bundle.writable == TCI_BUNDLE_FIXED)
        return TC_OK;
    for (uint32_t i = 0; i < m->bundle.writable && i < TCI_BUNDLE_VARIABLES_MAX; i++) {
        char name[TCI_WRITABLE_SYMBOL_MAX];
        tci_elf_symbol symbol;
        tci_writable_symbol(i, name);
        if (!find_symbol(m, name, &symbol) ||
            !place_of(m, &symbol, &m->bundle.own_places[m->bundle.own_count]))
            return tci_error_set(err, TC_E_CORRUPT, "variable %u is not in the compiled code",
                                 i);
        m->bundle.own_count++;
    }
    return TC_OK;
}

static bool is_entry(const making *m, const char *symbol)
{
    for (int i = 0; i < TCI_ENTRY_COUNT; i++) {
        char name[TCI_ENTRY_SYMBOL_MAX];
        (void)tci_entry_symbol(m->code->name, m->code->entries, i, name);
        if (strcmp(name, symbol) == 0)
            return true;
    }
    return false;
}

/* Names the pieces: "count_main", "count:helper". Those that do not fit are left out: nothing
 * depends on them. */
static tc_status name_pieces(making *m, tc_error *err)
{
    tci_elf_function function;
    size_t count = 0, bytes = 0, used = 0;
    for (size_t at = 0; tci_elf_object_next_function(&m->object, &at, &function); count++)
        bytes += strlen(m->code->name) + strlen(function.name) + 2;
    /* bound: TCI_OBJECT_BOUNDS_SYMBOLS_MAX */
    m->pieces = calloc(count + 1, sizeof *m->pieces);
    m->piece_names = malloc(bytes + 1);
    if (m->pieces == NULL || m->piece_names == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "image: out of memory");
    for (size_t at = 0; tci_elf_object_next_function(&m->object, &at, &function);) {
        const tci_elf_symbol symbol = {.section = function.section, .offset = function.offset};
        tci_image_piece *piece = &m->pieces[m->piece_count];
        if (function.size == 0 || function.size > TCI_IMAGE_MEMORY_MAX ||
            strlen(function.name) > TCI_BUNDLE_NAME_MAX / 2 ||
            !place_of(m, &symbol, &piece->offset))
            continue;
        bool entry = is_entry(m, function.name);
        int n = snprintf(m->piece_names + used, bytes + 1 - used, "%s%s%s",
                         entry ? "" : m->code->name, entry ? "" : ":", function.name);
        piece->name = m->piece_names + used;
        piece->size = (uint32_t)function.size;
        used += (size_t)n + 1;
        m->piece_count++;
    }
    return TC_OK;
}

/* --- bytes -------------------------------------------------------------------------------- */

static tc_status write_image(making *m, tc_error *err)
{
    const tci_image_source source = {
        .machine = (tci_image_machine)TCI_ARCH_NUMBER,
        .segment_count = m->layout.segment_count,
        .segments = {m->layout.segments[0], m->layout.segments[1], m->layout.segments[2]},
        .entries = (m->code->entries & TCI_ENTRY_PLACES) | (m->has_life ? TCI_ENTRY_LIFE : 0),
        .main_place = m->entries[0],
        .max_size_place = m->entries[1],
        .init_place = m->entries[2],
        .life_place = m->entries[TCI_ENTRY_AT_LIFE],
        .eh_frame_place = m->layout.eh_frame_place,
        .eh_frame_bytes = m->layout.eh_frame_bytes,
        .weak_names = m->patch.weak_names,
        .weak_count = m->patch.weak_count,
        .relocations = m->patch.relocations,
        .relocation_count = m->patch.relocation_count,
    };
    void *bytes;
    TC_TRY(tci_image_write(&source, &bytes, &m->bundle.image_size, err));
    m->bundle.image_bytes = bytes;
    return TC_OK;
}

static tc_status write_bundle(making *m, void **bytes_out, size_t *size_out, tc_error *err)
{
    size_t bytes = 0, used = 0;
    for (uint32_t i = 0; i < m->patch.name_count; i++)
        bytes += strlen(m->patch.names[i]) + 1;
    char *names = malloc(bytes + 1);
    if (names == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "image: out of memory");
    for (uint32_t i = 0; i < m->patch.name_count; i++) {
        size_t size = strlen(m->patch.names[i]) + 1;
        memcpy(names + used, m->patch.names[i], size);
        used += size;
    }
    m->bundle.names = names;
    m->bundle.name_count = m->patch.name_count;
    m->bundle.given_count = m->patch.given_count;
    memcpy(m->bundle.given, m->patch.given, sizeof m->bundle.given);
    tc_status status = tci_image_bundle_write(&m->bundle, bytes, m->pieces, m->piece_count,
                                              bytes_out, size_out, err);
    free(names);
    return status;
}

static tc_status make(making *m, void **bytes_out, size_t *size_out, tc_error *err)
{
    /* The process that loads the image checks the memory that it takes there. */
    TC_TRY(tci_object_bounds_check(&m->object, 0, err));
    TC_TRY(tci_object_patch_plan(&m->object, &m->patch, err));
    TC_TRY(tci_object_layout_make(&m->object, m->patch.stub_count, tci_object_patch_stub_bytes,
                                  m->patch.slot_count, &m->layout, err));
    TC_TRY(tci_object_patch_apply(&m->patch, &m->layout, err));
    TC_TRY(find_entries(m, err));
    TC_TRY(find_variables(m, err));
    TC_TRY(name_pieces(m, err));
    TC_TRY(write_image(m, err));
    return write_bundle(m, bytes_out, size_out, err);
}

tc_status tci_object_image_make(const tci_engine_code *code, const void *elf, size_t elf_size,
                                uint32_t writable, void **bytes_out, size_t *size_out,
                                tc_error *err)
{
    making m = {.code = code,
                .object = tci_elf_object_open(elf, elf_size),
                .bundle = {.level = (uint32_t)code->level, .writable = writable}};
    tc_status status = make(&m, bytes_out, size_out, err);
    if (status == TC_E_INVALID)
        status = tci_error_set(err, TC_E_UNSUPPORTED, "an image cannot hold it");
    if (status != TC_OK)
        tci_error_prefix(err, "option compiled is image");
    tci_object_patch_fini(&m.patch);
    tci_object_layout_fini(&m.layout);
    free(m.pieces);
    free(m.piece_names);
    free((void *)(uintptr_t)m.bundle.image_bytes);
    return status;
}
