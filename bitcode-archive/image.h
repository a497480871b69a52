/* A native image: machine code of one function for one architecture, in a slice of an archive.
 * docs/image-format.md is the specification.
 *
 * An image contains the parts of a small position-independent shared object that a loader would
 * have mapped: segments, relocations (relative, or of an import), entry points. tci_image_open
 * checks all of it once, so the loader processes segments and relocations without another
 * check. Nothing here examines instructions: an image is trusted code, as bitcode is. */
#ifndef TCI_IMAGE_H
#define TCI_IMAGE_H

#include "archive.h"
#include "base/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define TCI_IMAGE_VERSION 1u
#define TCI_IMAGE_HOLES_BIT 0x80u /* of the byte behind the version */
#define TCI_IMAGE_SEGMENTS_MAX 8
#define TCI_IMAGE_RELOCATIONS_MAX 65536
#define TCI_IMAGE_IMPORTS_MAX 4096       /* strong and weak together */
#define TCI_IMAGE_MEMORY_MAX (64u << 20) /* bytes, gaps between segments included */
#define TCI_IMAGE_PAGE_X86_64 4096u      /* segments begin at multiples of this */
#define TCI_IMAGE_PAGE_AARCH64 65536u    /* the largest page that Linux has there */
/* alignment of offset 0's address, at least; with several segments also the system's page
 * size */
#define TCI_IMAGE_BASE_ALIGNMENT 4096u

typedef enum tci_image_machine {
    TCI_IMAGE_X86_64 = 1,
    TCI_IMAGE_AARCH64 = 2
} tci_image_machine;

/* Access to a segment's memory once the image is loaded. Code may be read too: small constants
 * and the addresses of imports are in the code segment. */
typedef enum tci_image_kind {
    TCI_IMAGE_CODE = 1,      /* read and run */
    TCI_IMAGE_CONSTANTS = 2, /* read */
    TCI_IMAGE_DATA = 3       /* read and write */
} tci_image_kind;

typedef struct tci_image_segment {
    uint32_t offset;       /* offset in the image; a multiple of page_bytes */
    uint32_t file_bytes;   /* size of `bytes`, copied to `offset` */
    uint32_t memory_bytes; /* >= file_bytes, >= 1; zeros behind the file bytes */
    tci_image_kind kind;
    const uint8_t *bytes; /* a view of the slice, not aligned */
} tci_image_segment;

/* Kinds of eight bytes at offset `offset` that depend on addresses in the process. */
typedef enum tci_relocation_kind {
    TCI_RELOCATION_RELATIVE = 1, /* address of offset 0, plus addend */
    /* address of the slice's undefined symbol `import`, plus addend */
    TCI_RELOCATION_SYMBOL = 2,
    /* like SYMBOL for the image's weak name `import`; its address counts as 0 when no such
     * symbol exists */
    TCI_RELOCATION_WEAK = 3
} tci_relocation_kind;

typedef struct tci_relocation {
    tci_relocation_kind kind;
    uint32_t offset; /* a multiple of 8; all 8 bytes lie in one segment's memory */
    uint32_t import; /* see the kinds; 0 for RELATIVE */
    int32_t addend;  /* RELATIVE: 0 to memory_bytes */
} tci_relocation;

/* The kinds of holes, and how far their number lies above the bytes in the image. */
enum { TCI_HOLE_ANY = 0, TCI_HOLE_INTEGER = 1, TCI_HOLE_FLOATING = 2 };
#define TCI_HOLE_KIND_SHIFT 9

/* A constant of the code that the sender of a function sets. */
typedef struct tci_image_hole {
    const char *name; /* a C identifier; a view of the slice */
    uint32_t place;   /* offset of its bytes, which lie in one segment of code or constants */
    uint32_t bytes;   /* 1 to TCI_HOLE_BYTES_MAX, all zero in the image */
    uint32_t kind;    /* a TCI_HOLE_ */
} tci_image_hole;

