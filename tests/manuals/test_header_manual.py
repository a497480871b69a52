#!/usr/bin/env python3
"""What a page takes from its header."""
import unittest

from header_manual import SECTION, Section, markdown, prototype, term

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
