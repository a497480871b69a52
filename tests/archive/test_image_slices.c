/* Images as slices of an archive: which one is taken, and that it fits the archive. */
#include "../support/test.h"
#include "archive.h"
#include "image_samples.h"

static void add_slice(tci_archive_writer *writer, const char *triple, tci_slice_form form,
                      unsigned level, const tci_image_source *source)
{
    static const char *const symbols[] = {"abort", "memcpy", "puts"};
    tci_slice slice = {.form = form, .cpu_level = (uint8_t)level, .producer_major = 19};
    size_t size;
    void *bytes = sample_image_bytes(source, &size);
    strcpy(slice.triple, triple);
    assert_ok(tci_archive_writer_add(writer, &slice, bytes, size, symbols, 3, NULL));
    free(bytes);
}

static tci_archive *finish(tci_archive_writer *writer, void **bytes_out)
{
    tci_archive *archive;
    size_t size;
    assert_ok(tci_archive_writer_finish(writer, bytes_out, &size, NULL));
    assert_ok(tci_archive_open(*bytes_out, size, &archive, NULL));
    tci_archive_writer_destroy(writer);
    return archive;
}

TEST(slices_are_chosen_by_form_and_level)
{
    static const char x86[] = "x86_64-linux";
    tci_image_source source = sample_image_full();
    tci_archive_writer *writer;
    void *bytes;
    size_t index;
    tc_error err;
    assert_ok(tci_archive_writer_create("f", 7, &writer, NULL));
    add_slice(writer, "aarch64-linux", TCI_FORM_BITCODE, 0, &source);
    add_slice(writer, x86, TCI_FORM_IMAGE, TCI_CPU_X86_64_V4, &source);
    add_slice(writer, x86, TCI_FORM_IMAGE, TCI_CPU_X86_64_V3, &source);
    add_slice(writer, x86, TCI_FORM_IMAGE, TCI_CPU_ANY, &source);
    add_slice(writer, x86, TCI_FORM_IMAGE, 1, &source); /* no such level on x86_64 */
    add_slice(writer, x86, TCI_FORM_BITCODE, 0, &source);
    tci_archive *archive = finish(writer, &bytes);
    assert_ok(tci_archive_select(archive, x86, &index, NULL));
    assert_int_equal(tci_archive_slice(archive, index)->form, TCI_FORM_BITCODE);
    static const unsigned levels[][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 3}, {4, 4}, {255, 4}};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        assert_ok(tci_archive_select_image(archive, x86, levels[i][0], &index, NULL));
        assert_int_equal(tci_archive_slice(archive, index)->form, TCI_FORM_IMAGE);
        assert_int_equal(tci_archive_slice(archive, index)->cpu_level, levels[i][1]);
    }
    assert_status(tci_archive_select_image(archive, "aarch64-linux", 9, &index, &err),
                  TC_E_NO_SLICE);
    assert_non_null(strstr(err.text, "x86_64-linux image cpu level 3"));
    tci_archive_close(archive);
    free(bytes);
}

TEST(slices_are_checked_against_the_archive)
{
    tci_image_source source = sample_image_full();
    tci_image_source small = sample_image_small();
    tci_archive_writer *writer;
    tci_image image;
    void *bytes;
    tc_error err;
    tci_relocation far = {.kind = TCI_RELOCATION_SYMBOL, .offset = 8, .import = 3};
    tci_image_source unlisted = sample_image_full();
    unlisted.relocations = &far;
    unlisted.relocation_count = 1;
    assert_ok(tci_archive_writer_create("f", 7, &writer, NULL));
    add_slice(writer, "aarch64-linux", TCI_FORM_BITCODE, 0, &source);
    add_slice(writer, "aarch64-linux", TCI_FORM_IMAGE, 0, &source);
    add_slice(writer, "x86_64-linux", TCI_FORM_IMAGE, 0, &source);
    add_slice(writer, "x86_64-linux", TCI_FORM_IMAGE, 2, &small);
    add_slice(writer, "x86_64-linux", TCI_FORM_IMAGE, 3, &unlisted);
    tci_archive *archive = finish(writer, &bytes);
    assert_status(tci_image_open_slice(archive, 0, &image, &err), TC_E_INVALID);
    assert_status(tci_image_open_slice(archive, 1, &image, &err), TC_E_CORRUPT);
    assert_non_null(strstr(err.text, "for aarch64-linux holds an image for machine 1"));
    assert_ok(tci_image_open_slice(archive, 2, &image, &err));
    assert_int_equal(image.segment_count, 3);
    assert_status(tci_image_open_slice(archive, 3, &image, &err), TC_E_CORRUPT);
    assert_non_null(strstr(err.text, "entry bits 1, expected 7"));
    assert_status(tci_image_open_slice(archive, 4, &image, &err), TC_E_CORRUPT);
    assert_non_null(strstr(err.text, "uses symbol 4 of 3"));
    tci_archive_close(archive);
    free(bytes);
}
