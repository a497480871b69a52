/* Included by every C test: cmocka with the headers that must precede it, and the properties of
 * the machine. */
#ifndef TEST_H
#define TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tc/status.h>

#include "base/sanitized.h"

/* TEST(name) { ... } defines a test and has the program run it: there is no list to keep. Tests
 * run in the order of their file. A program without a main of its own has that of test_main.c.
 */
typedef struct test_entry {
    struct CMUnitTest test;
    unsigned line;
} test_entry;

/* The same with what cmocka calls before and after; NULL: nothing. */
#define TEST_WITH(name, set_up, tear_down)                                                     \
    static void name(void **state);                                                            \
    static const test_entry entry_of_##name = {{#name, name, set_up, tear_down, NULL},         \
                                               __LINE__};                                      \
    static const test_entry *const listed_##name __attribute__((used, section("tc_tests"))) =  \
        &entry_of_##name;                                                                      \
    static void name(void **state)
#define TEST(name) TEST_WITH(name, NULL, NULL)

/* The same for a body with parameters: `run` opens what the tests of a file share, calls the
 * body with it, and closes it. */
#define TEST_BY(run, name, ...)                                                                \
    static void name##_itself(__VA_ARGS__);                                                    \
    TEST(name)                                                                                 \
    {                                                                                          \
        run(name##_itself);                                                                    \
    }                                                                                          \
    static void name##_itself(__VA_ARGS__)

/* The status of a call, by its name where it is another one. */
#define assert_status(call, expected)                                                          \
    do {                                                                                       \
        const int found_status = (int)(call);                                                  \
        if (found_status != (int)(expected))                                                   \
            fail_msg("%s: %s, expected %s", #call, tc_status_name((tc_status)found_status),    \
                     tc_status_name(expected));                                                \
    } while (0)
#define assert_ok(call) assert_status(call, TC_OK)

/* Runs all tests, between set_up and tear_down (NULL: nothing). Returns how many failed. For
 * programs that have a main. */
int test_run(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* Each test has a parameter, of which most have no need. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* For tests in qemu's user mode, as another architecture: ends the test as skipped, and prints
 * the difference of qemu. TEST_EMULATED is given to all tests. */
static inline void skip_if_emulated(const char *why)
{
    if (TEST_EMULATED) {
        print_message("skipped under qemu: %s\n", why);
        skip();
    }
}

#endif
