#include "object_layout.h"

#include "base/arch.h"
#include "base/error_text.h"
#include "image_layout.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Constants up to this size are put beside the code: a segment of their own would cost a page,
 * and each load a mapping. compiler/image_make.c does the same. */
#define CONSTANTS_IN_CODE_MAX 4096u
#define SLOT_BYTES 8u
#define STUB_ALIGNMENT 8u
#define TERMINATOR_BYTES 4u /* of .eh_frame, which objects lack */

/* In the order in which they lie in the image. */
typedef enum section_kind { RUN, READ, WRITE, ZERO, KINDS } section_kind;

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Returns KINDS if the image does not have the section. A section that only a linker writes is
 * constant. */
static section_kind kind_of(const tci_elf_section *s)
{
    if ((s->flags & SHF_ALLOC) == 0 || s->type == SHT_NOTE)
        return KINDS;
    if ((s->flags & SHF_EXECINSTR) != 0)
        return RUN;
    if ((s->flags & SHF_WRITE) == 0 || begins(s->name, ".data.rel.ro"))
        return READ;
    return s->type == SHT_NOBITS ? ZERO : WRITE;
}

static tc_status check_section(const tci_elf_section *s, tc_error *err)
{
    if ((s->flags & SHF_ALLOC) == 0)
        return TC_OK;
    if ((s->flags & SHF_TLS) != 0)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "section %s has thread-local variables, which no image has",
                             s->name);
    if ((s->flags & SHF_WRITE) != 0 && (s->flags & SHF_EXECINSTR) != 0)
        return tci_error_set(err, TC_E_UNSUPPORTED, "section %s is written and run", s->name);
    if (s->alignment > TCI_IMAGE_BASE_ALIGNMENT)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "section %s is aligned to %llu bytes, expected %u at most in an "
                             "image",
                             s->name, (unsigned long long)s->alignment,
                             TCI_IMAGE_BASE_ALIGNMENT);
    if (s->type != SHT_NOBITS && s->content == NULL)
        return tci_error_set(err, TC_E_CORRUPT, "section %s is not all there", s->name);
    return TC_OK;
}

static bool is_eh_frame(const tci_elf_section *s)
{
    return strcmp(s->name, ".eh_frame") == 0 && s->size > 0;
}

/* --- offsets ------------------------------------------------------------------------------ */

/* An `end` beyond the maximum of an image stands for too much. */
static uint64_t align_up(uint64_t end, uint64_t alignment)
{
    return alignment <= 1 ? end : (end + alignment - 1) / alignment * alignment;
}

static uint64_t add_section(tci_object_layout *layout, size_t index, const tci_elf_section *s,
                            uint64_t end)
{
    uint64_t offset = align_up(end, s->alignment);
    if (offset > TCI_IMAGE_MEMORY_MAX || s->size > TCI_IMAGE_MEMORY_MAX)
        return TCI_IMAGE_MEMORY_MAX + 1u;
    layout->places[index] = (uint32_t)offset;
    end = offset + s->size;
    if (is_eh_frame(s) && layout->eh_frame_bytes == 0) {
        layout->eh_frame_place = (uint32_t)offset;
        layout->eh_frame_bytes = (uint32_t)s->size + TERMINATOR_BYTES;
        end += TERMINATOR_BYTES;
    }
    return end;
}

static uint64_t add_kind(tci_object_layout *layout, const tci_elf_object *object,
                         section_kind kind, uint64_t end)
{
    tci_elf_section s;
    for (size_t i = 0; tci_elf_object_section(object, i, &s); i++) {
        if (kind_of(&s) == kind)
            end = add_section(layout, i, &s, end);
    }
    return end;
}

static uint64_t size_of(const tci_elf_object *object, section_kind kind)
{
    tci_elf_section s;
    uint64_t bytes = 0;
    for (size_t i = 0; tci_elf_object_section(object, i, &s); i++) {
        if (kind_of(&s) == kind)
            bytes += s.size;
    }
    return bytes;
}

