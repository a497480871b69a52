/* Slices are kept in the order of the format from the moment they are added, so the order of
 * the calls does not affect the bytes. Symbols are kept as the index encodes them: in byte
 * order, each with its terminator. */
#include "archive.h"

#include "archive_exports.h"
#include "archive_form.h"
#include "archive_layout.h"
#include "archive_name.h"
#include "base/error_text.h"
#include "prototype.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer_slice {
    tci_slice info;
    uint8_t *bytes;
    char *symbols;
    size_t symbols_size;
} writer_slice;

struct tci_archive_writer {
    char name[TCI_ARCHIVE_NAME_MAX];
    unsigned entries;
    unsigned payload_alignment;
    bool payload_readonly;
    bool payload_unit;
    char prototype[TCI_PROTOTYPE_MAX]; /* "": none */
    bool plain, stored;
    void *exports; /* the list of a library; NULL for a function */
    size_t exports_size;
    size_t slice_count;
    writer_slice slices[TCI_ARCHIVE_SLICES_MAX];
};

tc_status tci_archive_writer_create(const char *name, unsigned entries,
                                    tci_archive_writer **writer_out, tc_error *err)
{
    TC_TRY(tci_archive_check_name(name, TC_E_INVALID, err));
    TC_TRY(tci_archive_check_entries(entries, TC_E_INVALID, err));
    if ((entries & ~(TCI_ENTRY_KNOWN | TCI_ENTRY_LIFE)) != 0)
        return tci_error_set(err, TC_E_INVALID,
                             "archive entries 0x%x: expected bits of 0x%x only", entries,
                             TCI_ENTRY_KNOWN | TCI_ENTRY_LIFE);
    tci_archive_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive %s: no memory for a writer", name);
    memcpy(writer->name, name, strlen(name) + 1);
    writer->entries = entries;
    writer->payload_alignment = TCI_PAYLOAD_ALIGNMENT_MIN;
    *writer_out = writer;
    return TC_OK;
}

void tci_archive_writer_destroy(tci_archive_writer *writer)
{
    if (writer == NULL)
        return;
    for (size_t i = 0; i < writer->slice_count; i++) {
        free(writer->slices[i].symbols);
        free(writer->slices[i].bytes);
    }
    free(writer->exports);
    free(writer);
}

void tci_archive_writer_plain(tci_archive_writer *writer)
{
    writer->plain = true;
}

tc_status tci_archive_writer_align(tci_archive_writer *writer, uint64_t alignment,
                                   tc_error *err)
{
    TC_TRY(tci_archive_check_alignment(alignment, TC_E_INVALID, err));
    writer->payload_alignment = (unsigned)alignment;
    return TC_OK;
}

void tci_archive_writer_readonly(tci_archive_writer *writer)
{
    writer->payload_readonly = true;
}

void tci_archive_writer_unit(tci_archive_writer *writer)
{
    writer->payload_unit = true;
}

tc_status tci_archive_writer_prototype(tci_archive_writer *writer, const char *prototype,
                                       tc_error *err)
{
    TC_TRY(tci_prototype_check(prototype, TC_E_INVALID, err));
    memcpy(writer->prototype, prototype, strlen(prototype) + 1);
    return TC_OK;
}

tc_status tci_archive_writer_exports(tci_archive_writer *writer, const tci_export *exports,
                                     size_t count, tc_error *err)
{
    void *bytes;
    size_t size;
    if ((writer->entries & TCI_ENTRY_KNOWN) != TCI_ENTRY_MAIN || writer->payload_readonly ||
        writer->payload_unit || writer->prototype[0] != '\0' ||
        writer->payload_alignment != TCI_PAYLOAD_ALIGNMENT_MIN)
        return tci_error_set(err, TC_E_INVALID,
                             "archive %s: a library has no payloads and no prototype",
                             writer->name);
    TC_TRY(tci_archive_exports_copy(exports, count, &bytes, &size, err));
    free(writer->exports);
    writer->exports = bytes;
    writer->exports_size = size;
    return TC_OK;
}

void tci_archive_writer_stored(tci_archive_writer *writer)
{
    writer->stored = true;
}

static int compare_symbols(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Writes the names, sorted and each once, into slice->symbols and its counts. */
static tc_status store_symbols(writer_slice *slice, const char **sorted, size_t count,
                               tc_error *err)
{
    size_t bytes = 1; /* so that an empty list has memory too */
    for (size_t i = 0; i < count; i++)
        bytes += strlen(sorted[i]) + 1;
    slice->symbols = malloc(bytes);
    if (slice->symbols == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive: no memory for %zu symbols", count);

    qsort(sorted, count, sizeof *sorted, compare_symbols);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(sorted[i], sorted[i - 1]) == 0)
            continue;
        size_t n = strlen(sorted[i]) + 1;
        memcpy(slice->symbols + slice->symbols_size, sorted[i], n);
        slice->symbols_size += n;
        slice->info.symbol_count++;
    }
    if (slice->info.symbol_count <= TCI_ARCHIVE_SYMBOLS_MAX)
        return TC_OK;
    return tci_error_set(err, TC_E_TOO_LARGE, "archive: %zu undefined symbols for %s, limit %d",
                         slice->info.symbol_count, slice->info.triple, TCI_ARCHIVE_SYMBOLS_MAX);
}

