/* Payloads that are copied in a certain order. */
#include "../support/test.h"
#include "transfer/frame_copy.h"

static void expect_whole(void (*copy)(uint8_t *to, const uint8_t *from, size_t n))
{
    uint8_t from[TCI_FRAME_COPY_MAX], to[TCI_FRAME_COPY_MAX + 2];
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(i * 7 + 1);
    for (size_t n = TCI_FRAME_COPY_STEP; n <= TCI_FRAME_COPY_MAX; n++) {
        memset(to, 0xee, sizeof to);
        copy(to + 1, from, n);
        assert_memory_equal(to + 1, from, n);
        assert_int_equal(to[0], 0xee);
        assert_int_equal(to[n + 1], 0xee);
    }
}

TEST(every_length_is_copied_and_nothing_beside_it)
{
    expect_whole(tci_frame_copy_descending);
    expect_whole(tci_frame_copy_ascending);
}
