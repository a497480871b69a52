/* Writes every source that the format can express, then lets the reader check the result, so
 * the rules exist once. */
#include "image.h"

#include "archive_layout.h"
#include "base/error_text.h"
#include "image_holes.h"
#include "image_layout.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Returns the size of the memory without its trailing zeros. */
static uint32_t trimmed_size(const tci_image_segment *s)
{
    uint32_t size = s->file_bytes;
    while (size > 0 && s->bytes[size - 1] == 0)
        size--;
    return size;
}

static tc_status check_segments(const tci_image_source *source, tc_error *err)
{
    uint32_t page = tci_image_page_bytes((unsigned)source->machine);
    uint64_t end = 0;
    if (page == 0)
        return tci_error_set(err, TC_E_INVALID, "image: machine %u, expected 1 or 2",
                             (unsigned)source->machine);
    if (source->segment_count > TCI_IMAGE_SEGMENTS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "image: %zu segments, limit %d",
                             source->segment_count, TCI_IMAGE_SEGMENTS_MAX);
    for (size_t i = 0; i < source->segment_count; i++) {
        const tci_image_segment *s = &source->segments[i];
        uint64_t offset = tci_image_next_place(end, page);
        if (s->offset != offset)
            return tci_error_set(err, TC_E_INVALID,
                                 "image: segment %zu at 0x%x, expected 0x%llx", i, s->offset,
                                 (unsigned long long)offset);
        if (s->kind < TCI_IMAGE_CODE || s->kind > TCI_IMAGE_DATA ||
            s->file_bytes > s->memory_bytes || s->memory_bytes > TCI_IMAGE_MEMORY_MAX)
            return tci_error_set(err, TC_E_INVALID,
                                 "image: segment %zu of kind %u has %u of %u bytes", i,
                                 (unsigned)s->kind, s->file_bytes, s->memory_bytes);
        end = offset + s->memory_bytes;
    }
    return TC_OK;
}

static bool is_known_kind(tci_relocation_kind kind)
{
    return kind == TCI_RELOCATION_RELATIVE || kind == TCI_RELOCATION_SYMBOL ||
           kind == TCI_RELOCATION_WEAK;
}

static tc_status check_relocations(const tci_image_source *source, tc_error *err)
{
    uint64_t end = 0;
    for (size_t i = 0; i < source->relocation_count; i++) {
        const tci_relocation *r = &source->relocations[i];
        bool is_relative = r->kind == TCI_RELOCATION_RELATIVE;
        if (r->offset < end || r->offset % TCI_RELOCATION_BYTES != 0)
            return tci_error_set(
                err, TC_E_INVALID,
                "image: relocation at 0x%x, expected a multiple of %u from 0x%llx on",
                r->offset, TCI_RELOCATION_BYTES, (unsigned long long)end);
        if (!is_known_kind(r->kind) || (is_relative && r->addend < 0) ||
            r->import >= TCI_IMAGE_IMPORTS_MAX ||
            (r->kind == TCI_RELOCATION_WEAK && r->import >= source->weak_count))
            return tci_error_set(err, TC_E_INVALID,
                                 "image: relocation at 0x%x: kind %u, import %u, addend %d",
                                 r->offset, (unsigned)r->kind, r->import, r->addend);
        end = (uint64_t)r->offset + TCI_RELOCATION_BYTES;
    }
    return TC_OK;
}

static tc_status check_source(const tci_image_source *source, tc_error *err)
{
    TC_TRY(check_segments(source, err));
    const unsigned entries = source->entries & ~(unsigned)TCI_ENTRY_LIFE;
    if (entries != TCI_ENTRY_MAIN && entries != TCI_ENTRY_PLACES)
        return tci_error_set(err, TC_E_INVALID, "image: entry bits %u, expected %d or %u",
                             source->entries, TCI_ENTRY_MAIN, TCI_ENTRY_PLACES);
    if (source->relocation_count > TCI_IMAGE_RELOCATIONS_MAX ||
        source->weak_count > TCI_IMAGE_IMPORTS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "image: %zu relocations, limit %d; %zu weak names, limit %d",
                             source->relocation_count, TCI_IMAGE_RELOCATIONS_MAX,
                             source->weak_count, TCI_IMAGE_IMPORTS_MAX);
    return check_relocations(source, err);
}

/* --- bytes ------------------------------------------------------------------------------- */

static unsigned shape_of(const tci_image_source *source)
{
    unsigned shape = (unsigned)source->machine;
    if ((source->entries & TCI_ENTRY_INIT) != 0)
        shape |= TCI_SHAPE_COMPANIONS;
    if ((source->entries & TCI_ENTRY_LIFE) != 0)
        shape |= TCI_SHAPE_LIFE;
    if (source->eh_frame_bytes > 0)
        shape |= TCI_SHAPE_EH_FRAME;
    if (source->weak_count > 0)
        shape |= TCI_SHAPE_WEAK;
    if (source->relocation_count > 0)
        shape |= TCI_SHAPE_RELOCATIONS;
    if (source->hole_count > 0)
        shape |= TCI_SHAPE_HOLES;
    return shape;
}

