/* Varints and numbered targets. */
#include "../support/test.h"
#include "archive_layout.h"

#include "base/arch.h"
#include "base/triple.h"
#include "../support/test.h"
TEST(varint_round_trip)
{
    static const uint32_t values[] = {
        0, 1, 127, 128, 300, 16383, 16384, 2097151, 2097152, 268435455, 268435456, UINT32_MAX};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        uint8_t bytes[TCI_VARINT_MAX_SIZE];
        tci_writer w;
        tci_reader r;
        tci_writer_init(&w, bytes, sizeof bytes);
        tci_varint_write(&w, values[i]);
        assert_false(w.failed);
        tci_reader_init(&r, bytes, w.at);
        assert_int_equal(tci_varint_read(&r), values[i]);
        assert_false(r.failed);
        assert_int_equal(tci_reader_left(&r), 0);
    }
}

TEST(varint_spelling)
{
    uint8_t bytes[TCI_VARINT_MAX_SIZE];
    tci_writer w;
    tci_writer_init(&w, bytes, sizeof bytes);
    tci_varint_write(&w, 300);
    assert_int_equal(w.at, 2);
    assert_memory_equal(bytes, "\xac\x02", 2);
}

TEST(bad_varints)
{
    static const struct {
        const char *bytes;
        size_t size;
    } bad[] = {
        {"", 0},                         /* nothing there */
        {"\x80", 1},                     /* cut short */
        {"\x80\x00", 2},                 /* 0, padded */
        {"\xff\x00", 2},                 /* 127, padded */
        {"\xff\xff\xff\xff\x10", 5},     /* 2^32 and more */
        {"\x80\x80\x80\x80\x80\x01", 6}, /* too long */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tci_reader r;
        tci_reader_init(&r, bad[i].bytes, bad[i].size);
        assert_int_equal(tci_varint_read(&r), 0);
        assert_true(r.failed);
    }
}

TEST(numbered_targets)
{
    assert_int_equal(tci_target_number("x86_64-linux"), 1);
    assert_int_equal(tci_target_number("aarch64-linux"), 2);
    assert_int_equal(tci_target_number("riscv64-linux"), TCI_TARGET_TEXT);
    assert_string_equal(tci_target_triple(1), "x86_64-linux");
    assert_string_equal(tci_target_triple(2), "aarch64-linux");
    assert_null(tci_target_triple(TCI_TARGET_TEXT));
    assert_null(tci_target_triple(3));
    assert_int_equal(tci_target_number(tci_triple_host()), TCI_ARCH_NUMBER);
    assert_non_null(tci_target_triple(TCI_ARCH_COUNT));
    assert_null(tci_target_triple(TCI_ARCH_COUNT + 1));
}
