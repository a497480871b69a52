/* Layouts: gathered and scattered bytes are those that a loop over bytes finds. */
#include "../../am/am_layout.h"
#include "../support/test.h"

#include <string.h>

enum { SEGMENTS = 7, MEMORY = 4096 };

static uint64_t seed = 1;

static uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static tc_am_block blocks[8];

static tc_am_layout random_layout(void)
{
    tc_am_layout layout = {0};
    const uint64_t kind = draw(4);
    if (kind == 0)
        layout.bytes = draw(40);
    if (kind == 1 || kind == 2) {
        layout.count = draw(5);
        layout.block = draw(9);
        layout.stride = layout.block + draw(20);
    }
    if (kind == 3) {
        uint64_t at = 0;
        layout.count = draw(8);
        layout.blocks = blocks;
        for (uint64_t i = 0; i < layout.count; i++) {
            blocks[i] = (tc_am_block){at + draw(10), draw(9)};
            at = blocks[i].offset + blocks[i].bytes;
        }
    }
    if (draw(2) == 0)
        layout.extent = 200 + draw(100);
    return layout;
}

TEST(bytes_go_there_and_back)
{
    static unsigned char memory[MEMORY], back[MEMORY], packed[MEMORY], expected[MEMORY];
    for (size_t i = 0; i < MEMORY; i++)
        memory[i] = (unsigned char)(i * 7 + 1);
    for (int round = 0; round < 20000; round++) {
        const tc_am_layout given = random_layout();
        tca_layout layout;
        tc_error error;
        assert_status(tca_layout_check(&given, "layout", SEGMENTS, true, &layout, &error),
                      TC_OK);
        size_t n = 0;
        memset(back, 0, sizeof back);
        for (uint32_t s = 2; s < SEGMENTS; s++) {
            for (uint64_t i = 0; i < layout.count; i++) {
                const tc_am_block block = tca_layout_block(&layout, i);
                for (uint64_t b = 0; b < block.bytes; b++) {
                    const size_t at = s * layout.extent + block.offset + b;
                    expected[n++] = memory[at];
                    back[at] = memory[at];
                }
            }
        }
        assert_int_equal(n, (SEGMENTS - 2) * layout.bytes);
        tca_layout_gather(&layout, memory, 2, SEGMENTS - 2, packed);
        assert_memory_equal(packed, expected, n);
        static unsigned char scattered[MEMORY];
        memset(scattered, 0, sizeof scattered);
        tca_layout_scatter(&layout, scattered, 2, SEGMENTS - 2, packed);
        assert_memory_equal(scattered, back, MEMORY);
    }
}

static void refused(tc_am_layout given, uint32_t segments, tc_status expected)
{
    tca_layout layout;
    tc_error error = {TC_OK, ""};
    assert_status(tca_layout_check(&given, "layout", segments, true, &layout, &error),
                  expected);
    assert_true(error.text[0] != '\0');
}

TEST(impossible_layouts_are_refused)
{
    const tc_am_block far[] = {{1ull << 63, 8}};
    const tc_am_block same[] = {{8, 8}, {0, 9}};
    const tc_am_block huge[] = {{0, UINT64_MAX}, {0, 2}};
    refused((tc_am_layout){.bytes = 1, .count = 1}, 1, TC_E_INVALID);
    refused((tc_am_layout){.bytes = TC_AM_SEGMENT_BYTES_MAX + 1ull}, 1, TC_E_TOO_LARGE);
    refused((tc_am_layout){.count = 1, .blocks = far}, 1, TC_E_INVALID);
    refused((tc_am_layout){.count = 2, .blocks = same}, 1, TC_E_INVALID);
    refused((tc_am_layout){.count = 2, .blocks = huge}, 1, TC_E_TOO_LARGE);
    refused((tc_am_layout){.count = 3, .block = 8, .stride = 7}, 1, TC_E_INVALID);
    refused((tc_am_layout){.count = 3, .block = 8, .stride = UINT64_MAX}, 1, TC_E_INVALID);
    refused((tc_am_layout){.count = UINT64_MAX, .block = 8, .stride = 8}, 1, TC_E_INVALID);
    refused((tc_am_layout){.count = 1ull << 40, .block = 8, .stride = 8}, 1, TC_E_TOO_LARGE);
    refused((tc_am_layout){.bytes = 8, .extent = 1ull << 60}, 100, TC_E_INVALID);
}
