/* Prints an image of a slice for tc-ar show: as lines or as JSON. */
#include "tc_ar.h"

#include "base/printable.h"
#include "image.h"
#include "tool_json.h"

#include <stdio.h>
#include <string.h>

void tci_ar_print_clean(const char *text, size_t length)
{
    char out[TCI_PRINTABLE_BYTES];
    for (size_t i = 0; i < length; i++) {
        (void)tci_printable_byte((unsigned char)text[i], out);
        (void)fputs(out, stdout);
    }
}

/* Returns the name that a relocation refers to; NULL when it refers to none. */
static const char *name_of(const tci_archive *archive, size_t index, const tci_image *image,
                           const tci_relocation *relocation)
{
    if (relocation->kind == TCI_RELOCATION_RELATIVE)
        return NULL;
    if (relocation->kind == TCI_RELOCATION_SYMBOL)
        return tci_archive_symbol(archive, index, relocation->import);
    const char *name = image->weak_names;
    for (uint32_t i = 0; i < relocation->import; i++)
        name += strlen(name) + 1;
    return name;
}

unsigned tci_ar_entries(const tci_archive *archive)
{
    return tci_archive_is_library(archive) ? 0 : tci_archive_entries(archive);
}

/* --- lines ------------------------------------------------------------------------------- */

static void print_entries(const tci_image *image)
{
    printf("    entries main 0x%x", image->main_place);
    if ((image->entries & TCI_ENTRY_INIT) != 0)
        printf(", payload_get_max_size 0x%x, payload_init 0x%x", image->max_size_place,
               image->init_place);
    if ((image->entries & TCI_ENTRY_LIFE) != 0)
        printf(", life 0x%x", image->life_place);
    putchar('\n');
}

static void print_relocations(const tci_archive *archive, size_t index, const tci_image *image)
{
    tci_image_iterator it = tci_image_iterator_begin(image);
    for (tci_relocation r; tci_image_iterator_next(&it, &r);) {
        const char *name = name_of(archive, index, image, &r);
        printf("      0x%x: ", r.offset);
        if (name == NULL) {
            printf("image + 0x%x\n", (unsigned)r.addend);
            continue;
        }
        tci_ar_print_clean(name, strlen(name));
        if (r.addend != 0)
            printf(" %c %lld", r.addend < 0 ? '-' : '+',
                   r.addend < 0 ? -(long long)r.addend : (long long)r.addend);
        printf("%s\n", r.kind == TCI_RELOCATION_WEAK ? " (weak)" : "");
    }
}

static void print_holes(const tci_image *image)
{
    for (uint32_t i = 0; i < image->hole_count; i++)
        printf("    hole %s: %u bytes at 0x%x%s%s\n", image->holes[i].name,
               image->holes[i].bytes, image->holes[i].place,
               image->holes[i].kind != TCI_HOLE_ANY ? ", " : "",
               image->holes[i].kind != TCI_HOLE_ANY
                   ? tci_image_hole_kind_text(image->holes[i].kind)
                   : "");
}

void tci_ar_print_image(const tci_archive *archive, size_t index, bool all)
{
    tci_image image;
    tc_error err;
    if (tci_image_open_slice(archive, index, &image, &err) != TC_OK) {
        printf("    %s\n", err.text);
        return;
    }
    for (uint32_t i = 0; i < image.segment_count; i++) {
        const tci_image_segment *s = &image.segments[i];
        printf("    %-9s 0x%x: %u bytes", tci_image_kind_text(s->kind), s->offset,
               s->file_bytes);
        if (s->memory_bytes > s->file_bytes)
            printf(", %u zeros", s->memory_bytes - s->file_bytes);
        putchar('\n');
    }
    if (tci_ar_entries(archive) != 0)
        print_entries(&image);
    if (image.eh_frame_bytes > 0)
        printf("    eh_frame 0x%x: %u bytes\n", image.eh_frame_place, image.eh_frame_bytes);
    if (image.relocation_count > 0)
        printf("    %u relocations, %u weak names\n", image.relocation_count, image.weak_count);
    print_holes(&image);
    if (all)
        print_relocations(archive, index, &image);
}

/* --- JSON -------------------------------------------------------------------------------- */

static void print_segments_json(const tci_image *image)
{
    printf(",\"segments\":[");
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const tci_image_segment *s = &image->segments[i];
        printf("%s{\"kind\":\"%s\",\"place\":%u,\"file_bytes\":%u,\"memory_bytes\":%u}",
               i > 0 ? "," : "", tci_image_kind_text(s->kind), s->offset, s->file_bytes,
               s->memory_bytes);
    }
    putchar(']');
}

static void print_entries_json(const tci_image *image)
{
    printf(",\"entries\":{\"main\":%u", image->main_place);
    if ((image->entries & TCI_ENTRY_INIT) != 0)
        printf(",\"payload_get_max_size\":%u,\"payload_init\":%u", image->max_size_place,
               image->init_place);
    if ((image->entries & TCI_ENTRY_LIFE) != 0)
        printf(",\"life\":%u", image->life_place);
    putchar('}');
}

static void print_holes_json(const tci_image *image)
{
    printf(",\"holes\":[");
    for (uint32_t i = 0; i < image->hole_count; i++)
        printf("%s{\"name\":\"%s\",\"place\":%u,\"bytes\":%u,\"kind\":\"%s\"}",
               i > 0 ? "," : "", image->holes[i].name, image->holes[i].place,
               image->holes[i].bytes, tci_image_hole_kind_text(image->holes[i].kind));
    putchar(']');
}

static void print_relocations_json(const tci_archive *archive, size_t index,
                                   const tci_image *image)
{
    const char *comma = "";
    tci_image_iterator it = tci_image_iterator_begin(image);
    printf(",\"relocation_list\":[");
    for (tci_relocation r; tci_image_iterator_next(&it, &r); comma = ",") {
        const char *name = name_of(archive, index, image, &r);
        printf("%s{\"place\":%u,\"addend\":%d", comma, r.offset, r.addend);
        if (name != NULL) {
            printf(",\"%s\":", r.kind == TCI_RELOCATION_WEAK ? "weak" : "symbol");
            tool_json_text(stdout, name);
        }
        putchar('}');
    }
    putchar(']');
}

void tci_ar_print_image_json(const tci_archive *archive, size_t index, bool all)
{
    tci_image image;
    tc_error err;
    printf(",\"image\":{");
    if (tci_image_open_slice(archive, index, &image, &err) != TC_OK) {
        printf("\"error\":");
        tool_json_text(stdout, err.text);
        putchar('}');
        return;
    }
    printf("\"memory_bytes\":%u", image.memory_bytes);
    print_segments_json(&image);
    if (tci_ar_entries(archive) != 0)
        print_entries_json(&image);
    printf(",\"eh_frame_bytes\":%u,\"relocations\":%u,\"weak_names\":%u", image.eh_frame_bytes,
           image.relocation_count, image.weak_count);
    print_holes_json(&image);
    if (all)
        print_relocations_json(archive, index, &image);
    putchar('}');
}
