/* The envelope of all messages of a connection: magic, version, kind, size, checksum. */
#include "../support/test.h"
#include "hello_golden.h"
#include "hello_sample.h"

/* For every kind; the values that come out do not matter to the callers. */
static tc_status decode_as(tci_hello_kind kind, const uint8_t *bytes, size_t size,
                           tc_error *err)
{
    tci_hello hello;
    uint8_t delivery;
    tc_error refusal;
    switch (kind) {
    case TCI_HELLO_READY:
        return tci_hello_ready_decode(bytes, size, &delivery, err);
    case TCI_HELLO_REFUSE:
        return tci_hello_refuse_decode(bytes, size, &refusal, err);
    case TCI_HELLO_BYE:
        return tci_hello_bye_decode(bytes, size, err);
    default:
        return tci_hello_decode(bytes, size, kind, &hello, err);
    }
}

static const struct {
    tci_hello_kind kind;
    const uint8_t *bytes;
    size_t size;
} golden[] = {
    {TCI_HELLO_HELLO, golden_hello, sizeof golden_hello},
    {TCI_HELLO_HELLO, golden_hello_dictionaries, sizeof golden_hello_dictionaries},
    {TCI_HELLO_READY, golden_ready, sizeof golden_ready},
    {TCI_HELLO_REFUSE, golden_refuse, sizeof golden_refuse},
    {TCI_HELLO_BYE, golden_bye, sizeof golden_bye},
    {TCI_HELLO_ADDRESS, golden_address, sizeof golden_address},
};
#define GOLDEN_COUNT (sizeof golden / sizeof golden[0])

TEST(short_and_long_messages_are_refused)
{
    uint8_t buf[sizeof golden_hello_dictionaries + 1] = {0};
    for (size_t g = 0; g < GOLDEN_COUNT; g++) {
        tc_error err;
        for (size_t size = 0; size < golden[g].size; size++)
            assert_status(decode_as(golden[g].kind, golden[g].bytes, size, &err), TC_E_CORRUPT);
        memcpy(buf, golden[g].bytes, golden[g].size);
        assert_status(decode_as(golden[g].kind, buf, golden[g].size + 1, &err), TC_E_CORRUPT);
        assert_true(decode_as(golden[g].kind, buf, golden[g].size, &err) == TC_OK);
    }
}

TEST(every_flipped_bit_is_found)
{
    uint8_t buf[sizeof golden_hello_dictionaries];
    for (size_t g = 0; g < GOLDEN_COUNT; g++) {
        for (size_t bit = 0; bit < 8 * golden[g].size; bit++) {
            tc_error err = {0};
            memcpy(buf, golden[g].bytes, golden[g].size);
            buf[bit / 8] ^= (uint8_t)(1u << bit % 8);
            bool in_protocol = bit / 8 == 4 || bit / 8 == 5;
            assert_int_equal(decode_as(golden[g].kind, buf, golden[g].size, &err),
                             in_protocol ? TC_E_VERSION : TC_E_CORRUPT);
            assert_true(strlen(err.text) > 0);
        }
    }
}

TEST(kinds_are_not_confused)
{
    uint8_t buf[sizeof golden_hello_dictionaries];
    for (size_t g = 0; g < GOLDEN_COUNT; g++) {
        for (size_t other = 0; other < GOLDEN_COUNT; other++) {
            if (golden[other].kind == golden[g].kind)
                continue;
            tc_error err = {0};
            assert_status(decode_as(golden[other].kind, golden[g].bytes, golden[g].size, &err),
                          TC_E_CORRUPT);
            /* Relabelled, too: no body is valid under two kinds. */
            memcpy(buf, golden[g].bytes, golden[g].size);
            buf[6] = (uint8_t)golden[other].kind;
            assert_status(decode_as(golden[other].kind, buf, golden[g].size, &err),
                          TC_E_CORRUPT);
        }
    }
}

TEST(foreign_bytes_are_named_as_such)
{
    tci_hello_preamble preamble;
    tc_error err = {0};
    assert_status(tci_hello_preamble_decode("GET / HTTP/1.1\r\n", 16, &preamble, &err),
                  TC_E_CORRUPT);
    assert_contains(&err, "not a Three-Chains peer");
}

