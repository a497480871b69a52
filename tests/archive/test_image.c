/* Images: what goes in comes out, the bytes are those of docs/image-format.md, and nothing that
 * breaks a rule is opened.
 *
 * The argument is the folder with full_x86_64.img and full_aarch64.img; with --write behind it
 * they are written there, for a new format version. */
#include "../support/test.h"
#include "archive_file.h"
#include "image_layout.h"
#include "image_samples.h"

static const char *folder;

static void *write_image(const tci_image_source *source, size_t *size_out)
{
    void *bytes = NULL;
    tc_error err = {.text = ""};
    if (tci_image_write(source, &bytes, size_out, &err) != TC_OK)
        fail_msg("%s", err.text);
    return bytes;
}

/* --- what goes in comes out -------------------------------------------------------------- */

static void expect_segment(const tci_image_segment *found, const tci_image_segment *wanted)
{
    assert_int_equal(found->place, wanted->place);
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
    tci_image_walk walk = tci_image_walk_begin(image);
    assert_int_equal(image->relocation_count, source->relocation_count);
    for (size_t i = 0; i < source->relocation_count; i++) {
        const tci_relocation *wanted = &source->relocations[i];
        assert_true(tci_image_walk_next(&walk, &found));
        assert_int_equal(found.kind, wanted->kind);
        assert_int_equal(found.place, wanted->place);
        assert_int_equal(found.import, wanted->import);
        assert_int_equal(found.addend, wanted->addend);
    }
    assert_false(tci_image_walk_next(&walk, &found));
}

static void expect_image(const void *bytes, size_t size, const tci_image_source *source)
{
    tci_image image;
    tc_error err = {.text = ""};
    if (tci_image_open(bytes, size, &image, &err) != TC_OK)
        fail_msg("%s", err.text);
    const tci_image_segment *last = &source->segments[source->segment_count - 1];
    assert_int_equal(image.machine, source->machine);
    assert_int_equal(image.memory_bytes, last->place + last->memory_bytes);
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

static void images_come_back(void **state)
{
    tci_image_source sources[] = {sample_image_small(), sample_image_full(),
                                  sample_image_full_aarch64()};
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        size_t size;
        void *bytes = write_image(&sources[i], &size);
        expect_image(bytes, size, &sources[i]);
        free(bytes);
    }
}

static void symbols_are_counted(void **state)
{
    tci_image_source source = sample_image_full();
    tci_image image;
    size_t size;
    void *bytes = write_image(&source, &size);
    assert_int_equal(tci_image_open(bytes, size, &image, NULL), TC_OK);
    assert_int_equal(image.symbol_count, 3); /* symbol 2 is the highest */
    free(bytes);
}

static void places_are_found_in_segments(void **state)
{
    tci_image_source source = sample_image_full();
    tci_image image;
    size_t size;
    void *bytes = write_image(&source, &size);
    assert_int_equal(tci_image_open(bytes, size, &image, NULL), TC_OK);
    assert_ptr_equal(tci_image_segment_at(&image, 0, 56), &image.segments[0]);
    assert_null(tci_image_segment_at(&image, 0, 57));
    assert_null(tci_image_segment_at(&image, 56, 1));
    assert_ptr_equal(tci_image_segment_at(&image, 4096 + 87, 1), &image.segments[1]);
    assert_null(tci_image_segment_at(&image, UINT32_MAX, UINT32_MAX));
    free(bytes);
}

/* --- stored bytes ------------------------------------------------------------------------ */

static void example_of_the_document(void **state)
{
    static const uint8_t wanted[] = {0x01, 0x01, 0x01, 0x21, 0x00, 0x48, 0xff, 0x02, 0xc3};
    tci_image_source source = sample_image_small();
    size_t size;
    void *bytes = write_image(&source, &size);
    assert_int_equal(size, sizeof wanted);
    assert_memory_equal(bytes, wanted, size);
    free(bytes);
}

static const struct {
    const char *file;
    tci_image_source (*source)(void);
} golden[] = {{"full_x86_64.img", sample_image_full},
              {"full_aarch64.img", sample_image_full_aarch64}};

static void golden_images(void **state)
{
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        char path[4096];
        size_t size, golden_size;
        void *golden_bytes;
        snprintf(path, sizeof path, "%s/%s", folder, golden[i].file);
        assert_int_equal(
            tci_archive_file_read(path, 1 << 20, &golden_bytes, &golden_size, NULL), TC_OK);
        tci_image_source source = golden[i].source();
        void *bytes = write_image(&source, &size);
        assert_int_equal(size, golden_size);
        assert_memory_equal(bytes, golden_bytes, size);
        expect_image(golden_bytes, golden_size, &source);
        free(bytes);
        free(golden_bytes);
    }
}

