#!/usr/bin/env python3
"""check_sizes.py: its counts."""
import unittest

from check_sizes import FILE_LINES_MAX, FUNCTION_LINES_MAX, check_columns, check_file


def function(lines):
    return "static int\nlong_name(void)\n{\n" + "    x();\n" * (lines - 2) + "}\n"


class Sizes(unittest.TestCase):
    def one(self, text, expected):
        found = list(check_file("a.c", text))
        self.assertEqual(len(found), 1, found)
        self.assertIn(expected, found[0])

    def test_what_is_allowed(self):
        self.assertEqual(list(check_file("a.c", function(FUNCTION_LINES_MAX) * 2)), [])
        self.assertEqual(list(check_file("a.c", "\n" * FILE_LINES_MAX)), [])
        table = "static const row rows[] = {\n" + "    {1},\n" * 100 + "};\n"
        self.assertEqual(list(check_file("a.c", table + "struct s {\n" + "    int x;\n" * 60 + "};\n")), [])

    def test_a_long_function(self):
        self.one(function(4) + function(FUNCTION_LINES_MAX + 1), "a.c:8: a function of 55 lines")

    def test_a_long_file(self):
        self.one("\n" * (FILE_LINES_MAX + 1), "441 lines")

    def test_a_function_that_could_not_be_measured(self):
        self.one("int x(void) {\n}\n", "a line of its own")

    def test_a_wide_line(self):
        for name in "a.c", "a.hpp":
            self.assertEqual(list(check_columns(name, "x" * 96 + "\n")), [])
            self.assertEqual(list(check_columns(name, "\n/* " + "x" * 94 + "\n")), [f"{name}:2: 97 columns, at most 96"])


if __name__ == "__main__":
    unittest.main()
