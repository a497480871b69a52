#!/usr/bin/env python3
"""check_words.py counts in comments alone, and its numbers only fall."""
import contextlib
import io
import os
import tempfile
import unittest

import check_words


class Words(unittest.TestCase):
    def counts(self, text):
        return check_words.count(text)

    def test_openings_are_those_of_sentences(self):
        counts = self.counts("/* What comes is read. It ends. Whether it fits\n * is checked: Who knows. */\nint what;\n")
        self.assertEqual((counts["openings"], counts["what"]), (2, 1))
        self.assertEqual(self.counts("// Of all\n// That one\n")["openings"], 2)
        self.assertEqual(self.counts("/* Returns what is there, i.e. that. */")["openings"], 0)

    def test_words_are_whole_ones_of_comments(self):
        counts = self.counts('/* A place in the room; places, placement. */ int place; char *room = "room";')
        self.assertEqual((counts["place"], counts["room"], counts["words"]), (2, 1, 7))

    def limits(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False, encoding="utf-8")
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write("# none\n" + "".join(f"{name} {text.get(name, 0)}\n" for name in ("openings", *check_words.DIALECT)))
        return file.name

    def test_a_count_may_not_rise(self):
        counts = self.counts("/* Who? " + "word " * 999 + "*/")
        self.assertEqual(check_words.check(counts, self.limits({"openings": 10, "who": 10})), [])
        problems = check_words.check(counts, self.limits({"openings": 9, "who": 10}))
        self.assertEqual(len(problems), 1)
        self.assertIn("openings: 10.0 in 10,000 words of comment, at most 9", problems[0])

    def test_a_line_falls_with_its_count(self):
        counts = self.counts("/* " + "word " * 1000 + "*/")
        self.assertEqual(check_words.check(counts, self.limits({"openings": 1})), [])
        self.assertIn("openings: 0.0 is below 20", check_words.check(counts, self.limits({"openings": 20}))[0])

    def test_a_tree_is_counted(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "runtime", "ring"))
            with open(os.path.join(root, "runtime", "ring", "ring.c"), "w", encoding="utf-8") as file:
                file.write("/* What? */\n")
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                status = check_words.main([root, "--folders", "--list"])
            self.assertEqual(status, 0)
            self.assertIn("runtime/ring/ring.c:1: openings: What?", output.getvalue())
            self.assertRegex(output.getvalue(), r"(?m)^runtime/ring +1 +10000\.0")


if __name__ == "__main__":
    unittest.main()