/* What tc-clang once made of tests/compiler/data/image_parts.c: every later version must read
 * it so. */
typedef struct compiled_image {
    const char *file;
    tci_image_machine machine;
    uint32_t data_place;
    uint32_t sizes[4]; /* file and memory bytes of code, then of data */
    uint32_t places[3];
    int32_t cursor; /* what the first word of data points to */
} compiled_image;

static void expect_compiled(const compiled_image *wanted, const tci_image *image)
{
    const tci_relocation relocations[] = {
        {.kind = TCI_RELOCATION_SYMBOL, .place = 0x140, .import = 0},
        {.kind = TCI_RELOCATION_SYMBOL, .place = 0x148, .import = 1},
        {.kind = TCI_RELOCATION_WEAK, .place = 0x150, .import = 0},
        {.kind = TCI_RELOCATION_RELATIVE,
         .place = wanted->data_place,
         .addend = wanted->cursor}};
    const tci_image_source list = {.relocations = relocations, .relocation_count = 4};
    assert_int_equal(image->machine, wanted->machine);
    assert_int_equal(image->segment_count, 2);
    assert_int_equal(image->segments[0].kind, TCI_IMAGE_CODE);
    assert_int_equal(image->segments[0].file_bytes, wanted->sizes[0]);
    assert_int_equal(image->segments[0].memory_bytes, wanted->sizes[1]);
    assert_int_equal(image->segments[1].kind, TCI_IMAGE_DATA);
    assert_int_equal(image->segments[1].place, wanted->data_place);
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

static void compiled_images(void **state)
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
        assert_int_equal(tci_archive_file_read(path, 1 << 20, &bytes, &size, NULL), TC_OK);
        assert_int_equal(tci_image_open(bytes, size, &image, NULL), TC_OK);
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
        void *bytes = write_image(&source, &size);
        snprintf(path, sizeof path, "%s/%s", folder, golden[i].file);
        if (tci_archive_file_write(path, bytes, size, NULL) != TC_OK)
            return EXIT_FAILURE;
        free(bytes);
    }
    return EXIT_SUCCESS;
}

/* --- refusals ---------------------------------------------------------------------------- */

typedef struct refusal {
    const char *bytes;
    size_t size;
    tc_status status;
    const char *text;
} refusal;

#define BYTES(text) (text), sizeof(text) - 1

