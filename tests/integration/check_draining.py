#!/usr/bin/env python3
"""A node that drains: no call that it has begun stays without an answer, and its end is bounded.

    check_draining.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]
"""
import os
import re
import signal
import socket
import time
import unittest

from tool_process import Process, ToolTest, main, wait_until

RATE = 10000  # calls a second
DEPTH = 64


class Load(Process):
    """A peer that calls and counts: load_main.c."""

    def __init__(self, test, node, function, *arguments):
        super().__init__(test, [test.peer().replace("integration_peer", "integration_load"), node.address, test.function(function),
                                *arguments])

    def counts(self):
        self.expect(0)
        return {name: int(value) for name, value in re.findall(r"^(\w+) (\d+)$", self.out, re.MULTILINE)}

    def begin(self):
        wait_until(lambda: re.search("answered|begun", self.out) or not self.running(), "the first call")
        self.test.assertTrue(self.running(), self.out + self.err)
        return self


class Draining(ToolTest):
    def load(self, node, function="whoami", rate=RATE, depth=DEPTH, *more):
        return Load(self, node, function, rate, depth, *more).begin()

    def assert_all_known(self, loads):
        """Returns how many calls were answered: each was, or fails with the status of one that has not run."""
        answered = 0
        for load in loads:
            counts = load.counts()
            self.assertEqual(counts["other"], 0, load.out)
            self.assertEqual(counts["answered"] + counts["closed"], counts["started"], load.out)
            answered += counts["answered"]
        return answered

    def drain(self, node, number=signal.SIGTERM):
        begun = time.monotonic()
        node.signal(number)
        node.expect(0)
        return node.summary()["messages_run"], time.monotonic() - begun

    def check(self, *arguments, peers=2, **load):
        node = self.node(*arguments)
        loads = [self.load(node, **load) for _ in range(peers)]
        time.sleep(0.3)
        run, _ = self.drain(node)
        self.assertEqual(self.assert_all_known(loads), run)
        self.assertGreater(run, peers * 100)

    def test_no_call_is_lost(self):
        for _ in range(5):
            self.check()

    def test_no_call_is_lost_at_full_speed(self):
        self.check(rate=0)
        self.check(rate=0, depth=10000)

    def test_no_call_is_lost_by_processes_of_their_own(self):
        for _ in range(3):
            self.check("--isolate")

    @unittest.skipIf("UCX_TLS" in os.environ, "a confined node has no network of UCX's")
    @unittest.skipIf("DRAINING_UNCONFINED" in os.environ, "a sanitizer maps memory as a confined node may not")
    def test_no_call_is_lost_by_a_confined_node(self):
        self.check("--confine", "--isolate")

    def test_functions_that_wait_answer(self):
        for arguments in [], ["--isolate"]:
            node = self.checking_node(*arguments)
            load = self.load(node, "patient", 100, 100, 1000)
            time.sleep(0.2)
            node.signal(signal.SIGTERM)
            node.wait_for_line("tc-node: drains")
            self.assertTrue(load.running())
            self.assertTrue(node.running())
            node.expect(0)
            counts = load.counts()
            self.assertEqual(counts["other"], 0, load.out)
            self.assertGreater(counts["answered"], 0)
            self.assertEqual(counts["answered"] + counts["closed"], counts["started"])

    def test_functions_that_wait_answer_after_the_last_message(self):
        for arguments in [], ["--isolate"]:
            node = self.checking_node("--exit-after", 2, *arguments)  # the load makes sure of the function first
            load = self.load(node, "patient", 1, 1, 1000)
            node.expect(0, "tc-node: drains")
            counts = load.counts()
            self.assertEqual((counts["answered"], counts["started"] - counts["closed"]), (1, 1), load.out)

    def test_nobody_gets_in_meanwhile(self):
        node = self.checking_node()
        load = self.load(node, "patient", 1, 1, 1500)
        node.signal(signal.SIGTERM)
        node.wait_for_line("tc-node: drains")

        def is_closed():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", node.port)) != 0
        wait_until(is_closed, "a closed port")
        self.assertTrue(node.running())
        self.send(node.address, "transcript", TC_CONNECT_TIMEOUT="5s").expect(3, "refused|unreachable|peer lost")
        node.expect(0)
        self.assertEqual(load.counts()["answered"], 1)

    def test_a_function_that_waits_for_ever_is_named(self):
        for arguments in [], ["--isolate"]:
            node = self.checking_node("--drain-seconds", 1, *arguments)
            load = self.load(node, "patient", 1, 1, 0)
            node.signal(signal.SIGTERM)
            node.expect(1, "tc-node: drain: 1 function still waited when the time was over: 'patient'")
            self.assertEqual(sum(load.counts()[end] for end in ("answered", "closed", "other")), 1)

    def test_a_function_that_never_returns_is_named(self):
        for arguments in [], ["--isolate"]:
            node = self.node("--drain-seconds", 1, *arguments)
            self.send(node.address, "misbehave", "--text", "spin")
            wait_until(lambda: "spin" in node.out, "the function")
            node.signal(signal.SIGTERM)
            node.expect(1, r"tc-node: ends at once: function 'misbehave' .* still runs 1 s after SIGINT or SIGTERM")

    def test_a_second_signal_ends_it_at_once(self):
        for arguments in [], ["--isolate"]:
            node = self.checking_node("--drain-seconds", 600, *arguments)
            self.load(node, "patient", 1, 1, 0)
            node.signal(signal.SIGTERM)
            node.wait_for_line("tc-node: drains")
            node.signal(signal.SIGTERM)
            node.expect(-signal.SIGTERM)


if __name__ == "__main__":
    main()
