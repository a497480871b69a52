/* Checks everything about an image, in one pass from front to back. The encoding leaves little
 * to check: offsets of segments and relocations only grow, so overlaps and disorder cannot be
 * encoded. */
#include "image.h"

#include "archive_layout.h"
#include "archive_name.h"
#include "base/error_text.h"
#include "image_holes.h"
#include "image_layout.h"
#include "image_unwind.h"

#include <string.h>

enum { INSTRUCTION_BYTES_AARCH64 = 4 };

const char *tci_image_kind_text(tci_image_kind kind)
{
    return kind == TCI_IMAGE_CODE ? "code" : kind == TCI_IMAGE_CONSTANTS ? "constants" : "data";
}

const tci_image_segment *tci_image_segment_at(const tci_image *image, uint32_t offset,
                                              uint32_t size)
{
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const tci_image_segment *s = &image->segments[i];
        uint64_t end = (uint64_t)s->offset + s->memory_bytes;
        if (offset >= s->offset && (uint64_t)offset + size <= end)
            return s;
    }
    return NULL;
}

/* --- header and segments ----------------------------------------------------------------- */

static tc_status read_shape(tci_reader *r, tci_image *image, unsigned *shape_out, tc_error *err)
{
    unsigned version = tci_read_u8(r);
    unsigned shape = tci_read_u8(r);
    if (r->failed)
        return tci_error_set(err, TC_E_CORRUPT, "image: %zu bytes, expected at least 2",
                             r->size);
    if (version != TCI_IMAGE_VERSION)
        return tci_error_set(err, TC_E_VERSION,
                             "image: format version %u, this library reads version %u", version,
                             TCI_IMAGE_VERSION);
    image->page_bytes = tci_image_page_bytes(shape & TCI_SHAPE_MACHINE);
    if (image->page_bytes == 0 || (shape & ~(unsigned)TCI_SHAPE_KNOWN) != 0)
        return tci_error_set(err, TC_E_VERSION,
                             "image: shape 0x%02x, expected machine 1 or 2 and bits of 0x%02x",
                             shape, (unsigned)TCI_SHAPE_KNOWN);
    image->machine = (tci_image_machine)(shape & TCI_SHAPE_MACHINE);
    image->entries = (shape & TCI_SHAPE_COMPANIONS) != 0 ? TCI_ENTRY_PLACES : TCI_ENTRY_MAIN;
    if ((shape & TCI_SHAPE_LIFE) != 0)
        image->entries |= TCI_ENTRY_LIFE;
    *shape_out = shape;
    return TC_OK;
}

static tc_status read_segment(tci_reader *r, tci_image *image, uint32_t index, tc_error *err)
{
    tci_image_segment *s = &image->segments[index];
    uint32_t head = tci_varint_read(r);
    bool has_zeros = (head & TCI_SEGMENT_ZEROS) != 0;
    uint32_t zeros = has_zeros ? tci_varint_read(r) : 0;
    if (r->failed || (has_zeros && zeros == 0))
        return tci_error_set(err, TC_E_CORRUPT, "image: segment %u: malformed", index);
    s->kind = (tci_image_kind)(head & TCI_SEGMENT_KIND);
    s->file_bytes = head >> TCI_SEGMENT_SHIFT;
    if ((head & TCI_SEGMENT_KIND) == 0)
        return tci_error_set(err, TC_E_CORRUPT, "image: segment %u: kind 0, expected 1 to 3",
                             index);
    uint64_t offset = tci_image_next_place(image->memory_bytes, image->page_bytes);
    uint64_t memory = (uint64_t)s->file_bytes + zeros;
    if (memory == 0)
        return tci_error_set(err, TC_E_CORRUPT, "image: segment %u: no bytes", index);
    if (offset + memory > TCI_IMAGE_MEMORY_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "image: segment %u ends at byte %llu of memory, limit %u", index,
                             (unsigned long long)(offset + memory), TCI_IMAGE_MEMORY_MAX);
    s->offset = (uint32_t)offset;
    s->memory_bytes = (uint32_t)memory;
    image->memory_bytes = (uint32_t)(offset + memory);
    return TC_OK;
}

static tc_status read_segments(tci_reader *r, tci_image *image, tc_error *err)
{
    uint32_t count = tci_varint_read(r);
    if (r->failed || count == 0)
        return tci_error_set(err, TC_E_CORRUPT, "image: no segments");
    if (count > TCI_IMAGE_SEGMENTS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "image: %u segments, limit %d", count,
                             TCI_IMAGE_SEGMENTS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        TC_TRY(read_segment(r, image, i, err));
        image->segment_count = i + 1;
    }
    return TC_OK;
}

/* --- entries ----------------------------------------------------------------------------- */

