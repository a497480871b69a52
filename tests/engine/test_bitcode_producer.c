/* The producer is found in real files, and no bytes whatever lead the reader astray. */
#include "engine_fixture.h"

#include "engine/orc/bitcode_producer.h"

TEST(clangs_files_say_their_version)
{
    size_t size;
    void *bytes = read_bitcode("counter", &size);
    tci_producer producer;
    char expected[16];
    assert_true(tci_bitcode_has_magic(bytes, size));
    assert_true(tci_bitcode_producer(bytes, size, &producer));
    assert_int_equal(producer.major, TEST_LLVM_MAJOR);
    (void)snprintf(expected, sizeof expected, "LLVM%d.", TEST_LLVM_MAJOR);
    assert_true(strncmp(producer.text, expected, strlen(expected)) == 0);
    free(bytes);
}

TEST(truncated_files_say_nothing_or_the_truth)
{
    size_t size;
    unsigned char *bytes = read_bitcode("counter", &size);
    for (size_t n = 0; n < 128; n++) {
        /* An allocation of the very size, so that a sanitizer sees a step outside. */
        unsigned char *part = malloc(n + 1);
        tci_producer producer;
        memcpy(part, bytes, n);
        part = realloc(part, n > 0 ? n : 1);
        if (tci_bitcode_producer(part, n, &producer))
            assert_int_equal(producer.major, TEST_LLVM_MAJOR);
        free(part);
    }
    free(bytes);
}

TEST(no_bytes_lead_outside)
{
    size_t size;
    uint32_t random = 12345;
    unsigned char *bytes = read_bitcode("counter", &size);
    for (int round = 0; round < 200000; round++) {
        unsigned char part[96];
        tci_producer producer;
        memcpy(part, bytes, sizeof part);
        for (int flips = 0; flips < 3; flips++) {
            random = random * 1664525u + 1013904223u;
            part[4 + (random >> 8) % 60] ^= (unsigned char)(1u << (random >> 29));
        }
        if (tci_bitcode_producer(part, sizeof part, &producer)) {
            assert_true(producer.major >= 1 && producer.major <= 9999);
            assert_true(strnlen(producer.text, sizeof producer.text) < sizeof producer.text);
        }
    }
    free(bytes);
}

TEST(other_bytes_say_nothing)
{
    tci_producer producer;
    static const unsigned char wrapper[16] = {0xde, 0xc0, 0x17, 0x0b};
    static const unsigned char zeros[64] = {'B', 'C', 0xc0, 0xde};
    assert_false(tci_bitcode_has_magic("BC", 2));
    assert_false(tci_bitcode_has_magic(wrapper, sizeof wrapper));
    assert_false(tci_bitcode_producer(wrapper, sizeof wrapper, &producer));
    assert_false(tci_bitcode_producer(zeros, sizeof zeros, &producer));
    assert_false(tci_bitcode_producer(zeros, 4, &producer));
}
