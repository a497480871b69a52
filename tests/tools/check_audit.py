#!/usr/bin/env python3
"""The option audit at tc-node: its lines about peers that connect, are served, are refused, and leave; and
SIGHUP.

    check_audit.py TC_NODE TC_SEND ARCHIVE
"""
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from node_process import Node, clean_environment

TC_NODE, TC_SEND, ARCHIVE = sys.argv[1:4]
DEADLINE_S = 60


def events_in(path):
    """Only whole lines; each is an object of its own."""
    with open(path, encoding="ascii") as file:
        return [json.loads(line) for line in file.read().splitlines(keepends=True) if line.endswith("\n")]


class Audit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "audit")

    def start(self, **options):
        node = Node(TC_NODE, options={"TC_AUDIT": self.path, "TC_LOG_LEVEL": "off", **options})
        node.__enter__()
        self.addCleanup(node.__exit__)
        return node

    def send(self, node, fails=False):
        done = subprocess.run([TC_SEND, node.address, ARCHIVE], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=DEADLINE_S, env=clean_environment(), check=False)
        self.assertEqual(done.returncode != 0, fails)

    def await_events(self, *wanted, path=None):
        deadline = time.monotonic() + DEADLINE_S
        while True:
            events = events_in(path or self.path)
            if [event["event"] for event in events][:len(wanted)] == list(wanted) and len(events) >= len(wanted):
                return events
            if time.monotonic() > deadline:
                self.fail(f"expected {wanted}, found {events}")
            time.sleep(0.01)

    def test_a_peer_that_is_served(self):
        node = self.start()
        self.send(node)
        opened, loaded, closed = self.await_events("opened", "loaded", "closed")
        for event in (opened, loaded, closed):
            self.assertEqual(event["pid"], node.process.pid)
            self.assertEqual(event["connection"], opened["connection"])
            self.assertEqual(event["identity"], opened["identity"])
            self.assertRegex(event["peer"], r"^127\.0\.0\.1:[0-9]+$")
            self.assertRegex(event["time"], r"^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-9:]{8}\.[0-9]{9}Z$")
        self.assertGreater(opened["peer_pid"], 0)
        self.assertEqual(loaded["function"], os.path.splitext(os.path.basename(ARCHIVE))[0])
        self.assertRegex(loaded["id"], "^[0-9a-f]{32}$")
        self.assertEqual(loaded["signer"], "")
        self.assertIn(loaded["form"], ("image", "jit", "cached"))
        self.assertGreater(loaded["bytes"], 0)
        self.assertGreater(loaded["memory"], 0)
        self.assertGreater(loaded["load_ns"], 0)
        self.assertEqual(closed["messages"], 1)
        self.assertEqual(os.stat(self.path).st_mode & 0o7777, 0o600)

    def test_what_is_refused(self):
        rules = os.path.join(self.folder, "rules")
        with open(rules, "w", encoding="ascii") as file:
            file.write("default deny\n")
        os.chmod(rules, 0o600)
        node = self.start(TC_SYMBOLS=f"@{rules}")
        self.send(node, fails=True)
        with socket.create_connection(("127.0.0.1", int(node.address.split(":")[1]))) as stranger:
            stranger.sendall(b'"}\n{"event":"opened"' + bytes(64))
            stranger.settimeout(DEADLINE_S)
            with contextlib.suppress(ConnectionResetError):
                while stranger.recv(4096):
                    pass
        events = self.await_events("opened", "refused", "closed", "refused")
        self.assertEqual((events[1]["what"], events[1]["status"]), ("code", "TC_E_UNRESOLVED"))
        self.assertIn(f"is denied: {rules} line 1: default deny", events[1]["text"])
        self.assertEqual(events[3]["what"], "connection")
        self.assertNotEqual(events[3]["status"], "TC_OK")

    def test_a_renamed_file_is_left_at_sighup(self):
        node = self.start()
        self.send(node)
        self.await_events("opened", "loaded", "closed")
        old = self.path + ".1"
        os.rename(self.path, old)
        node.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + DEADLINE_S
        while not os.path.exists(self.path) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.send(node)
        self.await_events("opened", "loaded", "closed")
        self.assertEqual(len(events_in(old)), 3)

    def test_a_file_that_others_may_read_is_refused(self):
        with open(self.path, "w", encoding="ascii"):
            pass
        os.chmod(self.path, 0o644)
        done = subprocess.run([TC_NODE, "--listen", "127.0.0.1:0"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=DEADLINE_S, env={**clean_environment(), "TC_AUDIT": self.path}, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"option audit: {self.path} has mode 0644, expected 0600", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
