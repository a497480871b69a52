#!/usr/bin/env python3
"""The parts of a page that come from its header."""
import os
import tempfile
import unittest

from header_manual import COUNTERS, SECTION, Header, Section, made, manuals, markdown, prototype, term
from manual_page import Page

HEADER = '''/* What it is for. */
#ifndef TC_X_H
/* Opens a thing. Blocks.
 *
 *   name          the thing's name; see tc_close
 *                 and tc_send
 *
 *   TC_OK         it is open
 *   TC_E_INVALID  the name is empty,
 *                 or too long
 *   as tc_send    nothing was sent
 *
 * Any other status is the thing's. */
TC_API tc_status tc_open(const char *name, tc_error *err);

/* Sets and gets. */
TC_API void tc_set(int a);
TC_API int tc_get(void);
'''


PAGE = "# NAME\n\ntc_context - a thing\n\n# SYNOPSIS\n\n[tc/context.h](../../include/tc/context.h)\n\n# NOTES\n\nOne.\n\n# SEE ALSO\n\n**tc_x**(3)\n"
LIST = '#define LIST(ROW) \\\n    ROW(TCI_A, "calls", \\\n        "Calls that **tc_open**(3) made.") \\\n    ROW(TCI_B, "ends", "Ends.")\n'


class Made(unittest.TestCase):
    """Of a tree with one header."""
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.write("include/tc/context.h", HEADER)
        self.write("docs/man/tc_context.3.md", PAGE)
        self.write(COUNTERS, LIST)

    def write(self, path, text):
        os.makedirs(os.path.dirname(os.path.join(self.root, path)), exist_ok=True)
        with open(os.path.join(self.root, path), "w", encoding="utf-8") as file:
            file.write(text)

    def make(self):
        known = {"tc_open": "tc_context", "tc_set": "tc_context", "tc_get": "tc_context"}
        return made(Page(os.path.join(self.root, "docs", "man"), "tc_context.3.md"), Header(self.root, "context.h"), known, self.root)

    def test_chapters_of_both_in_their_order(self):
        text = self.make()
        self.assertEqual([line for line in text.splitlines() if line.startswith("# ")],
                         ["# NAME", "# SYNOPSIS", "# DESCRIPTION", "# COUNTERS", "# RETURN VALUE", "# NOTES", "# SEE ALSO"])
        self.assertTrue(text.startswith("# NAME\n\ntc_context, tc_open, tc_set, tc_get - a thing\n\n# SYNOPSIS\n\n```c\n#include <tc/context.h>\n"))
        self.assertTrue(text.endswith("# NOTES\n\nOne.\n\n# SEE ALSO\n\n**tc_x**(3)\n"))
        self.assertNotIn("../../include", text)

    def test_counters_are_those_of_the_list(self):
        self.assertIn("# COUNTERS\n\n`calls`\n\n:   Calls that **tc_open**(3) made.\n\n`ends`\n\n:   Ends.\n\n#", self.make())
        self.write(COUNTERS, "")
        self.assertRaisesRegex(SystemExit, "no rows", self.make)

    def test_a_chapter_has_one_source(self):
        self.write("docs/man/tc_context.3.md", PAGE.replace("NOTES", "DESCRIPTION"))
        self.assertRaisesRegex(SystemExit, "tc_context.3.md: has the chapter DESCRIPTION", self.make)

    def test_a_page_has_a_header(self):
        self.assertEqual(manuals(self.root), {"tc_context.3.md": self.make()})
        self.write("docs/man/tc_gone.3.md", PAGE)
        self.assertRaisesRegex(SystemExit, "tc_gone.3.md: there is no such header", manuals, self.root)


class HeaderManual(unittest.TestCase):
    def setUp(self):
        self.sections = [Section(*found) for found in SECTION.findall(HEADER)]

    def test_parts_of_a_comment(self):
        opening = self.sections[1]
        self.assertEqual(opening.names, ["tc_open"])
        self.assertEqual(opening.parameters, {"name", "err"})
        self.assertEqual(opening.text, ["Opens a thing. Blocks."])
        self.assertEqual(opening.items, [["name", "the thing's name; see tc_close and tc_send"]])
        self.assertEqual(opening.statuses, [["TC_OK", "it is open"], ["TC_E_INVALID", "the name is empty, or too long"],
                                            ["as tc_send", "nothing was sent"]])
        self.assertEqual(opening.remarks, ["Any other status is the thing's."])

    def test_functions_share_a_comment(self):
        self.assertEqual(self.sections[2].names, ["tc_set", "tc_get"])

    def test_names_become_references(self):
        known = {"tc_open": "tc_x", "tc_send": "tc_ifunc"}
        self.assertEqual(markdown("tc_open and tc_send give TC_OK; *path_out, tc-node, poll(2)", known, "tc_x", {"path_out"}),
                         "**tc_open**() and **tc_send**(3) give **TC_OK**; *\\*path_out*, **tc-node**(1), **poll**(2)")

    def test_prototypes_are_wrapped(self):
        self.assertEqual(prototype("tc_status tc_open ( const char * name , tc_error * err ) ;"),
                         "tc_status tc_open(const char *name, tc_error *err);")
        self.assertEqual(prototype("int tc_x ( " + " , ".join(["unsigned long abc"] * 5) + " ) ;").splitlines()[1],
                         "         unsigned long abc, unsigned long abc);")

    def test_terms(self):
        self.assertEqual(term(["tc_x**()"], ["One."], [("*a*", "two")]), "**tc_x**()\n\n:   One.\n\n    *a*: two")


if __name__ == "__main__":
    unittest.main()
