/* The texts that crash handlers write: whole, cut off, or empty. tests/integration tests code
 * that runs for a peer. */

#include "../support/test.h"
#include "engine/code_map.h"

#include <signal.h>
#include <tc/code.h>

#define BEGIN 0x1000u

static const char expected[] = "some_main+0xabc of 0102030405060708090a0b0c0d0e0fff";

static int set_up(void **state)
{
    const tci_content_id id = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255}};
    *state = tci_code_map_add(&id, &(tci_code_symbol){"some_main", BEGIN, 0x2000}, 1);
    return *state != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    tci_code_map_remove(*state);
    return 0;
}

static const void *at(uintptr_t offset)
{
    return (const void *)(BEGIN + offset);
}

TEST(an_address_in_shipped_code_is_named)
{
    char text[TC_CODE_TEXT_MAX];
    assert_int_equal(tc_code_name(at(0xabc), text, sizeof text), strlen(expected));
    assert_string_equal(text, expected);
    assert_true(tc_code_name(at(0), text, sizeof text) > 0);
    assert_memory_equal(text, "some_main+0x0 of ", 17);
}

TEST(any_other_address_is_not)
{
    char text[TC_CODE_TEXT_MAX] = "old";
    assert_int_equal(tc_code_name(at(0x2000), text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(tc_code_name(state, text, sizeof text), 0);
    assert_int_equal(tc_code_name(NULL, text, sizeof text), 0);
}

TEST(a_text_is_cut_off_where_the_room_ends)
{
    char text[sizeof expected + 1];
    for (size_t size = 0; size < sizeof text; size++) {
        memset(text, '#', sizeof text);
        assert_int_equal(tc_code_name(at(0xabc), text, size), strlen(expected));
        if (size > 0) {
            size_t whole = size - 1 < strlen(expected) ? size - 1 : strlen(expected);
            assert_memory_equal(text, expected, whole);
            assert_int_equal(text[whole], '\0');
        }
        assert_int_equal(text[size], '#');
    }
}

TEST(nothing_runs_here)
{
    char text[TC_CODE_TEXT_MAX] = "old";
    assert_int_equal(tc_code_running(text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(tc_code_running(NULL, 0), 0);
}

static char seen_in_handler[TC_CODE_TEXT_MAX];

static void on_signal(int number)
{
    (void)number;
    (void)tc_code_name(at(0xabc), seen_in_handler, sizeof seen_in_handler);
}

TEST(a_signal_handler_may_ask)
{
    const struct sigaction action = {.sa_handler = on_signal};
    struct sigaction before;
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    assert_int_equal(raise(SIGUSR1), 0);
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
    assert_string_equal(seen_in_handler, expected);
}

int main(void)
{
    return test_run(set_up, tear_down);
}
