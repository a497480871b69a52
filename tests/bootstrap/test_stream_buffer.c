/* Buffers of streams: they grow, keep their bytes, and become spares when they are empty. */
#include "../support/test.h"
#include "bootstrap/stream_buffer.h"

static void add(tci_stream_buffer *b, tci_stream_buffer *spare, size_t size)
{
    assert_true(tci_stream_buffer_reserve(b, spare, size));
    for (size_t i = 0; i < size; i++)
        b->bytes[b->end + i] = (uint8_t)(b->end - b->begin + i);
    b->end += size;
}

static void expect(const tci_stream_buffer *b, size_t size, uint8_t first)
{
    assert_int_equal(b->end - b->begin, size);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(b->bytes[b->begin + i], (uint8_t)(first + i));
}

TEST(a_buffer_keeps_its_bytes_while_it_grows)
{
    tci_stream_buffer b = {0};
    add(&b, NULL, 100);
    b.begin = 40;
    add(&b, NULL, 1000);
    assert_int_equal(b.begin, 0);
    assert_true(b.capacity >= 1060 && b.capacity < 4096);
    for (size_t i = 0; i < 60; i++)
        assert_int_equal(b.bytes[i], 40 + i);
    free(b.bytes);
}

TEST(space_in_front_is_used_before_a_buffer_grows)
{
    tci_stream_buffer b = {0};
    add(&b, NULL, 200);
    const size_t capacity = b.capacity;
    b.begin = 150;
    add(&b, NULL, capacity - 50);
    assert_int_equal(b.capacity, capacity);
    assert_int_equal(b.end, capacity);
    free(b.bytes);
}

TEST(an_empty_buffer_serves_the_next_one)
{
    tci_stream_buffer one = {0}, other = {0}, spare = {0};
    add(&one, &spare, 2000);
    const uint8_t *bytes = one.bytes;
    tci_stream_buffer_release(&one, &spare);
    assert_null(one.bytes);
    assert_int_equal(one.capacity, 0);
    add(&other, &spare, 10);
    assert_ptr_equal(other.bytes, bytes);
    assert_null(spare.bytes);
    expect(&other, 10, 0);
    free(other.bytes);
}

TEST(the_larger_of_two_is_kept)
{
    tci_stream_buffer one = {0}, other = {0}, spare = {0};
    add(&one, &spare, 100);
    add(&other, &spare, 5000);
    const uint8_t *bytes = other.bytes;
    tci_stream_buffer_release(&other, &spare);
    tci_stream_buffer_release(&one, &spare);
    assert_ptr_equal(spare.bytes, bytes);
    free(spare.bytes);
}

TEST(a_sleeper_keeps_a_small_spare)
{
    tci_stream_spares spares = {0};
    tci_stream_buffer b = {0};
    add(&b, &spares.in, TCI_STREAM_BUFFER_SMALL);
    tci_stream_buffer_release(&b, &spares.in);
    tci_stream_buffer_rest(&spares);
    assert_non_null(spares.in.bytes);
    free(spares.in.bytes);
}

/* The next buffer begins with half of the capacity. */
TEST(a_sleeper_frees_a_large_spare)
{
    tci_stream_spares spares = {0};
    tci_stream_buffer b = {0};
    add(&b, &spares.out, 16384);
    tci_stream_buffer_release(&b, &spares.out);
    tci_stream_buffer_rest(&spares);
    assert_null(spares.out.bytes);
    add(&b, &spares.out, 1);
    assert_int_equal(b.capacity, 8192);
    free(b.bytes);
}
