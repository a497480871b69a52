/* Filled archives: bytes that the specification has, and refusals. */
#include "../support/test.h"

#include "archive_layout.h"
#include "filled_archive.h"

static const uint8_t five[] = {5, 0, 0, 0}, seven[] = {7};

static tci_filled_archive sample(void)
{
    tci_filled_archive filled = {.archive_size = 300,
                                 .values = {2, {{five, sizeof five}, {seven, sizeof seven}}}};
    for (uint8_t i = 0; i < sizeof filled.code.bytes; i++)
        filled.code.bytes[i] = i;
    return filled;
}

/* Magic and version, id, 300, 2, each value behind its size; then the checksum. */
static const uint8_t golden[] = {'T', 'C', 'A', 2,  0,  1,    2, 3, 4, 5, 6, 7, 8, 9, 10,
                                 11,  12,  13,  14, 15, 0xac, 2, 2, 4, 5, 0, 0, 0, 1, 7};

TEST(bytes_are_those_of_the_specification)
{
    uint8_t bytes[TCI_FILLED_BYTES_MAX];
    tci_filled_archive filled = sample(), read;
    tc_error error = {TC_OK, ""};
    const size_t size = tci_filled_archive_write(&filled, bytes);
    assert_int_equal(size, sizeof golden + TCI_ARCHIVE_CHECKSUM_SIZE);
    assert_memory_equal(bytes, golden, sizeof golden);
    assert_true(tci_filled_archive_is(bytes, size));
    assert_ok(tci_filled_archive_read(bytes, size, &read, &error));
    assert_memory_equal(&read.code, &filled.code, sizeof read.code);
    assert_int_equal(read.archive_size, 300);
    assert_int_equal(read.values.count, 2);
    assert_int_equal(read.values.items[0].size, 4);
    assert_memory_equal(read.values.items[0].bytes, five, 4);
    assert_memory_equal(read.values.items[1].bytes, seven, 1);
}

TEST(the_largest_has_its_limit)
{
    static uint8_t zeros[TCI_HOLE_BYTES_MAX];
    uint8_t bytes[TCI_FILLED_BYTES_MAX];
    tci_filled_archive filled = {.archive_size = UINT32_MAX,
                                 .values = {.count = TCI_HOLES_MAX}};
    tc_error error = {TC_OK, ""};
    for (unsigned i = 0; i < TCI_HOLES_MAX; i++)
        filled.values.items[i] = (tci_value){zeros, sizeof zeros};
    const size_t size = tci_filled_archive_write(&filled, bytes);
    assert_int_equal(size, TCI_FILLED_BYTES_MAX);
    assert_ok(tci_filled_archive_read(bytes, size, &filled, &error));
}

typedef struct refusal {
    size_t at; /* a byte of the sample that is changed, or SIZE_MAX */
    uint8_t byte;
    size_t size; /* without the checksum, which fits */
    tc_status status;
    const char *text;
} refusal;

TEST(what_breaks_a_rule_is_refused)
{
    static const refusal rows[] = {
        {3, 1, sizeof golden, TC_E_CORRUPT, "that are none"},
        {0, 'X', sizeof golden, TC_E_CORRUPT, "that are none"},
        {SIZE_MAX, 0, 12, TC_E_CORRUPT, "it names no code"},
        {SIZE_MAX, 0, 22, TC_E_CORRUPT, "no values"},
        {22, 0, sizeof golden, TC_E_CORRUPT, "no values"},
        {22, 17, sizeof golden, TC_E_TOO_LARGE, "17 values, limit 16"},
        {22, 3, sizeof golden, TC_E_CORRUPT, "value 2 has 0 bytes"},
        {22, 1, sizeof golden, TC_E_CORRUPT, "2 bytes behind its last value"},
        {23, 0, sizeof golden, TC_E_CORRUPT, "value 0 has 0 bytes"},
        {28, 2, sizeof golden, TC_E_CORRUPT, "value 1 is cut short"},
        {21, 0, sizeof golden, TC_E_CORRUPT, "it names no code"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[sizeof golden + TCI_ARCHIVE_CHECKSUM_SIZE];
        tci_filled_archive read;
        tc_error error = {TC_OK, ""};
        memcpy(bytes, golden, sizeof golden);
        if (rows[i].at != SIZE_MAX)
            bytes[rows[i].at] = rows[i].byte;
        tci_archive_checksum(bytes, rows[i].size, bytes + rows[i].size);
        const tc_status status = tci_filled_archive_read(
            bytes, rows[i].size + TCI_ARCHIVE_CHECKSUM_SIZE, &read, &error);
        if (status != rows[i].status || strstr(error.text, rows[i].text) == NULL)
            fail_msg("row %zu: %s, '%s'", i, tc_status_name(status), error.text);
    }
}

TEST(each_damaged_byte_is_found)
{
    uint8_t bytes[TCI_FILLED_BYTES_MAX];
    tci_filled_archive filled = sample(), read;
    const size_t size = tci_filled_archive_write(&filled, bytes);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x10;
        assert_status(tci_filled_archive_read(bytes, size, &read, NULL), TC_E_CORRUPT);
        bytes[i] ^= 0x10;
    }
    for (size_t n = 0; n < size; n++)
        assert_status(tci_filled_archive_read(bytes, n, &read, NULL), TC_E_CORRUPT);
}