TEST(another_protocol_is_named_before_all_else)
{
    /* Kind, size and checksum make no sense to this side, and need not. */
    static const uint8_t bytes[16] = {'T',  'C',  'H',  'I',  0x39, 0x30, 0xff, 0xff,
                                      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    tci_hello_preamble preamble;
    tc_error err = {0};
    assert_status(tci_hello_preamble_decode(bytes, sizeof bytes, &preamble, &err),
                  TC_E_VERSION);
    char own[32];
    (void)snprintf(own, sizeof own, "this side version %u", TC_PROTOCOL_VERSION);
    assert_contains(&err, "12345");
    assert_contains(&err, own);
}

TEST(preamble_bounds_the_body)
{
    static const struct {
        uint8_t kind;
        uint32_t body_bytes;
        tc_status status;
    } rows[] = {
        {TCI_HELLO_HELLO, 101, TC_OK},
        {TCI_HELLO_HELLO, 91, TC_E_CORRUPT},
        {TCI_HELLO_HELLO, 8192, TC_OK},
        {TCI_HELLO_HELLO, 8193, TC_E_CORRUPT},
        {TCI_HELLO_ADDRESS, 8193, TC_E_CORRUPT},
        {TCI_HELLO_HELLO, UINT32_MAX, TC_E_CORRUPT},
        {TCI_HELLO_READY, 1, TC_OK},
        {TCI_HELLO_READY, 0, TC_E_CORRUPT},
        {TCI_HELLO_READY, 2, TC_E_CORRUPT},
        {TCI_HELLO_REFUSE, 3, TC_E_CORRUPT},
        {TCI_HELLO_REFUSE, 4, TC_OK},
        {TCI_HELLO_REFUSE, 516, TC_OK},
        {TCI_HELLO_REFUSE, 517, TC_E_CORRUPT},
        {TCI_HELLO_BYE, 0, TC_OK},
        {TCI_HELLO_BYE, 1, TC_E_CORRUPT},
        {0, 0, TC_E_CORRUPT},
        {TCI_HELLO_WAKEUP, 0, TC_OK},
        {TCI_HELLO_WAKEUP, 1, TC_E_CORRUPT},
        {7, 0, TC_E_CORRUPT},
        {255, 100, TC_E_CORRUPT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[16] = {'T', 'C', 'H', 'I', TC_PROTOCOL_VERSION, 0, rows[i].kind};
        tci_hello_preamble preamble = {0};
        for (size_t b = 0; b < 4; b++)
            bytes[HELLO_SIZE_AT + b] = (uint8_t)(rows[i].body_bytes >> (8 * b));
        tc_status status = tci_hello_preamble_decode(bytes, sizeof bytes, &preamble, NULL);
        assert_int_equal(status, rows[i].status);
        if (status == TC_OK) {
            assert_int_equal(preamble.kind, rows[i].kind);
            assert_int_equal(preamble.body_bytes, rows[i].body_bytes);
        }
    }
}

TEST(small_buffers_are_never_overrun)
{
    uint8_t buf[sizeof golden_hello];
    tci_hello h = hello_sample();
    for (size_t room = 0; room < sizeof golden_hello; room++) {
        size_t size;
        memset(buf, 0xa5, sizeof buf);
        assert_status(tci_hello_encode(&h, TCI_HELLO_HELLO, buf, room, &size, NULL),
                      TC_E_TOO_LARGE);
        for (size_t i = room; i < sizeof buf; i++)
            assert_int_equal(buf[i], 0xa5);
        if (room < sizeof golden_ready)
            assert_status(tci_hello_ready_encode(TCI_HELLO_AM, buf, room, &size),
                          TC_E_TOO_LARGE);
        if (room < sizeof golden_refuse)
            assert_status(tci_hello_refuse_encode(TC_E_VERSION, "UCX 1.18.1, this side 1.13.1",
                                                  buf, room, &size),
                          TC_E_TOO_LARGE);
        if (room < sizeof golden_bye)
            assert_status(tci_hello_bye_encode(buf, room, &size), TC_E_TOO_LARGE);
    }
}
