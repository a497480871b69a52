#include "image_maker.h"
#include "../support/test.h"

#if defined(__x86_64__)
#define MACHINE TCI_IMAGE_X86_64
#define PAGE TCI_IMAGE_PAGE_X86_64
static const uint8_t adding_one[] = {0x48, 0xff, 0x02, 0xc3}; /* incq (%rdx); ret */
/* incq variable(%rip); mov variable(%rip), %rax; mov %rax, (%rdx); ret */
static const uint8_t counting[] = {0x48, 0xff, 0x05, 0xf9, 0x0f, 0,    0,    0x48, 0x8b,
                                   0x05, 0xf2, 0x0f, 0,    0,    0x48, 0x89, 0x02, 0xc3};
static const uint8_t jumping[] = {0xff, 0x25, 2, 0, 0, 0}; /* jmp *8(start) */
#else
#define MACHINE TCI_IMAGE_AARCH64
#define PAGE TCI_IMAGE_PAGE_AARCH64
/* ldr x3, [x2]; add x3, x3, #1; str x3, [x2]; ret */
static const uint8_t adding_one[] = {0x43, 0x00, 0x40, 0xf9, 0x63, 0x04, 0x00, 0x91,
                                     0x43, 0x00, 0x00, 0xf9, 0xc0, 0x03, 0x5f, 0xd6};
/* adrp x4, variable; ldr x3, [x4]; add x3, x3, #1; str x3, [x4]; str x3, [x2]; ret */
static const uint8_t counting[] = {0x84, 0x00, 0x00, 0x90, 0x83, 0x00, 0x40, 0xf9,
                                   0x63, 0x04, 0x00, 0x91, 0x83, 0x00, 0x00, 0xf9,
                                   0x43, 0x00, 0x00, 0xf9, 0xc0, 0x03, 0x5f, 0xd6};
/* ldr x16, start + 8; br x16 */
static const uint8_t jumping[] = {0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6};
#endif

static const uint8_t forty_one[] = {41};
static const char *const weak_names[] = {"tc_test_absent_weak"};
static const tci_relocation to_symbol[] = {{.kind = TCI_RELOCATION_SYMBOL, .offset = 8}};
static const tci_relocation to_weak[] = {{.kind = TCI_RELOCATION_WEAK, .offset = 8}};

static tci_image_source with_code(const uint8_t *code, uint32_t size)
{
    return (tci_image_source){.machine = MACHINE,
                              .segment_count = 1,
                              .segments = {{.file_bytes = size,
                                            .memory_bytes = size,
                                            .kind = TCI_IMAGE_CODE,
                                            .bytes = code}},
                              .entries = TCI_ENTRY_MAIN};
}

tci_image_source image_adding_one(void)
{
    return with_code(adding_one, sizeof adding_one);
}

tci_image_source image_counting(uint32_t zero_bytes)
{
    tci_image_source source = with_code(counting, sizeof counting);
    source.segment_count = 2;
    source.segments[1] = (tci_image_segment){.offset = PAGE,
                                             .file_bytes = 1,
                                             .memory_bytes = 8 + zero_bytes,
                                             .kind = TCI_IMAGE_DATA,
                                             .bytes = forty_one};
    return source;
}

tci_image_source image_jumping(bool weak)
{
    tci_image_source source = with_code(jumping, sizeof jumping);
    source.segments[0].memory_bytes = 16;
    source.relocations = weak ? to_weak : to_symbol;
    source.relocation_count = 1;
    source.weak_names = weak_names;
    source.weak_count = weak;
    return source;
}

made_archive make_image_archive(const char *name, const tci_image_source *source,
                                uint8_t cpu_level, const char *const *symbols,
                                size_t symbol_count)
{
    made_archive made = {0};
    tci_archive_writer *writer;
    void *image;
    size_t image_size;
    tc_error err = {0};
    tci_slice slice = {.form = TCI_FORM_IMAGE, .cpu_level = cpu_level};
    (void)snprintf(slice.triple, sizeof slice.triple, "%s", tci_triple_host());
    if (tci_image_write(source, &image, &image_size, &err) != TC_OK)
        fail_msg("%s", err.text);
    assert_ok(tci_archive_writer_create(name, source->entries, &writer, &err));
    assert_ok(
        tci_archive_writer_add(writer, &slice, image, image_size, symbols, symbol_count, &err));
    assert_ok(tci_archive_writer_finish(writer, &made.bytes, &made.size, &err));
    tci_archive_writer_destroy(writer);
    free(image);
    assert_ok(tci_archive_open(made.bytes, made.size, &made.archive, &err));
    return made;
}

void free_made(made_archive *made)
{
    tci_archive_close(made->archive);
    free(made->bytes);
}
