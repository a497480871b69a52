#!/usr/bin/env python3
"""tc-ping as a user meets it: answered and lost round trips, reasons, and the end.

    check_tc_ping.py TC_PING TC_NODE [TC_SEND MISBEHAVE]    a function that does not return
"""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from node_process import DEADLINE_S, Node, ToolTest, clean_environment

TC_PING = TC_NODE = TC_SEND = MISBEHAVE = None


def run(*arguments, **environment):
    return subprocess.run([TC_PING, *arguments], env={**clean_environment(), **environment}, capture_output=True, text=True,
                          timeout=DEADLINE_S, check=False)


class TcPing(ToolTest):
    def start(self, *arguments, **more):
        return self.start_tool(TC_PING, *arguments, **more)

    def rounds_until(self, process, is_it):
        return self.line_until(process, is_it, "the awaited round trip")

    def test_round_trips(self):
        with Node(TC_NODE) as node:
            for environment in ({}, {"TC_DELIVERY": "am"}, {"TC_DELIVERY": "stream"}):
                text = run(node.address, "-c", "3", "-i", "0.01", **environment)
                if environment.get("TC_DELIVERY") == "am" and "without the module" in text.stderr:
                    continue
                self.assertEqual(text.returncode, 0, text.stderr)
                lines = text.stdout.splitlines()
                self.assertRegex(lines[0], rf"^{node.address}: library \d+\.\d+\.\d+ on \S+, delivery {environment.get('TC_DELIVERY', '.*')}$")
                for i, line in enumerate(lines[1:4], 1):
                    self.assertRegex(line, rf"^{i}: \d+\.\d us$")
                self.assertEqual(lines[4], f"{node.address}: 3 round trips, 3 answered, 0 lost (0 %)")
                self.assertRegex(lines[5], r"^min [\d.]+, avg [\d.]+, max [\d.]+, p99 [\d.]+ us$")
                self.assertEqual(len(lines), 6)
            quiet = run(node.address, "-c", "200", "-i", "0", "--quiet")
            self.assertEqual((quiet.returncode, len(quiet.stdout.splitlines())), (0, 2))

    def test_json(self):
        with Node(TC_NODE) as node:
            done = run(node.address, "-c", "5", "-i", "0", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            *rounds, summary = map(json.loads, done.stdout.splitlines())
            self.assertEqual([r["round"] for r in rounds], [1, 2, 3, 4, 5])
            times = sorted(r["us"] for r in rounds)
            self.assertEqual((summary["peer"], summary["rounds"], summary["answered"], summary["lost"], summary["reconnects"]),
                             (node.address, 5, 5, 0, 0))
            self.assertEqual((summary["min_us"], summary["max_us"], summary["p99_us"]), (times[0], times[-1], times[-1]))
            self.assertAlmostEqual(summary["avg_us"], sum(times) / 5, delta=0.01)

    def test_a_node_that_accepts_no_code(self):
        with tempfile.NamedTemporaryFile() as allowed:  # an empty list
            with Node(TC_NODE, options={"TC_CODE_ALLOW": "@" + allowed.name}) as node:
                done = run(node.address, "-c", "2", "-i", "0")
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_deadline_ends_it(self):
        with Node(TC_NODE) as node:
            done = run(node.address, "--deadline", "1", "-i", "0.1", "-j")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertGreater(json.loads(done.stdout.splitlines()[-1])["rounds"], 0)

    def test_a_signal_ends_it_with_the_summary(self):
        with Node(TC_NODE) as node:
            for number in (signal.SIGINT, signal.SIGTERM):
                process = self.start(node.address, "-i", "1000", "--json")
                self.rounds_until(process, lambda found: found["us"] is not None)
                process.send_signal(number)
                last = process.stdout.read().splitlines()[-1]
                self.assertEqual((process.wait(DEADLINE_S), json.loads(last)["rounds"]), (0, 1))

    def test_it_connects_again(self):
        with Node(TC_NODE) as node:
            process = self.start(node.address, "-i", "0.05", "--json")
            self.rounds_until(process, lambda found: found["us"] is not None)
        lost = self.rounds_until(process, lambda found: found["us"] is None)
        self.assertRegex(lost["reason"], "closed|peer lost|refused")
        self.rounds_until(process, lambda found: found["us"] is None and "refused" in found["reason"])
        again = subprocess.Popen([TC_NODE, "--listen", node.address], env=clean_environment(), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.assertTrue(self.rounds_until(process, lambda found: found["us"] is not None)["reconnected"])
            self.assertFalse(self.rounds_until(process, lambda found: found["us"] is not None)["reconnected"])
        finally:
            again.kill()
            again.wait()
        process.send_signal(signal.SIGINT)
        summary = json.loads(process.stdout.read().splitlines()[-1])
        self.assertEqual(process.wait(DEADLINE_S), 1)
        self.assertEqual(summary["reconnects"], 1)
        self.assertGreater(summary["lost"], 0)
        self.assertEqual(summary["answered"] + summary["lost"], summary["rounds"])

    def test_a_stopped_node_loses_round_trips(self):
        """The answers come when it goes on."""
        with Node(TC_NODE) as node:
            process = self.start(node.address, "-i", "0.05", "-t", "0.2", "--json", TC_CONNECT_TIMEOUT="1s")
            self.rounds_until(process, lambda found: found["us"] is not None)
            node.process.send_signal(signal.SIGSTOP)
            try:
                lost = self.rounds_until(process, lambda found: found["us"] is None)
            finally:
                node.process.send_signal(signal.SIGCONT)
            self.assertRegex(lost["reason"], "^no answer within 0.2 s")
            self.assertFalse(self.rounds_until(process, lambda found: found["us"] is not None)["reconnected"])
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=DEADLINE_S)
            self.assertEqual(process.returncode, 1)

    def test_a_busy_node_is_named(self):
        if MISBEHAVE is None or not os.path.exists(MISBEHAVE):
            self.skipTest("misbehave.tca is not built")
        with Node(TC_NODE) as node:
            process = self.start(node.address, "-i", "0.05", "-t", "0.5", "--json")
            self.rounds_until(process, lambda found: found["us"] is not None)
            sender = subprocess.Popen([TC_SEND, node.address, MISBEHAVE, "--text", "spin"], env=clean_environment(),
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                self.rounds_until(process, lambda found: found["us"] is None and "is busy for" in found["reason"]
                                  and "in function 'misbehave' of uid:" in found["reason"])
            finally:
                sender.kill()
                sender.wait()
                node.process.kill()

    def test_nobody_there(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # bound and not listening: a port that refuses
            done = run(f"127.0.0.1:{taken.getsockname()[1]}")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("TC_E_UNREACHABLE", done.stderr)
        self.assertEqual(run("no address").returncode, 1)


if __name__ == "__main__":
    TC_PING, TC_NODE = (sys.argv.pop(1) for _ in range(2))
    if len(sys.argv) > 2:
        TC_SEND, MISBEHAVE = (sys.argv.pop(1) for _ in range(2))
    unittest.main()
