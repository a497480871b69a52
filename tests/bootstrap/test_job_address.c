/* What a member of a job publishes: an address, and of rank 0 a key. */
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
    assert_int_equal(tci_job_address_decode(bytes, size, &address, &err), TC_E_CORRUPT);
    assert_int_equal(address.size, 77);
    assert_non_null(strstr(err.text, "expected \"host:port\""));
}

static void an_address_is_its_text(void **state)
{
    uint8_t bytes[TCI_RENDEZVOUS_ADDRESS_MAX];
    tci_job_address address;
    (void)state;
    size_t size = encode("[::1]:7000", NULL, bytes);
    assert_int_equal(size, 10);
    assert_memory_equal(bytes, "[::1]:7000", size);
    assert_int_equal(tci_job_address_decode(bytes, size, &address, NULL), TC_OK);
    assert_int_equal(address.size, 10);
    assert_null(address.key);
}

static void a_key_comes_back(void **state)
{
    uint8_t bytes[TCI_RENDEZVOUS_ADDRESS_MAX];
    tci_job_address address;
    (void)state;
    size_t size = encode("a:1", key, bytes);
    assert_int_equal(size, 3 + KEY_END);
    assert_memory_equal(bytes, "a:1\0K", 5);
    assert_int_equal(tci_job_address_decode(bytes, size, &address, NULL), TC_OK);
    assert_int_equal(address.size, 3);
    assert_memory_equal(address.text, "a:1", 3);
    assert_memory_equal(address.key, key, sizeof key);
}

static void half_a_key_is_none(void **state)
{
    uint8_t bytes[TCI_RENDEZVOUS_ADDRESS_MAX + 1];
    (void)state;
    size_t size = encode("a:1", key, bytes);
    for (size_t cut = 4; cut < size; cut++)
        assert_corrupt(bytes, cut);
    bytes[size] = 0;
    assert_corrupt(bytes, size + 1);
    bytes[4] = 'L';
    assert_corrupt(bytes, size);
}

static void other_bytes_are_no_address(void **state)
{
    char longest[TCI_JOB_ADDRESS_TEXT_MAX + 2];
    uint8_t bytes[TCI_RENDEZVOUS_ADDRESS_MAX];
    (void)state;
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_its_text),
        cmocka_unit_test(a_key_comes_back),
        cmocka_unit_test(half_a_key_is_none),
        cmocka_unit_test(other_bytes_are_no_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
