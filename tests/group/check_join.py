#!/usr/bin/env python3
"""Processes that join a group, however they were started, and call each other.

    check_join.py TOOLS PROGRAMS [CLASS ...]

PROGRAMS is the folder of join_main and mpi_main. Environment: where functions and modules are, and MPIRUN.
"""
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "integration"))
from tool_process import quiet_port  # noqa: E402

DEADLINE_S = 150  # only ends processes that hang


class JoinTest(unittest.TestCase):
    tools = programs = None

    def program(self, name):
        return os.path.join(self.programs, name)

    def start(self, command, stdin=subprocess.DEVNULL, **settings):
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("PMIX_", "PMI_", "OMPI_", "TC_RUN_", "TC_GROUP_"))}
        process = subprocess.Popen([str(part) for part in command], env={**kept, "TC_LOG_LEVEL": "error", **settings},
                                   stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
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

    @staticmethod
    def ways(out):
        """How members met: identity and delivery, of each direction."""
        return re.findall(r"^\d+ meets \d+ as '([^']*)' by (\w+)$", out, re.MULTILINE)

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

    def test_who_ends_before_a_barrier_is_known_at_once(self):
        """Rank 2 was never connected, so only tc-run can know. The barrier would wait for a minute."""
        begun = time.monotonic()
        out = self.run_group(4, "-k", self.program("join_main"), "leave", 2, status=3)
        self.assertEqual(out.count("TC_E_PEER_LOST: barrier: rank 2: its process ended with status 3"), 3, out)
        self.assertLess(time.monotonic() - begun, 50)

    def test_by_a_network_interface(self):
        self.assert_groups(self.run_group(2, self.program("join_main"), TC_GROUP_ADDRESS="lo"), 2)

    def test_on_one_host_the_kernel_vouches(self):
        out = self.run_group(2, self.program("join_main"))
        self.assertEqual(self.ways(out), [(f"uid:{os.geteuid()}", "direct")] * 2, out)

    def test_outside_loopback_without_tls_only_when_allowed(self):
        """Modules are searched in a folder without any."""
        with tempfile.TemporaryDirectory() as empty:
            outside = {"TC_GROUP_ADDRESS": "0.0.0.0", "TC_ENGINE_PATH": empty}
            out = self.run_group(2, self.program("join_main"), status=1, **outside)
            self.assertRegex(out, "join: TC_E_UNSUPPORTED: members of this job can be reached by others, so they need a key, .*"
                                  "install libssl3.*listen_any=yes")
            out = self.run_group(2, self.program("join_main"), TC_LISTEN_ANY="yes", **outside)
        self.assert_groups(out, 2)
        self.assertNotIn("as 'job:", out)

    def test_inside_loopback_tls_is_not_needed(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assert_groups(self.run_group(2, self.program("join_main"), TC_LOCAL_USERS="any", TC_ENGINE_PATH=empty), 2)


class Parts(JoinTest):
    """Several programs in one job, tc-node among them."""

    def run_parts(self, *words, status=0, **settings):
        return self.finish(self.start([os.path.join(self.tools, "tc-run"), *words], **settings), status)

    def node(self):
        return [os.path.join(self.tools, "tc-node"), "--join"]

    def assert_programs(self, out, programs, asked):
        """Each of the `asked` ranks has printed the same about all."""
        for rank in asked:
            for other, (number, name) in enumerate(programs):
                self.assertIn(f"{rank}: {other} runs {number} '{name}'\n", out)

    def assert_called(self, out, size, asked):
        for rank in asked:
            self.assertIn(f"rank {rank} of {size} id ", out)

    def test_all_members_know_all_programs(self):
        main = self.program("parts_main")
        out = self.run_parts("-n", 1, main, ":", "-n", 2, "--name", "the workers", main, ":", "-n", 1, main)
        self.assert_programs(out, [(0, "parts_main"), (1, "the workers"), (1, "the workers"), (2, "parts_main")], range(4))
        self.assert_called(out, 4, range(4))

    def test_in_other_jobs_all_run_program_0(self):
        for start in (["tc-run", "-n", 2], []):
            command = [*(os.path.join(self.tools, word) if word == "tc-run" else word for word in start), self.program("parts_main")]
            out = self.finish(self.start(command))
            self.assert_programs(out, [(0, "")] * (2 if start else 1), [0])

    def test_one_part_may_have_a_name(self):
        self.assert_programs(self.run_parts("-n", 1, "--name", "only", self.program("parts_main")), [(0, "only")], [0])

    def test_a_key_and_a_program_are_published_together(self):
        main = self.program("parts_main")
        out = self.run_parts("-n", 1, main, ":", "-n", 1, "--name", "b", main, TC_LOCAL_USERS="any")
        self.assert_programs(out, [(0, "parts_main"), (1, "b")], range(2))

    def test_nodes_serve_until_the_others_have_ended(self):
        out = self.run_parts("-n", 2, self.program("parts_main"), ":", "-n", 2, *self.node(), ":", "-n", 1, "--name", "more",
                             *self.node(), "--json")
        self.assert_programs(out, [(0, "parts_main")] * 2 + [(1, "tc-node")] * 2 + [(2, "more")], range(2))
        self.assert_called(out, 5, range(2))

    def test_barriers_do_not_wait_for_nodes(self):
        """More barriers than turns of the nodes, and fewer."""
        for linger_ms, barriers in ((0, 30), (1300, 3)):
            out = self.run_parts("-n", 2, self.program("parts_main"), linger_ms, barriers, ":", "-n", 2, *self.node())
            self.assert_called(out, 4, range(2))

    def test_nodes_wait_for_a_rank_0_that_does_not_answer_yet(self):
        """For longer than an attempt to connect."""
        out = self.run_parts("-n", 2, self.program("parts_main"), 100, 3, 1500, ":",
                             "-n", 2, "env", "TC_CONNECT_TIMEOUT=300ms", *self.node())
        self.assertIn("rank 0 did not answer in time", out)
        self.assert_called(out, 4, range(2))

    def test_a_failure_ends_nodes(self):
        out = self.run_parts("-n", 1, self.program("join_main"), "leave", 0, ":", "-n", 2, *self.node(), status=3)
        self.assertRegex(out, r"tc-run: rank 0 \(process \d+\) ended with status 3; ending the others")

    def test_a_signal_to_tc_run_ends_nodes(self):
        job = self.start([os.path.join(self.tools, "tc-run"), "-n", 1, self.program("parts_main"), 60000, ":", "-n", 2, *self.node()])
        out = ""
        while out.count("tc-node: serves as rank") < 2:
            line = job.stdout.readline()
            self.assertTrue(line, out)
            out += line
        job.terminate()
        self.assertEqual((self.finish(job, 143).count("messages run"), job.returncode), (2, 143))

    def test_a_node_that_dies_is_named(self):
        script = f'"{self.node()[0]}" --join & if [ $TC_RUN_RANK = 2 ]; then sleep 0.3; kill -9 $!; fi; wait $!'
        out = self.run_parts("-n", 1, self.program("parts_main"), 20000, ":", "-n", 2, "sh", "-c", script, status=137)
        self.assertRegex(out, r"tc-run: rank 2 \(process \d+\) ended with status 137")

    def test_a_node_that_fails_gives_the_status(self):
        out = self.run_parts("-n", 1, self.program("parts_main"), 20000, ":", "-n", 1, *self.node(), "--args-symbol", "nothing",
                             status=1)
        self.assertRegex(out, r"tc-run: rank 1 \(process \d+\) ended with status 1")

    def test_nodes_alone_serve_nobody(self):
        out = self.run_parts("-n", 2, *self.node(), status=1)
        self.assertIn("tc-node: --join: it is rank 0 of 2, which counts the members in barriers: expected a program before it", out)

    def test_a_node_without_a_job_is_told(self):
        self.assertIn("it is rank 0 of 1", self.finish(self.start(self.node()), 1))

    def test_a_node_joins_a_list_of_hosts_and_leaves_with_rank_0(self):
        hosts = {"TC_GROUP_HOSTS": ",".join(f"127.0.0.1:{quiet_port()}" for _ in range(2))}
        node = self.start(self.node(), TC_GROUP_RANK="1", **hosts)
        out = self.finish(self.start([self.program("parts_main")], TC_GROUP_RANK="0", **hosts))
        self.assert_called(out, 2, [0])
        self.assertIn("tc-node: serves as rank 1 of 2\n", self.finish(node))

    def test_a_malformed_program_is_told(self):
        name = "expected 1 to 63 characters of printable ASCII"
        for settings, text in ((["TC_RUN_PROGRAM=64"], "TC_RUN_PROGRAM='64', expected a number up to 63"),
                               (["TC_RUN_PROGRAM=-1"], "TC_RUN_PROGRAM='-1', expected a number"),
                               (["-u", "TC_RUN_PROGRAM"], "TC_RUN_SOCKET is set, but not TC_RUN_PROGRAM"),
                               (["-u", "TC_RUN_PROGRAM_NAME"], f"TC_RUN_PROGRAM_NAME='', {name}"),
                               (["TC_RUN_PROGRAM_NAME="], f"TC_RUN_PROGRAM_NAME='', {name}"),
                               (["TC_RUN_PROGRAM_NAME=a\x1b[31m"], name), (["TC_RUN_PROGRAM_NAME=ä"], name),
                               (["TC_RUN_PROGRAM_NAME=" + 64 * "x"], name)):
            out = self.run_parts("-n", 1, "--name", "a", "env", *settings, self.program("parts_main"), status=1)
            self.assertIn("join: environment: ", out)
            self.assertIn(text, out)
            self.assertNotIn("\x1b", out)

    def test_members_that_contradict_each_other_are_told(self):
        main = self.program("parts_main")
        for settings, text in ((["TC_RUN_PROGRAM_NAME=b"], "it calls program 0 'b', expected 'a' as others call it"),
                               (["-u", "TC_RUN_PROGRAM", "-u", "TC_RUN_PROGRAM_NAME"], "address of rank 1: it runs no named program")):
            script = f'test $TC_RUN_RANK = 0 && exec "{main}"; exec env "$@" "{main}"'
            out = self.run_parts("-n", 2, "--name", "a", "--keep-going", "sh", "-c", script, "sh", *settings, status=1)
            self.assertIn(text, out)


class Keys(JoinTest):
    """Members that others can reach have a key of their own."""

    def setUp(self):
        self.port = quiet_port()

    def start_job(self):
        """Rank 0 listens at a port that is known, and waits."""
        script = ('if [ $TC_RUN_RANK = 0 ]; then echo socket $TC_RUN_SOCKET; '
                  f'export TC_GROUP_ADDRESS=127.0.0.1:{self.port}; fi; exec "{self.program("join_main")}" stay')
        self.job = self.start([os.path.join(self.tools, "tc-run"), "-n", 2, "sh", "-c", script], stdin=subprocess.PIPE,
                              TC_LOCAL_USERS="any", TC_LOG_LEVEL="info")
        self.early = ""
        while not ("socket " in self.early and "joined\n" in self.early):
            line = self.job.stdout.readline()
            self.assertTrue(line, self.early)
            self.early += line
        self.name = "tc-run-" + re.search(r"^socket @(\w+)$", self.early, re.MULTILINE)[1]

    def finish_job(self, refused):
        out, _ = self.job.communicate("", timeout=DEADLINE_S)
        out = self.early + out
        self.assertEqual(self.job.returncode, 0, out)
        self.assert_groups(out, 2)
        self.assertEqual(self.ways(out), [(f"job:{self.name}", "direct")] * 2, out)
        self.assertIn(f"strangers refused: {refused}\n", out)
        return out

    def send(self, **settings):
        function = os.path.join(os.environ["TC_IFUNC_PATH"], "transcript.tca")
        return self.finish(self.start([os.path.join(self.tools, "tc-send"), f"127.0.0.1:{self.port}", function, "--text", "x"],
                                      **settings), 4)

    def send_with_key(self, name):
        with tempfile.NamedTemporaryFile("w") as file:  # of mode 0600
            file.write(f"tchains-key {name} {'5a' * 32}\n")
            file.flush()
            return self.send(TC_KEY_FILE=file.name)

    def test_strangers_are_refused_and_counted(self):
        self.start_job()
        self.assertIn(f"only members of job:{self.name} are taken here", self.send(TC_LOCAL_USERS="any"))
        self.assertIn("it has no key of the name", self.send_with_key("other"))
        self.assertIn(f"key:{self.name}, is another", self.send_with_key(self.name))
        out = self.finish_job(refused=3)
        self.assertIn(f"its key of the name of this side's, job:{self.name}, is another", out)

    def test_a_member_of_another_job_is_refused(self):
        """The other job's rank 1 gives the address of this one's rank 0 for its own."""
        publisher = ('import os, socket, struct, time; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); '
                     's.connect(chr(0) + os.environ["TC_RUN_SOCKET"][1:]); '
                     's.send(b"TR" + bytes([1, 1]) + bytes.fromhex(os.environ["TC_RUN_SECRET"]) + struct.pack("<II", 1, 1) '
                     f'+ b"127.0.0.1:{self.port}"); s.recv(99); time.sleep(600)')
        script = (f'if [ $TC_RUN_RANK = 1 ]; then exec "{sys.executable}" -c \'{publisher}\'; fi; '
                  f'exec "{self.program("join_main")}"')
        self.start_job()
        out = self.run_group(2, "sh", "-c", script, TC_LOCAL_USERS="any", status=1)
        self.assertRegex(out, r"it has no key of the name of this side's, job:tc-run-\w+: only processes of one job")
        self.finish_job(refused=1)

    def test_each_round_has_a_key(self):
        out = self.run_group(2, self.program("join_main"), 3, TC_LOCAL_USERS="any")
        self.assert_groups(out, 2, groups=3)
        self.assertEqual(len(self.ways(out)), 6)

    def test_outside_loopback(self):
        out = self.run_group(3, self.program("join_main"), TC_GROUP_ADDRESS="0.0.0.0", TC_LOG_LEVEL="info")
        self.assert_groups(out, 3)
        self.assertRegex(out, "group: members authenticate by the key of job:tc-run-")
        self.assertNotIn("UCX's network port is open", out)
        self.assertEqual(len(re.findall("meets . as 'job:tc-run-", out)), 6, out)

    def test_who_lets_everybody_in_has_no_key(self):
        out = self.run_group(2, self.program("join_main"), TC_GROUP_ADDRESS="0.0.0.0", TC_LISTEN_ANY="yes")
        self.assert_groups(out, 2)
        self.assertNotIn("as 'job:", out)

    def test_a_key_that_is_not_to_protect(self):
        out = self.run_group(2, self.program("join_main"), TC_GROUP_ADDRESS="0.0.0.0", TC_PROTECT="off", status=1)
        self.assertIn("join: TC_E_INVALID: option protect is off, and others can reach the members of this job", out)

    def test_options_that_differ(self):
        script = f'if [ $TC_RUN_RANK = 0 ]; then export TC_LISTEN_ANY=yes; fi; exec "{self.program("join_main")}" 1 5000'
        out = self.run_group(2, "sh", "-c", script, TC_GROUP_ADDRESS="0.0.0.0", status=1)
        self.assertIn("rank 0 gave the job no key, as its options need none", out)

    def published(self):
        """The data that rank 0 has sent to tc-run, which sends them to those that know the secret: its address and the key."""
        stranger = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(stranger.close)
        member = next(pid for pid in self.processes() if b"TC_RUN_SECRET=" in self.surroundings(pid))
        variables = dict(part.split(b"=", 1) for part in self.surroundings(member).split(b"\0") if b"=" in part)
        stranger.connect(b"\0" + variables[b"TC_RUN_SOCKET"][1:])
        stranger.send(b"TR\1\2" + bytes.fromhex(variables[b"TC_RUN_SECRET"].decode()) + struct.pack("<IIIB", 1, 0, 0, 0))
        return stranger.recv(4096)[8:]

    @staticmethod
    def surroundings(pid):
        parts = b""
        for name in ("environ", "cmdline"):
            with open(f"/proc/{pid}/{name}", "rb") as file:
                parts += file.read() + b"\0"
        return parts

    def processes(self):
        with open(f"/proc/{self.job.pid}/task/{self.job.pid}/children", encoding="ascii") as file:
            return [self.job.pid, *map(int, file.read().split())]

    def test_the_key_is_nowhere_to_be_read(self):
        """In neither arguments nor environment of the processes, nor their output."""
        self.start_job()
        address, key = self.published().split(b"\0K", 1)
        self.assertEqual((address, len(key)), (f"127.0.0.1:{self.port}".encode(), 32))
        surroundings = b"".join(self.surroundings(pid) for pid in self.processes())
        seen = surroundings + self.finish_job(refused=0).encode(errors="surrogateescape")
        self.assertNotIn(key, seen)
        self.assertNotIn(key.hex().encode(), seen.lower())


class Hosts(JoinTest):
    def test_beyond_loopback_a_list_needs_keys(self):
        out = self.finish(self.start([self.program("join_main")], TC_GROUP_HOSTS="0.0.0.0:0,10.0.0.7:1", TC_GROUP_RANK="0"), status=1)
        self.assertRegex(out, "join: TC_E_INVALID: .*set key_file .*tls_ca, tls_cert and tls_key; listen_any=yes")

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
