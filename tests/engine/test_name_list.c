/* Names for error texts: all that fit, and a count of the rest. */

#include "../support/test.h"
#include "engine/name_list.h"

TEST(few_names_are_all_there)
{
    tci_name_list list = {0};
    assert_string_equal(tci_name_list_finish(&list), "");
    tci_name_list_add(&list, "a");
    tci_name_list_add(&list, "bc");
    tci_name_list_add(&list, "def");
    assert_int_equal(list.count, 3);
    assert_string_equal(tci_name_list_finish(&list), "a, bc, def");
}

TEST(many_names_end_in_a_count)
{
    tci_name_list list = {0};
    char name[32], expected[32];
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(name, sizeof name, "symbol_%04d", i);
        tci_name_list_add(&list, name);
    }
    const char *text = tci_name_list_finish(&list);
    assert_int_equal(list.count, 1000);
    assert_true(strncmp(text, "symbol_0000, symbol_0001, ", 26) == 0);
    (void)snprintf(expected, sizeof expected, " and %zu more", list.left_out);
    assert_string_equal(text + strlen(text) - strlen(expected), expected);
    assert_true(strlen(text) < TCI_NAME_LIST_TEXT_MAX);
}

TEST(a_name_that_never_fits_is_counted)
{
    tci_name_list list = {0};
    char name[2000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    tci_name_list_add(&list, name);
    assert_string_equal(tci_name_list_finish(&list), "1 more");
}
