/* Compiled images: written images are read back, and other bytes are refused. */
#include "../support/test.h"
#include "image_bundle.h"
#include "image_samples.h"

static const char import_names[] = "abort\0memcpy\0puts";

typedef struct made {
    tci_image_source source;
    void *image;
    tci_image_bundle bundle;
    tci_image_piece pieces[2];
    void *bytes;
    size_t size;
} made;

/* The image has imports 0 to 2, and its parts in this order: code, constants, data. */
static made describe(void)
{
    made m = {.source = sample_image_full()};
    size_t size;
    m.image = sample_image_bytes(&m.source, &size);
    m.bundle = (tci_image_bundle){
        .level = 0,
        .writable = 2,
        .own_count = 2,
        .own_places = {m.source.segments[2].offset, m.source.segments[2].offset + 8},
        .name_count = 3,
        .names = import_names,
        .image_bytes = m.image,
        .image_size = size};
    m.pieces[0] = (tci_image_piece){"f_main", m.source.main_place, 1};
    m.pieces[1] = (tci_image_piece){"f:helper", m.source.segments[0].offset, 2};
    return m;
}

static tc_status write_it(made *m, tc_error *err)
{
    return tci_image_bundle_write(&m->bundle, sizeof import_names, m->pieces, 2, &m->bytes,
                                  &m->size, err);
}

TEST(what_is_written_is_read)
{
    made m = describe();
    tci_image_bundle read;
    tci_image image;
    tci_image_piece piece;
    size_t at = 0;
    tc_error err;
    if (write_it(&m, &err) != TC_OK)
        fail_msg("%s", err.text);
    assert_ok(tci_image_bundle_open(m.bytes, m.size, &read, &image, &err));
    assert_int_equal(read.level, 0);
    assert_int_equal(read.writable, 2);
    assert_int_equal(read.own_count, 2);
    assert_memory_equal(read.own_places, m.bundle.own_places, 2 * sizeof read.own_places[0]);
    assert_int_equal(read.given_count, 0);
    assert_int_equal(read.name_count, 3);
    assert_memory_equal(read.names, import_names, sizeof import_names);
    for (int i = 0; i < 2; i++) {
        assert_true(tci_image_bundle_piece(&read, &at, &piece));
        assert_string_equal(piece.name, m.pieces[i].name);
        assert_int_equal(piece.offset, m.pieces[i].offset);
        assert_int_equal(piece.size, m.pieces[i].size);
    }
    assert_false(tci_image_bundle_piece(&read, &at, &piece));
    assert_int_equal(read.image_size, m.bundle.image_size);
    assert_memory_equal(read.image_bytes, m.image, read.image_size);
    assert_int_equal(image.main_place, m.source.main_place);
    free(m.bytes);
    free(m.image);
}

static void expect_refused(made *m, tc_status status, const char *part)
{
    tc_error err = {0};
    tc_status found = write_it(m, &err);
    if (found != status || strstr(err.text, part) == NULL)
        fail_msg("%s: %s, expected %s with '%s'", tc_status_name(found), err.text,
                 tc_status_name(status), part);
    free(m->image);
}

TEST(what_makes_no_sense_is_refused)
{
    made m = describe();
    m.bundle.own_places[1] = m.source.main_place;
    expect_refused(&m, TC_E_CORRUPT, "not in data");
    m = describe();
    m.bundle.writable = TCI_BUNDLE_VARIABLES_MAX + 1;
    expect_refused(&m, TC_E_CORRUPT, "257 variables");
    m = describe();
    m.bundle.given_count = 1;
    m.bundle.given[0] = TCI_BUNDLE_VARIABLES_MAX;
    expect_refused(&m, TC_E_CORRUPT, "variable 256");
    m = describe();
    m.pieces[1].offset = m.source.segments[2].offset;
    expect_refused(&m, TC_E_CORRUPT, "not in code");
    m = describe();
    m.pieces[1].size = UINT32_MAX;
    expect_refused(&m, TC_E_CORRUPT, "not in code");
    m = describe();
    m.pieces[1].name = "line\nend";
    expect_refused(&m, TC_E_CORRUPT, "function 1 is malformed");
    m = describe();
    m.pieces[1].name = "";
    expect_refused(&m, TC_E_CORRUPT, "function 1 is malformed");
    m = describe();
    m.bundle.image_size--;
    expect_refused(&m, TC_E_CORRUPT, "image");
}

/* The last import has no name. */
TEST(an_import_without_a_name_is_refused)
{
    made m = describe();
    tc_error err = {0};
    m.bundle.name_count = 2;
    assert_status(tci_image_bundle_write(&m.bundle, sizeof "abort\0memcpy", m.pieces, 2,
                                         &m.bytes, &m.size, &err),
                  TC_E_CORRUPT);
    assert_non_null(strstr(err.text, "import 3 of 0 and 2"));
    free(m.image);
}

TEST(no_shorter_bytes_are_taken)
{
    made m = describe();
    tci_image_bundle read;
    tci_image image;
    assert_ok(write_it(&m, NULL));
    for (size_t size = 0; size < m.size; size++) {
        tc_error err = {0};
        void *copy = malloc(size + 1);
        assert_non_null(copy);
        memcpy(copy, m.bytes, size);
        assert_int_not_equal(tci_image_bundle_open(copy, size, &read, &image, &err), TC_OK);
        assert_true(err.text[0] != '\0');
        free(copy);
    }
    ((char *)m.bytes)[3] = 9;
    assert_status(tci_image_bundle_open(m.bytes, m.size, &read, &image, NULL), TC_E_VERSION);
    free(m.bytes);
    free(m.image);
}

/* A number of more than five bytes instead of each that begins a list. */
TEST(malformed_counts_are_refused)
{
    made m = describe();
    tci_image_bundle read;
    tci_image image;
    assert_ok(write_it(&m, NULL));
    for (size_t at = 4; at < m.size && at < 60; at++) {
        tc_error err = {0};
        uint8_t *copy = malloc(m.size + 6);
        assert_non_null(copy);
        memcpy(copy, m.bytes, at);
        memset(copy + at, 0x9e, 6);
        memcpy(copy + at + 6, (uint8_t *)m.bytes + at, m.size - at);
        if (tci_image_bundle_open(copy, m.size + 6, &read, &image, &err) != TC_OK)
            assert_true(err.text[0] != '\0');
        free(copy);
    }
    free(m.bytes);
    free(m.image);
}

/* Each number in turn goes on for longer than any number may: no list may then count as empty,
 * and the rest as a missing image. */
TEST(a_malformed_number_is_refused)
{
    for (size_t numbers = 0; numbers < 6; numbers++) {
        uint8_t bytes[64] = "TCB\x01";
        tci_image_bundle read;
        tci_image image;
        tc_error err = {0};
        memset(bytes + 4 + numbers, 0xff, sizeof bytes - 4 - numbers);
        assert_status(tci_image_bundle_open(bytes, sizeof bytes, &read, &image, &err),
                      TC_E_CORRUPT);
        assert_non_null(strstr(err.text, "compiled image"));
    }
}
