/* The checker is itself checked: called here as a plain function, it must accept right payloads
 * and name errors. */
#include "../../benchmarks/ifuncs/integrity_pattern.h"
#include "../support/test.h"

#define COUNT 1000u
#define SIZE_MAX_HERE 4096u

void integrity_main(void *payload, size_t size, void *target_args);

static uint8_t seen[COUNT / 8 + 1];
static uint8_t payload[SIZE_MAX_HERE + INTEGRITY_SLACK];

static integrity_target new_target(uint32_t min, uint32_t max)
{
    memset(seen, 0, sizeof seen);
    return (integrity_target){.range = {.min = min, .max = max, .large_max = SIZE_MAX_HERE},
                              .count = COUNT,
                              .seen = seen};
}

static uint32_t fill(const integrity_target *target, uint64_t sequence)
{
    uint32_t size = integrity_size(&target->range, sequence);
    integrity_fill(payload, size, sequence);
    return size;
}

static void deliver(integrity_target *target, uint64_t sequence)
{
    uint32_t size = fill(target, sequence);
    integrity_main(payload, size, target);
}

static void assert_errors(const integrity_target *target, uint64_t torn, uint64_t repeated,
                          uint64_t misplaced)
{
    assert_int_equal(target->torn, torn);
    assert_int_equal(target->repeated, repeated);
    assert_int_equal(target->misplaced, misplaced);
}

TEST(right_messages_pass)
{
    integrity_target target = new_target(1, 300);
    for (uint64_t i = 0; i < COUNT; i++)
        deliver(&target, i);
    assert_int_equal(target.run, COUNT);
    assert_errors(&target, 0, 0, 0);
}

TEST(sizes_stay_in_range)
{
    const integrity_range range = {.min = 3, .max = 7, .large_max = 4096};
    unsigned large = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        uint32_t size = integrity_size(&range, i);
        assert_in_range(size, 3, 4096);
        large += size > 7;
    }
    assert_in_range(large, 200, 600); /* about one in INTEGRITY_LARGE_EVERY */
}

/* Every byte of every size up to some words beyond the header. A change of the sequence number
 * can look like another message, which is then not the one that was due. */
TEST(any_changed_byte_is_an_error)
{
    for (uint32_t size = 1; size <= 48; size++) {
        for (uint32_t byte = 0; byte < size; byte++) {
            integrity_target target = new_target(size, size);
            target.range.large_max = 0;
            (void)fill(&target, 0);
            payload[byte] ^= 0x40;
            integrity_main(payload, size, &target);
            assert_int_equal(target.torn + target.misplaced, 1);
            if (byte >= sizeof(uint64_t))
                assert_int_equal(target.torn, 1);
        }
    }
}

TEST(a_wrong_length_is_torn)
{
    integrity_target target = new_target(100, 100);
    uint32_t size = fill(&target, 0);
    integrity_main(payload, size - 1, &target);
    assert_errors(&target, 1, 0, 0);
    target = new_target(100, 100);
    integrity_main(payload, size + 1, &target);
    assert_errors(&target, 1, 0, 0);
}

TEST(stale_content_is_torn)
{
    integrity_target target = new_target(200, 200);
    uint8_t older[200];
    deliver(&target, 0);
    memcpy(older, payload, sizeof older);
    uint32_t size = fill(&target, 1);
    memcpy(payload + 64, older + 64, 64);
    integrity_main(payload, size, &target);
    assert_errors(&target, 1, 0, 0);
    assert_int_equal(target.first_bad, 1);
}

TEST(a_repeated_message_is_noticed)
{
    integrity_target target = new_target(20, 40);
    deliver(&target, 0);
    deliver(&target, 1);
    deliver(&target, 1);
    deliver(&target, 2);
    assert_errors(&target, 0, 1, 1);
}

TEST(swapped_messages_are_out_of_order)
{
    integrity_target target = new_target(20, 40);
    deliver(&target, 1);
    deliver(&target, 0);
    deliver(&target, 2);
    assert_errors(&target, 0, 0, 3);
    assert_int_equal(seen[0], 7);
}

TEST(a_lost_message_leaves_its_bit)
{
    integrity_target target = new_target(20, 40);
    deliver(&target, 0);
    deliver(&target, 2);
    deliver(&target, 3);
    assert_errors(&target, 0, 0, 1);
    assert_int_equal(seen[0], 1 | 4 | 8);
}
