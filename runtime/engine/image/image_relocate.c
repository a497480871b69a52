#include "image_relocate.h"

#include <string.h>

static uint8_t *view_of(const tci_image_segment *segment, const tci_image_views *views)
{
    return segment->kind == TCI_IMAGE_DATA ? views->data : views->fixed;
}

void tci_image_relocate_copy(const tci_image *image, const tci_image_views *views)
{
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const tci_image_segment *s = &image->segments[i];
        uint8_t *memory = view_of(s, views) + s->place;
        if (s->file_bytes > 0)
            memcpy(memory, s->bytes, s->file_bytes);
        if (s->kind != TCI_IMAGE_DATA)
            memset(memory + s->file_bytes, 0, s->memory_bytes - s->file_bytes);
    }
}

static uint64_t value_of(const tci_relocation *relocation, const tci_image *image,
                         uint64_t base, const uint64_t *imports)
{
    uint64_t addend = (uint64_t)(int64_t)relocation->addend;
    switch (relocation->kind) {
    case TCI_RELOCATION_RELATIVE:
        return base + addend;
    case TCI_RELOCATION_WEAK:
        return imports[relocation->import] + addend;
    default:
        return imports[image->weak_count + relocation->import] + addend;
    }
}

/* Places ascend, so the segments are walked along with them. */
void tci_image_relocate(const tci_image *image, uint64_t base, const uint64_t *imports,
                        const tci_image_views *views)
{
    const tci_image_segment *s = image->segments;
    tci_image_iterator it = tci_image_iterator_begin(image);
    for (tci_relocation r; tci_image_iterator_next(&it, &r);) {
        while (r.place >= s->place + s->memory_bytes)
            s++;
        uint64_t value = value_of(&r, image, base, imports);
        memcpy(view_of(s, views) + r.place, &value, sizeof value); /* both are little-endian */
    }
}
