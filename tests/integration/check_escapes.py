#!/usr/bin/env python3
"""Ways out of a confined process: a function tries all, and all fail.

    check_escapes.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]
"""
import ctypes
import os
import re
import shutil
import subprocess

from tool_process import Node, ToolTest, main, wait_until

WAYS_MIN = 130
NOBODY = 65534
SHM_RMID, IPC_CREAT = 0, 0o1000


class Escapes(ToolTest):
    def victim(self, user):
        victim = subprocess.Popen([shutil.which("sleep"), "600"], user=user)  # pylint: disable=consider-using-with

        def end():
            victim.kill()
            victim.wait()
        self.addCleanup(end)
        return victim

    def segment(self):
        libc = ctypes.CDLL(None, use_errno=True)
        number = libc.shmget(0, 4096, IPC_CREAT | 0o666)
        self.assertGreaterEqual(number, 0)
        self.addCleanup(libc.shmctl, number, SHM_RMID, None)
        return number

    def readable(self, user):
        path = os.path.join(self.folder(), "readable")
        with open(path, "w", encoding="ascii") as file:
            file.write("text")
        if user is not None: # so that nothing but the wall keeps it
            os.chown(path, user, -1)
            os.chmod(os.path.dirname(path), 0o755)
        return path

    def assert_no_way_out(self, program, *arguments, user=None):
        victim, path = self.victim(user), self.readable(user)
        before = [os.getpriority(os.PRIO_PROCESS, victim.pid), os.sched_getaffinity(victim.pid), os.stat(path).st_mode]
        node = Node(self, program, *arguments, "--confine", "--allow-read", path, user=user, TC_FORM="image")
        self.send(node.address, "escape", "--text", f"{victim.pid} {self.segment()} {path}", user=user).expect(0)
        tally = wait_until(lambda: re.findall(r"^ways: (\d+), refused: (\d+)$", node.out, re.MULTILINE), "the function's tally")
        print(f"{' '.join(arguments)} --confine: {tally[0][0]} ways tried, {tally[0][1]} refused", flush=True)
        self.assertEqual(re.findall(r"^out: .*$", node.out, re.MULTILINE), [])
        self.assertEqual(tally[0][0], tally[0][1])
        self.assertGreaterEqual(int(tally[0][0]), WAYS_MIN)
        self.assertEqual([os.getpriority(os.PRIO_PROCESS, victim.pid), os.sched_getaffinity(victim.pid),
                          os.stat(path).st_mode], before)
        self.assertIsNone(victim.poll())
        self.send(node.address, "transcript", "--text", "an honest peer", user=user).expect(0)
        self.assertTrue(node.running(), node.err)
        node.stop()

    def assert_none_for_anybody(self, program):
        for user in [None, NOBODY] if os.geteuid() == 0 else [None]:
            self.assert_no_way_out(program, user=user)
            self.assert_no_way_out(program, "--isolate", user=user)

    def test_there_is_no_way_out(self):
        self.assert_none_for_anybody(self.tool("tc-node"))

    def test_nor_by_the_filter_alone(self):
        self.assert_none_for_anybody(os.path.join(os.path.dirname(self.args_library), "node_without_landlock"))


if __name__ == "__main__":
    main()
