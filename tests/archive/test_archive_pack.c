/* Packings: each texture of content gets the one that is smallest for it, and comes back. */
#include "../support/test.h"
#include "archive_dictionary.h"
#include "archive_samples.h"

static uint8_t content[64 << 10];
static uint8_t unpacked[64 << 10];

static void packs_as(sample_texture texture, size_t size, tci_packing wanted)
{
    tci_packed packed;
    sample_fill(texture, 5, content, size);
    assert_ok(tci_pack(content, size, TCI_PACK_PLAIN, &packed, NULL));
    assert_int_equal(packed.packing, wanted);
    assert_int_equal(packed.dictionary, TCI_ARCHIVE_NO_DICTIONARY);
    if (wanted == TCI_PACKING_STORED) {
        assert_int_equal(packed.size, size);
        assert_memory_equal(packed.bytes, content, size);
    } else {
        assert_true(packed.size < size);
        assert_ok(tci_unpack(wanted, TCI_DICTIONARY_NONE, packed.bytes, packed.size, unpacked,
                             size, NULL));
        assert_memory_equal(unpacked, content, size);
    }
    free(packed.bytes);
}

TEST(each_texture_its_packing)
{
    packs_as(SAMPLE_NOISE, 4000, TCI_PACKING_STORED);
    packs_as(SAMPLE_TEXT, 4000, TCI_PACKING_ZSTD);
    packs_as(SAMPLE_BITS, 4000, TCI_PACKING_ZSTD_UNITS);
    packs_as(SAMPLE_BITS, 4001, TCI_PACKING_ZSTD_UNITS);
    packs_as(SAMPLE_NOISE, 1, TCI_PACKING_STORED);
}

/* Content of every size comes back from quick packing, and repetitions are found. */
TEST(quick_packing_is_good_too)
{
    const size_t sizes[] = {1, 4000, 64 << 10};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        tci_packed packed;
        sample_fill(SAMPLE_BITS, 5, content, sizes[i]);
        assert_ok(tci_pack(content, sizes[i], TCI_PACK_QUICK, &packed, NULL));
        assert_int_equal(packed.dictionary, TCI_ARCHIVE_NO_DICTIONARY);
        if (sizes[i] == 1) {
            assert_int_equal(packed.packing, TCI_PACKING_STORED);
        } else {
            assert_true(packed.size < sizes[i]);
            assert_ok(tci_unpack(packed.packing, TCI_DICTIONARY_NONE, packed.bytes, packed.size,
                                 unpacked, sizes[i], NULL));
            assert_memory_equal(unpacked, content, sizes[i]);
        }
        free(packed.bytes);
    }
}

/* As of slices for two targets: the same data, megabytes apart. */
TEST(what_comes_again_far_away_is_packed_once)
{
    const size_t half = 9u << 20;
    tci_packed packed;
    uint8_t *twice = malloc(2 * half), *back = malloc(2 * half);
    assert_non_null(twice);
    assert_non_null(back);
    sample_fill(SAMPLE_NOISE, 5, twice, half);
    memcpy(twice + half, twice, half);
    assert_ok(tci_pack(twice, 2 * half, TCI_PACK_SMALLEST, &packed, NULL));
    assert_true(packed.size < half + (half >> 4));
    assert_ok(tci_unpack(packed.packing, TCI_DICTIONARY_NONE, packed.bytes, packed.size, back,
                         2 * half, NULL));
    assert_memory_equal(back, twice, 2 * half);
    free(packed.bytes);
    free(back);
    free(twice);
}

/* A megabyte of zeros packs into a few dozen bytes, which no reader would believe. */
TEST(unbelievable_ratio_is_not_written)
{
    size_t size = 1 << 20;
    uint8_t *zeros = calloc(1, size);
    tci_packed packed;
    assert_non_null(zeros);
    assert_ok(tci_pack(zeros, size, TCI_PACK_SMALLEST, &packed, NULL));
    assert_true(tci_pack_ratio_ok(size, packed.size));
    free(packed.bytes);
    free(zeros);
}

TEST(ratio_rule)
{
    assert_true(tci_pack_ratio_ok(65536, 1));
    assert_false(tci_pack_ratio_ok(65536 + 1024, 1));
    assert_true(tci_pack_ratio_ok(1024 * 1000, 1000));
    assert_false(tci_pack_ratio_ok(1024 * 1001, 1000));
    assert_false(tci_pack_ratio_ok(TCI_ARCHIVE_CONTENT_MAX, 100));
}

/* Packed text of 2,000 bytes, for tests that then claim something else. */
static uint8_t *packed_text(size_t *size_out)
{
    tci_packed packed;
    sample_fill(SAMPLE_TEXT, 5, content, 2000);
    assert_ok(tci_pack(content, 2000, TCI_PACK_PLAIN, &packed, NULL));
    assert_int_equal(packed.packing, TCI_PACKING_ZSTD);
    *size_out = packed.size;
    return packed.bytes;
}

TEST(wrong_size_is_refused)
{
    size_t n;
    uint8_t *packed = packed_text(&n);
    tc_error err;
    assert_status(
        tci_unpack(TCI_PACKING_ZSTD, TCI_DICTIONARY_NONE, packed, n, unpacked, 1999, &err),
        TC_E_CORRUPT);
    assert_status(
        tci_unpack(TCI_PACKING_ZSTD, TCI_DICTIONARY_NONE, packed, n, unpacked, 2001, &err),
        TC_E_CORRUPT);
    assert_non_null(strstr(err.text, "2000"));
    assert_non_null(strstr(err.text, "2001"));
    free(packed);
}

TEST(units_above_two_bits_are_refused)
{
    size_t n;
    uint8_t *packed = packed_text(&n);
    tc_error err;
    assert_status(
        tci_unpack(TCI_PACKING_ZSTD_UNITS, TCI_DICTIONARY_NONE, packed, n, unpacked, 500, &err),
        TC_E_CORRUPT);
    assert_non_null(strstr(err.text, "two bits"));
    free(packed);
}

TEST(exactly_one_frame)
{
    static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    size_t n;
    uint8_t *packed = packed_text(&n);
    uint8_t *twice = malloc(2 * n + sizeof magic);
    tc_error err;
    assert_non_null(twice);
    memcpy(twice, packed, n);
    memcpy(twice + n, magic, sizeof magic);
    memcpy(twice + n + sizeof magic, packed, n);
    size_t twice_size = 2 * n + sizeof magic;
    assert_status(tci_unpack(TCI_PACKING_ZSTD, TCI_DICTIONARY_NONE, twice, twice_size, unpacked,
                             4000, &err),
                  TC_E_CORRUPT);
    assert_status(
        tci_unpack(TCI_PACKING_ZSTD, TCI_DICTIONARY_NONE, twice, n + 1, unpacked, 2000, &err),
        TC_E_CORRUPT);
    for (size_t cut = 0; cut < n; cut++)
        assert_status(tci_unpack(TCI_PACKING_ZSTD, TCI_DICTIONARY_NONE, packed, cut, unpacked,
                                 2000, &err),
                      TC_E_CORRUPT);
    free(twice);
    free(packed);
}
