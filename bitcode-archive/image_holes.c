/* A hole is zeros in the file, so that a code has one form; its value is written into the
 * memory of the target before that is protected. */
#include "image_holes.h"

#include "archive_name.h"
#include "base/error_text.h"
#include "image_layout.h"
#include "varint.h"

#include <string.h>

const char *tci_image_hole_kind_text(uint32_t kind)
{
    static const char *const texts[] = {"bytes", "integer", "floating"};
    return texts[kind];
}

/* --- reading ----------------------------------------------------------------------------- */

/* Returns a C identifier with its terminator, or NULL. */
static const char *read_name(tci_reader *r)
{
    const size_t left = tci_reader_left(r);
    const uint8_t *start = r->data + r->at;
    const uint8_t *end =
        r->failed
            ? NULL
            : memchr(start, '\0', left < TCI_ARCHIVE_NAME_MAX ? left : TCI_ARCHIVE_NAME_MAX);
    return end == NULL ? NULL : (const char *)tci_read_bytes(r, (size_t)(end - start) + 1);
}

/* Numbers are of the sizes that processors have. */
static tc_status check_kind(const tci_image_hole *hole, tc_error *err)
{
    const uint32_t largest = hole->kind == TCI_HOLE_INTEGER ? 16 : 8;
    if (hole->kind > TCI_HOLE_FLOATING)
        return tci_error_set(err, TC_E_VERSION,
                             "image: hole %s is of kind %u, known are 0 to %d", hole->name,
                             hole->kind, TCI_HOLE_FLOATING);
    if (hole->kind == TCI_HOLE_ANY ||
        (hole->bytes <= largest && (hole->bytes & (hole->bytes - 1)) == 0 &&
         (hole->kind == TCI_HOLE_INTEGER || hole->bytes > 1)))
        return TC_OK;
    return tci_error_set(err, TC_E_CORRUPT, "image: hole %s: no %s number has %u bytes",
                         hole->name, tci_image_hole_kind_text(hole->kind), hole->bytes);
}

static tc_status read_hole(tci_reader *r, const tci_image *image, tci_image_hole *hole,
                           tc_error *err)
{
    const char *name = read_name(r);
    if (name == NULL || tci_archive_check_name(name, TC_E_CORRUPT, err) != TC_OK)
        return tci_error_set(err, TC_E_CORRUPT,
                             "image: hole %u: its name is no C identifier of up to %d "
                             "characters",
                             image->hole_count, TCI_ARCHIVE_NAME_MAX - 1);
    hole->name = name;
    hole->place = tci_varint_read(r);
    const uint32_t shape = tci_varint_read(r);
    hole->bytes = shape & ((1u << TCI_HOLE_KIND_SHIFT) - 1);
    hole->kind = shape >> TCI_HOLE_KIND_SHIFT;
    if (r->failed || hole->bytes == 0 || hole->bytes > TCI_HOLE_BYTES_MAX)
        return tci_error_set(err, TC_E_CORRUPT, "image: hole %s: %u bytes, expected 1 to %u",
                             name, hole->bytes, TCI_HOLE_BYTES_MAX);
    TC_TRY(check_kind(hole, err));
    if (image->hole_count > 0 && strcmp(hole[-1].name, name) >= 0)
        return tci_error_set(err, TC_E_CORRUPT, "image: hole %s is not behind %s in byte order",
                             name, hole[-1].name);
    return TC_OK;
}

tc_status tci_image_holes_read(tci_reader *r, tci_image *image, tc_error *err)
{
    const uint32_t count = tci_varint_read(r);
    if (r->failed || count == 0)
        return tci_error_set(err, TC_E_CORRUPT, "image: malformed list of holes");
    if (count > TCI_HOLES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "image: %u holes, limit %u", count,
                             TCI_HOLES_MAX);
    for (; image->hole_count < count; image->hole_count++)
        TC_TRY(read_hole(r, image, &image->holes[image->hole_count], err));
    return TC_OK;
}

/* --- the memory around them -------------------------------------------------------------- */

static bool overlap(uint32_t a, uint32_t a_bytes, uint32_t b, uint32_t b_bytes)
{
    return (uint64_t)a < (uint64_t)b + b_bytes && (uint64_t)b < (uint64_t)a + a_bytes;
}

