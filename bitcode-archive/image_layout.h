/* The bytes of an image, as docs/image-format.md defines them: shared by its reader and its
 * writer. */
#ifndef TCI_IMAGE_LAYOUT_H
#define TCI_IMAGE_LAYOUT_H

#include "image.h"

/* Bits of the byte after the version. */
enum {
    TCI_SHAPE_MACHINE = 0x03,
    TCI_SHAPE_COMPANIONS = 0x04, /* three entries instead of one */
    TCI_SHAPE_EH_FRAME = 0x08,
    TCI_SHAPE_WEAK = 0x10,
    TCI_SHAPE_RELOCATIONS = 0x20,
    TCI_SHAPE_LIFE = 0x40, /* one more entry */
    TCI_SHAPE_HOLES = TCI_IMAGE_HOLES_BIT,
    TCI_SHAPE_KNOWN = 0xff
};

/* The low bits of a segment's first varint; its file bytes are above them. */
enum { TCI_SEGMENT_KIND = 0x03, TCI_SEGMENT_ZEROS = 0x04, TCI_SEGMENT_SHIFT = 3 };

/* The low bits of a relocation's first varint; the bits above them count the words of eight
 * bytes between it and the previous relocation. */
enum {
    TCI_ENCODED_RELATIVE = 0,
    TCI_ENCODED_IMPORT = 1,
    TCI_ENCODED_IMPORT_ADDEND = 2,
    TCI_ENCODED_KIND = 0x03,
    TCI_ENCODED_SHIFT = 2
};

#define TCI_RELOCATION_BYTES 8u /* in memory, at a multiple of itself */

/* Returns 0 for a number that is no machine of this version. */
static inline uint32_t tci_image_page_bytes(unsigned machine)
{
    return machine == TCI_IMAGE_X86_64    ? TCI_IMAGE_PAGE_X86_64
           : machine == TCI_IMAGE_AARCH64 ? TCI_IMAGE_PAGE_AARCH64
                                          : 0;
}

/* Returns the offset of a segment that follows bytes up to `end`. */
static inline uint64_t tci_image_next_place(uint64_t end, uint32_t page_bytes)
{
    return (end + page_bytes - 1) & ~((uint64_t)page_bytes - 1);
}

/* Maps 0, -1, 1, -2, ... to 0, 1, 2, 3, ...: small addends of either sign take few bytes. */
static inline uint32_t tci_zigzag_encode(int32_t value)
{
    return value < 0 ? ~((uint32_t)value << 1) : (uint32_t)value << 1;
}

static inline int32_t tci_zigzag_decode(uint32_t value)
{
    uint32_t half = value >> 1;
    return (value & 1) != 0 ? -(int32_t)half - 1 : (int32_t)half;
}

#endif
