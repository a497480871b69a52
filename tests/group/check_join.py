#!/usr/bin/env python3
"""Processes that join a group, however they were started, and call each other.

    check_join.py TOOLS PROGRAMS [CLASS ...]

PROGRAMS is the folder of join_main and mpi_main. Environment: where functions and modules are, and MPIRUN.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "integration"))
from tool_process import quiet_port  # noqa: E402

DEADLINE_S = 150  # ends what hangs; nothing is judged by it


class JoinTest(unittest.TestCase):
    tools = programs = None

    def program(self, name):
        return os.path.join(self.programs, name)

    def start(self, command, **settings):
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("PMIX_", "PMI_", "OMPI_", "TC_RUN_", "TC_GROUP_"))}
        process = subprocess.Popen([str(part) for part in command], env={**kept, "TC_LOG_LEVEL": "error", **settings},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def finish(self, process, status=0):
        out, _ = process.communicate(timeout=DEADLINE_S)
        self.assertEqual(process.returncode, status, out)
        return out

    def run_group(self, count, *arguments, status=0, **settings):
        return self.finish(self.start([os.path.join(self.tools, "tc-run"), "-n", count, *arguments], **settings), status)

    def assert_groups(self, out, size, groups=1):
        """Each rank of each group once; each group with an id of its own."""
        found = re.findall(r"rank (\d+) of (\d+) id ([0-9a-f]{16})", out)
        ids = {group for _, _, group in found}
        self.assertEqual(len(ids), groups, out)
        self.assertEqual(sorted(found), sorted((str(rank), str(size), group) for rank in range(size) for group in ids), out)


class Run(JoinTest):
    def test_five_call_each_other(self):
        self.assert_groups(self.run_group(5, self.program("join_main")), 5)

    def test_again_in_the_same_processes(self):
        self.assert_groups(self.run_group(3, self.program("join_main"), 3), 3, groups=3)

    def test_one(self):
        self.assert_groups(self.run_group(1, self.program("join_main")), 1)

    def test_without_anything_a_group_of_one(self):
        self.assert_groups(self.finish(self.start([self.program("join_main"), 2])), 1, groups=2)

    def test_who_never_comes_is_named(self):
        out = self.run_group(4, self.program("join_main"), 1, 1000, 2, status=1)
        self.assertRegex(out, r"join: TC_E_TIMEOUT: \d of 4 members did not join within 1\.0 s: ranks? [\d, ]*\b2\b")

    def test_who_has_died_is_named(self):
        script = f'if [ $TC_RUN_RANK = 1 ]; then exit 3; fi; exec "{self.program("join_main")}"'
        out = self.run_group(3, "-k", "sh", "-c", script, status=3)
        self.assertEqual(out.count("join: TC_E_PEER_LOST: rank 1 ended with status 3 before it joined"), 2, out)

    def test_by_a_network_interface(self):
        self.assert_groups(self.run_group(2, self.program("join_main"), TC_GROUP_ADDRESS="lo"), 2)

    def test_outside_loopback_only_when_allowed(self):
        out = self.run_group(2, self.program("join_main"), TC_GROUP_ADDRESS="0.0.0.0", status=1)
        self.assertRegex(out, "join: TC_E_INVALID: .*listen_any")


class Hosts(JoinTest):
    def test_a_list_of_hosts(self):
        hosts = ",".join(f"127.0.0.1:{quiet_port()}" for _ in range(3))
        members = [self.start([self.program("join_main")], TC_GROUP_HOSTS=hosts, TC_GROUP_RANK=str(rank)) for rank in range(3)]
        self.assert_groups("".join(member.communicate(timeout=DEADLINE_S)[0] for member in members), 3)

    def test_a_list_without_a_rank(self):
        for rank in ("", "x", "2"):
            out = self.finish(self.start([self.program("join_main")], TC_GROUP_HOSTS="127.0.0.1:1,127.0.0.1:2",
                                         TC_GROUP_RANK=rank), status=1)
            self.assertIn("join: TC_E_INVALID: ", out)
            self.assertIn("rank", out)


class Mpi(JoinTest):
    name, groups = "mpi_main", 2

    def mpirun(self, count, *arguments, status=0):
        # Its session folder has a short path: sockets in it have short names.
        with tempfile.TemporaryDirectory(prefix="tc-mpi-") as folder:
            return self.finish(self.start([os.environ["MPIRUN"], "-n", count, "--oversubscribe", "--allow-run-as-root",
                                           "--timeout", DEADLINE_S - 10, *arguments], TMPDIR=folder), status)

    def test_four_call_each_other(self):
        self.assert_groups(self.mpirun(4, self.program(self.name)), 4, self.groups)


class Mpirun(Mpi):
    name, groups = "join_main", 1

    def test_again_in_the_same_processes(self):
        self.assert_groups(self.mpirun(3, self.program(self.name), 3), 3, groups=3)

    def test_tc_run_within_counts(self):
        out = self.mpirun(2, os.path.join(self.tools, "tc-run"), "-n", 2, self.program(self.name))
        self.assertEqual(len(re.findall(r"rank [01] of 2 id", out)), 4, out)


if __name__ == "__main__":
    JoinTest.tools, JoinTest.programs = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main()
