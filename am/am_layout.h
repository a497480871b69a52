/* How the bytes of segments lie in memory: checks of a layout, and the copies between it and
 * bytes in one piece. */
#ifndef TCA_AM_LAYOUT_H
#define TCA_AM_LAYOUT_H

#include <stdbool.h>
#include <tc/am.h>

/* A layout that was checked. */
typedef struct tca_layout {
    uint64_t bytes;            /* of a segment, without gaps */
    uint64_t extent;           /* from one segment to the next one */
    uint64_t end;              /* of the last block of a segment; at most 2^62 */
    uint64_t count;            /* of blocks */
    uint64_t block;            /* bytes of each, if blocks is NULL */
    uint64_t stride;           /* from one to the next one */
    const tc_am_block *blocks; /* the caller's */
} tca_layout;

/* Checks and completes a layout.
 *
 *   name              in texts: "input", "output"
 *   segments          so many have to fit into 2^62 bytes
 *
 *   TC_E_INVALID      blocks beside bytes; blocks of an output overlap; or the segments have
 *                     2^62 bytes or more
 *   TC_E_TOO_LARGE    a segment has more than TC_AM_SEGMENT_BYTES_MAX, without gaps
 *   TC_E_NO_MEMORY    for the order of its blocks */
TC_MUST_CHECK tc_status tca_layout_check(const tc_am_layout *given, const char *name,
                                         uint32_t segments, bool is_output,
                                         tca_layout *layout_out, tc_error *err);

/* True: segments lie in one piece, one behind the other. */
static inline bool tca_layout_is_packed(const tca_layout *layout)
{
    return layout->count <= 1 && layout->end == layout->bytes &&
           layout->extent == layout->bytes;
}

/* Block i of a segment. */
static inline tc_am_block tca_layout_block(const tca_layout *layout, uint64_t i)
{
    return layout->blocks != NULL
               ? layout->blocks[i]
               : (tc_am_block){.offset = i * layout->stride, .bytes = layout->block};
}

/* Copies some segments of `memory` into one piece, and back. */
void tca_layout_gather(const tca_layout *layout, const void *memory, uint32_t first,
                       uint32_t segments, void *packed_out);
void tca_layout_scatter(const tca_layout *layout, void *memory, uint32_t first,
                        uint32_t segments, const void *packed);

#endif
