#include "bitcode_slices.h"

#include "base/error_text.h"
#include "base/sized_struct.h"

#include <stdio.h>
#include <stdlib.h>

/* Bitcode keeps its names in one fragment, so a name that is there can be found without reading
 * the rest. One that is only used, or only part of another, is refused when it is compiled. */
static bool has_name(const tc_bitcode *slice, const char *name, const char *suffix)
{
    char symbol[TCI_ARCHIVE_NAME_MAX + 32];
    int n = snprintf(symbol, sizeof symbol, "%s_%s", name, suffix);
    return n > 0 && memmem(slice->bytes, slice->size, symbol, (size_t)n) != NULL;
}

static unsigned entries_of(const tc_bitcode *slice, const char *name)
{
    const unsigned both = TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT;
    if (!has_name(slice, name, "payload_init"))
        return TCI_ENTRY_MAIN;
    if (has_name(slice, name, "payload_bound"))
        return both | TCI_ENTRY_ORIGINAL;
    return has_name(slice, name, "payload_get_max_size") ? both : TCI_ENTRY_MAIN;
}

/* Only LLVM could read the value of that name, so payloads get the largest alignment. */
static unsigned alignment_of(const tc_bitcode *slice, const char *name)
{
    return has_name(slice, name, "payload_alignment") ? TCI_PAYLOAD_ALIGNMENT_MAX
                                                      : TCI_PAYLOAD_ALIGNMENT_MIN;
}

static tc_status read_slice(const tci_bitcode_slices *given, size_t at, tc_bitcode *bitcode_out,
                            tc_error *err)
{
    return tci_sized_struct_read(bitcode_out, sizeof *bitcode_out,
                                 (const char *)given->first + at * given->size, given->size,
                                 err);
}

static tc_status write_archive(tci_archive_writer *writer, const tci_bitcode_slices *given,
                               void **bytes_out, size_t *size_out, tc_error *err)
{
    tc_bitcode bitcode;
    if (given->in_haste)
        tci_archive_writer_stored(writer);
    for (size_t i = 0; i < given->count; i++) {
        tci_slice slice = {.form = TCI_FORM_BITCODE};
        TC_TRY(read_slice(given, i, &bitcode, err));
        if (bitcode.triple == NULL ||
            !tci_triple_normalise(bitcode.triple, strlen(bitcode.triple), slice.triple))
            return tci_error_set(err, TC_E_INVALID, "bitcode %zu: '%.80s' is no target triple",
                                 i, bitcode.triple != NULL ? bitcode.triple : "");
        TC_TRY(
            tci_archive_writer_add(writer, &slice, bitcode.bytes, bitcode.size, NULL, 0, err));
    }
    return tci_archive_writer_finish(writer, bytes_out, size_out, err);
}

tc_status tci_bitcode_slices_open(tci_registry *registry, const char *name,
                                  const tci_bitcode_slices *given, const char *deps,
                                  size_t deps_size, tc_ifunc **fn_out, tc_error *err)
{
    tc_bitcode first;
    tci_archive_writer *writer;
    void *archive = NULL;
    tci_registry_code code = {.deps = deps, .deps_size = deps == NULL ? 0 : deps_size};
    if (given->count == 0)
        return tci_error_set(err, TC_E_INVALID, "no bitcode");
    TC_TRY(read_slice(given, 0, &first, err));
    TC_TRY(tci_archive_writer_create(name, entries_of(&first, name), &writer, err));
    tc_status status = tci_archive_writer_align(writer, alignment_of(&first, name), err);
    if (status == TC_OK && given->prototype != NULL)
        status = tci_archive_writer_prototype(writer, given->prototype, err);
    if (has_name(&first, name, "payload_readonly"))
        tci_archive_writer_readonly(writer);
    if (has_name(&first, name, "payload_unit"))
        tci_archive_writer_unit(writer);
    if (status == TC_OK)
        status = write_archive(writer, given, &archive, &code.archive_size, err);
    tci_archive_writer_destroy(writer);
    code.archive = archive;
    if (status == TC_OK)
        status = tci_registry_add(registry, &code, fn_out, err);
    free(archive);
    return status;
}
