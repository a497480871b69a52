/* The bytes of a package: golden ones, and every way in which they can be wrong. */
#include "../support/test.h"
#include "base/content_id.h"
#include "package_format.h"

/* docs/package-format.md has the same. */
/* clang-format off */
static const uint8_t golden[] = {
    'T', 'C', 'P', 1, /* magic, version */
    'p', 0, 2,        /* "p", two elements */
    1, 1, 'f', 0, 2, 0, 0,          /* number 1, a function, "f", sizes of its three parts */
    0xac, 2, 2, 'l', 0, 1, 3, 2,    /* number 300, a library, "l" */
    'A', 'B',                       /* the archive of f */
    'C', 'd', 'e', 'p', 's', 'g',   /* archive, libraries and signature of l */
};
/* clang-format on */

/* The bytes above with their own id behind them. */
static size_t golden_package(uint8_t out[64])
{
    memcpy(out, golden, sizeof golden);
    tci_hash128(out, sizeof golden, out + sizeof golden);
    return sizeof golden + TCI_PACKAGE_ID_SIZE;
}

static tci_package_element samples[] = {
    {.name = "f",
     .id = 1,
     .kind = TCI_ELEMENT_FUNCTION,
     .archive = (const uint8_t *)"AB",
     .archive_size = 2},
    {.name = "l",
     .id = 300,
     .kind = TCI_ELEMENT_LIBRARY,
     .archive = (const uint8_t *)"C",
     .archive_size = 1,
     .deps = "dep",
     .deps_size = 3,
     .signature = "sg",
     .signature_size = 2},
};

static tci_package sample_package(tci_package_element elements[2])
{
    memcpy(elements, samples, sizeof samples);
    return (tci_package){.name = "p", .count = 2, .elements = elements};
}

TEST(writer_writes_the_golden_bytes)
{
    tci_package_element elements[2];
    tci_package package = sample_package(elements);
    uint8_t expected[64];
    const size_t expected_size = golden_package(expected);
    void *bytes;
    size_t size;
    assert_ok(tci_package_write(&package, &bytes, &size, NULL));
    assert_int_equal(size, expected_size);
    assert_memory_equal(bytes, expected, size);
    assert_memory_equal(package.id.bytes, expected + sizeof golden, TCI_PACKAGE_ID_SIZE);
    free(bytes);
}

TEST(reader_reads_them)
{
    uint8_t bytes[64];
    const size_t size = golden_package(bytes);
    tci_package package;
    assert_ok(tci_package_open(bytes, size, &package, NULL));
    assert_string_equal(package.name, "p");
    assert_int_equal(package.count, 2);
    for (size_t i = 0; i < 2; i++) {
        const tci_package_element *element = &package.elements[i], *wanted = &samples[i];
        assert_string_equal(element->name, wanted->name);
        assert_int_equal(element->id, wanted->id);
        assert_int_equal(element->kind, wanted->kind);
        assert_int_equal(element->archive_size, wanted->archive_size);
        assert_memory_equal(element->archive, wanted->archive, wanted->archive_size);
        assert_int_equal(element->deps_size, wanted->deps_size);
        assert_int_equal(element->signature_size, wanted->signature_size);
    }
    assert_memory_equal(package.elements[1].deps, "dep", 3);
    assert_memory_equal(package.elements[1].signature, "sg", 2);
    tci_package_close(&package);
}

static void expect(const uint8_t *bytes, size_t size, tc_status status, const char *text)
{
    tci_package package;
    tc_error err = {.status = TC_OK};
    assert_int_equal(tci_package_open(bytes, size, &package, &err), status);
    if (strstr(err.text, text) == NULL)
        fail_msg("'%s', expected '%s'", err.text, text);
}

/* With an id that fits, so that the error is found behind it. */
static void expect_changed(size_t at, uint8_t byte, tc_status status, const char *text)
{
    uint8_t bytes[64];
    const size_t size = golden_package(bytes);
    bytes[at] = byte;
    tci_hash128(bytes, size - TCI_PACKAGE_ID_SIZE, bytes + size - TCI_PACKAGE_ID_SIZE);
    expect(bytes, size, status, text);
}

TEST(every_cut_is_found)
{
    uint8_t bytes[64];
    const size_t size = golden_package(bytes);
    for (size_t cut = 0; cut < size; cut++)
        expect(bytes, cut, TC_E_CORRUPT, cut < 20 ? "expected at least 20" : "cut short");
}

TEST(every_changed_byte_is_found)
{
    uint8_t bytes[64];
    const size_t size = golden_package(bytes);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x10;
        expect(bytes, size, TC_E_CORRUPT, i < 3 ? "expected 'TCP'" : "damaged");
        bytes[i] ^= 0x10;
    }
}

TEST(what_the_id_does_not_find_is_found_behind_it)
{
    expect_changed(3, 2, TC_E_VERSION, "format version 2, this library reads version 1");
    expect_changed(4, '-', TC_E_CORRUPT, "package: archive name '-'");
    expect_changed(6, 0, TC_E_CORRUPT, "'p' has no elements");
    expect_changed(6, 1, TC_E_CORRUPT, "more bytes than its list says");
    expect_changed(6, 3, TC_E_CORRUPT, "malformed");
    expect_changed(6, 100, TC_E_CORRUPT, "100 elements in");
    expect_changed(7, 0, TC_E_CORRUPT, "element 'f' has id 0");
    expect_changed(8, 9, TC_E_VERSION, "element 'f' is of kind 9");
    expect_changed(9, '1', TC_E_CORRUPT, "element 1: archive name '1'");
    expect_changed(11, 0, TC_E_CORRUPT, "element 'f' has no archive");
    expect_changed(11, 3, TC_E_CORRUPT, "fewer bytes than its list says");
    expect_changed(17, 'f', TC_E_CORRUPT, "ids 1 and 300 are both named 'f'");
}

static void expect_unwritten(const tci_package *package, tc_status status, const char *text)
{
    tci_package copy = *package;
    tc_error err = {.status = TC_OK};
    void *bytes;
    size_t size;
    assert_int_equal(tci_package_write(&copy, &bytes, &size, &err), status);
    if (strstr(err.text, text) == NULL)
        fail_msg("'%s', expected '%s'", err.text, text);
}

TEST(what_would_be_refused_is_not_written)
{
    tci_package_element elements[2];
    tci_package package = sample_package(elements);
    elements[1].id = 1;
    expect_unwritten(&package, TC_E_INVALID, "elements 'f' and 'l' both have id 1");
    elements[0].id = 2;
    expect_unwritten(&package, TC_E_INVALID, "expected ascending ids");
    elements[0].id = TCI_PACKAGE_ELEMENT_ID_MAX + 1;
    expect_unwritten(&package, TC_E_INVALID, "expected 1 to 65535");
    package = sample_package(elements);
    strcpy(elements[1].name, "f");
    expect_unwritten(&package, TC_E_INVALID, "both named 'f'");
    package = sample_package(elements);
    elements[1].deps_size = TCI_PACKAGE_DEPS_MAX + 1;
    expect_unwritten(&package, TC_E_TOO_LARGE, "limits");
    package.count = 0;
    expect_unwritten(&package, TC_E_INVALID, "no elements");
    package.count = TCI_PACKAGE_ELEMENTS_MAX + 1;
    expect_unwritten(&package, TC_E_TOO_LARGE, "257 elements, limit 256");
}
