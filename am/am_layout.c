#include "am_layout.h"

#include "base/error_text.h"

#include <stdlib.h>
#include <string.h>

#define END_MAX (1ull << 62)

static int by_offset(const void *left, const void *right)
{
    const tc_am_block *a = left, *b = right;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Blocks of an output that overlap would depend on the order of copies. */
static tc_status check_overlap(const tca_layout *layout, const char *name, tc_error *err)
{
    tc_status status = TC_OK;
    if (layout->blocks == NULL) {
        if (layout->count > 1 && layout->stride < layout->block)
            return tci_error_set(
                err, TC_E_INVALID, "%s: blocks of %llu bytes, %llu apart, overlap", name,
                (unsigned long long)layout->block, (unsigned long long)layout->stride);
        return TC_OK;
    }
    tc_am_block *sorted = malloc((layout->count + 1) * sizeof *sorted);
    if (sorted == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: a layout of %llu blocks", name,
                             (unsigned long long)layout->count);
    memcpy(sorted, layout->blocks, layout->count * sizeof *sorted);
    qsort(sorted, layout->count, sizeof *sorted, by_offset);
    for (uint64_t i = 1; status == TC_OK && i < layout->count; i++) {
        if (sorted[i - 1].offset + sorted[i - 1].bytes > sorted[i].offset)
            status =
                tci_error_set(err, TC_E_INVALID, "%s: blocks overlap at byte %llu of a segment",
                              name, (unsigned long long)sorted[i].offset);
    }
    free(sorted);
    return status;
}

/* Adds up the blocks: their bytes, and the end of the last one. */
static tc_status measure(const tc_am_layout *given, const char *name, tca_layout *layout,
                         tc_error *err)
{
    for (uint64_t i = 0; i < layout->count; i++) {
        const tc_am_block block = tca_layout_block(layout, i);
        if (block.bytes > TC_AM_SEGMENT_BYTES_MAX - layout->bytes)
            return tci_error_set(err, TC_E_TOO_LARGE,
                                 "%s: a segment of more than %u bytes, from block %llu on",
                                 name, TC_AM_SEGMENT_BYTES_MAX, (unsigned long long)i);
        if (block.offset > END_MAX || (given->blocks == NULL && i * layout->stride > END_MAX))
            return tci_error_set(err, TC_E_INVALID, "%s: block %llu begins beyond 2^62", name,
                                 (unsigned long long)i);
        layout->bytes += block.bytes;
        if (block.bytes > 0 && block.offset + block.bytes > layout->end)
            layout->end = block.offset + block.bytes;
    }
    return TC_OK;
}

tc_status tca_layout_check(const tc_am_layout *given, const char *name, uint32_t segments,
                           bool is_output, tca_layout *layout_out, tc_error *err)
{
    uint64_t all;
    tca_layout layout = {.count = given->count,
                         .block = given->block,
                         .stride = given->stride,
                         .blocks = given->blocks};
    if (given->bytes > 0 && given->count > 0)
        return tci_error_set(err, TC_E_INVALID, "%s: a layout of %llu bytes and %llu blocks",
                             name, (unsigned long long)given->bytes,
                             (unsigned long long)given->count);
    if (given->bytes > 0) {
        layout.count = 1;
        layout.block = given->bytes;
        layout.blocks = NULL;
    }
    if (layout.count > END_MAX / sizeof(tc_am_block) || layout.stride > END_MAX ||
        (layout.count > 1 && layout.stride > END_MAX / layout.count))
        return tci_error_set(err, TC_E_INVALID, "%s: %llu blocks, %llu bytes apart", name,
                             (unsigned long long)layout.count,
                             (unsigned long long)layout.stride);
    /* Blocks without bytes would be counted for ever. */
    if (layout.blocks == NULL && layout.block == 0)
        layout.count = 0;
    TC_TRY(measure(given, name, &layout, err));
    layout.extent = given->extent > 0 ? given->extent : layout.end;
    if (__builtin_mul_overflow(layout.extent, (uint64_t)segments, &all) ||
        all > END_MAX - layout.end)
        return tci_error_set(err, TC_E_INVALID, "%s: %u segments, %llu bytes apart", name,
                             segments, (unsigned long long)layout.extent);
    if (is_output && !tca_layout_is_packed(&layout))
        TC_TRY(check_overlap(&layout, name, err));
    *layout_out = layout;
    return TC_OK;
}

void tca_layout_gather(const tca_layout *layout, const void *memory, uint32_t first,
                       uint32_t segments, void *packed_out)
{
    char *to = packed_out;
    if (layout->bytes == 0)
        return;
    const char *from = (const char *)memory + first * layout->extent;
    if (tca_layout_is_packed(layout)) {
        memcpy(to, from, segments * layout->bytes);
        return;
    }
    for (uint32_t s = 0; s < segments; s++, from += layout->extent) {
        for (uint64_t i = 0; i < layout->count; i++) {
            const tc_am_block block = tca_layout_block(layout, i);
            if (block.bytes > 0)
                memcpy(to, from + block.offset, block.bytes);
            to += block.bytes;
        }
    }
}

void tca_layout_scatter(const tca_layout *layout, void *memory, uint32_t first,
                        uint32_t segments, const void *packed)
{
    const char *from = packed;
    if (layout->bytes == 0)
        return;
    char *to = (char *)memory + first * layout->extent;
    if (tca_layout_is_packed(layout)) {
        memcpy(to, from, segments * layout->bytes);
        return;
    }
    for (uint32_t s = 0; s < segments; s++, to += layout->extent) {
        for (uint64_t i = 0; i < layout->count; i++) {
            const tc_am_block block = tca_layout_block(layout, i);
            if (block.bytes > 0)
                memcpy(to + block.offset, from, block.bytes);
            from += block.bytes;
        }
    }
}
