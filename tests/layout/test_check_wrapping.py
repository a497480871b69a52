#!/usr/bin/env python3
"""check_wrapping.py: text that it wraps, and text that it must leave."""
import unittest

from check_wrapping import WIDTH, Wrapper

LONG = " ".join(f"word{n}" for n in range(40))


def wrap(text):
    return Wrapper().run(text)


class Wrapping(unittest.TestCase):
    def wrapped(self, text):
        """Lines of the wrapped text, which has the same words, fits, and stays as it is."""
        found = wrap(text)
        self.assertEqual(found.split(), text.split())
        self.assertLessEqual(max(map(len, found.split("\n"))), WIDTH)
        self.assertEqual(wrap(found), found)
        return found.split("\n")

    def left(self, text):
        self.assertEqual(wrap(text), text)

    def test_paragraphs(self):
        lines = self.wrapped(f"# Heading\n\n{LONG}\n\nshort\nlines stay\n")
        self.assertEqual(lines[-4:], ["", "short", "lines stay", ""])

    def test_items_and_definitions_keep_their_indent(self):
        lines = self.wrapped(f"- one\n- {LONG}\n  - {LONG}\n10. {LONG}\n\n    {LONG}\n\n`--option`\n\n:   {LONG}\n\n    {LONG}\n")
        for marker, indent in (("- word0", "  "), ("  - word0", "    "), ("10. word0", "    "), (":   word0", "    ")):
            at = next(i for i, line in enumerate(lines) if line.startswith(marker))
            self.assertRegex(lines[at + 1], f"^{indent}word")

    def test_no_line_begins_with_what_begins_something_else(self):
        for word in ("-", "+", "*", "#", "12.", "3)", "|", ">", ":", "---", "==="):
            for before in range(WIDTH - 8, WIDTH + 2):
                for line in self.wrapped("x " * (before // 2) + "y" * (before % 2) + f" {word} {LONG}")[1:]:
                    self.assertFalse(line.startswith(word), line)

    def test_code_and_short_links_stay_whole(self):
        for whole in ("`code of some words`", "``code ` with a tick``", "[a short link](docs/page.md)"):
            for before in range(WIDTH - 40, WIDTH):
                self.assertIn(whole, "\n".join(self.wrapped("x" * before + f" {whole} {LONG}")))

    def test_what_is_left(self):
        for text in (f"```\n{LONG}\n\n- {LONG}\n```", f"    {LONG}", f"| a |\n|---|\n| {LONG} |", f"## {LONG}", f"> {LONG}",
                     f"<p>{LONG}</p>", f"[1]: {LONG}", f"{LONG}  \nnext", f"{LONG}\\\nnext", "x" * 200, f"{LONG}\n====",
                     f"- item\n\n      {LONG}", f"- item\n\n## Heading\n\n    {LONG}"):
            self.left(text)


if __name__ == "__main__":
    unittest.main()