static tc_status read_entry(tci_reader *r, const tci_image *image, uint32_t *place_out,
                            tc_error *err)
{
    uint32_t offset = tci_varint_read(r);
    if (r->failed)
        return tci_error_set(err, TC_E_CORRUPT, "image: malformed entry point");
    const tci_image_segment *segment = tci_image_segment_at(image, offset, 1);
    if (segment == NULL || segment->kind != TCI_IMAGE_CODE)
        return tci_error_set(err, TC_E_CORRUPT, "image: entry point 0x%x, which is not in code",
                             offset);
    if (image->machine == TCI_IMAGE_AARCH64 && offset % INSTRUCTION_BYTES_AARCH64 != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "image: entry point 0x%x, expected a multiple of %d", offset,
                             INSTRUCTION_BYTES_AARCH64);
    *place_out = offset;
    return TC_OK;
}

static tc_status read_entries(tci_reader *r, tci_image *image, tc_error *err)
{
    TC_TRY(read_entry(r, image, &image->main_place, err));
    if ((image->entries & TCI_ENTRY_INIT) != 0) {
        TC_TRY(read_entry(r, image, &image->max_size_place, err));
        TC_TRY(read_entry(r, image, &image->init_place, err));
    }
    return (image->entries & TCI_ENTRY_LIFE) != 0
               ? read_entry(r, image, &image->life_place, err)
               : TC_OK;
}

/* --- weak names -------------------------------------------------------------------------- */

static const char *read_name(tci_reader *r)
{
    const uint8_t *start = r->data + r->at;
    const uint8_t *end = r->failed ? NULL : memchr(start, '\0', tci_reader_left(r));
    if (end == NULL) {
        r->failed = true;
        return NULL;
    }
    return (const char *)tci_read_bytes(r, (size_t)(end - start) + 1);
}

static tc_status read_weak_names(tci_reader *r, tci_image *image, tc_error *err)
{
    uint32_t count = tci_varint_read(r);
    if (r->failed || count == 0)
        return tci_error_set(err, TC_E_CORRUPT, "image: malformed list of weak names");
    if (count > TCI_IMAGE_IMPORTS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "image: %u weak names, limit %d", count,
                             TCI_IMAGE_IMPORTS_MAX);
    const char *before = NULL;
    image->weak_names = (const char *)r->data + r->at;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = read_name(r);
        if (name == NULL)
            return tci_error_set(err, TC_E_CORRUPT, "image: weak name %u has no end", i);
        TC_TRY(tci_archive_check_symbol(name, TC_E_CORRUPT, err));
        if (before != NULL && strcmp(before, name) >= 0)
            return tci_error_set(err, TC_E_CORRUPT, "image: weak name %u is not in byte order",
                                 i);
        before = name;
    }
    image->weak_count = count;
    return TC_OK;
}

/* --- relocations ------------------------------------------------------------------------- */

/* Decodes the relocation at r; returns false when it is malformed. *end is the end of the
 * previous one. */
static bool decode_relocation(tci_reader *r, uint64_t *end, uint32_t weak_count,
                              tci_relocation *out)
{
    uint32_t head = tci_varint_read(r);
    uint32_t encoded = head & TCI_ENCODED_KIND;
    uint64_t offset = *end + (uint64_t)(head >> TCI_ENCODED_SHIFT) * TCI_RELOCATION_BYTES;
    if (encoded == TCI_ENCODED_RELATIVE) {
        uint32_t addend = tci_varint_read(r);
        *out = (tci_relocation){.kind = TCI_RELOCATION_RELATIVE, .addend = (int32_t)addend};
        if (addend > TCI_IMAGE_MEMORY_MAX)
            return false;
    } else {
        uint32_t import = tci_varint_read(r);
        bool is_weak = import < weak_count;
        uint32_t addend = encoded == TCI_ENCODED_IMPORT_ADDEND ? tci_varint_read(r) : 0;
        *out = (tci_relocation){.kind = is_weak ? TCI_RELOCATION_WEAK : TCI_RELOCATION_SYMBOL,
                                .import = is_weak ? import : import - weak_count,
                                .addend = tci_zigzag_decode(addend)};
        if ((encoded == TCI_ENCODED_IMPORT_ADDEND && addend == 0) ||
            encoded > TCI_ENCODED_IMPORT_ADDEND || import >= TCI_IMAGE_IMPORTS_MAX)
            return false;
    }
    if (r->failed || offset > TCI_IMAGE_MEMORY_MAX)
        return false;
    out->offset = (uint32_t)offset;
    *end = offset + TCI_RELOCATION_BYTES;
    return true;
}

tci_image_iterator tci_image_iterator_begin(const tci_image *image)
{
    tci_image_iterator it = {.left = image->relocation_count, .weak_count = image->weak_count};
    tci_reader_init(&it.reader, image->relocations, image->relocations_size);
    return it;
}

bool tci_image_iterator_next(tci_image_iterator *it, tci_relocation *relocation_out)
{
    if (it->left == 0)
        return false;
    it->left--;
    return decode_relocation(&it->reader, &it->end, it->weak_count, relocation_out);
}