static tc_status copy_symbols(writer_slice *slice, const char *const *symbols, size_t count,
                              tc_error *err)
{
    for (size_t i = 0; i < count; i++)
        TC_TRY(tci_archive_check_symbol(symbols[i], TC_E_INVALID, err));
    /* bound: TCI_ARCHIVE_SYMBOLS_MAX */
    const char **sorted = calloc(count + 1, sizeof *sorted);
    if (sorted == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive: no memory for %zu symbols", count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = symbols[i];
    tc_status status = store_symbols(slice, sorted, count, err);
    free(sorted);
    return status;
}

static tc_status check_new_slice(const tci_slice *slice, size_t size, tc_error *err)
{
    if (slice->form < 1 || slice->form > UINT8_MAX)
        return tci_error_set(err, TC_E_INVALID, "archive: slice form %u, expected 1 to 255",
                             (unsigned)slice->form);
    if (size == 0)
        return tci_error_set(err, TC_E_INVALID, "archive: the slice for %s has no bytes",
                             slice->triple);
    if (size > TCI_ARCHIVE_SLICE_BYTES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "archive: the slice for %s has %zu bytes, limit %u", slice->triple,
                             size, TCI_ARCHIVE_SLICE_BYTES_MAX);
    return TC_OK;
}

/* Normalises the triple into info_out and finds the slice's index; TC_E_IN_USE when the archive
 * has such a slice. */
static tc_status place_slice(const tci_archive_writer *writer, const tci_slice *slice,
                             tci_slice *info_out, size_t *place_out, tc_error *err)
{
    tci_slice info = *slice;
    size_t length = strnlen(slice->triple, TCI_TRIPLE_MAX);
    if (!tci_triple_normalise(slice->triple, length, info.triple))
        return tci_error_set(err, TC_E_INVALID, "archive: '%.*s' is not a target triple",
                             TCI_TRIPLE_MAX, slice->triple);
    size_t place = 0;
    while (place < writer->slice_count &&
           tci_slice_compare(&writer->slices[place].info, &info) < 0)
        place++;
    if (place < writer->slice_count &&
        tci_slice_compare(&writer->slices[place].info, &info) == 0)
        return tci_error_set(err, TC_E_IN_USE,
                             "archive %s: two slices for %s (form %u, cpu level %u)",
                             writer->name, info.triple, (unsigned)info.form, info.cpu_level);
    if (writer->slice_count == TCI_ARCHIVE_SLICES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "archive %s: more than %d slices",
                             writer->name, TCI_ARCHIVE_SLICES_MAX);
    *info_out = info;
    *place_out = place;
    return TC_OK;
}

tc_status tci_archive_writer_add(tci_archive_writer *writer, const tci_slice *slice,
                                 const void *bytes, size_t size, const char *const *symbols,
                                 size_t symbol_count, tc_error *err)
{
    writer_slice added = {.bytes = NULL};
    size_t place;
    TC_TRY(place_slice(writer, slice, &added.info, &place, err));
    TC_TRY(check_new_slice(&added.info, size, err));
    added.info.size = size;
    added.info.symbol_count = 0;

    tc_status status = copy_symbols(&added, symbols, symbol_count, err);
    if (status == TC_OK && (added.bytes = malloc(size)) == NULL)
        status = tci_error_set(err, TC_E_NO_MEMORY, "archive: no memory for %zu bytes", size);
    if (status != TC_OK) {
        free(added.symbols);
        return status;
    }
    memcpy(added.bytes, bytes, size);

    writer_slice *slot = &writer->slices[place];
    memmove(slot + 1, slot, (writer->slice_count - place) * sizeof *slot);
    *slot = added;
    writer->slice_count++;
    return TC_OK;
}

static void write_slice_entry(tci_writer *w, const writer_slice *slice)
{
    uint8_t target = tci_target_number(slice->info.triple);
    tci_write_u8(w, target);
    if (target == TCI_TARGET_TEXT)
        tci_write_bytes(w, slice->info.triple, strlen(slice->info.triple) + 1);
    tci_write_u8(w, (uint8_t)slice->info.form);
    tci_write_u8(w, slice->info.cpu_level);
    tci_write_u8(w, slice->info.producer_major);
    tci_write_u8(w, slice->info.producer_minor);
    tci_write_u8(w, slice->info.producer_patch);
    tci_varint_write(w, (uint32_t)slice->info.size);
    tci_varint_write(w, (uint32_t)slice->info.symbol_count);
    tci_write_bytes(w, slice->symbols, slice->symbols_size);
}

/* Returns the bits above those of the entries in the entries byte. */
static unsigned upper_bits(const tci_archive_writer *writer)
{
    if (writer->exports != NULL)
        return TCI_LIBRARY_MARK;
    if (writer->payload_readonly)
        return TCI_READONLY_MARK;
    return (unsigned)__builtin_ctz(writer->payload_alignment / TCI_PAYLOAD_ALIGNMENT_MIN);
}

static void write_entries(const tci_archive_writer *writer, tci_writer *w)
{
    const bool has_life = (writer->entries & TCI_ENTRY_LIFE) != 0;
    const size_t prototype = strlen(writer->prototype);
    unsigned marks[4], count = 0;
    if (writer->payload_unit)
        marks[count++] = TCI_UNIT_MARK;
    if (prototype > 0)
        marks[count++] = TCI_PROTOTYPE_MARK;
    if (has_life)
        marks[count++] = TCI_LIFE_MARK;
    marks[count++] = upper_bits(writer);
    tci_write_u8(
        w, (uint8_t)((writer->entries & TCI_ENTRY_KNOWN) | marks[0] << TCI_ALIGNMENT_SHIFT));
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            tci_write_u8(w, (uint8_t)marks[i]);
        if (marks[i] == TCI_PROTOTYPE_MARK)
            tci_write_bytes(w, writer->prototype, prototype + 1);
    }
}

