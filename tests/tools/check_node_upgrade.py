#!/usr/bin/env python3
"""Upgrades of tc-node by SIGUSR2: processes that follow, and programs, libraries and settings that do not start.

    check_node_upgrade.py TC_NODE TC_INFO [UPGRADES]

UPGRADES is tests/steady/upgrades, which has a load.
"""
import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from node_process import DEADLINE_S, ToolTest, can_confine, clean_environment, kill_child

TC_NODE = TC_INFO = UPGRADES = None
PR_SET_CHILD_SUBREAPER = 36


class Upgrades(ToolTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program = self.file("tc-node")
        self.config = self.file("tc-node.conf")
        self.lead_to(TC_NODE)

    def file(self, name):
        return os.path.join(self.folder, name)

    def lead_to(self, program):
        if os.path.lexists(self.program):
            os.unlink(self.program)
        os.symlink(program, self.program)

    def write(self, name, text, mode=0o644):
        with open(self.file(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.file(name), mode)
        return self.file(name)

    def read(self, name):
        if not os.path.exists(self.file(name)):
            return ""
        with open(self.file(name), encoding="utf-8") as file:
            return file.read()

    def start(self, *arguments, **environment):
        """A node that serves at self.port."""
        node = self.start_node([self.program, "--listen", "127.0.0.1:0", "--port-file", self.file("port"), *arguments],
                               {**clean_environment(), **environment})
        self.wait_for(node, "listening at")
        self.port = int(self.wait_until(node, lambda: self.read("port"), "a port"))
        return node

    def wait_until(self, node, condition, what):
        deadline = time.monotonic() + DEADLINE_S
        while not (found := condition()):
            if time.monotonic() > deadline:
                self.fail(f"not {what}: {node.log()}")
            time.sleep(0.01)
        return found

    def wait_for(self, node, pattern):
        return self.wait_until(node, lambda: re.search(pattern, node.log()), pattern)

    def connect(self, node):
        done = subprocess.run([TC_INFO, "--connect", f"127.0.0.1:{self.port}"], env=clean_environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=DEADLINE_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr + node.log())

    def follow(self, node, process, seen=0):
        """Upgrades the process, a node or the successor of one. Returns the id of the next, a child of this process."""
        os.kill(process, signal.SIGUSR2)
        follower = int(self.wait_until(node, lambda: re.findall(r"upgrade: process (\d+) serves\n", node.log())[seen:], "upgraded")[0])
        self.addCleanup(kill_child, follower)
        if process == node.pid:
            self.assertEqual(node.wait(DEADLINE_S), 0, node.log())
        else:
            self.assertEqual(self.status_of(node, process), 0, node.log())
        self.connect(node)
        return follower

    def status_of(self, node, process):
        ended = self.wait_until(node, lambda: (found := os.waitpid(process, os.WNOHANG))[0] and found, "ended")
        return os.waitstatus_to_exitcode(ended[1])

    def end_process(self, node, process):
        os.kill(process, signal.SIGTERM)
        self.assertEqual(self.status_of(node, process), 0, node.log())

    @staticmethod
    def ways():
        """Arguments of nodes that can be upgraded."""
        confined = [["--isolate", "--confine"]] if can_confine(TC_NODE) else []
        return [[], ["--isolate"], *confined]

    def test_each_follows_the_one_before(self):
        for arguments in self.ways():
            with self.subTest(arguments=arguments):
                node = self.start(*arguments)
                self.connect(node)
                process = node.pid
                for seen in range(3):
                    process = self.follow(node, process, seen)
                self.assertEqual(len(re.findall("tc-node: drains", node.log())), 3)
                self.end_process(node, process)
                self.assertNotRegex(node.log(), "failed|has ended|own use")
                os.unlink(self.file("port"))

    def test_settings_are_read_by_the_successor(self):
        for line in "", "isolate = yes\n":
            with self.subTest(line=line):
                self.write("tc-node.conf", line)
                node = self.start("--config", self.config)
                self.write("tc-node.conf", "isolate = yes\nprocesses = 1\nhttp = 127.0.0.1:0\n")
                process = self.follow(node, node.pid)
                self.assertRegex(node.log(), "metrics at http://127.0.0.1:")
                self.write("tc-node.conf", "# nothing\n")
                process = self.follow(node, process, 1)
                self.end_process(node, process)
                os.unlink(self.file("port"))

    def fails(self, node, text):
        """An upgrade that does, after which the node serves as before."""
        os.kill(node.pid, signal.SIGUSR2)
        self.wait_for(node, text)
        self.assertIsNone(node.poll())
        self.connect(node)

    def test_what_does_not_start_changes_nothing(self):
        for arguments in self.ways():
            with self.subTest(arguments=arguments):
                self.write("tc-node.conf", "drain-seconds = 4\n")
                node = self.start("--config", self.config, *arguments)
                self.lead_to("/bin/false")
                self.fails(node, r"upgrade failed: process \d+ ended before it served, status 1")
                self.lead_to("/nowhere/tc-node")
                self.fails(node, r"upgrade failed: .*/tc-node: No such file or directory")
                self.lead_to(TC_NODE)
                self.write("tc-node.conf", "drain-seconds = soon\n")
                self.fails(node, r"process \d+ ended before it served, status 2")
                self.assertRegex(node.log(), "drain-seconds 'soon': expected 1 to 86400")
                # With --isolate only the processes for functions load it. Peers that come meanwhile meet the node.
                self.write("tc-node.conf", "lib = /nowhere/lib.so\n")
                os.kill(node.pid, signal.SIGUSR2)
                self.wait_until(node, lambda: self.connect(node) or
                                len(re.findall("ended before it served, status 1", node.log())) == 2, "a second failure")
                self.assertRegex(node.log(), "--lib: /nowhere/lib.so")
                self.connect(node)
                self.stop(node)
                os.unlink(self.file("port"))

    def test_a_successor_that_starts_ends_with_the_node(self):
        slow = self.write("slow", f"#!/bin/sh\nsleep 120 & echo $! > {self.file('sleeper')}; wait\nexec {TC_NODE} \"$@\"\n", 0o755)
        for arguments in [], ["--isolate"]:
            with self.subTest(arguments=arguments):
                self.lead_to(TC_NODE)
                node = self.start(*arguments)
                self.lead_to(slow)
                os.kill(node.pid, signal.SIGUSR2)
                process = int(self.wait_for(node, r"starts as process (\d+)\n")[1])
                self.addCleanup(kill_child, int(self.wait_until(node, lambda: self.read("sleeper"), "asleep")))
                os.kill(node.pid, signal.SIGUSR2)
                self.wait_for(node, f"no upgrade: process {process} is starting")
                self.stop(node)
                self.assertIn(f"upgrade given up: process {process} ends with this one", node.log())
                self.assertFalse(os.path.exists(f"/proc/{process}"))
                os.unlink(self.file("sleeper"))
                os.unlink(self.file("port"))

    def test_all_processes_may_get_the_signal(self):
        node = self.start("--isolate")
        self.connect(node)
        for process in self.workers(node):
            os.kill(process, signal.SIGUSR2)
        self.connect(node)
        self.assertNotRegex(node.log(), "upgrade|has ended")
        self.stop(node)

    @staticmethod
    def workers(node):
        with open(f"/proc/{node.pid}/task/{node.pid}/children", encoding="ascii") as file:
            return [int(number) for number in file.read().split()]

    def test_a_confined_process_alone_has_no_successor(self):
        if not can_confine(TC_NODE):
            self.skipTest("nothing can be confined here")
        node = self.start("--confine")
        self.fails(node, "no upgrade: with --join, and with --confine but without --isolate, there is none")
        self.stop(node)

    def test_a_load_in_confined_processes(self):
        if UPGRADES is None or not can_confine(TC_NODE):
            self.skipTest("no functions, or nothing can be confined here")
        command = [UPGRADES, TC_NODE, "5", "--isolate", "--confine", "--allow-write", "/tmp"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    TC_NODE, TC_INFO, *more = sys.argv[1:]
    UPGRADES = more[0] if more else None
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    unittest.main(argv=sys.argv[:1])
