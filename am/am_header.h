/* The header of a unit: 40 bytes in front of its input, and for layouts of the target or a
 * description an extension behind them. docs/payload-layout.md has the bytes. They come from
 * another process, and are checked here alone. */
#ifndef TCA_AM_HEADER_H
#define TCA_AM_HEADER_H

#include "am_layout.h"

#define TCA_HEADER_VERSION 1u

typedef enum tca_kind {
    TCA_UNIT = 0,            /* the input follows */
    TCA_UNIT_EXTENDED = 1,   /* an extension follows, then the input */
    TCA_DESCRIBE = 2,        /* asks for the window: nothing follows, other fields are 0 */
    TCA_RESERVE = 3,         /* asks for attached memory: nothing follows */
    TCA_STAGED = 4,          /* a unit of one segment in attached memory: the grant follows */
    TCA_STAGED_EXTENDED = 5, /* likewise, behind an extension without blocks */
    TCA_RELEASE = 6,         /* gives the memory back: the grant follows */
    TCA_MARK = 7,            /* asks how many counted units have run: nothing follows */
    TCA_KIND_LAST = TCA_MARK
} tca_kind;

#define TCA_COUNTED 0x80u /* with TCA_UNIT and TCA_UNIT_EXTENDED: no answer, no output */

/* Little-endian, as both architectures are. */
typedef struct tca_header {
    uint8_t version;
    uint8_t kind;
    uint16_t window;
    uint32_t op; /* of tca_op_word; 0 for functions that travel */
    uint64_t at; /* the range of the window */
    uint64_t bytes;
    uint32_t segments;     /* of this unit, at least 1 */
    uint32_t first;        /* number of its first one */
    uint32_t input_bytes;  /* of a segment, without gaps */
    uint32_t output_bytes; /* likewise */
} tca_header;

/* Then `input_blocks` and `output_blocks` of tca_span, then the description. */
typedef struct tca_extension {
    uint16_t description_bytes;
    uint16_t input_blocks; /* 0: in one piece */
    uint16_t output_blocks;
    uint16_t unused;       /* 0 */
    uint32_t input_extent; /* of a segment at the target; 0 without blocks */
    uint32_t output_extent;
} tca_extension;

typedef struct tca_span {
    uint32_t offset;
    uint32_t bytes;
} tca_span;

#define TCA_EXTENSION_BYTES_MAX                                                                \
    (sizeof(tca_extension) + 2 * TC_AM_BLOCKS_MAX * sizeof(tca_span) + TC_AM_DESCRIPTION_MAX)
/* Header, extension, and the gap before the input. */
#define TCA_HEAD_BYTES_MAX (sizeof(tca_header) + TCA_EXTENSION_BYTES_MAX + 16)

_Static_assert(sizeof(tca_header) == 40 && sizeof(tca_extension) == 16, "no padding");

/* A unit as it arrived; pointers lead into its bytes. */
typedef struct tca_arrival {
    tca_header header; /* its kind without TCA_COUNTED */
    bool is_counted;
    tca_extension extension; /* zeroed without one */
    const tca_span *input_blocks;
    const tca_span *output_blocks;
    const uint8_t *description;
    const uint8_t *input;
    uint64_t grant;         /* of kinds that have one */
    uint32_t input_packed;  /* bytes of all segments, without gaps */
    uint32_t output_packed; /* likewise */
    uint32_t input_spread;  /* with the gaps of the target's layout */
    uint32_t output_spread;
} tca_arrival;

/* The number of bytes before the input: 8 bytes and fewer begin at a multiple of 8, so that a
 * small unit is short, others at one of 16. */
static inline size_t tca_header_input_offset(size_t head_bytes, size_t input_bytes)
{
    const size_t grain = input_bytes <= 8 ? 8 : 16;
    return (head_bytes + grain - 1) & ~(grain - 1);
}

/* Fills an extension for the layouts of a target, with blocks and description.
 *
 *   input, output     NULL: in one piece
 *   size_out          bytes at memory_out that are used; 0: no extension is needed
 *   memory_out        TCA_EXTENSION_BYTES_MAX bytes
 *
 *   TC_E_TOO_LARGE    more than TC_AM_BLOCKS_MAX blocks, an extent above TC_AM_UNIT_BYTES_MAX,
 *                     or a description of more than TC_AM_DESCRIPTION_MAX bytes */
TC_MUST_CHECK tc_status tca_extension_make(const tca_layout *input, const tca_layout *output,
                                           const void *description, size_t description_bytes,
                                           void *memory_out, size_t *size_out, tc_error *err);

/* Checks the bytes of a message by themselves.
 *
 *   TC_OK           each size is within its limit and all bytes are there; of TCA_DESCRIBE
 *                   and TCA_RESERVE only the header is filled
 *   TC_E_VERSION    another version of the header
 *   TC_E_INVALID    the text has the field, and both values */
TC_MUST_CHECK tc_status tca_header_check(const void *payload, size_t size,
                                         tca_arrival *arrival_out, tc_error *err);

#endif