/* Expects zeros where the file has bytes for the hole. */
static bool is_zero(const tci_image_segment *s, const tci_image_hole *hole)
{
    const uint32_t begin = hole->place - s->offset;
    for (uint32_t i = begin; i < begin + hole->bytes && i < s->file_bytes; i++) {
        if (s->bytes[i] != 0)
            return false;
    }
    return true;
}

static tc_status check_relocations(const tci_image *image, tc_error *err)
{
    tci_image_iterator it = tci_image_iterator_begin(image);
    for (tci_relocation r; tci_image_iterator_next(&it, &r);) {
        for (uint32_t i = 0; i < image->hole_count; i++) {
            const tci_image_hole *hole = &image->holes[i];
            if (overlap(hole->place, hole->bytes, r.offset, TCI_RELOCATION_BYTES))
                return tci_error_set(err, TC_E_CORRUPT,
                                     "image: hole %s at 0x%x, where the relocation at 0x%x is",
                                     hole->name, hole->place, r.offset);
        }
    }
    return TC_OK;
}

static tc_status check_hole(const tci_image *image, uint32_t index, tc_error *err)
{
    const tci_image_hole *hole = &image->holes[index];
    const tci_image_segment *s = tci_image_segment_at(image, hole->place, hole->bytes);
    if (s == NULL || s->kind == TCI_IMAGE_DATA)
        return tci_error_set(err, TC_E_CORRUPT,
                             "image: hole %s: %u bytes at 0x%x are not in one segment of code "
                             "or constants",
                             hole->name, hole->bytes, hole->place);
    if (!is_zero(s, hole))
        return tci_error_set(err, TC_E_CORRUPT, "image: hole %s at 0x%x has bytes, expected 0",
                             hole->name, hole->place);
    if (overlap(hole->place, hole->bytes, image->eh_frame_place, image->eh_frame_bytes))
        return tci_error_set(err, TC_E_CORRUPT, "image: hole %s at 0x%x lies in eh_frame",
                             hole->name, hole->place);
    for (uint32_t i = 0; i < index; i++) {
        if (overlap(hole->place, hole->bytes, image->holes[i].place, image->holes[i].bytes))
            return tci_error_set(err, TC_E_CORRUPT, "image: holes %s and %s overlap",
                                 image->holes[i].name, hole->name);
    }
    return TC_OK;
}

tc_status tci_image_holes_check(const tci_image *image, tc_error *err)
{
    for (uint32_t i = 0; i < image->hole_count; i++)
        TC_TRY(check_hole(image, i, err));
    return image->hole_count > 0 ? check_relocations(image, err) : TC_OK;
}

tc_status tci_image_holes_fit(const tci_image *image, const tci_values *values, tc_error *err)
{
    if (values->count != image->hole_count)
        return tci_error_set(err, TC_E_INVALID, "%u values, its image has %u holes",
                             values->count, image->hole_count);
    for (uint32_t i = 0; i < image->hole_count; i++) {
        if (values->items[i].size != image->holes[i].bytes)
            return tci_error_set(
                err, TC_E_INVALID, "the value of hole %s has %u bytes, expected %u",
                image->holes[i].name, values->items[i].size, image->holes[i].bytes);
    }
    return TC_OK;
}

tc_status tci_image_holes_check_filled(const tci_image *image, tc_error *err)
{
    if (image->hole_count == 0 || image->values != NULL)
        return TC_OK;
    return tci_error_set(err, TC_E_INVALID,
                         "its hole %s has no value; tc_ifunc_fill gives it one",
                         image->holes[0].name);
}

/* --- writing ----------------------------------------------------------------------------- */

void tci_image_holes_write(tci_writer *w, const tci_image_source *source)
{
    if (source->hole_count == 0)
        return;
    tci_varint_write(w, source->hole_count);
    for (uint32_t i = 0; i < source->hole_count; i++) {
        const tci_image_hole *hole = &source->holes[i];
        tci_write_bytes(w, hole->name, strlen(hole->name) + 1);
        tci_varint_write(w, hole->place);
        tci_varint_write(w, hole->bytes | hole->kind << TCI_HOLE_KIND_SHIFT);
    }
}