/* One segment of four bytes of code is "\x21", main at its start "\0". */
static const refusal refusals[] = {
    {BYTES(""), TC_E_CORRUPT, "0 bytes, expected at least 2"},
    {BYTES("\1"), TC_E_CORRUPT, "1 bytes, expected at least 2"},
    {BYTES("\2\1\1\x21\0abcd"), TC_E_VERSION, "format version 2"},
    {BYTES("\1\0\1\x21\0abcd"), TC_E_VERSION, "shape 0x00"},
    {BYTES("\1\3\1\x21\0abcd"), TC_E_VERSION, "shape 0x03"},
    {BYTES("\1\x41\1\x21\0abcd"), TC_E_VERSION, "shape 0x41"},
    {BYTES("\1\1"), TC_E_CORRUPT, "no segments"},
    {BYTES("\1\1\0\0"), TC_E_CORRUPT, "no segments"},
    {BYTES("\1\1\x09\x21\0abcd"), TC_E_TOO_LARGE, "9 segments, limit 8"},
    {BYTES("\1\1\1"), TC_E_CORRUPT, "segment 0: malformed"},
    {BYTES("\1\1\1\x20\0abcd"), TC_E_CORRUPT, "segment 0: kind 0"},
    {BYTES("\1\1\1\x01\0"), TC_E_CORRUPT, "segment 0: no bytes"},
    {BYTES("\1\1\1\x05\0\0"), TC_E_CORRUPT, "segment 0: malformed"},
    {BYTES("\1\1\1\x05\x81\x80\x80\x20\0"), TC_E_TOO_LARGE, "limit 67108864"},
    {BYTES("\1\1\2\x21\7\xff\xff\xff\x1f\0"), TC_E_TOO_LARGE, "limit 67108864"},
    {BYTES("\1\1\1\x21"), TC_E_CORRUPT, "malformed entry point"},
    {BYTES("\1\1\1\x21\4abcd"), TC_E_CORRUPT, "entry point 0x4, which is not in code"},
    {BYTES("\1\1\1\x23\0abcd"), TC_E_CORRUPT, "entry point 0x0, which is not in code"},
    {BYTES("\1\2\1\x21\2abcd"), TC_E_CORRUPT, "entry point 0x2, expected a multiple of 4"},
    {BYTES("\1\5\1\x21\0\1\x7f"
           "abcd"),
     TC_E_CORRUPT, "entry point 0x7f"},
    {BYTES("\1\1\1\x21\0abc"), TC_E_CORRUPT, "3 bytes behind the index, its segments have 4"},
    {BYTES("\1\1\1\x21\0abcde"), TC_E_CORRUPT, "5 bytes behind the index"},
    {BYTES("\1\1\1\x21\0abc\0"), TC_E_CORRUPT, "ends with zeros"},
    {BYTES("\1\x11\1\x21\0\0abcd"), TC_E_CORRUPT, "malformed list of weak names"},
    {BYTES("\1\x11\1\x21\0\x81\x20"
           "abcd"),
     TC_E_TOO_LARGE, "4097 weak names"},
    {BYTES("\1\x11\1\x21\0\1abcd"), TC_E_CORRUPT, "weak name 0 has no end"},
    {BYTES("\1\x11\1\x21\0\1\0abcd"), TC_E_CORRUPT, "symbol"},
    {BYTES("\1\x11\1\x21\0\2b\0b\0abcd"), TC_E_CORRUPT, "weak name 1 is not in byte order"},
    {BYTES("\1\x21\1\x41\0\0abcdefgh"), TC_E_CORRUPT, "malformed list of relocations"},
    {BYTES("\1\x21\1\x41\0\x81\x80\4abcdefgh"), TC_E_TOO_LARGE, "65537 relocations"},
    {BYTES("\1\x21\1\x41\0\1\3\0abcdefgh"), TC_E_CORRUPT, "relocation 0 is malformed"},
    {BYTES("\1\x21\1\x41\0\1\2\0\0abcdefgh"), TC_E_CORRUPT, "relocation 0 is malformed"},
    {BYTES("\1\x21\1\x41\0\1\1\x80\x20"
           "abcdefgh"),
     TC_E_CORRUPT, "relocation 0 is malformed"},
    {BYTES("\1\x21\1\x21\0\1\0\0abcd"), TC_E_CORRUPT, "relocation at 0x0, which is not in"},
    {BYTES("\1\x21\1\x41\0\1\4\0abcdefgh"), TC_E_CORRUPT, "relocation at 0x8, which is not in"},
    {BYTES("\1\x21\1\x41\0\2\0\0\0\0abcdefgh"), TC_E_CORRUPT, "relocation at 0x8"},
    {BYTES("\1\x21\1\x41\0\1\xfc\xff\xff\xff\x0f\0abcdefgh"), TC_E_CORRUPT, "malformed"},
    {BYTES("\1\x21\1\x41\0\1\0\x09"
           "abcdefgh"),
     TC_E_CORRUPT, "points to 0x9"},
    {BYTES("\1\x21\2\x41\x23\0\1\x80\x10\0abcdefghabcd"), TC_E_CORRUPT, "at 0x1000"},
    {BYTES("\1\x09\1\x21\0\0\0abcd"), TC_E_CORRUPT, "0 bytes of .eh_frame"},
    {BYTES("\1\x09\1\x21\0\1\4abcd"), TC_E_CORRUPT, "which is not in a segment"},
    {BYTES("\1\x09\1\x21\0\0\4abcd"), TC_E_CORRUPT, "malformed .eh_frame"},
    {BYTES("\1\x09\1\x25\4\0\4\3abcd"), TC_E_CORRUPT, "3 bytes of .eh_frame"},
    {BYTES("\1\x09\1\x45\4\0\0\x0c\4\0\0\0\1\0\0\1"), TC_E_CORRUPT, "malformed .eh_frame"},
    {BYTES("\1\x09\1\x45\4\0\0\x0c\5\0\0\0\0\0\0\1"), TC_E_CORRUPT, "malformed .eh_frame"},
    {BYTES("\1\x09\1\x0d\x0b\0\0\x0c\1"), TC_E_CORRUPT, "malformed .eh_frame"},
};

