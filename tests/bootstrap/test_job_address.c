/* The published text of a job's member: an address, and for rank 0 a key. */
#include "../support/test.h"
#include "bootstrap/job_address.h"

#include <string.h>

#define KEY_END (2 + TCI_TLS_KEY_BYTES)

static const uint8_t key[TCI_TLS_KEY_BYTES] = {1, 0, 2, 0xff, 0};

static size_t encode(const char *text, const uint8_t *with,
                     uint8_t out[TCI_RENDEZVOUS_ADDRESS_MAX])
{
    const tci_job_address address = {.text = text, .size = strlen(text), .key = with};
    return tci_job_address_encode(&address, out);
}

static void assert_corrupt(const void *bytes, size_t size)
{
    tci_job_address address = {.size = 77};
    tc_error err = {0};
    assert_status(tci_job_address_decode(bytes, size, &address, &err), TC_E_CORRUPT);
    assert_int_equal(address.size, 77);
    assert_non_null(strstr(err.text, "expected \"host:port\""));
}

TEST(an_address_is_its_text)
{
    uint8_t bytes[TCI_RENDEZVOUS_ADDRESS_MAX];
    tci_job_address address;
    size_t size = encode("[::1]:7000", NULL, bytes);
    assert_int_equal(size, 10);
    assert_memory_equal(bytes, "[::1]:7000", size);
    assert_ok(tci_job_address_decode(bytes, size, &address, NULL));
    assert_int_equal(address.size, 10);
    assert_null(address.key);
}

TEST(a_key_comes_back)
{
    uint8_t bytes[TCI_RENDEZVOUS_ADDRESS_MAX];
    tci_job_address address;
    size_t size = encode("a:1", key, bytes);
    assert_int_equal(size, 3 + KEY_END);
    assert_memory_equal(bytes, "a:1\0K", 5);
    assert_ok(tci_job_address_decode(bytes, size, &address, NULL));
    assert_int_equal(address.size, 3);
    assert_memory_equal(address.text, "a:1", 3);
    assert_memory_equal(address.key, key, sizeof key);
}

TEST(a_program_comes_back)
{
    uint8_t bytes[TCI_RENDEZVOUS_ADDRESS_MAX];
    tci_job_address address = {
        .text = "a:1", .size = 3, .program = 63, .name = "a b", .name_size = 3, .key = key};
    size_t size = tci_job_address_encode(&address, bytes);
    assert_int_equal(size, 10 + KEY_END);
    assert_memory_equal(bytes, "a:1\0P\77\3a b\0K", 12);
    assert_ok(tci_job_address_decode(bytes, size, &address, NULL));
    assert_int_equal(address.size, 3);
    assert_int_equal(address.program, 63);
    assert_int_equal(address.name_size, 3);
    assert_memory_equal(address.name, "a b", 3);
    assert_memory_equal(address.key, key, sizeof key);
    assert_ok(tci_job_address_decode(bytes, 10, &address, NULL));
    assert_null(address.key);
    for (size_t cut = 4; cut < size; cut++) {
        if (cut != 10)
            assert_corrupt(bytes, cut);
    }
}

static void assert_no_program(const char *bytes, size_t size, const char *found)
{
    tci_job_address address;
    tc_error err = {0};
    assert_status(tci_job_address_decode(bytes, size, &address, &err), TC_E_CORRUPT);
    assert_non_null(strstr(err.text, found));
    assert_non_null(strstr(err.text, "expected a number below 64 and 1 to 63 characters"));
}

TEST(other_bytes_are_no_program)
{
    char longest[7 + 64] = "a:1\0P\1\100";
    memset(longest + 7, 'x', 64);
    assert_no_program(longest, sizeof longest, "program 1 with a name of 64 bytes");
    assert_no_program("a:1\0P\100\1b", 8, "program 64 with a name of 1 bytes");
    assert_no_program("a:1\0P\1\0", 7, "program 1 with a name of 0 bytes");
    assert_no_program("a:1\0P\1\1\33", 8, "program 1 with a name of 1 bytes");
    assert_corrupt("a:1\0P\1\1b\0P\1\1b", 13); /* one at most */
    assert_corrupt("a:1\0P", 5);
}

TEST(half_a_key_is_none)
{
    uint8_t bytes[TCI_RENDEZVOUS_ADDRESS_MAX + 1];
    size_t size = encode("a:1", key, bytes);
    for (size_t cut = 4; cut < size; cut++)
        assert_corrupt(bytes, cut);
    bytes[size] = 0;
    assert_corrupt(bytes, size + 1);
    bytes[4] = 'L';
    assert_corrupt(bytes, size);
}

TEST(other_bytes_are_no_address)
{
    char longest[TCI_JOB_ADDRESS_TEXT_MAX + 2];
    uint8_t bytes[TCI_RENDEZVOUS_ADDRESS_MAX];
    assert_corrupt("", 0);
    assert_corrupt("a:1\n", 4);
    assert_corrupt("\x1b[31m", 5);
    assert_corrupt("a 1", 3);
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_corrupt(longest, sizeof longest - 1);
    assert_int_equal(encode(longest, NULL, bytes), 0);
    longest[TCI_JOB_ADDRESS_TEXT_MAX] = '\0';
    assert_int_equal(encode(longest, key, bytes), TCI_JOB_ADDRESS_TEXT_MAX + KEY_END);
}
