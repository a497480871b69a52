/* Images: input is read back unchanged, and the bytes are those of docs/image-format.md.
 *
 * The argument is the folder with full_x86_64.img and full_aarch64.img; with --write behind it
 * they are written there, for a new format version. */
#include "../support/test.h"
#include "archive_file.h"
#include "image_layout.h"
#include "image_samples.h"

static const char *folder;

/* --- round trips -------------------------------------------------------------- */

static void expect_segment(const tci_image_segment *found, const tci_image_segment *wanted)
{
    assert_int_equal(found->offset, wanted->offset);
    assert_int_equal(found->kind, wanted->kind);
    assert_int_equal(found->memory_bytes, wanted->memory_bytes);
    assert_true(found->file_bytes <= wanted->file_bytes);
    assert_memory_equal(found->bytes, wanted->bytes, found->file_bytes);
    for (uint32_t i = found->file_bytes; i < wanted->file_bytes; i++)
        assert_int_equal(wanted->bytes[i], 0);
}

static void expect_relocations(const tci_image *image, const tci_image_source *source)
{
    tci_relocation found;
    tci_image_iterator it = tci_image_iterator_begin(image);
    assert_int_equal(image->relocation_count, source->relocation_count);
    for (size_t i = 0; i < source->relocation_count; i++) {
        const tci_relocation *wanted = &source->relocations[i];
        assert_true(tci_image_iterator_next(&it, &found));
        assert_int_equal(found.kind, wanted->kind);
        assert_int_equal(found.offset, wanted->offset);
        assert_int_equal(found.import, wanted->import);
        assert_int_equal(found.addend, wanted->addend);
    }
    assert_false(tci_image_iterator_next(&it, &found));
}

static void expect_image(const void *bytes, size_t size, const tci_image_source *source)
{
    tci_image image;
    tc_error err = {.text = ""};
    if (tci_image_open(bytes, size, &image, &err) != TC_OK)
        fail_msg("%s", err.text);
    const tci_image_segment *last = &source->segments[source->segment_count - 1];
    assert_int_equal(image.machine, source->machine);
    assert_int_equal(image.memory_bytes, last->offset + last->memory_bytes);
    assert_int_equal(image.segment_count, source->segment_count);
    for (size_t i = 0; i < source->segment_count; i++)
        expect_segment(&image.segments[i], &source->segments[i]);
    assert_int_equal(image.entries, source->entries);
    assert_int_equal(image.main_place, source->main_place);
    assert_int_equal(image.max_size_place, source->max_size_place);
    assert_int_equal(image.init_place, source->init_place);
    assert_int_equal(image.eh_frame_place, source->eh_frame_place);
    assert_int_equal(image.eh_frame_bytes, source->eh_frame_bytes);
    const char *name = image.weak_names;
    assert_int_equal(image.weak_count, source->weak_count);
    for (size_t i = 0; i < source->weak_count; i++, name += strlen(name) + 1)
        assert_string_equal(name, source->weak_names[i]);
    expect_relocations(&image, source);
}

TEST(images_come_back)
{
    tci_image_source sources[] = {sample_image_small(), sample_image_full(),
                                  sample_image_full_aarch64()};
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        size_t size;
        void *bytes = sample_image_bytes(&sources[i], &size);
        expect_image(bytes, size, &sources[i]);
        free(bytes);
    }
}

TEST(symbols_are_counted)
{
    tci_image_source source = sample_image_full();
    tci_image image;
    size_t size;
    void *bytes = sample_image_bytes(&source, &size);
    assert_ok(tci_image_open(bytes, size, &image, NULL));
    assert_int_equal(image.symbol_count, 3); /* symbol 2 is the highest */
    free(bytes);
}

TEST(places_are_found_in_segments)
{
    tci_image_source source = sample_image_full();
    tci_image image;
    size_t size;
    void *bytes = sample_image_bytes(&source, &size);
    assert_ok(tci_image_open(bytes, size, &image, NULL));
    assert_ptr_equal(tci_image_segment_at(&image, 0, 56), &image.segments[0]);
    assert_null(tci_image_segment_at(&image, 0, 57));
    assert_null(tci_image_segment_at(&image, 56, 1));
    assert_ptr_equal(tci_image_segment_at(&image, 4096 + 87, 1), &image.segments[1]);
    assert_null(tci_image_segment_at(&image, UINT32_MAX, UINT32_MAX));
    free(bytes);
}

/* --- stored bytes ------------------------------------------------------------------------ */

TEST(example_of_the_document)
{
    static const uint8_t wanted[] = {0x01, 0x01, 0x01, 0x21, 0x00, 0x48, 0xff, 0x02, 0xc3};
    tci_image_source source = sample_image_small();
    size_t size;
    void *bytes = sample_image_bytes(&source, &size);
    assert_int_equal(size, sizeof wanted);
    assert_memory_equal(bytes, wanted, size);
    free(bytes);
}

static const struct {
    const char *file;
    tci_image_source (*source)(void);
} golden[] = {{"full_x86_64.img", sample_image_full},
              {"full_aarch64.img", sample_image_full_aarch64}};

