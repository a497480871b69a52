#!/usr/bin/env python3
"""Files that others have put into a folder which they share with the programs.

    check_foreign_files.py TC_NODE TC_SEND
"""
import os
import subprocess
import sys
import tempfile
import time
import unittest

from node_process import Node, clean_environment

TC_NODE = TC_SEND = None
DEADLINE_S = 60  # only ends processes that hang


class ForeignFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_a_port_file_follows_no_link(self):
        with open(self.path("victim"), "w", encoding="ascii") as file:
            file.write("mine")
        for name in ("port", "port.new", "port.tmp"):
            os.symlink("victim", self.path(name))
        node = subprocess.Popen([TC_NODE, "--listen", "127.0.0.1:0", "--port-file", self.path("port")], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=clean_environment())
        try:
            deadline = time.monotonic() + DEADLINE_S
            while os.path.islink(self.path("port")) and time.monotonic() < deadline:
                self.assertIsNone(node.poll())
                time.sleep(0.01)
            self.assertGreater(int(Node.read_port(self.path("port"))), 0)
        finally:
            node.kill()
            node.wait()
        with open(self.path("victim"), encoding="ascii") as file:
            self.assertEqual(file.read(), "mine")
        self.assertEqual(sorted(os.listdir(self.folder)), ["port", "port.new", "port.tmp", "victim"])

    def test_a_fifo_is_no_function(self):
        os.mkfifo(self.path("count.tca"))
        with Node(TC_NODE) as node:
            done = subprocess.run([TC_SEND, node.address, "count.tca"], cwd=self.folder, stdin=subprocess.DEVNULL, timeout=DEADLINE_S,
                                  capture_output=True, text=True, env={**clean_environment(), "TC_IFUNC_PATH": "."}, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("count.tca: not a regular file", done.stderr)


if __name__ == "__main__":
    TC_NODE, TC_SEND = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
