#!/usr/bin/env python3
"""Texts that count as declarations of a header."""
import unittest

from manual_page import function_name, statements, type_name

HEADER = r'''
#ifndef TC_X_H
#define TC_X_H
#define LONG \
    tc_not_this(int);
#ifdef __cplusplus
extern "C" {
#endif
/* tc_nor_this(void); */
typedef struct tc_opaque tc_opaque;
typedef struct tc_pair { int a; /* first */ int b[2]; } tc_pair;
typedef void (*tc_visit)(void *user, const tc_pair *pair);
TC_MUST_CHECK TC_API tc_status tc_one(tc_pair *pair,
                                      void (*call)(void *user));
TC_API void *tc_two(void);
TC_API void tc_say(const char *fmt, ...) TC_PRINTF(1, 2);
static inline int tc_three(int a)
{
    if (a > 1) {
        return tc_three(a - 1);
    }
    return 1;
}
TC_API int tc_four(void);
#ifdef __cplusplus
}
#endif
#endif
'''


class Statements(unittest.TestCase):
    def setUp(self):
        self.found = list(statements(HEADER))

    def test_functions(self):
        self.assertEqual([name for name in map(function_name, self.found) if name],
                         ["tc_one", "tc_two", "tc_say", "tc_three", "tc_four"])

    def test_types_that_say_something(self):
        self.assertEqual([name for name in map(type_name, self.found) if name], ["tc_pair", "tc_visit"])

    def test_words_count_and_not_how_they_are_written(self):
        page = "int  tc_three( int a );\nvoid\n*tc_two(void) ;\nvoid tc_say(const char* fmt, ...);"
        self.assertLessEqual(set(statements(page)), set(self.found))
        self.assertFalse(set(statements("int tc_three(long a);")) & set(self.found))


if __name__ == "__main__":
    unittest.main()