/* Views of the slice's bytes, which must outlive it. Nothing to free. */
typedef struct tci_image {
    tci_image_machine machine;
    uint32_t page_bytes;   /* of the machine, as above */
    uint32_t memory_bytes; /* end of the last segment */
    uint32_t segment_count;
    tci_image_segment segments[TCI_IMAGE_SEGMENTS_MAX]; /* ascending; no page has two of them */

    unsigned entries; /* TCI_ENTRY_ bits: main, or all three; and TCI_ENTRY_LIFE */
    uint32_t main_place;
    uint32_t max_size_place; /* these three only with their bits */
    uint32_t init_place;
    uint32_t life_place;

    uint32_t eh_frame_place; /* .eh_frame, ends with its terminator: for __register_frame */
    uint32_t eh_frame_bytes; /* 0: none */

    /* undefined symbols of the slice that relocations use: one more than the highest `import`
     * of a SYMBOL relocation */
    uint32_t symbol_count;
    uint32_t weak_count;
    const char *weak_names; /* consecutive, each with its terminator; in byte order */

    uint32_t relocation_count;
    const uint8_t *relocations; /* encoded; see tci_image_iterator */
    size_t relocations_size;

    uint32_t hole_count;
    tci_image_hole holes[TCI_HOLES_MAX]; /* in the byte order of the names */
    const tci_values *values; /* of the archive around it, as its holes want them; or NULL */
} tci_image;

/* Allocates nothing. TC_E_CORRUPT (err states the value found and the one expected),
 * TC_E_VERSION (a format version, machine or shape bit that this library does not know),
 * TC_E_TOO_LARGE (a limit above). */
TC_MUST_CHECK tc_status tci_image_open(const void *bytes, size_t size, tci_image *image_out,
                                       tc_error *err);

/* Opens the image in a slice and checks that it fits the slice: TC_E_INVALID when the slice is
 * no image, or the archive's values do not fit its holes; TC_E_CORRUPT when its machine is not
 * that of the triple, its entries are not those of the archive, or its relocations use symbols
 * that the slice does not list. The archive must outlive the image. */
TC_MUST_CHECK tc_status tci_image_open_slice(const tci_archive *archive, size_t index,
                                             tci_image *image_out, tc_error *err);

/* The relocations of an opened image, ascending by offset:
 *     tci_image_iterator it = tci_image_iterator_begin(&image);
 *     for (tci_relocation r; tci_image_iterator_next(&it, &r);) ... */
typedef struct tci_image_iterator {
    tci_reader reader;
    uint32_t left;
    uint64_t end; /* of the previous relocation */
    uint32_t weak_count;
} tci_image_iterator;

tci_image_iterator tci_image_iterator_begin(const tci_image *image);
bool tci_image_iterator_next(tci_image_iterator *it, tci_relocation *relocation_out);

/* Returns the segment that contains all `size` bytes at `offset`, or NULL. */
const tci_image_segment *tci_image_segment_at(const tci_image *image, uint32_t offset,
                                              uint32_t size);

/* Returns whether bytes that tci_image_open accepts are those of an image with holes. */
static inline bool tci_image_has_holes(const uint8_t *bytes, size_t size)
{
    return size > 1 && (bytes[1] & TCI_IMAGE_HOLES_BIT) != 0;
}

/* "bytes", "integer", "floating". */
const char *tci_image_hole_kind_text(uint32_t kind);

/* "code", "constants", "data". */
const char *tci_image_kind_text(tci_image_kind kind);

/* --- writing ----------------------------------------------------------------------------- */

typedef struct tci_image_source {
    tci_image_machine machine;
    size_t segment_count;
    tci_image_segment segments[TCI_IMAGE_SEGMENTS_MAX]; /* offsets as the format defines them */
    unsigned entries;
    uint32_t main_place;
    uint32_t max_size_place;
    uint32_t init_place;
    uint32_t life_place;
    uint32_t eh_frame_place;
    uint32_t eh_frame_bytes;
    const char *const *weak_names; /* in byte order, each once */
    size_t weak_count;
    const tci_relocation *relocations; /* ascending by offset */
    size_t relocation_count;
    const tci_image_hole *holes; /* in the byte order of their names */
    uint32_t hole_count;
} tci_image_source;

/* Returns the image's bytes, for free(); trailing zeros of segments are not written. Reads its
 * result back, so it never writes an image that tci_image_open would refuse: it returns the
 * statuses of that function, and TC_E_INVALID for a source that the format cannot express,
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_image_write(const tci_image_source *source, void **bytes_out,
                                        size_t *size_out, tc_error *err);

#endif
