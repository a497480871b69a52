#!/usr/bin/env python3
"""check_words.py counts in comments and the text of documents alone, and its numbers only fall."""
import contextlib
import io
import os
import tempfile
import unittest

import check_words


class Words(unittest.TestCase):
    def counts(self, text, pieces=check_words.comments):
        return check_words.count(text, pieces)

    def test_openings_are_those_of_sentences(self):
        counts = self.counts("/* What comes is read. It ends. Whether it fits\n * is checked: Who knows. */\nint what;\n")
        self.assertEqual((counts["openings"], counts["what"]), (2, 1))
        self.assertEqual(self.counts("// Of all\n// That one\n")["openings"], 2)
        self.assertEqual(self.counts("/* Returns what is there, i.e. that. */")["openings"], 0)

    def test_words_are_whole_ones_of_comments(self):
        counts = self.counts('/* A place in the room; places, placement. */ int place; char *room = "room";')
        self.assertEqual((counts["place"], counts["room"], counts["words"]), (2, 1, 7))

    def test_python_has_comments_and_docstrings(self):
        text = '"""What is told."""\nWHAT = "what"  # Who?\n# Of one\n# room\n\n\ndef f():\n    """A place."""\n    return """What."""\n'
        counts = self.counts(text, check_words.python_comments)
        self.assertEqual((counts["openings"], counts["what"], counts["room"], counts["place"], counts["words"]), (3, 1, 1, 1, 9))

    def test_scripts_have_hash_comments(self):
        counts = self.counts("#!/bin/what\n# What one\n# reads. Of two\nfor ((i = 16#ff; i < $#; i++)); do  # That\n", check_words.hash_comments)
        self.assertEqual((counts["openings"], counts["what"], counts["words"]), (3, 1, 6))

    def test_documents_have_prose_tables_and_code(self):
        text = "# Who\n\n- What is\n  [what](#what). `What`\n\n| Of | that |\n|---|---|\n\n```c\nwhat what\n```\n\n    what\n\n<!-- what -->\n"
        counts = self.counts(text, check_words.paragraphs)
        self.assertEqual((counts["openings"], counts["what"], counts["who"], counts["words"]), (3, 2, 1, 6))

    def test_groups_of_files(self):
        for path, group in (("runtime/ring/ring.c", "library"), ("include/tc/tc.h", "library"), ("tools/tc_node.c", "programs"),
                            ("tests/ring/CMakeLists.txt", "tests"), ("scripts/test.sh", "scripts"), ("CMakeLists.txt", "scripts"),
                            ("README.md", "documents"), ("docs/man/tc-ar.1.md", "documents"), ("docs/decisions/layers.md", "documents")):
            self.assertEqual(check_words.kind(path)[0], group, path)
        for path in ("docs/options.md", "docs/man/tc_load.3.md", "CHANGELOG.md", "tests/ring/README.md", "docs/figures/path.svg"):
            self.assertIsNone(check_words.kind(path), path)

    def limits(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False, encoding="utf-8")
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write("# none\n" + "".join(f"tests {name} {text.get(name, 0)}\n" for name in ("openings", *check_words.DIALECT)))
        return file.name

    def check(self, counts, limits):
        return check_words.check({"tests": counts}, self.limits(limits))

    def test_a_count_may_not_rise(self):
        counts = self.counts("/* Who? " + "word " * 999 + "*/")
        self.assertEqual(self.check(counts, {"openings": 10, "who": 10}), [])
        problems = self.check(counts, {"openings": 9, "who": 10})
        self.assertEqual(len(problems), 1)
        self.assertIn("tests openings: 10.0 in 10,000 words, at most 9", problems[0])

    def test_a_line_falls_with_its_count(self):
        counts = self.counts("/* " + "word " * 1000 + "*/")
        self.assertEqual(self.check(counts, {"openings": 1}), [])
        self.assertIn("tests openings: 0.0 is below 20", self.check(counts, {"openings": 20})[0])

    def test_a_tree_is_counted(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "runtime", "ring"))
            with open(os.path.join(root, "runtime", "ring", "ring.c"), "w", encoding="utf-8") as file:
                file.write("/* What? */\n")
            with open(os.path.join(root, "README.md"), "w", encoding="utf-8") as file:
                file.write("Of one\n")
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                status = check_words.main([root, "--folders", "--list"])
            self.assertEqual(status, 0)
            self.assertIn("runtime/ring/ring.c:1: openings: What?", output.getvalue())
            self.assertRegex(output.getvalue(), r"(?m)^runtime/ring +1 +10000\.0")
            self.assertRegex(output.getvalue(), r"(?m)^documents +2 +5000\.0")


if __name__ == "__main__":
    unittest.main()