static void broken_images_are_refused(void **state)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const refusal *r = &refusals[i];
        tci_image image = {.memory_bytes = 77};
        tc_error err = {.text = ""};
        tc_status status = tci_image_open(r->bytes, r->size, &image, &err);
        if (status != r->status || strstr(err.text, r->text) == NULL)
            fail_msg("row %zu: %d '%s', expected %d '%s'", i, status, err.text, r->status,
                     r->text);
        assert_int_equal(err.status, status);
        assert_int_equal(image.memory_bytes, 77);
    }
}

static void cut_images_are_refused(void **state)
{
    tci_image_source source = sample_image_full();
    size_t size;
    uint8_t *bytes = write_image(&source, &size);
    for (size_t n = 0; n < size; n++) {
        tci_image image;
        uint8_t *cut = malloc(n + 1); /* exact, so that a sanitizer sees a step too far */
        memcpy(cut + 1, bytes, n);
        assert_int_not_equal(tci_image_open(cut + 1, n, &image, NULL), TC_OK);
        free(cut);
    }
    free(bytes);
}

static void expect_unwritable(const tci_image_source *source, tc_status wanted,
                              const char *text)
{
    void *bytes;
    size_t size;
    tc_error err = {.text = ""};
    assert_int_equal(tci_image_write(source, &bytes, &size, &err), wanted);
    if (strstr(err.text, text) == NULL)
        fail_msg("'%s', expected '%s'", err.text, text);
}

static void writer_refuses_what_has_no_words(void **state)
{
    tci_image_source source = sample_image_full();
    tci_relocation relocation = {.kind = TCI_RELOCATION_RELATIVE, .place = 4};
    source.machine = (tci_image_machine)3;
    expect_unwritable(&source, TC_E_INVALID, "machine 3");
    source = sample_image_full();
    source.segments[1].place = 8192;
    expect_unwritable(&source, TC_E_INVALID, "segment 1 at 0x2000, expected 0x1000");
    source = sample_image_full();
    source.segments[2].memory_bytes = 4;
    expect_unwritable(&source, TC_E_INVALID, "has 16 of 4 bytes");
    source = sample_image_full();
    source.entries = TCI_ENTRY_MAIN | TCI_ENTRY_INIT;
    expect_unwritable(&source, TC_E_INVALID, "entry bits 5");
    source = sample_image_full();
    source.segment_count = 9;
    expect_unwritable(&source, TC_E_TOO_LARGE, "9 segments");
    source = sample_image_full();
    source.relocation_count = TCI_IMAGE_RELOCATIONS_MAX + 1;
    expect_unwritable(&source, TC_E_TOO_LARGE, "65537 relocations");
    source = sample_image_full();
    source.relocations = &relocation;
    source.relocation_count = 1;
    expect_unwritable(&source, TC_E_INVALID, "at 0x4, expected a multiple of 8");
    relocation = (tci_relocation){.kind = TCI_RELOCATION_WEAK, .import = 2};
    expect_unwritable(&source, TC_E_INVALID, "import 2");
    relocation = (tci_relocation){.kind = TCI_RELOCATION_RELATIVE, .addend = -1};
    expect_unwritable(&source, TC_E_INVALID, "addend -1");
    relocation = (tci_relocation){.kind = TCI_RELOCATION_SYMBOL, .import = 4095};
    expect_unwritable(&source, TC_E_CORRUPT, "malformed"); /* two weak names before it */
}

/* --- slices ------------------------------------------------------------------------------ */

static void add_slice(tci_archive_writer *writer, const char *triple, tci_slice_form form,
                      unsigned level, const tci_image_source *source)
{
    static const char *const symbols[] = {"abort", "memcpy", "puts"};
    tci_slice slice = {.form = form, .cpu_level = (uint8_t)level, .producer_major = 19};
    size_t size;
    void *bytes = write_image(source, &size);
    strcpy(slice.triple, triple);
    assert_int_equal(tci_archive_writer_add(writer, &slice, bytes, size, symbols, 3, NULL),
                     TC_OK);
    free(bytes);
}

static tci_archive *finish(tci_archive_writer *writer, void **bytes_out)
{
    tci_archive *archive;
    size_t size;
    assert_int_equal(tci_archive_writer_finish(writer, bytes_out, &size, NULL), TC_OK);
    assert_int_equal(tci_archive_open(*bytes_out, size, &archive, NULL), TC_OK);
    tci_archive_writer_destroy(writer);
    return archive;
}

