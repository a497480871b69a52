#include "am_header.h"

#include "base/error_text.h"

#include <string.h>

/* --- at the origin ------------------------------------------------------------------------ */

static tc_status put_blocks(const tca_layout *layout, const char *name, tca_span *spans_out,
                            uint16_t *count_out, uint32_t *extent_out, tc_error *err)
{
    *count_out = 0;
    *extent_out = 0;
    if (layout == NULL || tca_layout_is_packed(layout))
        return TC_OK;
    const uint64_t extent = layout->extent > layout->end ? layout->extent : layout->end;
    if (layout->count > TC_AM_BLOCKS_MAX || extent > TC_AM_UNIT_BYTES_MAX)
        return tci_error_set(
            err, TC_E_TOO_LARGE,
            "target's %s: %llu blocks in %llu bytes, expected at most %u in %u", name,
            (unsigned long long)layout->count, (unsigned long long)extent, TC_AM_BLOCKS_MAX,
            TC_AM_UNIT_BYTES_MAX);
    if (layout->extent < layout->end)
        return tci_error_set(err, TC_E_INVALID,
                             "target's %s: segments %llu bytes apart overlap, one ends at %llu",
                             name, (unsigned long long)layout->extent,
                             (unsigned long long)layout->end);
    for (uint64_t i = 0; i < layout->count; i++) {
        const tc_am_block block = tca_layout_block(layout, i);
        spans_out[i] =
            (tca_span){.offset = (uint32_t)block.offset, .bytes = (uint32_t)block.bytes};
    }
    *count_out = (uint16_t)layout->count;
    *extent_out = (uint32_t)extent;
    return TC_OK;
}

tc_status tca_extension_make(const tca_layout *input, const tca_layout *output,
                             const void *description, size_t description_bytes,
                             void *memory_out, size_t *size_out, tc_error *err)
{
    tca_extension head = {0};
    tca_span spans[2 * TC_AM_BLOCKS_MAX];
    uint8_t *to = memory_out;
    *size_out = 0;
    if (description_bytes > TC_AM_DESCRIPTION_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "a description of %zu bytes, expected at most %u",
                             description_bytes, TC_AM_DESCRIPTION_MAX);
    TC_TRY(put_blocks(input, "input", spans, &head.input_blocks, &head.input_extent, err));
    TC_TRY(put_blocks(output, "output", spans + head.input_blocks, &head.output_blocks,
                      &head.output_extent, err));
    head.description_bytes = (uint16_t)description_bytes;
    const size_t count = (size_t)head.input_blocks + head.output_blocks;
    if (count + description_bytes == 0)
        return TC_OK;
    memcpy(to, &head, sizeof head);
    memcpy(to + sizeof head, spans, count * sizeof *spans);
    if (description_bytes > 0)
        memcpy(to + sizeof head + count * sizeof *spans, description, description_bytes);
    *size_out = sizeof head + count * sizeof *spans + description_bytes;
    return TC_OK;
}

/* --- at the target ------------------------------------------------------------------------ */

/* The blocks of one direction: inside the extent, in sum the bytes of a segment. */
static tc_status check_blocks(const tca_span *spans, uint32_t count, uint32_t extent,
                              uint32_t bytes, const char *name, tc_error *err)
{
    uint64_t sum = 0;
    if (count > TC_AM_BLOCKS_MAX)
        return tci_error_set(err, TC_E_INVALID, "%s of %u blocks, expected at most %u", name,
                             count, TC_AM_BLOCKS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        if (spans[i].offset > extent || spans[i].bytes > extent - spans[i].offset)
            return tci_error_set(err, TC_E_INVALID,
                                 "%s: block %u of %u bytes at %u, expected inside %u", name, i,
                                 spans[i].bytes, spans[i].offset, extent);
        sum += spans[i].bytes;
    }
    if (count > 0 && sum != bytes)
        return tci_error_set(err, TC_E_INVALID, "%s: blocks of %llu bytes, expected %u", name,
                             (unsigned long long)sum, bytes);
    return TC_OK;
}

/* The product, if a unit may have so much. */
static tc_status unit_bytes(uint32_t segments, uint32_t bytes, const char *name,
                            uint32_t *product_out, tc_error *err)
{
    const uint64_t product = (uint64_t)segments * bytes;
    if (product > TC_AM_UNIT_BYTES_MAX)
        return tci_error_set(err, TC_E_INVALID,
                             "%s of %u segments of %u bytes, expected at most %u", name,
                             segments, bytes, TC_AM_UNIT_BYTES_MAX);
    *product_out = (uint32_t)product;
    return TC_OK;
}

static tc_status check_extension(const uint8_t *payload, size_t size, tca_arrival *a,
                                 size_t *head_bytes, tc_error *err)
{
    tca_extension *e = &a->extension;
    if (size < sizeof a->header + sizeof *e)
        return tci_error_set(err, TC_E_INVALID, "an extended unit of %zu bytes, expected %zu",
                             size, sizeof a->header + sizeof *e);
    memcpy(e, payload + sizeof a->header, sizeof *e);
    const size_t spans = ((size_t)e->input_blocks + e->output_blocks) * sizeof(tca_span);
    *head_bytes = sizeof a->header + sizeof *e + spans + e->description_bytes;
    if (e->description_bytes > TC_AM_DESCRIPTION_MAX || e->unused != 0 || size < *head_bytes)
        return tci_error_set(err, TC_E_INVALID,
                             "an extension of %u and %u blocks and %u bytes in a unit of %zu",
                             e->input_blocks, e->output_blocks, e->description_bytes, size);
    /* Both structs have sizes that are multiples of 8, and payloads begin at one of 16. */
    a->input_blocks = (const tca_span *)(const void *)(payload + sizeof a->header + sizeof *e);
    a->output_blocks = a->input_blocks + e->input_blocks;
    a->description = (const uint8_t *)(a->output_blocks + e->output_blocks);
    TC_TRY(check_blocks(a->input_blocks, e->input_blocks, e->input_extent,
                        a->header.input_bytes, "input", err));
    return check_blocks(a->output_blocks, e->output_blocks, e->output_extent,
                        a->header.output_bytes, "output", err);
}

