#!/usr/bin/env python3
"""The configuration file of tc-node: --config, --check-config, and SIGHUP.

    check_node_config.py TC_NODE EXAMPLE_FILE
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from node_process import DEADLINE_S, ToolTest, clean_environment

TC_NODE = EXAMPLE = None

# A file, and the reason that is reported.
WRONG = [
    ("listen\n", "line 1: 'listen', expected \"key = value\""),
    ("# c\n\n= 3\n", "line 3: '= 3', expected \"key = value\""),
    ("Listen = a\n", "line 1: 'Listen = a', expected \"key = value\""),
    ("listn = a\n", "line 1: unknown key 'listn', listen is one"),
    ("ring_byte = 64K\n", "line 1: unknown key 'ring_byte', ring_bytes is one"),
    ("key-file = x\n", "line 1: unknown key 'key-file', key_file is one"),
    ("log_levl = info\n", "line 1: unknown key 'log_levl', log_level is one"),
    ("nothing_like_it_at_all = 1\n", "line 1: unknown key 'nothing_like_it_at_all': options of tc-node and of the library"),
    ("worker = 1\n", "line 1: unknown key 'worker'"),
    ("successor = 1\n", "line 1: unknown key 'successor'"),
    ("config = a\n", "line 1: unknown key 'config'"),
    ("make-key = a\n", "line 1: unknown key 'make-key'"),
    ("listen = a\nisolate = yes\nlisten = b\n", "line 3: 'listen' again, which line 1 has set"),
    ("ring_bytes = 64K\nring_bytes = 64K\n", "line 2: 'ring_bytes' again, which line 1 has set"),
    ("processes = 0\n", "line 1: processes '0': expected 1 to 4096"),
    ("drain-seconds = soon\n", "line 1: drain-seconds 'soon': expected 1 to 86400"),
    ("listen =\n", "line 1: listen '': expected HOST:PORT"),
    ("isolate = maybe\n", "line 1: isolate 'maybe', expected yes or no"),
    ("isolate =\n", "line 1: isolate '', expected yes or no"),
    ("ring_bytes = 3\n", "line 1: .*ring_bytes.*'?3"),
    ("log_level = loud\n", "line 1: log_level 'loud', expected off, error, warn, info or debug"),
    ("listen = a\x01b\n", "line 1: byte 0x01, expected text"),
    ("listen = a\0b\n", "line 1: byte 0x00, expected text"),
    ("".join(f"allow-read = /{i}\n" for i in range(300)), "line 257: more than 256 settings"),
    ("# comment\n" * 7000, "more than 65536 bytes"),
    ("allow-read = /tmp\n", "--allow-read and --allow-write are for --confine"),  # as on the command line
]


class Config(ToolTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "tc-node.conf")
        self.port_file = os.path.join(self.folder, "port")

    def write(self, text):
        with open(self.path, "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def check(self, *arguments, path=None, **environment):
        return subprocess.run([TC_NODE, "--config", path or self.path, "--check-config", *arguments], stdin=subprocess.DEVNULL,
                              env={**clean_environment(), **environment}, capture_output=True, text=True, timeout=DEADLINE_S,
                              check=False)

    def start(self, *arguments, **environment):
        """A node, ready for peers, and the lines that it writes."""
        node = self.start_node([TC_NODE, "--config", self.path, *arguments], {**clean_environment(), **environment})
        self.wait_until(node, lambda: os.path.exists(self.port_file), "a port")
        return node

    def wait_until(self, node, condition, what):
        deadline = time.monotonic() + DEADLINE_S
        while not condition():
            if node.poll() is not None or time.monotonic() > deadline:
                self.fail(f"not {what}: {node.log()}")
            time.sleep(0.01)

    def wait_for(self, node, pattern, count=1):
        self.wait_until(node, lambda: len(re.findall(pattern, node.log())) >= count, pattern)

    def test_wrong_files(self):
        for text, what in WRONG:
            with self.subTest(what=what):
                self.write(text)
                done = self.check()
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, what if what.startswith("line 1: .*") else re.escape(what))
                self.assertEqual(done.stdout, "")

    def test_files_that_cannot_be_read(self):
        for path, what in ((self.path, "No such file"), (self.folder, "not a regular file"), ("/dev/null", "not a regular file")):
            done = self.check(path=path)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"tc-node: --config {path}: {what}", done.stderr)

    def test_right_files(self):
        for text in ("", "# nothing", "\r\n", "listen = [::1]:0 # anywhere\r\n", "isolate=yes\n\tconfine =\tno", "ring_bytes = 64K",
                     "confine = yes\nallow-read = /tmp\nallow-read = /var\n", "log_level = off\n", "key_file = \n"):
            with self.subTest(text=text):
                self.write(text)
                done = self.check()
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout, f"tc-node: {self.path}: nothing is wrong\n")

    def test_the_example(self):
        done = self.check(path=EXAMPLE)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_check_config_needs_a_file(self):
        done = subprocess.run([TC_NODE, "--check-config"], env=clean_environment(), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=DEADLINE_S, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--check-config is for --config", done.stderr)

    def test_the_command_line_counts_more(self):
        self.write(f"listen = 127.0.0.1:1 # root's alone\nport-file = {self.folder}/other\n")
        self.stop(self.start("--listen", "127.0.0.1:0", "--port-file", self.port_file))
        self.assertFalse(os.path.exists(f"{self.folder}/other"))

    def test_the_environment_counts_more(self):
        self.write(f"listen = 127.0.0.1:0\nport-file = {self.port_file}\nring_bytes = 64K\n")
        node = self.start(TC_RING_BYTES="128K")
        self.assertIn(f"--config {self.path}: line 3: TC_RING_BYTES is 128K in the environment, which counts", node.log())
        self.stop(node)

    def test_settings_are_used(self):
        self.write(f"listen = 127.0.0.1:0\nport-file = {self.port_file}\nnetwork = no\nlog_level = debug\njson = yes\n")
        for arguments in [], ["--isolate"]:
            node = self.start(*arguments)
            self.wait_for(node, "debug")
            self.stop(node)
            os.unlink(self.port_file)

    def reload(self, node, pattern):
        count = len(re.findall(pattern, node.log()))
        node.send_signal(signal.SIGHUP)
        self.wait_for(node, pattern, count + 1)

    def check_reload(self, *arguments):
        settings = f"listen = 127.0.0.1:0\nport-file = {self.port_file}\n"
        self.write(settings + "log_level = warn\nprocesses = 3\n")
        node = self.start(*arguments)
        self.write("# a line more\n" + settings + "log_level = info\nprocesses = 4\nring_bytes = 64K\n")
        self.reload(node, "line 5: 'processes = 4' needs a restart")
        self.wait_for(node, "line 6: 'ring_bytes = 64K' needs a restart")
        self.write(settings)
        self.reload(node, "'processes' has gone, which needs a restart")
        self.write("listen\n")
        self.reload(node, "line 1: 'listen', expected")
        self.assertNotIn("'listen = ", node.log())
        os.unlink(self.path)
        self.reload(node, "No such file")
        self.stop(node)
        os.unlink(self.port_file)

    def test_reload(self):
        self.check_reload()
        self.check_reload("--isolate")

    def test_many_reloads_end_no_process(self):
        self.write(f"listen = 127.0.0.1:0\nport-file = {self.port_file}\n")
        node = self.start("--isolate")
        self.write(f"listen = 127.0.0.1:1\nport-file = {self.port_file}\n")
        for _ in range(50):  # some of them while the first of its processes starts
            self.reload(node, "needs a restart")
        self.assertNotIn("has ended", node.log())
        self.stop(node)

    def test_the_log_level_is_reloaded(self):
        settings = f"listen = 127.0.0.1:0\nport-file = {self.port_file}\nprocesses = 3\n"
        self.write(settings + "log_level = warn\n")
        node = self.start()
        self.assertNotIn("debug", node.log())
        self.write(settings.replace("3", "4") + "log_level = debug\n")
        self.reload(node, "needs a restart")
        with subprocess.Popen([TC_NODE.replace("tc-node", "tc-info"), "--connect", f"127.0.0.1:{self.port()}"],
                              env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as info:
            self.assertEqual(info.wait(DEADLINE_S), 0)
        self.wait_for(node, "endpoint \\d+")
        self.stop(node)

    def port(self):
        with open(self.port_file, encoding="ascii") as file:
            return int(file.read())


if __name__ == "__main__":
    TC_NODE, EXAMPLE = (sys.argv.pop(1) for _ in range(2))
    unittest.main()