static void slices_are_chosen_by_form_and_level(void **state)
{
    static const char x86[] = "x86_64-linux";
    tci_image_source source = sample_image_full();
    tci_archive_writer *writer;
    void *bytes;
    size_t index;
    tc_error err;
    assert_int_equal(tci_archive_writer_create("f", 7, &writer, NULL), TC_OK);
    add_slice(writer, "aarch64-linux", TCI_FORM_BITCODE, 0, &source);
    add_slice(writer, x86, TCI_FORM_IMAGE, TCI_CPU_X86_64_V4, &source);
    add_slice(writer, x86, TCI_FORM_IMAGE, TCI_CPU_X86_64_V3, &source);
    add_slice(writer, x86, TCI_FORM_IMAGE, TCI_CPU_ANY, &source);
    add_slice(writer, x86, TCI_FORM_IMAGE, 1, &source); /* no such level on x86_64 */
    add_slice(writer, x86, TCI_FORM_BITCODE, 0, &source);
    tci_archive *archive = finish(writer, &bytes);
    assert_int_equal(tci_archive_select(archive, x86, &index, NULL), TC_OK);
    assert_int_equal(tci_archive_slice(archive, index)->form, TCI_FORM_BITCODE);
    static const unsigned levels[][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 3}, {4, 4}, {255, 4}};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        assert_int_equal(tci_archive_select_image(archive, x86, levels[i][0], &index, NULL),
                         TC_OK);
        assert_int_equal(tci_archive_slice(archive, index)->form, TCI_FORM_IMAGE);
        assert_int_equal(tci_archive_slice(archive, index)->cpu_level, levels[i][1]);
    }
    assert_int_equal(tci_archive_select_image(archive, "aarch64-linux", 9, &index, &err),
                     TC_E_NO_SLICE);
    assert_non_null(strstr(err.text, "x86_64-linux image cpu level 3"));
    tci_archive_close(archive);
    free(bytes);
}

static void slices_are_checked_against_the_archive(void **state)
{
    tci_image_source source = sample_image_full();
    tci_image_source small = sample_image_small();
    tci_archive_writer *writer;
    tci_image image;
    void *bytes;
    tc_error err;
    tci_relocation far = {.kind = TCI_RELOCATION_SYMBOL, .place = 8, .import = 3};
    tci_image_source unlisted = sample_image_full();
    unlisted.relocations = &far;
    unlisted.relocation_count = 1;
    assert_int_equal(tci_archive_writer_create("f", 7, &writer, NULL), TC_OK);
    add_slice(writer, "aarch64-linux", TCI_FORM_BITCODE, 0, &source);
    add_slice(writer, "aarch64-linux", TCI_FORM_IMAGE, 0, &source);
    add_slice(writer, "x86_64-linux", TCI_FORM_IMAGE, 0, &source);
    add_slice(writer, "x86_64-linux", TCI_FORM_IMAGE, 2, &small);
    add_slice(writer, "x86_64-linux", TCI_FORM_IMAGE, 3, &unlisted);
    tci_archive *archive = finish(writer, &bytes);
    assert_int_equal(tci_image_open_slice(archive, 0, &image, &err), TC_E_INVALID);
    assert_int_equal(tci_image_open_slice(archive, 1, &image, &err), TC_E_CORRUPT);
    assert_non_null(strstr(err.text, "for aarch64-linux holds an image for machine 1"));
    assert_int_equal(tci_image_open_slice(archive, 2, &image, &err), TC_OK);
    assert_int_equal(image.segment_count, 3);
    assert_int_equal(tci_image_open_slice(archive, 3, &image, &err), TC_E_CORRUPT);
    assert_non_null(strstr(err.text, "entry bits 1, expected 7"));
    assert_int_equal(tci_image_open_slice(archive, 4, &image, &err), TC_E_CORRUPT);
    assert_non_null(strstr(err.text, "uses symbol 4 of 3"));
    tci_archive_close(archive);
    free(bytes);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_come_back),
        cmocka_unit_test(symbols_are_counted),
        cmocka_unit_test(places_are_found_in_segments),
        cmocka_unit_test(example_of_the_document),
        cmocka_unit_test(golden_images),
        cmocka_unit_test(compiled_images),
        cmocka_unit_test(broken_images_are_refused),
        cmocka_unit_test(cut_images_are_refused),
        cmocka_unit_test(writer_refuses_what_has_no_words),
        cmocka_unit_test(slices_are_chosen_by_form_and_level),
        cmocka_unit_test(slices_are_checked_against_the_archive),
    };
    if (argc < 2)
        return EXIT_FAILURE;
    folder = argv[1];
    if (argc > 2 && strcmp(argv[2], "--write") == 0)
        return write_golden();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
