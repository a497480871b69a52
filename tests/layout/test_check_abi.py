#!/usr/bin/env python3
"""check_abi.py: changes of a library that programs linked with an older one survive, and others.

    test_check_abi.py C_COMPILER [unittest argument ...]
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from check_abi import additions, compare, read, read_library, read_structs, without, write

CC = sys.argv.pop(1)
HEADER = """
typedef enum tc_status { TC_OK = 0, TC_E_OLD = -1, TC_STATUS_LAST = TC_E_OLD } tc_status;
typedef struct tc_ep tc_ep;
typedef struct tc_info { const char *name; unsigned count; } tc_info;
tc_status tc_ep_query_sized(tc_ep *ep, tc_info *info_out, unsigned long size);
const char *tc_status_text(tc_status status);
"""
SOURCE = """
#include "tc.h"
struct tc_ep { int own; };
tc_status tc_ep_query_sized(tc_ep *ep, tc_info *info_out, unsigned long size)
{
    info_out->count = (unsigned)size;
    return ep->own ? TC_OK : TC_E_OLD;
}
const char *tc_status_text(tc_status status)
{
    return status == TC_OK ? "fine" : "old";
}
"""


@unittest.skipUnless(shutil.which("abidw"), "no abidw: package abigail-tools")
class Abi(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def describe(self, name, header, source):
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        for file, text in (("tc.h", header), ("tc.c", source)):
            with open(os.path.join(folder, file), "w", encoding="ascii") as out:
                out.write(text)
        library = os.path.join(folder, "libtc.so")
        subprocess.run([CC, "-g", "-shared", "-fPIC", "-I", folder, os.path.join(folder, "tc.c"), "-o", library], check=True,
                       timeout=60)
        write(read_library(library, folder), os.path.join(folder, "abi"))
        return read(os.path.join(folder, "abi"))

    def both(self, *changes):
        """The library, and that in which each `old` of the changes is `new`."""
        header, source = HEADER, SOURCE
        for old, new in changes:
            self.assertIn(old, header + source)
            header, source = header.replace(old, new), source.replace(old, new)
        return self.describe("before", HEADER, SOURCE), self.describe("after", header, source)

    def told(self, *changes):
        """The report on the second."""
        return compare(*self.both(*changes))

    def test_nothing_changed(self):
        self.assertEqual(self.told(), "")

    def test_a_struct_may_grow_at_its_end(self):
        self.assertEqual(self.told(("unsigned count;", "unsigned count; const char *reason;")), "")

    def test_a_struct_that_must_not_grow(self):
        before = self.describe("error", HEADER.replace("tc_info", "tc_error"), SOURCE.replace("tc_info", "tc_error"))
        after = self.describe("larger", HEADER.replace("tc_info", "tc_error").replace("unsigned count;", "unsigned count; long more;"),
                              SOURCE.replace("tc_info", "tc_error"))
        self.assertIn("tc_error", compare(before, after))

    def test_statuses_may_be_added(self):
        self.assertEqual(self.told(("TC_STATUS_LAST = TC_E_OLD", "TC_E_NEW = -2, TC_STATUS_LAST = TC_E_NEW")), "")

    def test_functions_may_be_added(self):
        self.assertEqual(self.told(("struct tc_ep { int own; };", "struct tc_ep { int own; };\nvoid tc_more(void) {}")), "")

    def test_opaque_structs_may_change(self):
        self.assertEqual(self.told(("int own;", "long long before; int own;")), "")

    def test_a_struct_that_shrinks(self):
        self.assertIn("count", self.told(("unsigned count;", ""), ("info_out->count = (unsigned)size;", "(void)info_out, (void)size;")))

    def test_a_function_type_of_another_parameter(self):
        callback = ("tc_status status);", "tc_status status);\ntypedef void (*tc_done)(tc_ep *);\nvoid tc_ep_wait(tc_done done);")
        define = ("struct tc_ep { int own; };", "struct tc_ep { int own; };\nvoid tc_ep_wait(tc_done done) { done(0); }")
        before = self.describe("plain", HEADER.replace(*callback), SOURCE.replace(*define))
        after = self.describe("other", HEADER.replace(*callback).replace("(tc_ep *)", "(tc_info *)"), SOURCE.replace(*define))
        self.assertEqual(before["typedef tc_done"], ["void (*)(tc_ep *)"])
        self.assertIn("tc_done", compare(before, after))

    def test_a_field_in_the_middle(self):
        self.assertIn("tc_info", self.told(("unsigned count;", "const char *reason; unsigned count;")))

    def test_a_field_of_another_type(self):
        self.assertIn("count", self.told(("unsigned count;", "unsigned long count;")))

    def test_a_status_that_moves(self):
        self.assertIn("TC_E_OLD", self.told(("TC_E_OLD = -1", "TC_E_OLD = -3")))

    def test_another_parameter(self):
        self.assertIn("tc_status_text", self.told(("tc_status_text(tc_status status", "tc_status_text(tc_status status, int more")))

    def test_a_function_that_is_gone(self):
        self.assertIn("tc_status_text", self.told(("tc_status_text", "tc_status_words")))

    def test_additions_are_to_be_recorded(self):
        before, after = self.both(("unsigned count;", "unsigned count; const char *reason;"),
                                  ("TC_STATUS_LAST = TC_E_OLD", "TC_E_NEW = -2, TC_STATUS_LAST = TC_E_NEW"),
                                  ("struct tc_ep { int own; };", "struct tc_ep { int own; };\nvoid tc_more(void) {}"))
        told = additions(before, after)
        for part in ("struct tc_info: added", "reason", "TC_E_NEW", "tc_more"):
            self.assertIn(part, told)
        self.assertNotIn("count", told)
        self.assertEqual(additions(after, after), "")
        self.assertEqual(compare(after, after), "")

    def test_an_addon_has_what_its_base_lacks(self):
        before, after = self.both(("struct tc_ep { int own; };", "struct tc_ep { int own; };\nvoid tc_more(void) {}"))
        self.assertTrue(any(name.startswith("tc_more") for name in without(after, before)))
        self.assertFalse(set(before) & set(without(after, before)))

    def test_a_struct_that_no_function_takes(self):
        include = os.path.join(self.folder, "include")
        os.makedirs(os.path.join(include, "tc"))
        with open(os.path.join(include, "tc", "node.h"), "w", encoding="ascii") as out:
            out.write("typedef struct tc_node { unsigned abi; void (*end)(struct tc_node *node); } tc_node;\n")
        found = read_structs({"node.h": ["tc_node"]}, include)
        self.assertEqual(found, {"struct tc_node": ["0: unsigned int abi", "64: void (*)(struct tc_node *) end", "128 bits"]})


if __name__ == "__main__":
    unittest.main()
