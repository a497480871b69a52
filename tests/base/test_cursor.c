#include "../support/test.h"
#include "base/cursor.h"

TEST(values_are_little_endian)
{
    static const uint8_t golden[] = {0x01, 0x03, 0x02, 0x07, 0x06, 0x05, 0x04, 0x0f,
                                     0x0e, 0x0d, 0x0c, 0x0b, 0x0a, 0x09, 0x08};
    uint8_t bytes[sizeof golden];
    tci_writer w;
    tci_writer_init(&w, bytes, sizeof bytes);
    tci_write_u8(&w, 0x01);
    tci_write_u16(&w, 0x0203);
    tci_write_u32(&w, 0x04050607);
    tci_write_u64(&w, 0x08090a0b0c0d0e0f);
    assert_false(w.failed);
    assert_int_equal(w.at, sizeof golden);
    assert_memory_equal(bytes, golden, sizeof golden);

    tci_reader r;
    tci_reader_init(&r, golden, sizeof golden);
    assert_int_equal(tci_read_u8(&r), 0x01);
    assert_int_equal(tci_read_u16(&r), 0x0203);
    assert_int_equal(tci_read_u32(&r), 0x04050607);
    assert_true(tci_read_u64(&r) == 0x08090a0b0c0d0e0f);
    assert_false(r.failed);
    assert_int_equal(tci_reader_left(&r), 0);
}

TEST(a_read_past_the_end_fails_for_good)
{
    static const uint8_t bytes[] = {0xff, 0xff, 0xff};
    tci_reader r;
    tci_reader_init(&r, bytes, sizeof bytes);
    assert_int_equal(tci_read_u32(&r), 0);
    assert_true(r.failed);
    /* Three bytes are left, yet nothing more is given out: the record is bad as a whole. */
    assert_int_equal(tci_read_u8(&r), 0);
    assert_null(tci_read_bytes(&r, 0));
    assert_true(r.failed);
}

TEST(a_huge_length_does_not_wrap)
{
    static const uint8_t bytes[8];
    tci_reader r;
    tci_reader_init(&r, bytes, sizeof bytes);
    (void)tci_read_u8(&r);
    assert_null(tci_read_bytes(&r, SIZE_MAX));
    assert_true(r.failed);
}

TEST(views_point_into_the_range)
{
    static const uint8_t bytes[] = {1, 2, 3, 4};
    tci_reader r;
    tci_reader_init(&r, bytes, sizeof bytes);
    assert_ptr_equal(tci_read_bytes(&r, 3), bytes);
    assert_int_equal(tci_reader_left(&r), 1);
    assert_ptr_equal(tci_read_bytes(&r, 1), bytes + 3);
    assert_non_null(tci_read_bytes(&r, 0));
    assert_false(r.failed);
}

TEST(nothing_is_a_valid_range)
{
    tci_reader r;
    tci_reader_init(&r, NULL, 0);
    (void)tci_read_bytes(&r, 0);
    assert_false(r.failed);
    assert_int_equal(tci_read_u8(&r), 0);
    assert_true(r.failed);

    tci_writer w;
    tci_writer_init(&w, NULL, 0);
    tci_write_bytes(&w, NULL, 0);
    assert_false(w.failed);
    tci_write_u8(&w, 1);
    assert_true(w.failed);
}

TEST(a_write_past_the_end_writes_nothing)
{
    uint8_t bytes[8];
    memset(bytes, 0xaa, sizeof bytes);
    tci_writer w;
    tci_writer_init(&w, bytes, 6);
    tci_write_u32(&w, 0);
    tci_write_u32(&w, 0);
    assert_true(w.failed);
    tci_write_u8(&w, 0);
    assert_int_equal(w.at, 4);
    for (size_t i = 4; i < sizeof bytes; i++)
        assert_int_equal(bytes[i], 0xaa);
}

TEST(padding_goes_to_the_next_multiple)
{
    uint8_t bytes[64];
    memset(bytes, 0xaa, sizeof bytes);
    tci_writer w;
    tci_writer_init(&w, bytes, sizeof bytes);
    tci_write_padding(&w, 16);
    assert_int_equal(w.at, 0);
    tci_write_u8(&w, 1);
    tci_write_padding(&w, 16);
    assert_int_equal(w.at, 16);
    assert_int_equal(bytes[15], 0);
    tci_write_padding(&w, 16);
    assert_int_equal(w.at, 16);
    tci_write_u8(&w, 1);
    tci_write_padding(&w, 64);
    assert_int_equal(w.at, 64);
    assert_false(w.failed);
}