/* The number of a grant behind `head_bytes`. */
static tc_status take_grant(const uint8_t *bytes, size_t size, size_t head_bytes,
                            tca_arrival *a, tc_error *err)
{
    const size_t at = tca_header_input_offset(head_bytes, sizeof a->grant);
    if (size != at + sizeof a->grant)
        return tci_error_set(err, TC_E_INVALID, "%zu bytes with a grant, expected %zu", size,
                             at + sizeof a->grant);
    memcpy(&a->grant, bytes + at, sizeof a->grant);
    return TC_OK;
}

/* A unit whose input and output are in attached memory. */
static tc_status check_staged(const uint8_t *bytes, size_t size, tca_arrival *a,
                              size_t head_bytes, tc_error *err)
{
    const tca_header *h = &a->header;
    if (h->segments != 1 || a->extension.input_blocks + a->extension.output_blocks > 0)
        return tci_error_set(err, TC_E_INVALID,
                             "%u segments with %u and %u blocks in attached memory, expected "
                             "one without blocks",
                             h->segments, a->extension.input_blocks,
                             a->extension.output_blocks);
    a->input_packed = a->output_packed = a->input_spread = a->output_spread = 0;
    a->input = bytes;
    return take_grant(bytes, size, head_bytes, a, err);
}

static tc_status check_unit(const uint8_t *bytes, size_t size, tca_arrival *a,
                            size_t head_bytes, tc_error *err)
{
    const tca_header *h = &a->header;
    TC_TRY(unit_bytes(h->segments, h->input_bytes, "input", &a->input_packed, err));
    TC_TRY(unit_bytes(h->segments, h->output_bytes, "output", &a->output_packed, err));
    a->input_spread = a->input_packed;
    a->output_spread = a->output_packed;
    if (a->extension.input_blocks > 0)
        TC_TRY(unit_bytes(h->segments, a->extension.input_extent, "spread input",
                          &a->input_spread, err));
    if (a->extension.output_blocks > 0)
        TC_TRY(unit_bytes(h->segments, a->extension.output_extent, "spread output",
                          &a->output_spread, err));
    const size_t offset = tca_header_input_offset(head_bytes, a->input_packed);
    const size_t expected = a->input_packed > 0 ? offset + a->input_packed : head_bytes;
    if (size != expected)
        return tci_error_set(err, TC_E_INVALID,
                             "a unit of %zu bytes, expected %zu for %u segments of %u bytes",
                             size, expected, h->segments, h->input_bytes);
    a->input = bytes + (a->input_packed > 0 ? offset : 0);
    return TC_OK;
}

tc_status tca_header_check(const void *payload, size_t size, tca_arrival *a, tc_error *err)
{
    const uint8_t *bytes = payload;
    size_t head_bytes = sizeof a->header;
    if (size < sizeof a->header)
        return tci_error_set(err, TC_E_INVALID,
                             "an active message of %zu bytes, expected at least %zu", size,
                             sizeof a->header);
    memcpy(&a->header, bytes, sizeof a->header);
    const tca_header *h = &a->header;
    if (h->version != TCA_HEADER_VERSION)
        return tci_error_set(err, TC_E_VERSION, "active messages of version %u, expected %u",
                             h->version, TCA_HEADER_VERSION);
    a->is_counted = (h->kind & TCA_COUNTED) != 0;
    a->header.kind &= (uint8_t)~TCA_COUNTED;
    if (h->kind > TCA_KIND_LAST ||
        (a->is_counted && (h->kind > TCA_UNIT_EXTENDED || h->output_bytes > 0)))
        return tci_error_set(err, TC_E_INVALID, "an active message of kind %u%s", h->kind,
                             a->is_counted ? ", counted" : "");
    if (h->kind == TCA_DESCRIBE || h->kind == TCA_RESERVE || h->kind == TCA_MARK)
        return TC_OK;
    if (h->kind == TCA_RELEASE)
        return take_grant(bytes, size, head_bytes, a, err);
    if (h->segments == 0 || h->first > UINT32_MAX - h->segments)
        return tci_error_set(err, TC_E_INVALID, "a unit of %u segments from %u on", h->segments,
                             h->first);
    a->extension = (tca_extension){0};
    if (h->kind == TCA_UNIT_EXTENDED || h->kind == TCA_STAGED_EXTENDED)
        TC_TRY(check_extension(bytes, size, a, &head_bytes, err));
    return h->kind == TCA_STAGED || h->kind == TCA_STAGED_EXTENDED
               ? check_staged(bytes, size, a, head_bytes, err)
               : check_unit(bytes, size, a, head_bytes, err);
}
