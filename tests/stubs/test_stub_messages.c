/* The bytes of messages, as the decision of typed calls lays them out. */
#include "../support/test.h"

#include "deeds_calls.h"

static uint64_t small[TC_STUB_SMALL / 8];
static size_t size;

/* Compares a message with bytes in hexadecimal digits; blanks count for nothing. */
static void expect(const unsigned char *bytes, const char *digits)
{
    char found[4096], wanted[4096];
    size_t count = 0;
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        (void)snprintf(found + 2 * i, 3, "%02x", bytes[i]);
    found[2 * size] = '\0';
    for (; *digits != '\0'; digits++) {
        if (*digits != ' ')
            wanted[count++] = *digits;
    }
    wanted[count] = '\0';
    assert_string_equal(found, wanted);
    if (bytes != (const void *)small)
        free((void *)bytes);
}

TEST(prototypes)
{
    assert_string_equal(dot_PROTOTYPE, "(f64[],f64[])->f64");
    assert_string_equal(scale_PROTOTYPE, "(inout f32[],f32)");
    assert_string_equal(find_PROTOTYPE, "(text,i32)->i32");
    assert_string_equal(measure_PROTOTYPE, "(f64[],out {f64,f64})");
    assert_string_equal(nothing_PROTOTYPE, "()");
    assert_string_equal(note_PROTOTYPE, "(text,u8[])");
    assert_string_equal(flip_PROTOTYPE, "(bool,u32,inout i64)->bool");
    assert_string_equal(turn_PROTOTYPE, "(f64[3],inout f64[3],out f64[3])");
    assert_string_equal(squares_PROTOTYPE, "(out u64[])");
    assert_string_equal(blend_PROTOTYPE,
                        "(f64[],f64,inout f32[],text,out {f64,f64},out i32[],bool)->f64");
    assert_string_equal(lengths_PROTOTYPE, "(text,text,u8,f32)->u64");
}

TEST(two_arrays)
{
    const double a[2] = {1, 2}, b[2] = {-1, 0.5};
    expect(dot_message_(small, &size, a, b, 2),
           "0200000000000000 000000000000f03f 0000000000000040"
           "000000000000f0bf 000000000000e03f");
    expect(dot_message_(small, &size, NULL, NULL, 0), "0000000000000000");
}

/* The elements of the only varying value lie at the end, without a number. */
TEST(one_array)
{
    const float values[2] = {1, 2};
    const double doubles[1] = {1};
    expect(scale_message_(small, &size, values, 2, 0.5f), "0000003f 0000803f 00000040");
    expect(scale_message_(small, &size, NULL, 0, 0.5f), "0000003f");
    expect(measure_message_(small, &size, doubles, 1), "000000000000f03f");
    expect(measure_message_(small, &size, NULL, 0), "");
}

TEST(texts)
{
    const uint8_t bytes[3] = {7, 8, 9};
    expect(find_message_(small, &size, "abc", 98), "62000000 616263");
    expect(find_message_(small, &size, "", 98), "62000000");
    expect(note_message_(small, &size, "hello", bytes, 3),
           "0500000000000000 68656c6c6f 070809");
    expect(lengths_message_(small, &size, "ab", "c", 255, 1),
           "0200000000000000 ff000000 0000803f "
           "6162 63");
}

TEST(fixed_values)
{
    const int64_t count = -2;
    expect(flip_message_(small, &size, true, BLUE, &count),
           "01000000 02000000 feffffffffffffff");
    expect(nothing_message_(small, &size), "");
    expect(mix_message_(small, &size, -1, 2, 3, 4, 1),
           "ff00 0200 03000000 0400000000000000 0000803f 00000000");
    /* An array that is answered has its capacity there. */
    expect(squares_message_(small, &size, 5), "0500000000000000");
}

TEST(all_at_once)
{
    const double a[1] = {1};
    const float b[1] = {2};
    expect(
        blend_message_(small, &size, a, 0.5, b, 1, "hi", 3, true),
        "0100000000000000 000000000000e03f 0100000000000000 0300000000000000 01 00000000000000 "
        "000000000000f03f 00000040 6869");
}

/* Messages that are too large for the stack are in memory of their own. */
TEST(large_messages)
{
    static double a[200], b[200];
    unsigned char *bytes = dot_message_(small, &size, a, b, 200);
    assert_int_equal(size, 8 + 3200);
    assert_ptr_not_equal(bytes, small);
    free(bytes);
    assert_null(dot_message_(small, &size, a, b, SIZE_MAX / 8));
    assert_null(dot_message_(small, &size, a, b, SIZE_MAX / 32));
}

/* Answers are checked before anything is written. */
TEST(answers_that_do_not_fit)
{
    tc_error error;
    float b[2] = {0};
    int32_t found[3] = {9, 9, 9};
    struct limits limits = {0, 0};
    double result = 0;
    union {
        uint64_t words[8];
        unsigned char bytes[64];
    } answer = {.words = {0, 2, 0, 0, 0, 7}};
    assert_ok(blend_answer_(answer.bytes, 44, b, 2, &limits, found, 3, &result, &error));
    assert_int_equal(found[0], 7);
    assert_int_equal(found[1], 0);
    found[0] = 9;
    answer.words[1] = 3;
    assert_status(blend_answer_(answer.bytes, 44, b, 2, &limits, found, 3, &result, &error),
                  TC_E_INVALID);
    assert_string_equal(error.text,
                        "blend: the number of elements that were answered for 'b' is "
                        "3, expected 2");
    answer.words[1] = UINT64_MAX / 2;
    assert_status(blend_answer_(answer.bytes, 44, b, 2, &limits, found, 3, &result, &error),
                  TC_E_INVALID);
    answer.words[1] = 2;
    for (size_t i = 0; i < 40; i++)
        assert_status(blend_answer_(answer.bytes, i, b, 2, &limits, found, 3, &result, &error),
                      TC_E_INVALID);
    assert_status(blend_answer_(answer.bytes, 42, b, 2, &limits, found, 3, &result, &error),
                  TC_E_INVALID);
    assert_status(blend_answer_(answer.bytes, 56, b, 2, &limits, found, 3, &result, &error),
                  TC_E_INVALID);
    assert_string_equal(error.text, "blend: the number of elements that were answered for "
                                    "'found' is 4, expected at most 3");
    assert_int_equal(found[0], 9);
}
