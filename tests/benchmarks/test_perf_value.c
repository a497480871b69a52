/* Counts, ranges and lists on the command line of tc-perf. */
#include "../../benchmarks/perf_value.h"
#include "../support/test.h"

TEST(test_counts)
{
    uint64_t value;
    assert_true(perf_value_count("8", 1, 8, &value) && value == 8);
    assert_true(perf_value_count("64K", 1, UINT64_MAX, &value) && value == 65536);
    assert_true(perf_value_count("1M", 1, UINT64_MAX, &value) && value == 1 << 20);
    static const char *const wrong[] = {"", "-1", "x", "8x", "0", "9", "99999999999999999999G"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(perf_value_count(wrong[i], 1, 8, &value));
}

TEST(test_powers_with_both_ends)
{
    uint64_t values[4];
    unsigned count;
    assert_true(perf_value_powers("3..9", 1, 64, values, 4, &count));
    assert_int_equal(count, 4);
    assert_true(values[0] == 3 && values[1] == 4 && values[2] == 8 && values[3] == 9);
    assert_true(perf_value_powers("8..8", 1, 64, values, 4, &count) && count == 1);
    assert_false(perf_value_powers("9..3", 1, 64, values, 4, &count));
    assert_false(perf_value_powers("1..128", 1, 64, values, 4, &count));
    assert_false(perf_value_powers("1..64", 1, 64, values, 4, &count)); /* seven values */
}

TEST(test_lists)
{
    uint64_t values[3];
    unsigned count;
    assert_true(perf_value_list("1,2K,3", 1, 4096, values, 3, &count) && count == 3);
    assert_true(values[0] == 1 && values[1] == 2048 && values[2] == 3);
    assert_false(perf_value_list("1,,2", 1, 9, values, 3, &count));
    assert_false(perf_value_list("1,2,", 1, 9, values, 3, &count));
    assert_false(perf_value_list("1,2,3,4", 1, 9, values, 3, &count));
}

TEST(test_names)
{
    assert_true(perf_value_lists("a,bc,d", ',', "bc") && perf_value_lists("a", ',', "a"));
    assert_false(perf_value_lists("a,bc", ',', "b") || perf_value_lists("a,bc", ',', "a,bc"));
    assert_false(perf_value_lists("", ' ', "a") || perf_value_lists("a b", ',', "a"));
}
