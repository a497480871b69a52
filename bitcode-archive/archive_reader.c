/* Opening checks everything in the order in which it can be trusted: size and magic, checksum,
 * version, header, index. Its counts are compared with the bytes left before allocations. */
#include "archive.h"

#include "archive_dictionary.h"
#include "archive_exports.h"
#include "archive_header.h"
#include "archive_layout.h"
#include "archive_name.h"
#include "prototype.h"
#include "base/error_text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader_slice {
    tci_slice info;
    const uint8_t *bytes;
    const char **symbols; /* views of the content */
} reader_slice;

struct tci_archive {
    char name[TCI_ARCHIVE_NAME_MAX];
    unsigned entries, payload_alignment;
    bool payload_readonly;
    bool payload_unit;
    const char *prototype; /* a view of the content, or NULL */
    tci_exports exports;
    tci_archive_header header;
    const uint8_t *content; /* unpacked, or the caller's bytes when stored */
    size_t slice_count;
    uint8_t *unpacked;        /* for free(); NULL when stored */
    reader_slice *slices;     /* slice_count of them */
    const tci_values *values; /* of a view: tci_archive_fill */
};
_Static_assert(offsetof(struct tci_archive, name) == 0, "debuggers read it there");

/* --- content ---------------------------------------------------------------------------- */

static tc_status unpack_content(tci_reader *r, tci_archive *archive, tc_error *err)
{
    size_t packed_size = tci_reader_left(r);
    const uint8_t *packed = tci_read_bytes(r, packed_size);
    if (archive->header.packing == TCI_PACKING_STORED) {
        archive->content = packed;
        return TC_OK;
    }
    archive->unpacked = malloc(archive->header.content_size + 1); /* never 0 bytes */
    if (archive->unpacked == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive: no memory for %zu bytes",
                             archive->header.content_size);
    archive->content = archive->unpacked;
    return tci_unpack(archive->header.packing, archive->header.dictionary, packed, packed_size,
                      archive->unpacked, archive->header.content_size, err);
}

/* --- index ------------------------------------------------------------------------------- */

/* Reads the bytes up to a terminator, and the terminator; NULL (and failed) when there is none
 * in the first max bytes. */
static const char *read_string(tci_reader *r, size_t max)
{
    size_t left = tci_reader_left(r);
    const uint8_t *start = r->data + r->at;
    const uint8_t *end = r->failed ? NULL : memchr(start, '\0', left < max ? left : max);
    if (end == NULL) {
        r->failed = true;
        return NULL;
    }
    return (const char *)tci_read_bytes(r, (size_t)(end - start) + 1);
}

static tc_status index_failed(const char *what, size_t slice, tc_error *err)
{
    return tci_error_set(err, TC_E_CORRUPT, "archive index: slice %zu: %s", slice, what);
}

static tc_status read_triple(tci_reader *r, size_t slice, char out[TCI_TRIPLE_MAX],
                             tc_error *err)
{
    uint8_t target = tci_read_u8(r);
    const char *triple = tci_target_triple(target);
    if (target == TCI_TARGET_TEXT)
        triple = read_string(r, TCI_TRIPLE_MAX);
    if (triple == NULL)
        return index_failed("malformed target", slice, err);
    /* A target has one spelling: else an archive could hold a target twice. */
    if (!tci_triple_normalise(triple, strlen(triple), out) || strcmp(triple, out) != 0 ||
        (target == TCI_TARGET_TEXT && tci_target_number(triple) != TCI_TARGET_TEXT))
        return index_failed("target is not in its normal form", slice, err);
    return TC_OK;
}

