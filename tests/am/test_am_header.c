/* Units as bytes: the golden ones of docs/payload-layout.md, round trips, and refusals. */
#include "../../am/am_plan.h"
#include "../support/test.h"

#include <string.h>

static const uint8_t golden[] = {
    0x01, 0x00, 0x01, 0x00, 0x03, 0x10, 0x5f, 0x2a, 0x40, 0, 0, 0, 0, 0, 0, 0,
    0x10, 0,    0,    0,    0,    0,    0,    0,    2,    0, 0, 0, 0, 0, 0, 0,
    8,    0,    0,    0,    8,    0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0,
    7,    0,    0,    0,    0,    0,    0,    0,    9,    0, 0, 0, 0, 0, 0, 0};

static const uint64_t two[2] = {7, 9};
static uint64_t output[2];

static tc_am_params two_words(void)
{
    return (tc_am_params){.input = two,
                          .output = output,
                          .input_layout = {.bytes = 8},
                          .output_layout = {.bytes = 8},
                          .segments = 2,
                          .at = 64,
                          .bytes = 16};
}

TEST(a_unit_is_these_bytes)
{
    const tc_am_params params = two_words();
    uint64_t bytes[8];
    tca_plan plan;
    tc_error error;
    plan.params = params;
    assert_status(tca_plan_make(&plan, 8192, &error), TC_OK);
    assert_int_equal(tca_plan_payload_size(&plan, 2), sizeof golden);
    tca_plan_write(&plan, 1, 3 | 0x2a5f1u << 12, 0, 2, bytes);
    assert_memory_equal(bytes, golden, sizeof golden);
    tca_plan_release(&plan);
}

TEST(a_small_unit_is_short)
{
    tc_am_params params = two_words();
    uint64_t bytes[8];
    tca_plan plan;
    tca_arrival arrival;
    tc_error error;
    params.unit = 1;
    plan.params = params;
    assert_status(tca_plan_make(&plan, 8192, &error), TC_OK);
    assert_int_equal(tca_plan_payload_size(&plan, 1), 48);
    tca_plan_write(&plan, 1, 0, 1, 1, bytes);
    assert_status(tca_header_check(bytes, 48, &arrival, &error), TC_OK);
    assert_int_equal(arrival.header.first, 1);
    assert_memory_equal(arrival.input, &two[1], 8);
    tca_plan_release(&plan);
}

TEST(an_extension_comes_back)
{
    const tc_am_block there[] = {{4, 4}, {12, 4}};
    const tc_am_layout target = {.count = 2, .blocks = there, .extent = 24};
    tc_am_params params = two_words();
    uint64_t bytes[32];
    tca_plan plan;
    tca_arrival a;
    tc_error error;
    params.target_input = &target;
    params.target_output = &target;
    params.description = "about it";
    params.description_bytes = 8;
    plan.params = params;
    assert_status(tca_plan_make(&plan, 8192, &error), TC_OK);
    assert_true(plan.is_spread);
    const size_t size = tca_plan_payload_size(&plan, 2);
    assert_int_equal(size, 40 + 16 + 4 * 8 + 8 + 16);
    tca_plan_write(&plan, 0, 0, 0, 2, bytes);
    assert_status(tca_header_check(bytes, size, &a, &error), TC_OK);
    assert_int_equal(a.extension.input_blocks, 2);
    assert_int_equal(a.extension.input_extent, 24);
    assert_int_equal(a.output_blocks[1].offset, 12);
    assert_int_equal(a.input_spread, 48);
    assert_int_equal(a.output_packed, 16);
    assert_memory_equal(a.description, "about it", 8);
    assert_memory_equal(a.input, two, 16);
    assert_int_equal((uintptr_t)a.input % 16, (uintptr_t)bytes % 16);
    tca_plan_release(&plan);
}

/* --- refusals ----------------------------------------------------------------------------- */

static uint64_t sent[64];

static void refused(const void *bytes, size_t size, tc_status expected, const char *text)
{
    tca_arrival arrival;
    tc_error error = {TC_OK, ""};
    memcpy(sent, bytes, size);
    assert_status(tca_header_check(sent, size, &arrival, &error), expected);
    if (strstr(error.text, text) == NULL)
        fail_msg("'%s', expected '%s'", error.text, text);
}

static void changed(size_t at, uint32_t value, size_t width, tc_status expected,
                    const char *text)
{
    uint8_t bytes[sizeof golden];
    memcpy(bytes, golden, sizeof bytes);
    memcpy(bytes + at, &value, width);
    refused(bytes, sizeof bytes, expected, text);
}

TEST(headers_that_lie_are_refused)
{
    for (size_t size = 0; size < sizeof golden; size++)
        refused(golden, size, TC_E_INVALID, "bytes");
    changed(0, 2, 1, TC_E_VERSION, "version 2, expected 1");
    changed(1, 8, 1, TC_E_INVALID, "kind 8");
    changed(1, 0x80, 1, TC_E_INVALID, "kind 0, counted");
    changed(1, 0x82, 1, TC_E_INVALID, "kind 2, counted");
    changed(24, 0, 4, TC_E_INVALID, "0 segments");
    changed(28, UINT32_MAX, 4, TC_E_INVALID, "from 4294967295 on");
    changed(24, 3, 4, TC_E_INVALID, "expected 72");
    changed(24, UINT32_MAX, 4, TC_E_INVALID, "at most 262144");
    changed(32, UINT32_MAX, 4, TC_E_INVALID, "input of 2 segments of 4294967295");
    changed(36, TC_AM_UNIT_BYTES_MAX, 4, TC_E_INVALID, "output of 2 segments");
    changed(1, 1, 1, TC_E_INVALID, "expected 80");
}

TEST(extensions_that_lie_are_refused)
{
    tca_header header = {.version = 1, .kind = TCA_UNIT_EXTENDED, .segments = 1};
    struct {
        tca_header header;
        tca_extension extension;
        tca_span spans[2];
    } m = {
        header, {.input_blocks = 1, .output_blocks = 1, .input_extent = 8}, {{0, 0}, {0, 0}}};
    refused(&m, sizeof m - 8, TC_E_INVALID, "1 and 1 blocks");
    m.spans[0] = (tca_span){4, 8};
    refused(&m, sizeof m, TC_E_INVALID, "block 0 of 8 bytes at 4, expected inside 8");
    m.spans[0] = (tca_span){UINT32_MAX, UINT32_MAX};
    refused(&m, sizeof m, TC_E_INVALID, "expected inside 8");
    m.spans[0] = (tca_span){0, 4};
    refused(&m, sizeof m, TC_E_INVALID, "blocks of 4 bytes, expected 0");
    m.extension.unused = 1;
    refused(&m, sizeof m, TC_E_INVALID, "an extension");
    m.extension.unused = 0;
    m.extension.description_bytes = TC_AM_DESCRIPTION_MAX + 1;
    refused(&m, sizeof m, TC_E_INVALID, "an extension");
    m.extension.description_bytes = 0;
    m.spans[0] = (tca_span){0, 0};
    m.extension.input_extent = TC_AM_UNIT_BYTES_MAX + 1;
    refused(&m, sizeof m, TC_E_INVALID, "spread input");
}
