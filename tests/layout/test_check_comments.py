#!/usr/bin/env python3
"""Comments in wrong positions."""
import unittest

from check_comments import OPENING_LINES, OWN_OPENING_LINES, check_lines, check_openings


def problems(text):
    return [problem.split(": ", 1)[1].split(":")[0] for problem in check_lines("x.h", text.splitlines())]


class Comments(unittest.TestCase):
    def test_what_may_stay(self):
        self.assertEqual(problems('''/* Sends
 * much. */
enum x {
    A = 1, /* short */
    /* above */
    B = 2
};
/*   int    f(void *a,
 *            int b); */
int f(int first, /* one */
      int second);
'''), [])

    def test_a_declaration_in_two(self):
        self.assertEqual(problems("enum x {\n    A =\n        1, /* long */\n};\n"), ["a comment breaks the declaration in two"])
        self.assertEqual(problems("struct x {\n    size_t\n        n; /* long */\n};\n"), ["a comment breaks the declaration in two"])

    def test_a_trailing_comment_of_several_lines(self):
        self.assertEqual(problems("    int a; /* one\n            * two */\n"), ["a trailing comment of several lines"])

    def test_a_sentence_behind_two_declarations(self):
        self.assertEqual(problems("    int a; /* streams, and */\n    int b; /* loads */\n"),
                         ["the comment goes on behind the next declaration"])

    def test_a_prototype_in_two(self):
        self.assertEqual(problems("/* Defines optional int\n * NAME_init(void *payload, size_t\n * size); */\n"),
                         ["a prototype in a comment is cut in two"])

    def openings(self, texts):
        return [problem.split(": ", 1)[1].split(" lines")[0] for problem in check_openings(texts)]

    def test_an_opening(self):
        idea = "/* Keeps the keys of all peers. */\n"
        long, longer = "\n" * (OPENING_LINES + 1), "\n" * (OWN_OPENING_LINES + 1)
        self.assertEqual(self.openings({
            "runtime/a.h": idea, "runtime/a.c": long, "runtime/b.c": idea + longer, "runtime/c.c": "\n" * OPENING_LINES,
            "tests/d.c": longer}), [])
        self.assertEqual(self.openings({"include/tc/a.h": "#ifndef A\n"}), ["a header opens with a comment that states its idea"])
        self.assertEqual(self.openings({"tools/a.c": "/* --- keys --- */\n" + long}), ["neither this source of 62"])
        self.assertEqual(self.openings({"tools/a.h": idea, "tools/a.c": longer}), ["a source of 251"])


if __name__ == "__main__":
    unittest.main()