static void write_segment(tci_writer *w, const tci_image_segment *s)
{
    uint32_t size = trimmed_size(s);
    uint32_t zeros = s->memory_bytes - size;
    tci_varint_write(w, size << TCI_SEGMENT_SHIFT | (zeros > 0 ? TCI_SEGMENT_ZEROS : 0u) |
                            (uint32_t)s->kind);
    if (zeros > 0)
        tci_varint_write(w, zeros);
}

static void write_relocation(tci_writer *w, const tci_relocation *r, uint32_t *end,
                             uint32_t weak_count)
{
    uint32_t gap = (r->offset - *end) / TCI_RELOCATION_BYTES << TCI_ENCODED_SHIFT;
    uint32_t import = r->import + (r->kind == TCI_RELOCATION_SYMBOL ? weak_count : 0);
    *end = r->offset + TCI_RELOCATION_BYTES;
    if (r->kind == TCI_RELOCATION_RELATIVE) {
        tci_varint_write(w, gap | TCI_ENCODED_RELATIVE);
        tci_varint_write(w, (uint32_t)r->addend);
    } else if (r->addend == 0) {
        tci_varint_write(w, gap | TCI_ENCODED_IMPORT);
        tci_varint_write(w, import);
    } else {
        tci_varint_write(w, gap | TCI_ENCODED_IMPORT_ADDEND);
        tci_varint_write(w, import);
        tci_varint_write(w, tci_zigzag_encode(r->addend));
    }
}

static void write_relocations(tci_writer *w, const tci_image_source *source)
{
    uint32_t end = 0;
    tci_varint_write(w, (uint32_t)source->relocation_count);
    for (size_t i = 0; i < source->relocation_count; i++)
        write_relocation(w, &source->relocations[i], &end, (uint32_t)source->weak_count);
}

static void write_weak_names(tci_writer *w, const tci_image_source *source)
{
    tci_varint_write(w, (uint32_t)source->weak_count);
    for (size_t i = 0; i < source->weak_count; i++)
        tci_write_bytes(w, source->weak_names[i], strlen(source->weak_names[i]) + 1);
}

static void write_image(tci_writer *w, const tci_image_source *source)
{
    tci_write_u8(w, TCI_IMAGE_VERSION);
    tci_write_u8(w, (uint8_t)shape_of(source));
    tci_varint_write(w, (uint32_t)source->segment_count);
    for (size_t i = 0; i < source->segment_count; i++)
        write_segment(w, &source->segments[i]);
    tci_varint_write(w, source->main_place);
    if ((source->entries & TCI_ENTRY_INIT) != 0) {
        tci_varint_write(w, source->max_size_place);
        tci_varint_write(w, source->init_place);
    }
    if ((source->entries & TCI_ENTRY_LIFE) != 0)
        tci_varint_write(w, source->life_place);
    if (source->eh_frame_bytes > 0) {
        tci_varint_write(w, source->eh_frame_place);
        tci_varint_write(w, source->eh_frame_bytes);
    }
    if (source->weak_count > 0)
        write_weak_names(w, source);
    if (source->relocation_count > 0)
        write_relocations(w, source);
    tci_image_holes_write(w, source);
    for (size_t i = 0; i < source->segment_count; i++)
        tci_write_bytes(w, source->segments[i].bytes, trimmed_size(&source->segments[i]));
}

static size_t image_bound(const tci_image_source *source)
{
    size_t bound = 2 + 9 * TCI_VARINT_MAX_SIZE;
    for (size_t i = 0; i < source->segment_count; i++)
        bound += 2 * TCI_VARINT_MAX_SIZE + source->segments[i].file_bytes;
    for (size_t i = 0; i < source->weak_count; i++)
        bound += strlen(source->weak_names[i]) + 1;
    for (uint32_t i = 0; i < source->hole_count; i++)
        bound += strlen(source->holes[i].name) + 1 + 2 * TCI_VARINT_MAX_SIZE;
    return bound + source->relocation_count * 3 * TCI_VARINT_MAX_SIZE;
}

tc_status tci_image_write(const tci_image_source *source, void **bytes_out, size_t *size_out,
                          tc_error *err)
{
    TC_TRY(check_source(source, err));
    size_t bound = image_bound(source);
    void *bytes = malloc(bound);
    if (bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "image: no memory for %zu bytes", bound);
    tci_writer w;
    tci_image image;
    tci_writer_init(&w, bytes, bound);
    write_image(&w, source);
    assert(!w.failed);
    tc_status status = tci_image_open(bytes, w.at, &image, err);
    if (status != TC_OK) {
        free(bytes);
        return status;
    }
    *bytes_out = bytes;
    *size_out = w.at;
    return TC_OK;
}
