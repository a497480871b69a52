/* Follows the records of .eh_frame as an unwinder does when they are registered, inside one
 * segment. */
#include "image_unwind.h"

#include "base/error_text.h"
#include "image_layout.h"

#include <string.h>

#define TERMINATOR_BYTES 4u
#define LETTERS_MAX 8u /* characters of an augmentation; compilers write four */
#define LEB128_MAX 10u /* bytes of the longest number */

/* Encodings of an address, by DWARF's numbers. Position-independent code has only these. */
enum {
    RELATIVE_4 = 0x1b, /* pcrel, sdata4 */
    RELATIVE_8 = 0x1c, /* pcrel, sdata8 */
    INDIRECT = 0x80,
};

/* A record's bytes as they will be in memory: those of the file, then zeros. Reading past its
 * end fails and gives zeros. */
typedef struct record {
    const tci_image_segment *segment;
    uint32_t at;
    uint32_t end;
    bool failed;
} record;

static uint8_t next_byte(record *r)
{
    if (r->at >= r->end) {
        r->failed = true;
        return 0;
    }
    uint32_t offset = r->at++ - r->segment->offset;
    return offset < r->segment->file_bytes ? r->segment->bytes[offset] : 0;
}

static uint32_t next_word(record *r)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++)
        value |= (uint32_t)next_byte(r) << (8 * i);
    return value;
}

static void skip(record *r, uint32_t bytes)
{
    if (bytes > r->end - r->at)
        r->failed = true;
    else
        r->at += bytes;
}

/* Returns the number's lowest bits; for a length these are all of it. */
static uint32_t next_leb128(record *r)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < LEB128_MAX; i++) {
        uint8_t byte = next_byte(r);
        if (i < 4)
            value |= (uint32_t)(byte & 0x7f) << (7 * i);
        if ((byte & 0x80) == 0)
            return value;
    }
    r->failed = true;
    return 0;
}

static unsigned bytes_of(uint8_t encoding)
{
    return encoding == RELATIVE_4 ? 4 : encoding == RELATIVE_8 ? 8 : 0;
}

/* Opens the record at `offset` and reads its length. */
static bool open_record(const tci_image_segment *segment, uint32_t offset, uint32_t last,
                        record *out)
{
    *out = (record){.segment = segment, .at = offset, .end = last};
    uint32_t length = next_word(out);
    if (out->failed || length < 4 || length > last - out->at)
        return false;
    out->end = out->at + length;
    return true;
}

/* Returns the size of an address by the letters of its augmentation; 0: they state none, or one
 * that no code has. */
static unsigned address_bytes(record *r, const char *letters)
{
    unsigned bytes = 0;
    for (; *letters != '\0'; letters++) {
        uint8_t encoding;
        switch (*letters) {
        case 'R':
            bytes = bytes_of(next_byte(r));
            break;
        case 'P': /* the personality: an offset in this image, or that of its address */
            encoding = next_byte(r) & (uint8_t)~INDIRECT;
            if (bytes_of(encoding) == 0)
                return 0;
            skip(r, bytes_of(encoding));
            break;
        case 'L':
            (void)next_byte(r);
            break;
        case 'S': /* a signal's frame */
        case 'B': /* aarch64: return addresses are signed */
            break;
        default:
            return 0;
        }
    }
    return bytes;
}

/* Returns the size of an address in the FDEs of a CIE, in bytes. 0: it is no CIE as compilers
 * write them. */
static unsigned cie_address_bytes(const tci_image_segment *segment, uint32_t offset,
                                  uint32_t last)
{
    record r;
    char letters[LETTERS_MAX] = {0};
    unsigned n = 0;
    if (!open_record(segment, offset, last, &r) || next_word(&r) != 0)
        return 0;
    uint8_t version = next_byte(&r);
    if ((version != 1 && version != 3) || next_byte(&r) != 'z')
        return 0;
    while ((letters[n] = (char)next_byte(&r)) != '\0') {
        if (++n == LETTERS_MAX)
            return 0;
    }
    (void)next_leb128(&r); /* alignment of code */
    (void)next_leb128(&r); /* alignment of data */
    if (version == 1)
        (void)next_byte(&r); /* the return address's register */
    else
        (void)next_leb128(&r);
    uint32_t size = next_leb128(&r);
    if (r.failed || size > r.end - r.at)
        return 0;
    r.end = r.at + size;
    unsigned bytes = address_bytes(&r, letters);
    return r.failed ? 0 : bytes;
}

/* Returns whether the record at *at is a CIE, or an FDE that names a CIE in front of it; moves
 * *at to the next record. */
static bool pass_record(const tci_image *image, const tci_image_segment *segment, uint32_t *at,
                        uint32_t last)
{
    record r;
    uint32_t begin = *at;
    if (!open_record(segment, begin, last, &r))
        return false;
    uint32_t id_place = r.at, back = next_word(&r);
    *at = r.end;
    if (back == 0)
        return cie_address_bytes(segment, begin, last) > 0;
    if (back < 8 || back > id_place - image->eh_frame_place)
        return false;
    unsigned bytes = cie_address_bytes(segment, id_place - back, last);
    skip(&r, 2 * bytes); /* start of the code, and its size */
    (void)next_leb128(&r);
    return bytes > 0 && !r.failed;
}

/* Relocations change the bytes after this check, so none may be inside .eh_frame. */
static tc_status check_untouched(const tci_image *image, tc_error *err)
{
    uint64_t begin = image->eh_frame_place, end = begin + image->eh_frame_bytes;
    tci_image_iterator it = tci_image_iterator_begin(image);
    for (tci_relocation r; tci_image_iterator_next(&it, &r);) {
        if (r.offset < end && (uint64_t)r.offset + TCI_RELOCATION_BYTES > begin)
            return tci_error_set(err, TC_E_CORRUPT,
                                 "image: relocation at 0x%x, inside .eh_frame", r.offset);
    }
    return TC_OK;
}

/* The unwinder follows lengths until it reads a zero: there must be one, and at the end. */
tc_status tci_image_unwind_check(const tci_image *image, tc_error *err)
{
    const tci_image_segment *s =
        tci_image_segment_at(image, image->eh_frame_place, image->eh_frame_bytes);
    if (s == NULL || image->eh_frame_bytes < TERMINATOR_BYTES)
        return tci_error_set(err, TC_E_CORRUPT,
                             "image: %u bytes of .eh_frame at 0x%x, which is not in a segment",
                             image->eh_frame_bytes, image->eh_frame_place);
    uint32_t at = image->eh_frame_place;
    uint32_t last = at + image->eh_frame_bytes - TERMINATOR_BYTES;
    while (at < last) {
        uint32_t begin = at;
        if (!pass_record(image, s, &at, last))
            return tci_error_set(err, TC_E_CORRUPT, "image: malformed .eh_frame at 0x%x",
                                 begin);
    }
    record terminator = {.segment = s, .at = last, .end = last + TERMINATOR_BYTES};
    if (next_word(&terminator) != 0)
        return tci_error_set(err, TC_E_CORRUPT, "image: malformed .eh_frame at 0x%x", last);
    return check_untouched(image, err);
}
