#include "../support/test.h"
#include "base/error_text.h"
#include "base/printable.h"

#include <errno.h>

TEST(set_fills_and_returns_the_status)
{
    tc_error err = {TC_OK, ""};
    assert_status(tci_error_set(&err, TC_E_CORRUPT, "archive: %d bytes, expected %s", 3, "16"),
                  TC_E_CORRUPT);
    assert_status(err.status, TC_E_CORRUPT);
    assert_string_equal(err.text, "archive: 3 bytes, expected 16");
}

TEST(no_error_to_fill_is_allowed)
{
    assert_status(tci_error_set(NULL, TC_E_INVALID, "x"), TC_E_INVALID);
    assert_status(tci_error_errno(NULL, TC_E_IO, ENOENT, "x"), TC_E_IO);
    tci_error_prefix(NULL, "x");
}

/* Texts quote bytes from outside; those may not move a terminal's cursor or break a log into
 * lines. */
TEST(control_characters_are_replaced)
{
    tc_error err;
    (void)tci_error_set(&err, TC_E_INVALID, "a\nb\x1b[2Jc\x7f\td");
    assert_string_equal(err.text, "a?b?[2Jc??d");
    (void)tci_error_set(&err, TC_E_INVALID, "clean");
    tci_error_prefix(&err, "na\rme");
    assert_string_equal(err.text, "na?me: clean");
    (void)tci_error_errno(&err, TC_E_IO, ENOENT, "open 'a\nb'");
    assert_string_equal(err.text, "open 'a?b': No such file or directory");
    /* C1 controls, as a byte and in UTF-8, and a mark that turns the direction */
    (void)tci_error_set(&err, TC_E_INVALID,
                        "a\x9b"
                        "2J\xc2\x9b\xe2\x80\xae");
    assert_string_equal(err.text, "a\\x9b2J\\xc2\\x9b\\xe2\\x80\\xae");
}

TEST(what_becomes_longer_is_cut)
{
    char text[10];
    for (size_t capacity = 1; capacity <= 10; capacity++) {
        memcpy(text,
               "a\xff"
               "b\xfe"
               "c",
               6);
        tci_printable_text(text, capacity);
        assert_true(strlen(text) < capacity);
        assert_memory_equal(text, "a\\xffb", strlen(text) < 6 ? strlen(text) : 6);
        assert_int_equal(strlen(text), capacity < 2   ? 0
                                       : capacity < 6 ? 1
                                       : capacity < 7 ? 5
                                                      : 6);
    }
}

TEST(prefix_keeps_status_and_text)
{
    tc_error err;
    (void)tci_error_set(&err, TC_E_VERSION, "bitcode of llvm 22, expected 19 or older");
    tci_error_prefix(&err, "ifunc '%s'", "tsi");
    assert_status(err.status, TC_E_VERSION);
    assert_string_equal(err.text, "ifunc 'tsi': bitcode of llvm 22, expected 19 or older");
}

TEST(long_texts_are_cut_and_terminated)
{
    char longer[2 * TC_ERROR_TEXT_MAX];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';

    tc_error err;
    memset(&err, 0x55, sizeof err);
    (void)tci_error_set(&err, TC_E_INVALID, "%s", longer);
    assert_int_equal(strlen(err.text), TC_ERROR_TEXT_MAX - 1);
    tci_error_prefix(&err, "prefix");
    assert_int_equal(strlen(err.text), TC_ERROR_TEXT_MAX - 1);
    assert_memory_equal(err.text, "prefix: xxx", 11);
    tci_error_prefix(&err, "%s", longer);
    assert_int_equal(strlen(err.text), TC_ERROR_TEXT_MAX - 1);

    memset(&err, 0x55, sizeof err);
    (void)tci_error_errno(&err, TC_E_IO, EACCES, "%s", longer);
    assert_int_equal(strlen(err.text), TC_ERROR_TEXT_MAX - 1);
    (void)tci_error_errno(&err, TC_E_IO, EACCES, "%.*s", TC_ERROR_TEXT_MAX - 5, longer);
    assert_int_equal(strlen(err.text), TC_ERROR_TEXT_MAX - 1);
}

static tc_status try_twice(tc_status first, int *reached)
{
    TC_TRY(first);
    *reached = 1;
    return TC_OK;
}

TEST(try_leaves_on_failure_only)
{
    int reached = 0;
    assert_status(try_twice(TC_E_AGAIN, &reached), TC_E_AGAIN);
    assert_int_equal(reached, 0);
    assert_ok(try_twice(TC_OK, &reached));
    assert_int_equal(reached, 1);
}

TEST(every_status_has_a_name_and_a_text)
{
    for (int status = TC_OK; status >= TC_STATUS_LAST; status--) {
        assert_int_not_equal(strcmp(tc_status_name((tc_status)status), "TC_E_?"), 0);
        assert_int_not_equal(strcmp(tc_status_text((tc_status)status), "unknown status"), 0);
    }
    assert_string_equal(tc_status_name((tc_status)-9999), "TC_E_?");
    assert_string_equal(tc_status_text((tc_status)1), "unknown status");
    assert_string_equal(tc_status_name(TC_E_NO_SLICE), "TC_E_NO_SLICE");
}
