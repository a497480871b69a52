#!/usr/bin/env python3
"""Processes of two architectures that send to one another: the arriving messages, and both
programs' output.

    check_mixed.py INTEGRATION TARGET_TOOLS FUNCTIONS ARGS_LIBRARY SOURCE_TOOLS [CLASS ...]

INTEGRATION is the folder of the tests that are run again here, those of Messages and some of Refusals. MIXED_MESSAGES=1000000
is the long form of Checked.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
import check_messages  # noqa: E402
import check_refusals  # noqa: E402
from tool_process import Process, ToolTest, main, wait_until  # noqa: E402

BY_SOURCES = {"tc-send", "tc-info"}
MESSAGES = int(os.environ.get("MIXED_MESSAGES", "20000"))
SOURCE_TOOLS = sys.argv[5]


def tool(_, name):
    return os.path.join(SOURCE_TOOLS if name in BY_SOURCES else ToolTest.tools, name)


class Messages(check_messages.Messages):
    pass


class Refusals(ToolTest):
    assert_serves = check_refusals.Refusals.assert_serves
    test_every_unresolved_symbol_is_named = check_refusals.Refusals.test_every_unresolved_symbol_is_named
    test_both_architectures_are_named = check_refusals.Refusals.test_both_architectures_are_named


class Description(ToolTest):
    def info(self, tools, *arguments):
        done = Process(self, [os.path.join(tools, "tc-info"), "--json", *arguments]).expect(0)
        return json.loads(done.out)

    def test_each_side_names_the_other(self):
        source, target = self.info(SOURCE_TOOLS), self.info(self.tools)
        self.assertEqual({source["triple"], target["triple"]}, {"x86_64-linux", "aarch64-linux"})
        node = self.node()
        peer = self.info(SOURCE_TOOLS, "--connect", node.address)
        for name in ("triple", "library", "ucx"):
            self.assertEqual(peer[name], target[name])
        self.assertEqual(peer["delivery"], "direct")
        node.wait_for_line("peer connected: .*, " + source["triple"])
        node.stop()


class Checked(ToolTest):
    """Messages of mixed sizes, each checked by the function for order and content."""

    def peer_process(self, tools, *arguments, **environment):
        return Process(self, [os.path.join(tools, "integration_peer"), *arguments], stdin=subprocess.PIPE, **environment)

    def finish(self, process):
        process.process.stdin.close()
        process.expect(0, seconds=600)
        return process.out

    def test_all_arrive_whole_and_in_order(self):
        target = self.peer_process(self.tools, "tally")
        wait_until(lambda: "\nport " in target.out or not target.running(), "a target")
        port = target.out.split("port ")[1].split()[0]
        source = self.peer_process(SOURCE_TOOLS, "source", f"127.0.0.1:{port}", 0, MESSAGES, "mixed",
                                   TC_IFUNC_PATH=self.functions)
        wait_until(lambda: "flushed" in source.out or not source.running(), "the messages", 600)
        self.assertIn(f"flushed {MESSAGES}\n", self.finish(source))
        told = self.finish(target)
        self.assertIn(f"next {MESSAGES}\n", told)
        self.assertIn("wrong 0\n", told)


class Levels(ToolTest):
    """One archive, with images for several levels, and targets with different processors."""

    def test_every_processor_runs_what_it_can(self):
        leveled = os.environ["MIXED_LEVELED"]
        for cpu, has in (("cortex-a72", {"-lse", "-sve"}), ("neoverse-n1", {"+lse", "-sve"}), ("max", {"+lse", "+sve"})):
            done = Process(self, [os.path.join(self.tools, "tc-info"), "--json"], QEMU_CPU=cpu).expect(0)
            self.assertLessEqual(has, set(json.loads(done.out)["features"].split(",")))
            for form in ("image", "bitcode"):
                node = self.checking_node(QEMU_CPU=cpu, TC_FORM=form)
                self.send(node.address, leveled, "--text", "", "--count", 20).expect(0)
                self.assertEqual(node.stop()["messages_run"], 20)
                self.assertIn("check: 20 run, 0 wrong", node.out)


class Cache(ToolTest):
    """One folder for both: code compiled by one architecture is never loaded by the other."""

    def test_one_folder(self):
        folder = self.folder()
        self.addCleanup(setattr, ToolTest, "tools", self.tools)
        for tools in (self.tools, SOURCE_TOOLS, self.tools, SOURCE_TOOLS):
            ToolTest.tools = tools
            node = self.node(TC_CACHE_DIR=folder, TC_FORM="bitcode")
            self.send(node.address, "transcript", "--text", "x", "--count", 10).expect(0)
            self.assertEqual(node.stop()["messages_run"], 10)
            self.assertEqual(node.transcript(), [b"x"] * 10)


if __name__ == "__main__":
    ToolTest.tool = tool
    del sys.argv[5], sys.argv[1]
    main()