TEST(golden_images)
{
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        char path[4096];
        size_t size, golden_size;
        void *golden_bytes;
        snprintf(path, sizeof path, "%s/%s", folder, golden[i].file);
        assert_ok(tci_archive_file_read(path, 1 << 20, &golden_bytes, &golden_size, NULL));
        tci_image_source source = golden[i].source();
        void *bytes = sample_image_bytes(&source, &size);
        assert_int_equal(size, golden_size);
        assert_memory_equal(bytes, golden_bytes, size);
        expect_image(golden_bytes, golden_size, &source);
        free(bytes);
        free(golden_bytes);
    }
}

/* An old output of tc-clang for tests/compiler/data/image_parts.c: every later version must
 * read it so. */
typedef struct compiled_image {
    const char *file;
    tci_image_machine machine;
    uint32_t data_place;
    uint32_t sizes[4]; /* file and memory bytes of code, then of data */
    uint32_t places[3];
    int32_t cursor; /* the target of the first word of data */
} compiled_image;

static void expect_compiled(const compiled_image *wanted, const tci_image *image)
{
    const tci_relocation relocations[] = {
        {.kind = TCI_RELOCATION_SYMBOL, .offset = 0x140, .import = 0},
        {.kind = TCI_RELOCATION_SYMBOL, .offset = 0x148, .import = 1},
        {.kind = TCI_RELOCATION_WEAK, .offset = 0x150, .import = 0},
        {.kind = TCI_RELOCATION_RELATIVE,
         .offset = wanted->data_place,
         .addend = wanted->cursor}};
    const tci_image_source list = {.relocations = relocations, .relocation_count = 4};
    assert_int_equal(image->machine, wanted->machine);
    assert_int_equal(image->segment_count, 2);
    assert_int_equal(image->segments[0].kind, TCI_IMAGE_CODE);
    assert_int_equal(image->segments[0].file_bytes, wanted->sizes[0]);
    assert_int_equal(image->segments[0].memory_bytes, wanted->sizes[1]);
    assert_int_equal(image->segments[1].kind, TCI_IMAGE_DATA);
    assert_int_equal(image->segments[1].offset, wanted->data_place);
    assert_int_equal(image->segments[1].file_bytes, wanted->sizes[2]);
    assert_int_equal(image->segments[1].memory_bytes, wanted->sizes[3]);
    assert_int_equal(image->entries, TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT);
    assert_int_equal(image->main_place, wanted->places[0]);
    assert_int_equal(image->max_size_place, wanted->places[1]);
    assert_int_equal(image->init_place, wanted->places[2]);
    assert_int_equal(image->symbol_count, 2);
    assert_int_equal(image->weak_count, 1);
    assert_string_equal(image->weak_names, "nowhere");
    expect_relocations(image, &list);
}

TEST(an_entry_for_constructors)
{
    tci_image_source source = sample_image_full();
    tci_image image;
    uint8_t *bytes;
    void *written;
    size_t size;
    source.entries |= TCI_ENTRY_LIFE;
    source.life_place = 24;
    assert_ok(tci_image_write(&source, &written, &size, NULL));
    bytes = written;
    assert_int_equal(bytes[1] & 0x40, 0x40);
    assert_ok(tci_image_open(bytes, size, &image, NULL));
    assert_int_equal(image.entries, source.entries);
    assert_int_equal(image.init_place, source.init_place);
    assert_int_equal(image.life_place, 24);
    source.entries = TCI_ENTRY_MAIN | TCI_ENTRY_LIFE;
    free(written);
    assert_ok(tci_image_write(&source, &written, &size, NULL));
    assert_ok(tci_image_open(written, size, &image, NULL));
    assert_int_equal(image.entries, source.entries);
    assert_int_equal(image.life_place, 24);
    source.life_place = 0x1000; /* constants */
    free(written);
    assert_status(tci_image_write(&source, &written, &size, NULL), TC_E_CORRUPT);
}

TEST(compiled_images)
{
    static const compiled_image wanted[] = {
        {"parts_x86_64.img",
         TCI_IMAGE_X86_64,
         0x1000,
         {313, 344, 33, 864},
         {0x30, 0, 0x10},
         0x1018},
        {"parts_aarch64.img",
         TCI_IMAGE_AARCH64,
         0x10000,
         {313, 344, 25, 840},
         {0x2c, 0, 0x8},
         0x10010},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        char path[4096];
        size_t size;
        void *bytes;
        tci_image image;
        snprintf(path, sizeof path, "%s/%s", folder, wanted[i].file);
        assert_ok(tci_archive_file_read(path, 1 << 20, &bytes, &size, NULL));
        assert_ok(tci_image_open(bytes, size, &image, NULL));
        expect_compiled(&wanted[i], &image);
        free(bytes);
    }
}

static int write_golden(void)
{
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        char path[4096];
        size_t size;
        tci_image_source source = golden[i].source();
        void *bytes = sample_image_bytes(&source, &size);
        snprintf(path, sizeof path, "%s/%s", folder, golden[i].file);
        if (tci_archive_file_write(path, bytes, size, NULL) != TC_OK)
            return EXIT_FAILURE;
        free(bytes);
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return EXIT_FAILURE;
    folder = argv[1];
    if (argc > 2 && strcmp(argv[2], "--write") == 0)
        return write_golden();
    return test_run(NULL, NULL);
}
