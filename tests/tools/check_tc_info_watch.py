#!/usr/bin/env python3
"""tc-info --watch as a user meets it: on a terminal, elsewhere and as JSON, also with a node that does not answer.

    check_tc_info_watch.py TC_INFO TC_NODE [TC_SEND FUNCTIONS]    a folder with misbehave.tca and transcript.tca
"""
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

from node_process import DEADLINE_S, Node, ToolTest, clean_environment

TC_INFO = TC_NODE = TC_SEND = FUNCTIONS = None


def run(*arguments, **environment):
    return subprocess.run([TC_INFO, *arguments], env={**clean_environment(), **environment}, capture_output=True, text=True,
                          timeout=DEADLINE_S, check=False)


class WithoutLlvm(unittest.TestCase):
    def test_it_is_said_what_is_missing(self):
        with Node(TC_NODE) as node:
            done = run("--watch", node.address, "-n", "1")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("TC_E_UNSUPPORTED: --watch: this tc-info was built without LLVM", done.stderr)


class Watch(ToolTest):
    def start(self, *arguments, **more):
        return self.start_tool(TC_INFO, *arguments, **more)

    def send(self, node, function, *arguments):
        return subprocess.Popen([TC_SEND, node.address, os.path.join(FUNCTIONS, f"{function}.tca"), *arguments],
                                env=clean_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def refresh_until(self, process, is_it):
        return self.line_until(process, is_it, "the awaited refresh")

    def test_json(self):
        with Node(TC_NODE) as node:
            done = run("--watch", node.address, "-n", "3", "-i", "0.2", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            first, second, third = map(json.loads, done.stdout.splitlines())
            self.assertEqual(first["seconds"], 0)
            self.assertIsNone(first["per_second"])
            for found in first, second, third:
                self.assertEqual((found["peer"], found["now"], found["libraries"], found["packages"]), (node.address, None, 0, 0))
                self.assertRegex(found["time"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
                self.assertGreater(found["answer_us"], 0)
            self.assertEqual(third["counters"]["messages_run"], second["counters"]["messages_run"] + 1)
            self.assertAlmostEqual(third["per_second"]["messages_run"] * third["seconds"], 1, delta=0.01)

    def test_functions_and_peers(self):
        with Node(TC_NODE) as node:
            watch = self.start("--watch", node.address, "-i", "0.2", "--json")
            if not self.refresh_until(watch, lambda found: True)["usage"]:
                self.skipTest("this node counts no usage")
            self.assertEqual(self.send(node, "transcript", "--text", "12345", "--count", "1000").wait(DEADLINE_S), 0)
            found = self.refresh_until(watch, lambda found: any(f["name"] == "transcript" for f in found["functions"]))
            function, = (f for f in found["functions"] if f["name"] == "transcript")
            self.assertRegex(function["id"], "^[0-9a-f]{32}$")
            found = self.refresh_until(watch, lambda found: any(f["calls"] == 1000 for f in found["functions"]))
            function, = (f for f in found["functions"] if f["name"] == "transcript")
            self.assertEqual((function["bytes"], function["refusals"]), (5000, 0))
            self.assertIn("tell_activity", [f["name"] for f in found["functions"]])
            own, = (p for p in found["peers"] if not p["other"])
            self.assertRegex(own["identity"], r"^uid:\d+$")
            self.assertGreater(own["calls"], 1)
            identity, = found["identities"]
            self.assertEqual(identity["name"], own["identity"])

    def test_a_node_that_counts_no_usage(self):
        with Node(TC_NODE, options={"TC_USAGE": "off"}) as node:
            text = run("--watch", node.address, "-n", "2", "-i", "0.1")
            self.assertEqual(text.returncode, 0, text.stderr)
            self.assertEqual(len(re.findall("option usage is off there", text.stdout)), 2)

    def test_lines(self):
        """An empty line between two refreshes, and nothing for terminals."""
        with Node(TC_NODE) as node:
            done = run("--watch", node.address, "-n", "2", "-i", "0.1")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("\x1b", done.stdout)
            blocks = done.stdout.split("\n\n")
            self.assertEqual(len(blocks), 2)
            for block in blocks:
                self.assertRegex(block, rf"^{node.address} at 20\S+Z, answered in \d+ us\nnow: no function runs for long\n"
                                 r"messages: \d+ run, [\d.]+/s; ")

    def test_a_terminal(self):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 7, 60, 0, 0))
        with Node(TC_NODE) as node:
            watch = self.start("--watch", node.address, "-n", "2", "-i", "0.1", out=theirs, TERM="xterm")
            os.close(theirs)
            text = b""
            while True:
                try:
                    part = os.read(ours, 65536)
                except OSError:  # it has ended
                    break
                text += part
            self.assertEqual(watch.wait(DEADLINE_S), 0)
        os.close(ours)
        screens = text.decode().split("\x1b[H")[1:]
        self.assertEqual(len(screens), 2)
        for screen in screens:
            self.assertTrue(screen.endswith("\x1b[J"))
            lines = screen.removesuffix("\x1b[J").split("\r\n")
            self.assertLessEqual(len(lines) - 1, 6)
            for line in lines[:-1]:
                self.assertTrue(line.endswith("\x1b[K"))
                self.assertLessEqual(len(line.removesuffix("\x1b[K")), 60)

    def test_what_keeps_a_node_busy(self):
        with Node(TC_NODE) as node:
            watch = self.start("--watch", node.address, "-i", "0.2", "--json")
            self.refresh_until(watch, lambda found: found["now"] is None)
            sender = self.send(node, "misbehave", "--text", "spin")
            try:
                busy = self.refresh_until(watch, lambda found: found["now"] is not None and "is busy" in found["now"])
                self.assertRegex(busy["now"], r"^it is busy for \d+ s in function 'misbehave' of uid:\d+$")
                self.assertIsNone(busy["answer_us"])
            finally:
                sender.kill()
                sender.wait()
                node.process.kill()

    def test_figures_come_back_when_it_answers_again(self):
        with Node(TC_NODE) as node:
            watch = self.start("--watch", node.address, "-i", "0.2", "--json")
            self.refresh_until(watch, lambda found: found["now"] is None)
            sender = self.send(node, "misbehave", "--text", "nap 3000")
            self.refresh_until(watch, lambda found: found["now"] is not None and "is busy" in found["now"])
            self.assertEqual(sender.wait(DEADLINE_S), 0)
            self.refresh_until(watch, lambda found: found["now"] is None)

    def test_a_node_that_starts_again(self):
        with Node(TC_NODE) as node:
            watch = self.start("--watch", node.address, "-i", "0.1", "--json")
            self.refresh_until(watch, lambda found: found["now"] is None)
        self.refresh_until(watch, lambda found: found["now"] is not None and "refused" in found["now"])
        again = subprocess.Popen([TC_NODE, "--listen", node.address], env=clean_environment(), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            found = self.refresh_until(watch, lambda found: found["now"] is None)
            self.assertEqual(found["counters"]["endpoints_opened"], 1)
        finally:
            again.kill()
            again.wait()

    def test_signals_end_it(self):
        with Node(TC_NODE) as node:
            for number in (signal.SIGINT, signal.SIGTERM):
                watch = self.start("--watch", node.address, "-i", "600", "--json")
                self.refresh_until(watch, lambda found: True)
                watch.send_signal(number)
                self.assertEqual(watch.wait(DEADLINE_S), 0)

    def test_a_node_that_accepts_no_code(self):
        with tempfile.NamedTemporaryFile() as allowed:  # an empty list
            with Node(TC_NODE, options={"TC_CODE_ALLOW": "@" + allowed.name}) as node:
                done = run("--watch", node.address, "-n", "1")
        self.assertEqual((done.returncode, done.stdout), (4, ""), done.stderr)
        self.assertIn("TC_E_REFUSED", done.stderr)


if __name__ == "__main__":
    TC_INFO, TC_NODE = (sys.argv.pop(1) for _ in range(2))
    if len(sys.argv) > 2:
        TC_SEND, FUNCTIONS = (sys.argv.pop(1) for _ in range(2))
        del WithoutLlvm
    else:
        del Watch
    unittest.main()
