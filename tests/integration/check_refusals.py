#!/usr/bin/env python3
"""Functions that a target does not run: the source receives the reason, and others are not
disturbed.

    check_refusals.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]
"""
import os
import shutil

from tool_process import ToolTest, main


class Refusals(ToolTest):
    def copy(self, name):
        """A function's archive in a folder of its own."""
        path = os.path.join(self.folder(), name + ".tca")
        shutil.copy(self.function(name), path)
        return path

    def assert_serves(self, node):
        self.send(node.address, "transcript", "--text", "still here").expect(0)
        self.assertEqual(node.transcript()[-1], b"still here")

    def test_every_unresolved_symbol_is_named(self):
        node = self.node()
        done = self.send(node.address, "unbound", "--text", "x", "--count", 3)
        done.expect(4, "refused by the target", r"\btests_symbol_that_is_nowhere\b",
                    r"\btests_other_symbol_that_is_nowhere\b")
        self.assertNotIn("messages of", done.out)
        self.assert_serves(node)
        summary = node.stop()
        self.assertEqual(summary["messages_run"], 1)
        self.assertEqual(summary["code_refused"], 1)

    def test_a_missing_library_is_named(self):
        node = self.node()
        path = self.copy("transcript")
        with open(path[:-len(".tca")] + ".deps", "w", encoding="ascii") as file:
            file.write("libtests-nowhere.so.7\n")
        self.send(node.address, path).expect(4, "refused by the target", r"libtests-nowhere\.so\.7")
        self.assert_serves(node)
        self.assertEqual(node.stop()["messages_run"], 1)

    def test_both_architectures_are_named(self):
        node = self.node()
        for options in [], ["--prepare"]:
            self.send(node.address, "foreign", *options).expect(4, "refused by the target", "x86_64", "aarch64")
        self.assert_serves(node)
        node.stop()

    def test_each_refusal_ends_each_way_of_sending_alike(self):
        """Exit status 4; a function's own error is different, and a missing file is not a refusal."""
        node = self.node(TC_CODE_BYTES_MAX="64K")
        lacking = self.copy("transcript")
        with open(lacking[:-len(".tca")] + ".deps", "w", encoding="ascii") as file:
            file.write("libtests-nowhere.so.7\n")
        without_engine = self.node(TC_ENGINE_PATH="/nonexistent", TC_FORM="bitcode")
        table = [(node, "unbound", 4), (node, "foreign", 4), (node, lacking, 4), (node, "/nonexistent/function.tca", 1)]
        if os.path.exists(self.function("early")):
            table.append((without_engine, "early", 4))
        for target, function, status in table:
            for options in [], ["--call"], ["--prepare"]:
                with self.subTest(function=function, options=options):
                    self.send(target.address, function, *options).expect(status)
        self.assert_serves(node)
        node.stop()
        without_engine.stop()

    def test_a_damaged_archive_is_not_sent(self):
        node = self.node()
        path = self.copy("transcript")
        with open(path, "rb") as file:
            content = file.read()
        for damaged in (content[:-1], content[:40], b"", content[:60] + bytes([content[60] ^ 4]) + content[61:],
                        b"\x7fELF" + content[4:]):
            with open(path, "wb") as file:
                file.write(damaged)
            self.send(node.address, path).expect(1, "transcript.tca: ")
        self.send(node.address, "/nonexistent/function.tca").expect(1, "no such file")
        self.assert_serves(node)
        self.assertEqual(node.stop()["code_received"], 1)

    def test_code_beyond_the_limit_of_the_target(self):
        node = self.node(TC_CODE_BYTES_MAX="4K")
        self.send(node.address, "bulky").expect(4, "refused by the target", "code_bytes_max is 4096")
        self.assert_serves(node)
        node.stop()

    def test_code_beyond_the_limit_of_the_source(self):
        node = self.node()
        self.send(node.address, "bulky", TC_CODE_BYTES_MAX="4K").expect(1, r"option code_bytes_max: .*limit 4096")
        node.stop()

    def test_the_stream_of_another_peer_goes_on(self):
        node = self.node()
        stream = self.send(node.address, "transcript", "--text", "steady", "--count", 150000)
        for _ in range(4):
            self.send(node.address, "unbound").expect(4, "refused by the target")
            self.send(node.address, "foreign").expect(4, "refused by the target")
        stream.expect(0)
        summary = node.stop()
        self.assertEqual(node.transcript(), [b"steady"] * 150000)
        self.assertEqual(summary["endpoints_failed"], 0)
        self.assertEqual(summary["code_refused"], 8)


if __name__ == "__main__":
    main()