static tc_status read_symbols(tci_reader *r, size_t index, reader_slice *slice, tc_error *err)
{
    size_t count = slice->info.symbol_count;
    if (count > TCI_ARCHIVE_SYMBOLS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "archive index: slice %zu: %zu undefined symbols, limit %d", index,
                             count, TCI_ARCHIVE_SYMBOLS_MAX);
    if (count > tci_reader_left(r) / 2) /* a name takes at least two bytes */
        return index_failed("more symbols than bytes", index, err);
    if (count == 0)
        return TC_OK;
    slice->symbols = calloc(count, sizeof *slice->symbols); /* bound: TCI_ARCHIVE_SYMBOLS_MAX */
    if (slice->symbols == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive: no memory for %zu symbols", count);
    for (size_t i = 0; i < count; i++) {
        const char *symbol = read_string(r, TCI_ARCHIVE_SYMBOL_MAX);
        if (symbol == NULL)
            return index_failed("malformed symbol name", index, err);
        TC_TRY(tci_archive_check_symbol(symbol, TC_E_CORRUPT, err));
        if (i > 0 && strcmp(slice->symbols[i - 1], symbol) >= 0)
            return index_failed("symbols are not in byte order", index, err);
        slice->symbols[i] = symbol;
    }
    return TC_OK;
}

static tc_status read_slice_entry(tci_reader *r, tci_archive *archive, size_t index,
                                  tc_error *err)
{
    reader_slice *slice = &archive->slices[index];
    TC_TRY(read_triple(r, index, slice->info.triple, err));
    slice->info.form = (tci_slice_form)tci_read_u8(r);
    slice->info.cpu_level = tci_read_u8(r);
    slice->info.producer_major = tci_read_u8(r);
    slice->info.producer_minor = tci_read_u8(r);
    slice->info.producer_patch = tci_read_u8(r);
    slice->info.size = tci_varint_read(r);
    slice->info.symbol_count = tci_varint_read(r);
    if (r->failed)
        return index_failed("cut short", index, err);
    if (slice->info.form == 0)
        return index_failed("form 0", index, err);
    if (slice->info.size == 0)
        return index_failed("no bytes", index, err);
    if (index > 0 && tci_slice_compare(&archive->slices[index - 1].info, &slice->info) >= 0)
        return index_failed("not behind the one before it in order", index, err);
    return read_symbols(r, index, slice, err);
}

static tc_status read_prototype(tci_reader *r, tci_archive *archive, tc_error *err)
{
    const char *text = read_string(r, TCI_PROTOTYPE_MAX);
    size_t length = 0;
    while (text != NULL && text[length] >= 0x20 && text[length] < 0x7f)
        length++;
    if (text == NULL || length < 2 || text[length] != '\0')
        return tci_error_set(err, TC_E_CORRUPT,
                             "its prototype is not of 2 to %u printable characters",
                             TCI_PROTOTYPE_MAX - 1);
    archive->prototype = text;
    return TC_OK;
}

static tc_status read_entries(tci_reader *r, tci_archive *archive, unsigned entries,
                              tc_error *err)
{
    unsigned upper = entries >> TCI_ALIGNMENT_SHIFT;
    archive->payload_unit = upper == TCI_UNIT_MARK;
    upper = upper == TCI_UNIT_MARK ? tci_read_u8(r) : upper;
    if (upper == TCI_PROTOTYPE_MARK) {
        TC_TRY(read_prototype(r, archive, err));
        upper = tci_read_u8(r);
    }
    archive->entries = entries & TCI_ENTRY_KNOWN;
    archive->entries |= upper == TCI_LIFE_MARK ? TCI_ENTRY_LIFE : 0;
    upper = upper == TCI_LIFE_MARK ? tci_read_u8(r) : upper;
    archive->payload_alignment = tci_archive_alignment_of(upper);
    archive->payload_readonly = upper == TCI_READONLY_MARK;
    TC_TRY(tci_archive_check_entries(archive->entries, TC_E_CORRUPT, err));
    if (upper != TCI_LIBRARY_MARK)
        return tci_archive_check_alignment(archive->payload_alignment, TC_E_VERSION, err);
    if ((archive->entries & TCI_ENTRY_PLACES) != TCI_ENTRY_MAIN || archive->prototype != NULL ||
        archive->payload_unit)
        return tci_error_set(
            err, TC_E_CORRUPT, "a library with entries 0x%x%s%s, expected 0x%x alone",
            archive->entries, archive->prototype != NULL ? " and a prototype" : "",
            archive->payload_unit ? " and units" : "", TCI_ENTRY_MAIN);
    return tci_archive_exports_read(r, &archive->exports, err);
}

static tc_status read_index(tci_reader *r, tci_archive *archive, tc_error *err)
{
    const char *name = read_string(r, TCI_ARCHIVE_NAME_MAX);
    const unsigned entries = tci_read_u8(r);
    if (r->failed)
        return tci_error_set(err, TC_E_CORRUPT, "archive index: malformed name");
    TC_TRY(tci_archive_check_name(name, TC_E_CORRUPT, err));
    tc_status status = read_entries(r, archive, entries, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "archive %s", name);
        return status;
    }
    size_t count = tci_read_u8(r);
    if (r->failed)
        return tci_error_set(err, TC_E_CORRUPT, "archive %s: cut short", name);
    if (count == 0)
        return tci_error_set(err, TC_E_CORRUPT, "archive %s: no slices", name);
    if (count > TCI_ARCHIVE_SLICES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "archive %s: %zu slices, limit %d", name,
                             count, TCI_ARCHIVE_SLICES_MAX);
    memcpy(archive->name, name, strlen(name) + 1);
    archive->slices = calloc(count, sizeof(reader_slice)); /* bound: TCI_ARCHIVE_SLICES_MAX */
    if (archive->slices == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive %s: no memory for its index", name);
    archive->slice_count = count;
    for (size_t i = 0; i < count; i++)
        TC_TRY(read_slice_entry(r, archive, i, err));
    return TC_OK;
}

static tc_status place_slices(tci_reader *r, tci_archive *archive, tc_error *err)
{
    for (size_t i = 0; i < archive->slice_count; i++) {
        size_t left = tci_reader_left(r);
        archive->slices[i].bytes = tci_read_bytes(r, archive->slices[i].info.size);
        if (archive->slices[i].bytes == NULL)
            return tci_error_set(err, TC_E_CORRUPT,
                                 "archive %s: slice %zu claims %zu bytes, %zu are left",
                                 archive->name, i, archive->slices[i].info.size, left);
    }
    if (tci_reader_left(r) != 0)
        return tci_error_set(err, TC_E_CORRUPT, "archive %s: %zu bytes behind the last slice",
                             archive->name, tci_reader_left(r));
    return TC_OK;
}

/* --- interface --------------------------------------------------------------------------- */

static tc_status open_into(tci_archive *archive, const void *bytes, size_t size, tc_error *err)
{
    tci_reader r;
    TC_TRY(tci_archive_header_read(bytes, size, &archive->header, &r, err));
    TC_TRY(unpack_content(&r, archive, err));
    tci_reader_init(&r, archive->content, archive->header.content_size);
    TC_TRY(read_index(&r, archive, err));
    return place_slices(&r, archive, err);
}

tc_status tci_archive_open(const void *bytes, size_t size, tci_archive **archive_out,
                           tc_error *err)
{
    tci_archive *archive = calloc(1, sizeof *archive);
    if (archive == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive: no memory for its index");
    tc_status status = open_into(archive, bytes, size, err);
    if (status == TC_OK)
        *archive_out = archive;
    else
        tci_archive_close(archive);
    return status;
}

void tci_archive_close(tci_archive *archive)
{
    if (archive == NULL)
        return;
    for (size_t i = 0; i < archive->slice_count; i++)
        free(archive->slices[i].symbols);
    free(archive->slices);
    tci_archive_exports_free(&archive->exports);
    free(archive->unpacked);
    free(archive);
}

/* The content is the other archive's, so a view counts none of it as its own. */
tci_archive *tci_archive_fill(const tci_archive *archive, const tci_values *values)
{
    tci_archive *filled = malloc(sizeof *filled);
    if (filled == NULL)
        return NULL;
    *filled = *archive;
    filled->header.content_size = 0;
    filled->values = values;
    return filled;
}

void tci_archive_unfill(tci_archive *filled)
{
    free(filled);
}

const tci_values *tci_archive_values(const tci_archive *archive)
{
    return archive->values;
}

const char *tci_archive_name(const tci_archive *archive)
{
    return archive->name;
}

unsigned tci_archive_entries(const tci_archive *archive)
{
    return archive->entries;
}

unsigned tci_archive_payload_alignment(const tci_archive *archive)
{
    return archive->payload_alignment;
}

const char *tci_archive_prototype(const tci_archive *archive)
{
    return archive->prototype;
}

bool tci_archive_payload_readonly(const tci_archive *archive)
{
    return archive->payload_readonly;
}

bool tci_archive_payload_unit(const tci_archive *archive)
{
    return archive->payload_unit;
}

bool tci_archive_is_library(const tci_archive *archive)
{
    return archive->exports.is_library;
}

size_t tci_archive_export_count(const tci_archive *archive)
{
    return archive->exports.count;
}

tci_export tci_archive_export(const tci_archive *archive, size_t index)
{
    assert(index < archive->exports.count);
    const char *name = archive->exports.names[index];
    return (tci_export){(tci_export_kind)name[-1], name};
}

size_t tci_archive_slice_count(const tci_archive *archive)
{
    return archive->slice_count;
}

const tci_slice *tci_archive_slice(const tci_archive *archive, size_t index)
{
    assert(index < archive->slice_count);
    return &archive->slices[index].info;
}

const char *tci_archive_symbol(const tci_archive *archive, size_t slice, size_t index)
{
    assert(slice < archive->slice_count && index < archive->slices[slice].info.symbol_count);
    return archive->slices[slice].symbols[index];
}

const void *tci_archive_slice_bytes(const tci_archive *archive, size_t index)
{
    assert(index < archive->slice_count);
    return archive->slices[index].bytes;
}

const char *tci_archive_packing_text(const tci_archive *archive)
{
    return tci_packing_text(archive->header.packing);
}

size_t tci_archive_content_size(const tci_archive *archive)
{
    return archive->header.content_size;
}

const void *tci_archive_content(const tci_archive *archive)
{
    return archive->content;
}

size_t tci_archive_dictionary(const tci_archive *archive)
{
    return archive->header.dictionary;
}

tc_status tci_archive_extract(const tci_archive *archive, size_t index, void **bytes_out,
                              size_t *size_out, tc_error *err)
{
    assert(index < archive->slice_count);
    const reader_slice *slice = &archive->slices[index];
    void *copy = malloc(slice->info.size);
    if (copy == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive %s: no memory for %zu bytes",
                             archive->name, slice->info.size);
    memcpy(copy, slice->bytes, slice->info.size);
    *bytes_out = copy;
    *size_out = slice->info.size;
    return TC_OK;
}

bool tci_archive_stored_content(const void *bytes, size_t size, const void **content_out,
                                size_t *content_size_out)
{
    static const uint8_t head[] = {TCI_ARCHIVE_VERSION, TCI_PACKING_STORED,
                                   TCI_ARCHIVE_NO_DICTIONARY};
    tci_reader r;
    if (size < TCI_ARCHIVE_SIZE_MIN ||
        memcmp(bytes, TCI_ARCHIVE_MAGIC, TCI_ARCHIVE_MAGIC_SIZE) ||
        memcmp((const uint8_t *)bytes + TCI_ARCHIVE_MAGIC_SIZE, head, sizeof head) != 0)
        return false;
    tci_reader_init(&r, bytes, size - TCI_ARCHIVE_CHECKSUM_SIZE);
    (void)tci_read_bytes(&r, TCI_ARCHIVE_MAGIC_SIZE + sizeof head);
    *content_size_out = tci_varint_read(&r);
    if (r.failed || *content_size_out != tci_reader_left(&r))
        return false;
    *content_out = tci_read_bytes(&r, *content_size_out);
    return true;
}
