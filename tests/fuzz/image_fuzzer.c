/* Bytes as an image. An image that opens must keep every promise of image.h: a loader relies on
 * them without another check. */
#include "fuzzer.h"
#include "image.h"

#include <string.h>

static void check_segments(const tci_image *image)
{
    static volatile unsigned sink;
    uint64_t end = 0;
    MUST(image->segment_count >= 1 && image->segment_count <= TCI_IMAGE_SEGMENTS_MAX);
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const tci_image_segment *s = &image->segments[i];
        MUST(s->offset >= end && s->offset % image->page_bytes == 0);
        MUST(s->memory_bytes >= 1 && s->memory_bytes >= s->file_bytes);
        MUST(s->kind >= TCI_IMAGE_CODE && s->kind <= TCI_IMAGE_DATA);
        for (uint32_t at = 0; at < s->file_bytes; at++)
            sink += s->bytes[at];
        end = (uint64_t)s->offset + s->memory_bytes;
    }
    MUST(end == image->memory_bytes && end <= TCI_IMAGE_MEMORY_MAX);
}

static void check_entry(const tci_image *image, uint32_t place)
{
    const tci_image_segment *s = tci_image_segment_at(image, place, 1);
    MUST(s != NULL && s->kind == TCI_IMAGE_CODE);
}

static void check_relocations(const tci_image *image)
{
    uint64_t end = 0;
    uint32_t count = 0;
    tci_image_iterator it = tci_image_iterator_begin(image);
    for (tci_relocation r; tci_image_iterator_next(&it, &r); count++) {
        MUST(r.offset >= end && r.offset % 8 == 0);
        MUST(tci_image_segment_at(image, r.offset, 8) != NULL);
        if (r.kind == TCI_RELOCATION_RELATIVE)
            MUST(r.addend >= 0 && (uint32_t)r.addend <= image->memory_bytes);
        else if (r.kind == TCI_RELOCATION_SYMBOL)
            MUST(r.import < image->symbol_count);
        else
            MUST(r.kind == TCI_RELOCATION_WEAK && r.import < image->weak_count);
        end = (uint64_t)r.offset + 8;
    }
    MUST(count == image->relocation_count && count <= TCI_IMAGE_RELOCATIONS_MAX);
    MUST(image->symbol_count <= TCI_IMAGE_IMPORTS_MAX);
}

static void check_names(const tci_image *image)
{
    const char *name = image->weak_names;
    for (uint32_t i = 0; i < image->weak_count; i++, name += strlen(name) + 1)
        MUST(name[0] != '\0' && strlen(name) < TCI_ARCHIVE_SYMBOL_MAX);
}

/* Their values are written there without another check. */
static void check_holes(const tci_image *image)
{
    MUST(image->hole_count <= TCI_HOLES_MAX && image->values == NULL);
    for (uint32_t i = 0; i < image->hole_count; i++) {
        const tci_image_hole *hole = &image->holes[i];
        const tci_image_segment *s = tci_image_segment_at(image, hole->place, hole->bytes);
        MUST(s != NULL && s->kind != TCI_IMAGE_DATA);
        MUST(hole->bytes >= 1 && hole->bytes <= TCI_HOLE_BYTES_MAX);
        MUST(hole->name[0] != '\0' && strlen(hole->name) < TCI_ARCHIVE_NAME_MAX);
        MUST(i == 0 || strcmp(hole[-1].name, hole->name) < 0);
    }
}

/* As the unwinder walks it. */
static void check_eh_frame(const tci_image *image)
{
    uint32_t at = image->eh_frame_place;
    if (image->eh_frame_bytes == 0)
        return;
    const tci_image_segment *s = tci_image_segment_at(image, at, image->eh_frame_bytes);
    MUST(s != NULL);
    uint8_t *memory = calloc(1, s->memory_bytes);
    if (memory == NULL)
        return;
    memcpy(memory, s->bytes, s->file_bytes);
    for (uint32_t length = 1; length != 0; at += 4 + length) {
        MUST(at - image->eh_frame_place + 4 <= image->eh_frame_bytes);
        memcpy(&length, memory + (at - s->offset), sizeof length);
    }
    MUST(at == image->eh_frame_place + image->eh_frame_bytes); /* behind the terminator */
    free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tci_image image;
    tc_error err = {.status = TC_OK};
    tc_status status = tci_image_open(data, size, &image, &err);
    if (status != TC_OK) {
        MUST(err.status == status && err.text[0] != '\0');
        return 0;
    }
    check_segments(&image);
    check_entry(&image, image.main_place);
    if (image.entries != TCI_ENTRY_MAIN) {
        check_entry(&image, image.max_size_place);
        check_entry(&image, image.init_place);
    }
    check_relocations(&image);
    check_names(&image);
    check_holes(&image);
    check_eh_frame(&image);
    return 0;
}