static void write_content(const tci_archive_writer *writer, tci_writer *w)
{
    tci_write_bytes(w, writer->name, strlen(writer->name) + 1);
    write_entries(writer, w);
    if (writer->exports != NULL)
        tci_write_bytes(w, writer->exports, writer->exports_size);
    tci_write_u8(w, (uint8_t)writer->slice_count);
    for (size_t i = 0; i < writer->slice_count; i++)
        write_slice_entry(w, &writer->slices[i]);
    for (size_t i = 0; i < writer->slice_count; i++)
        tci_write_bytes(w, writer->slices[i].bytes, writer->slices[i].info.size);
}

/* Returns an upper bound for write_content, which gives the exact size. */
static size_t content_bound(const tci_archive_writer *writer)
{
    size_t bound = TCI_ARCHIVE_NAME_MAX + 5 + TCI_PROTOTYPE_MAX + writer->exports_size;
    for (size_t i = 0; i < writer->slice_count; i++)
        bound += 1 + TCI_TRIPLE_MAX + 5 + 2 * TCI_VARINT_MAX_SIZE +
                 writer->slices[i].symbols_size + writer->slices[i].info.size;
    return bound;
}

static tc_status build_content(const tci_archive_writer *writer, uint8_t **content_out,
                               size_t *size_out, tc_error *err)
{
    size_t bound = content_bound(writer);
    if (bound > TCI_ARCHIVE_CONTENT_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "archive %s: content of %zu bytes, limit %u",
                             writer->name, bound, TCI_ARCHIVE_CONTENT_MAX);
    uint8_t *content = malloc(bound);
    if (content == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive %s: no memory for %zu bytes",
                             writer->name, bound);
    tci_writer w;
    tci_writer_init(&w, content, bound);
    write_content(writer, &w);
    assert(!w.failed);
    *content_out = content;
    *size_out = w.at;
    return TC_OK;
}

/* Dictionaries hold bitcode only. */
static bool has_bitcode(const tci_archive_writer *writer)
{
    for (size_t i = 0; i < writer->slice_count; i++) {
        if (writer->slices[i].info.form == TCI_FORM_BITCODE)
            return true;
    }
    return false;
}

tc_status tci_archive_writer_finish(tci_archive_writer *writer, void **bytes_out,
                                    size_t *size_out, tc_error *err)
{
    uint8_t *content = NULL;
    size_t content_size;
    if (writer->slice_count == 0)
        return tci_error_set(err, TC_E_INVALID, "archive %s: no slices", writer->name);
    TC_TRY(build_content(writer, &content, &content_size, err));
    bool plain = writer->plain || !has_bitcode(writer);
    const tci_pack_effort effort = plain ? TCI_PACK_PLAIN : TCI_PACK_SMALLEST;
    tc_status status =
        writer->stored
            ? tci_archive_form_store(content, content_size, bytes_out, size_out, err)
            : tci_archive_form_pack(content, content_size, effort, bytes_out, size_out, err);
    free(content);
    return status;
}
