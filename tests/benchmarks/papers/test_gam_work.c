/* The operations of the paper on generalized active messages, and their vectors. */
#include "gam_compute.h"
#include "gam_work.h"
#include "../../support/test.h"

#include <stdlib.h>

#define COUNT 1003u

static gam_table table;

static void put(const char string[GAM_STRING_BYTES], unsigned slot)
{
    memcpy(table.strings[gam_bucket(string)][slot], string, GAM_STRING_BYTES);
}

TEST(finds_strings_in_every_slot_and_no_others)
{
    char asked[3 * GAM_STRING_BYTES], found[3 * GAM_STRING_BYTES];
    static const char nothing[GAM_STRING_BYTES];
    memset(&table, 0, sizeof table);
    for (unsigned n = 0; n < 3; n++)
        gam_string(n, asked + n * GAM_STRING_BYTES);
    put(asked, 0);
    put(asked + 2 * GAM_STRING_BYTES, GAM_SLOTS - 1);
    gam_search(&table, asked, found, 3);
    assert_memory_equal(found, asked, GAM_STRING_BYTES);
    assert_memory_equal(found + GAM_STRING_BYTES, nothing, GAM_STRING_BYTES);
    assert_memory_equal(found + 2 * GAM_STRING_BYTES, asked + 2 * GAM_STRING_BYTES,
                        GAM_STRING_BYTES);
}

TEST(adds_absolute_values_by_any_vectors)
{
    int32_t values[COUNT], sums[COUNT], sums_out[COUNT], expected[COUNT];
    for (unsigned turn = 0; turn < 2; turn++) {
        for (unsigned i = 0; i < COUNT; i++) {
            values[i] = (int32_t)(i * 7) * (i % 2 == 0 ? 1 : -1);
            sums[i] = i % 3 == 0 ? -(int32_t)i : (int32_t)i;
            expected[i] = abs(values[i]) + abs(sums[i]);
        }
        gam_compute_sum(sums, values, sums_out, COUNT);
        assert_memory_equal(sums, expected, sizeof sums);
        assert_memory_equal(sums_out, expected, sizeof sums);
        gam_sum_atomic(sums, values, sums_out, COUNT);
        for (unsigned i = 0; i < COUNT; i++)
            assert_true(sums[i] == expected[i] + abs(values[i]) && sums_out[i] == sums[i]);
        gam_compute_absolute(values, sums, COUNT);
        for (unsigned i = 0; i < COUNT; i++)
            assert_true(sums[i] == abs(values[i]));
        assert_true(gam_compute_choose() != NULL);
    }
}
