#!/usr/bin/env python3
"""Counters of a tc-node that runs: on SIGUSR1, and in the file of --stats-file.

    check_node_counters.py TC_NODE TC_SEND FUNCTION
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from node_process import Node, clean_environment

TC_NODE = TC_SEND = FUNCTION = None
DEADLINE_S = 30


def wait_until(condition, what):
    deadline = time.monotonic() + DEADLINE_S
    while not (result := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {DEADLINE_S} s: {what}")
        time.sleep(0.01)
    return result


def metrics(path):
    """{name: value}; the whole file is in the format."""
    with open(path, encoding="ascii") as file:
        lines = file.read().splitlines()
    values = {}
    for line in lines:
        if line.startswith("# HELP ") or re.fullmatch(r"# TYPE \w+_total counter", line):
            continue
        name, value = re.fullmatch(r"(tchains_\w+_total) (\d+)", line).groups()
        assert name not in values, line
        assert f"# TYPE {name} counter" in lines, line
        values[name] = int(value)
    return values


class Counters(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.stats = os.path.join(folder.name, "node.prom")
        self.output = os.path.join(folder.name, "output")

    def send(self, node, count):
        done = subprocess.run([TC_SEND, node.address, FUNCTION, "--text", "x", "--count", str(count)], env=clean_environment(),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def objects(self):
        """Those that the node printed; functions may have written before them."""
        with open(self.output, encoding="utf-8") as file:
            return [json.loads(found) for found in re.findall(r"\{\"messages_run\".*?\}(?=\n)", file.read())]

    def ask_until(self, node, messages):
        """The processes of --isolate report their counts to the node a moment later."""
        def asked():
            node.process.send_signal(signal.SIGUSR1)
            return self.objects() and self.objects()[-1]["messages_run"] == messages
        wait_until(asked, f"{messages} messages")

    def check(self, *arguments):
        with open(self.output, "wb") as output, Node(TC_NODE, output=output, arguments=["--json", "--stats-file", self.stats,
                                                                                        *arguments]) as node:
            self.assertEqual(metrics(self.stats)["tchains_messages_run_total"], 0)
            self.send(node, 3)
            self.ask_until(node, 3)
            wait_until(lambda: metrics(self.stats)["tchains_messages_run_total"] == 3, "3 messages in the file")
            self.send(node, 4)
            for _ in range(200):  # many at once are one or more, and no harm
                node.process.send_signal(signal.SIGUSR1)
            self.ask_until(node, 7)
            self.assertIsNone(node.process.poll())
        self.assertEqual(node.process.returncode, 0)
        last = self.objects()[-1]
        self.assertEqual({f"tchains_{name}_total": value for name, value in last.items()}, metrics(self.stats))
        self.assertEqual(last["messages_run"], 7)

    def test_one_process(self):
        self.check()

    def test_isolated(self):
        self.check("--isolate")

    def test_a_line_for_people(self):
        with open(self.output, "wb") as output, Node(TC_NODE, output=output) as node:
            node.process.send_signal(signal.SIGUSR1)
            wait_until(lambda: os.path.getsize(self.output) > 0, "a line")
        with open(self.output, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual([line.startswith("tc-node: 0 messages run") for line in lines], [True, True])

    def test_files_that_cannot_be_written(self):
        missing = os.path.join(self.stats, "nowhere")
        done = subprocess.run([TC_NODE, "--listen", "127.0.0.1:0", "--stats-file", missing], env=clean_environment(),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"--stats-file {missing}: No such file", done.stderr)
        done = subprocess.run([TC_NODE, "--confine", "--stats-file", self.stats], env=clean_environment(), capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("needs --isolate", done.stderr)


if __name__ == "__main__":
    TC_NODE, TC_SEND, FUNCTION = (sys.argv.pop(1) for _ in range(3))
    unittest.main()
