#include "../support/test.h"
#include "bootstrap/own_address.h"

static void assert_listens_at(const char *setting, bool all_local, const char *expected)
{
    char text[TCI_OWN_ADDRESS_TEXT_MAX];
    tc_error err;
    assert_ok(tci_own_address(setting, all_local, text, &err));
    assert_string_equal(text, expected);
}

TEST(test_members_of_one_host_use_loopback)
{
    assert_listens_at("", true, "127.0.0.1:0");
}

TEST(test_a_setting_may_have_a_port)
{
    assert_listens_at("10.1.2.3", false, "10.1.2.3:0");
    assert_listens_at("10.1.2.3:7000", false, "10.1.2.3:7000");
    assert_listens_at("node7.example", true, "node7.example:0");
    assert_listens_at("::1", false, "[::1]:0");
    assert_listens_at("[::1]", false, "[::1]:0");
    assert_listens_at("[::1]:7000", false, "[::1]:7000");
}

TEST(test_an_interface_stands_for_its_address)
{
    assert_listens_at("lo", false, "127.0.0.1:0");
}

TEST(test_several_hosts_need_a_setting)
{
    char text[TCI_OWN_ADDRESS_TEXT_MAX];
    tc_error err;
    assert_status(tci_own_address("", false, text, &err), TC_E_INVALID);
    assert_non_null(strstr(err.text, "group_address"));
    assert_null(strstr(err.text, "listen_any"));
}

TEST(test_a_setting_that_is_too_long)
{
    char text[TCI_OWN_ADDRESS_TEXT_MAX];
    char setting[TCI_OWN_ADDRESS_TEXT_MAX];
    tc_error err;
    memset(setting, 'h', sizeof setting);
    setting[sizeof setting - 1] = '\0';
    assert_status(tci_own_address(setting, true, text, &err), TC_E_INVALID);
}

TEST(test_the_bound_port_takes_the_place_of_the_wanted_one)
{
    char text[TCI_OWN_ADDRESS_TEXT_MAX];
    tc_error err;
    assert_ok(tci_own_address_with_port("[::1]:0", 41000, text, &err));
    assert_string_equal(text, "[::1]:41000");
    assert_ok(tci_own_address_with_port("node7:5", 6, text, &err));
    assert_string_equal(text, "node7:6");
}
