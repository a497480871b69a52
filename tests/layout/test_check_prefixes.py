#!/usr/bin/env python3
"""The check of prefixes must find a function in a file that does not match its name."""
import unittest

from check_calls import Calls
from check_prefixes import check, read_allowed


def declare(*names):
    return "".join(f"int {name}(int a);\n" for name in names)


def define(*names):
    return "".join(f"int {name}(int a)\n{{\n    return a;\n}}\n" for name in names)


class Prefixes(unittest.TestCase):
    def wrong(self, files, allowed=""):
        return check(Calls(files), read_allowed(allowed))

    def one(self, files, expected):
        wrong, idle = self.wrong(files)
        self.assertEqual((len(wrong), idle), (1, []), wrong)
        self.assertIn(expected, wrong[0])

    def test_what_is_allowed(self):
        self.assertEqual(self.wrong({
            "runtime/wire/frame.h": declare("tci_frame_encode", "tci_frame_out", "tci_frames") +
                                    "static inline " + define("tci_frame_size"),
            "runtime/wire/frame.c": define("tci_frame_encode", "tci_frames") +
                                    "static " + define("tci_mine") + "static " + define("helper"),
            "runtime/wire/frame_out.c": define("tci_frame_out", "tc_send"),
            "runtime/engine/engine_private.h": declare("tci_engine_lock"),
            "runtime/engine/engine.c": define("tci_engine_lock"),
            "tools/tool.c": define("main", "usage"),
            "runtime/engine/tc_child.c": define("main")}), ([], []))

    def test_a_header_of_another_name(self):
        self.one({"runtime/wire/route.h": declare("tci_reply"), "runtime/wire/route.c": define("tci_reply")}, "declared in route.h")

    def test_a_source_of_another_name(self):
        self.one({"runtime/wire/frame.h": declare("tci_frame"), "runtime/wire/route.c": define("tci_frame")}, "not defined in a file")

    def test_an_inline_function_of_another_name(self):
        self.one({"tools/hub.h": "static inline " + define("tci_current")}, "declared in hub.h")

    def test_no_header(self):
        self.one({"tools/frame.c": define("tci_frame")}, "is in no header")

    def test_no_prefix(self):
        self.one({"runtime/wire/frame.c": define("frame")}, "has no prefix")

    def test_the_list(self):
        files = {"runtime/wire/route.h": declare("tci_reply", "tci_reply_late"), "runtime/wire/route.c": define("tci_reply"),
                 "runtime/wire/route_late.c": define("tci_reply_late")}
        self.assertEqual(self.wrong(files, "# words\nreply route.h: it goes back along the route\n"), ([], []))
        self.assertEqual(self.wrong({}, "reply route.h: it was there once\n"), ([], ["reply route.h: allows nothing"]))
        with self.assertRaises(SystemExit):
            read_allowed("reply route.h:\n")


if __name__ == "__main__":
    unittest.main()
