#include "base/sized_struct.h"
#include "../support/test.h"

typedef struct shorter {
    uint32_t first, second;
} shorter;

typedef struct longer {
    uint32_t first, second, third;
} longer;

TEST(an_older_program_gets_what_it_has_fields_for)
{
    const longer own = {1, 2, 3};
    longer given = {7, 7, 7};
    tci_sized_struct_fill(&given, sizeof(shorter), &own, sizeof own);
    assert_int_equal(given.first, 1);
    assert_int_equal(given.second, 2);
    assert_int_equal(given.third, 7);
}

TEST(a_newer_program_gets_zeros_for_the_rest)
{
    const shorter own = {1, 2};
    longer given = {7, 7, 7};
    tci_sized_struct_fill(&given, sizeof given, &own, sizeof own);
    assert_int_equal(given.second, 2);
    assert_int_equal(given.third, 0);
}

TEST(fields_that_an_older_program_lacks_are_zero)
{
    const longer given = {1, 2, 3};
    longer own = {7, 7, 7};
    assert_ok(tci_sized_struct_read(&own, sizeof own, &given, sizeof(shorter), NULL));
    assert_int_equal(own.second, 2);
    assert_int_equal(own.third, 0);
}

TEST(none_is_read_as_zeros)
{
    unsigned char own[8];
    memset(own, 7, sizeof own);
    assert_ok(tci_sized_struct_read(own, sizeof own, NULL, 16, NULL));
    for (size_t i = 0; i < sizeof own; i++)
        assert_int_equal(own[i], 0);
}

TEST(an_unknown_field_may_be_zero_only)
{
    longer given = {1, 2, 3};
    shorter own = {7, 7};
    tc_error err;
    assert_status(tci_sized_struct_read(&own, sizeof own, &given, sizeof given, &err),
                  TC_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "12 bytes"));
    assert_int_equal(own.first, 7);
    given.third = 0;
    assert_ok(tci_sized_struct_read(&own, sizeof own, &given, sizeof given, &err));
    assert_int_equal(own.first, 1);
}
