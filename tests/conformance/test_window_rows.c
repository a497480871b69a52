/* Gets and puts of many rows, and of more bytes than a chain has. */
#include "window_pair.h"

#include <tc/window_rows.h>

#include <stdlib.h>
#include <string.h>

/* Each byte of the window has another value than its neighbours. */
static uint8_t byte_of(uint64_t offset)
{
    return (uint8_t)(offset * 7 + (offset >> 8) * 13 + 1);
}

static void fill(window_pair *w)
{
    pair_pause(&w->p);
    for (uint64_t i = 0; i < WINDOW_MEMORY; i++)
        w->memory[i] = byte_of(i);
    pair_resume(&w->p);
}

static tc_status get(window_pair *w, const tc_window_rows *rows, tc_error *error)
{
    return tc_window_get_rows(w->p.ep, rows, PAIR_TIMEOUT_NS, error);
}

static tc_status put(window_pair *w, const tc_window_rows *rows, tc_error *error)
{
    return tc_window_put_rows(w->p.ep, rows, PAIR_TIMEOUT_NS, error);
}

/* More rows than a chain has steps, with gaps on both sides that stay as they were. */
WINDOW_TEST(rows_come_from_where_they_lie)
{
    enum { COUNT = 37, BYTES = 11, STRIDE = 100, HERE = 16 };
    uint8_t memory[COUNT * HERE];
    tc_error error = {0};
    const tc_window_rows rows = {.at = tc_gptr_add(w->at, 5),
                                 .bytes = BYTES,
                                 .count = COUNT,
                                 .stride = STRIDE,
                                 .memory = memory,
                                 .memory_stride = HERE};
    fill(w);
    memset(memory, 0x5a, sizeof memory);
    must(get(w, &rows, &error), &error, "get");
    for (uint64_t i = 0; i < sizeof memory; i++) {
        const uint64_t row = i / HERE, byte = i % HERE;
        assert_int_equal(memory[i], byte < BYTES ? byte_of(5 + row * STRIDE + byte) : 0x5a);
    }
}

WINDOW_TEST(rows_go_where_they_belong)
{
    enum { COUNT = 20, BYTES = 3, STRIDE = 7 };
    uint8_t memory[COUNT * BYTES];
    tc_error error = {0};
    const tc_window_rows rows = {.at = w->at,
                                 .bytes = BYTES,
                                 .count = COUNT,
                                 .stride = STRIDE,
                                 .memory = memory,
                                 .memory_stride = BYTES};
    memset(memory, 9, sizeof memory);
    must(put(w, &rows, &error), &error, "put");
    pair_pause(&w->p);
    for (uint64_t i = 0; i < COUNT * STRIDE + 64; i++)
        assert_int_equal(w->memory[i], i < COUNT * STRIDE && i % STRIDE < BYTES ? 9 : 0);
    pair_resume(&w->p);
}

/* One row of the whole window, and rows of which two and a half fit a chain. */
WINDOW_TEST(rows_may_be_larger_than_a_chain)
{
    enum { THIRD = WINDOW_MEMORY / 3, FIFTH = TC_WINDOW_BYTES_MAX * 2 / 5 };
    tc_error error = {0};
    uint8_t *memory = malloc(WINDOW_MEMORY);
    assert_non_null(memory);
    tc_window_rows rows = {.at = w->at, .bytes = WINDOW_MEMORY, .count = 1, .memory = memory};
    fill(w);
    must(get(w, &rows, &error), &error, "get");
    for (uint64_t i = 0; i < WINDOW_MEMORY; i++)
        assert_int_equal(memory[i], byte_of(i));
    memset(memory, 0, WINDOW_MEMORY);
    rows.bytes = FIFTH;
    rows.count = 3;
    rows.stride = rows.memory_stride = THIRD;
    must(get(w, &rows, &error), &error, "get");
    for (uint64_t i = 0; i < 3 * THIRD; i++)
        assert_int_equal(memory[i], i % THIRD < FIFTH ? byte_of(i) : 0);
    memset(memory, 3, WINDOW_MEMORY);
    rows.bytes = WINDOW_MEMORY;
    rows.count = 1;
    must(put(w, &rows, &error), &error, "put");
    pair_pause(&w->p);
    assert_memory_equal(w->memory, memory, WINDOW_MEMORY);
    pair_resume(&w->p);
    free(memory);
}

static void expect(window_pair *w, tc_window_rows rows, tc_status status, const char *text)
{
    static uint8_t memory[4096];
    tc_error error = {0};
    rows.memory = memory;
    assert_status(get(w, &rows, &error), status);
    if (strstr(error.text, text) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", error.text, text);
}

/* Offsets that 64 bits do not hold lead nowhere, least of all into the window. */
WINDOW_TEST(rows_outside_are_refused)
{
    const uint64_t half = 1ull << 63;
    expect(w, (tc_window_rows){.at = w->at, .bytes = 8}, TC_E_TOO_LARGE, "0 steps");
    expect(w, (tc_window_rows){.at = w->at, .count = 3}, TC_E_INVALID, "get of 0 bytes");
    expect(w,
           (tc_window_rows){.at = w->at, .bytes = 8, .count = 3, .stride = WINDOW_MEMORY / 2},
           TC_E_INVALID, "step 3: 8 bytes at offset 1048576");
    expect(w, (tc_window_rows){.at = w->at, .bytes = 8, .count = 3, .stride = half},
           TC_E_INVALID, "step 2");
    expect(w,
           (tc_window_rows){
               .at = tc_gptr_add(w->at, 16), .bytes = 8, .count = 2, .stride = UINT64_MAX - 15},
           TC_E_INVALID, "step 2: 8 bytes at offset 18446744073709551615");
    const tc_gptr near_end = tc_gptr_add(w->at, WINDOW_MEMORY - 16);
    expect(w, (tc_window_rows){.at = near_end, .bytes = UINT64_MAX, .count = 1}, TC_E_INVALID,
           "expected them within");
}

/* The rows before have arrived. */
WINDOW_TEST(a_failure_leaves_the_chains_before_it_done)
{
    enum { COUNT = 20, STRIDE = WINDOW_MEMORY / 18 };
    uint8_t memory[COUNT] = {0};
    tc_error error = {0};
    const tc_window_rows rows = {.at = w->at,
                                 .bytes = 1,
                                 .count = COUNT,
                                 .stride = STRIDE,
                                 .memory = memory,
                                 .memory_stride = 1};
    fill(w);
    assert_status(get(w, &rows, &error), TC_E_INVALID);
    for (uint64_t i = 0; i < COUNT; i++)
        assert_int_equal(memory[i], i < 16 ? byte_of(i * STRIDE) : 0);
}