/* Offsets only grow, so one pass over the segments suffices; *segment is its position. */
static tc_status check_relocation(const tci_image *image, const tci_relocation *relocation,
                                  uint32_t *segment, tc_error *err)
{
    uint64_t end = (uint64_t)relocation->offset + TCI_RELOCATION_BYTES;
    const tci_image_segment *s = &image->segments[*segment];
    while (relocation->offset >= s->offset + s->memory_bytes &&
           *segment + 1 < image->segment_count)
        s = &image->segments[++*segment];
    if (relocation->offset < s->offset || end > (uint64_t)s->offset + s->memory_bytes)
        return tci_error_set(err, TC_E_CORRUPT,
                             "image: relocation at 0x%x, which is not in a segment",
                             relocation->offset);
    if (relocation->kind == TCI_RELOCATION_RELATIVE &&
        (uint32_t)relocation->addend > image->memory_bytes)
        return tci_error_set(err, TC_E_CORRUPT,
                             "image: relocation at 0x%x points to 0x%x, the image ends at 0x%x",
                             relocation->offset, (uint32_t)relocation->addend,
                             image->memory_bytes);
    return TC_OK;
}

static tc_status read_relocations(tci_reader *r, tci_image *image, tc_error *err)
{
    uint32_t count = tci_varint_read(r);
    uint32_t segment = 0;
    uint64_t end = 0;
    if (r->failed || count == 0)
        return tci_error_set(err, TC_E_CORRUPT, "image: malformed list of relocations");
    if (count > TCI_IMAGE_RELOCATIONS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "image: %u relocations, limit %d", count,
                             TCI_IMAGE_RELOCATIONS_MAX);
    image->relocation_count = count;
    image->relocations = r->data + r->at;
    size_t start = r->at;
    for (uint32_t i = 0; i < count; i++) {
        tci_relocation relocation;
        if (!decode_relocation(r, &end, image->weak_count, &relocation))
            return tci_error_set(err, TC_E_CORRUPT, "image: relocation %u is malformed", i);
        TC_TRY(check_relocation(image, &relocation, &segment, err));
        if (relocation.kind == TCI_RELOCATION_SYMBOL &&
            relocation.import >= image->symbol_count)
            image->symbol_count = relocation.import + 1;
    }
    image->relocations_size = r->at - start;
    return TC_OK;
}

/* --- bytes of the segments, and the checks of them --------------------------------------- */

static tc_status place_bytes(tci_reader *r, tci_image *image, tc_error *err)
{
    uint64_t claimed = 0;
    for (uint32_t i = 0; i < image->segment_count; i++)
        claimed += image->segments[i].file_bytes;
    if (r->failed || claimed != tci_reader_left(r))
        return tci_error_set(err, TC_E_CORRUPT,
                             "image: %zu bytes behind the index, its segments have %llu",
                             tci_reader_left(r), (unsigned long long)claimed);
    for (uint32_t i = 0; i < image->segment_count; i++) {
        tci_image_segment *s = &image->segments[i];
        s->bytes = tci_read_bytes(r, s->file_bytes);
        if (s->file_bytes > 0 && s->bytes[s->file_bytes - 1] == 0)
            return tci_error_set(err, TC_E_CORRUPT,
                                 "image: segment %u ends with zeros that need not travel", i);
    }
    return TC_OK;
}

/* --- interface --------------------------------------------------------------------------- */

static tc_status open_into(tci_reader *r, tci_image *image, tc_error *err)
{
    unsigned shape = 0;
    TC_TRY(read_shape(r, image, &shape, err));
    TC_TRY(read_segments(r, image, err));
    TC_TRY(read_entries(r, image, err));
    if ((shape & TCI_SHAPE_EH_FRAME) != 0) {
        image->eh_frame_place = tci_varint_read(r);
        image->eh_frame_bytes = tci_varint_read(r);
    }
    if ((shape & TCI_SHAPE_WEAK) != 0)
        TC_TRY(read_weak_names(r, image, err));
    if ((shape & TCI_SHAPE_RELOCATIONS) != 0)
        TC_TRY(read_relocations(r, image, err));
    if ((shape & TCI_SHAPE_HOLES) != 0)
        TC_TRY(tci_image_holes_read(r, image, err));
    TC_TRY(place_bytes(r, image, err));
    TC_TRY(tci_image_holes_check(image, err));
    return (shape & TCI_SHAPE_EH_FRAME) != 0 ? tci_image_unwind_check(image, err) : TC_OK;
}

tc_status tci_image_open(const void *bytes, size_t size, tci_image *image_out, tc_error *err)
{
    tci_image image = {.memory_bytes = 0};
    tci_reader r;
    tci_reader_init(&r, bytes, size);
    TC_TRY(open_into(&r, &image, err));
    *image_out = image;
    return TC_OK;
}
