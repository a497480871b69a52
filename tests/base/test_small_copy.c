#include "../support/test.h"
#include "base/small_copy.h"

TEST(every_length_is_copied_and_nothing_beside_it)
{
    uint8_t from[TCI_SMALL_COPY_MAX], to[TCI_SMALL_COPY_MAX + 2];
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(i + 1);
    for (size_t n = 0; n <= TCI_SMALL_COPY_MAX; n++) {
        memset(to, 0xee, sizeof to);
        tci_small_copy(to + 1, from, n);
        assert_memory_equal(to + 1, from, n);
        assert_int_equal(to[0], 0xee);
        assert_int_equal(to[n + 1], 0xee);
    }
}

/* Each length in memory of its own, so that AddressSanitizer sees a byte too many. */
TEST(short_loads_are_exact)
{
    for (size_t n = 0; n <= 8; n++) {
        uint8_t *from = test_malloc(n + 1);
        uint64_t expected = 0;
        for (size_t i = 0; i < n; i++)
            from[i] = (uint8_t)(0x11 * (i + 1));
        memcpy(&expected, from, n);
        assert_true(tci_small_load(from, n) == expected);
        test_free(from);
    }
}