/* Adds a segment, unless there is nothing in it. Returns its end. */
static uint64_t end_segment(tci_object_layout *layout, tci_image_kind kind, uint64_t offset,
                            uint64_t file_end, uint64_t end)
{
    if (offset == end)
        return end;
    layout->segments[layout->segment_count++] =
        (tci_image_segment){.offset = (uint32_t)offset,
                            .file_bytes = (uint32_t)(file_end - offset),
                            .memory_bytes = (uint32_t)(end - offset),
                            .kind = kind};
    return end;
}

/* A size that is too large on the way is too large at the end: offsets only grow. */
static uint64_t next_segment(uint64_t end)
{
    return tci_image_next_place(end, tci_image_page_bytes(TCI_ARCH_NUMBER));
}

static uint64_t add_code(tci_object_layout *layout, const tci_elf_object *object,
                         uint64_t stubs_bytes, uint64_t slots_bytes)
{
    uint64_t constants_bytes = size_of(object, READ) + slots_bytes;
    uint64_t end = align_up(add_kind(layout, object, RUN, 0), STUB_ALIGNMENT), begin = 0;
    layout->stubs_place = (uint32_t)end;
    end += stubs_bytes;
    if (constants_bytes > CONSTANTS_IN_CODE_MAX) {
        (void)end_segment(layout, TCI_IMAGE_CODE, 0, end, end);
        begin = end = next_segment(end);
    }
    end = align_up(add_kind(layout, object, READ, end), SLOT_BYTES);
    layout->slots_place = (uint32_t)end;
    end += slots_bytes;
    return end_segment(layout, begin > 0 ? TCI_IMAGE_CONSTANTS : TCI_IMAGE_CODE, begin, end,
                       end);
}

static uint64_t add_data(tci_object_layout *layout, const tci_elf_object *object, uint64_t end)
{
    uint64_t begin = next_segment(end);
    uint64_t file_end = add_kind(layout, object, WRITE, begin);
    uint64_t data_end = add_kind(layout, object, ZERO, file_end);
    return data_end == begin ? end
                             : end_segment(layout, TCI_IMAGE_DATA, begin, file_end, data_end);
}

/* --- bytes -------------------------------------------------------------------------------- */

static tc_status fill(tci_object_layout *layout, const tci_elf_object *object, tc_error *err)
{
    tci_elf_section s;
    /* bound: TCI_IMAGE_MEMORY_MAX */
    layout->memory = calloc(layout->memory_bytes + 1u, 1);
    if (layout->memory == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "image of %u bytes: out of memory",
                             layout->memory_bytes);
    for (size_t i = 0; tci_elf_object_section(object, i, &s); i++) {
        if (layout->places[i] != TCI_PLACE_NONE && s.type != SHT_NOBITS && s.size > 0)
            memcpy(layout->memory + layout->places[i], s.content, s.size);
    }
    for (size_t i = 0; i < layout->segment_count; i++)
        layout->segments[i].bytes = layout->memory + layout->segments[i].offset;
    return TC_OK;
}

tc_status tci_object_layout_make(const tci_elf_object *object, size_t stub_count,
                                 size_t stub_bytes, size_t slot_count,
                                 tci_object_layout *layout_out, tc_error *err)
{
    tci_elf_section s;
    *layout_out = (tci_object_layout){.section_count = object->count};
    layout_out->places = malloc((object->count + 1) * sizeof *layout_out->places);
    if (layout_out->places == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "image: out of memory");
    for (size_t i = 0; i < object->count; i++)
        layout_out->places[i] = TCI_PLACE_NONE;
    for (size_t i = 0; tci_elf_object_section(object, i, &s); i++)
        TC_TRY(check_section(&s, err));
    uint64_t end = add_data(layout_out, object,
                            add_code(layout_out, object, (uint64_t)stub_count * stub_bytes,
                                     (uint64_t)slot_count * SLOT_BYTES));
    if (end > TCI_IMAGE_MEMORY_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "code and data take more than the %u bytes that an image has",
                             TCI_IMAGE_MEMORY_MAX);
    layout_out->memory_bytes = (uint32_t)end;
    return fill(layout_out, object, err);
}

void tci_object_layout_fini(tci_object_layout *layout)
{
    free(layout->places);
    free(layout->memory);
}
