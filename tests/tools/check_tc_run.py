#!/usr/bin/env python3
"""tc-run: its processes' environment, the end of the job, and permission to use its socket.

    check_tc_run.py TC_RUN MEMBER [CLASS ...]

MEMBER is rendezvous_main of tests/bootstrap.
"""
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

DEADLINE_S = 90  # only ends processes that hang

PUBLISH, LOOKUP, DONE, ADDRESS, REFUSAL = range(1, 6)
TC_E_INVALID, TC_E_TIMEOUT, TC_E_IN_USE = 3, 2, 16


def environment():
    return {name: value for name, value in os.environ.items() if not name.startswith(("TC_", "PMIX_", "PMI_"))}


class RunTest(unittest.TestCase):
    tc_run = member = None

    def start(self, *arguments, **more):
        process = subprocess.Popen([self.tc_run, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   stdin=more.pop("stdin", subprocess.DEVNULL), text=True, env=environment(), **more)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def run_to_end(self, *arguments, send=None, status=0):
        process = self.start(*arguments, stdin=subprocess.PIPE if send is not None else subprocess.DEVNULL)
        out, err = process.communicate(send, timeout=DEADLINE_S)
        self.assertEqual(process.returncode, status, out + err)
        return out, err

    def assert_gone(self, pid):
        """Until it is no more, or a zombie that somebody else is to wait for."""
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            try:
                with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                    if file.read().rpartition(")")[2].split()[0] == "Z":
                        return
            except FileNotFoundError:
                return
            time.sleep(0.01)
        self.fail(f"process {pid} is still there")


class Jobs(RunTest):
    def test_members_meet(self):
        out, err = self.run_to_end("-n", 5, self.member)
        self.assertEqual(sorted(line.rpartition(" id ")[0] for line in out.splitlines()),
                         [f"tc-run {rank} of 5 local" for rank in range(5)], err)
        self.assertEqual(len({line.split()[-1] for line in out.splitlines()}), 1)

    def test_members_meet_again_and_again(self):
        out, err = self.run_to_end("-n", 3, self.member, 10)
        self.assertEqual(len(out.splitlines()), 30, err)
        self.assertEqual(len({line.split()[-1] for line in out.splitlines()}), 10)

    def test_a_member_that_never_comes_is_named(self):
        out, err = self.run_to_end("-n", 3, "--keep-going", self.member, 1, 60000, 1, "leave", status=1)
        self.assertEqual(out.count("TC_E_PEER_LOST: rank 1 ended with status 0 before it joined"), 2, out + err)

    def test_a_member_that_dies_is_named(self):
        out, err = self.run_to_end("-n", 3, "--keep-going", self.member, 1, 60000, 2, "die", status=137)
        self.assertEqual(out.count("TC_E_PEER_LOST: rank 2 was ended by signal 9"), 2, out + err)
        self.assertRegex(err, r"tc-run: rank 2 \(process \d+\) was ended by signal 9")

    def test_a_member_that_waits_is_named_at_the_deadline(self):
        out, err = self.run_to_end("-n", 3, self.member, 1, 300, 1, "wait", status=1)
        self.assertIn("TC_E_TIMEOUT: rank 1 has not joined", out, err)

    def test_the_first_failure_ends_the_others(self):
        script = 'if [ $TC_RUN_RANK = 1 ]; then exit 7; fi; exec sleep 600'
        _, err = self.run_to_end("-n", 3, "sh", "-c", script, status=7)
        self.assertRegex(err, r"^tc-run: rank 1 \(process \d+\) ended with status 7; ending the others\n$")

    def test_who_a_signal_ended_is_the_cause_of_who_saw_it(self):
        """Rank 0, which is asked first, has ended for the loss of rank 1."""
        with tempfile.TemporaryDirectory() as folder:
            process = self.start("-n", 2, "sh", "-c", f"echo $$ > {folder}/$TC_RUN_RANK; while ! test -e {folder}/go; do "
                                 "sleep 0.01; done; test $TC_RUN_RANK = 0 && exit 6; kill -9 $$")
            pids = [self.read_number(os.path.join(folder, str(rank))) for rank in (0, 1)]
            os.kill(process.pid, signal.SIGSTOP)
            os.close(os.open(os.path.join(folder, "go"), os.O_CREAT))
            for pid in pids:
                self.assert_gone(pid)
            os.kill(process.pid, signal.SIGCONT)
            _, err = process.communicate(timeout=DEADLINE_S)
        self.assertEqual(process.returncode, 137, err)

    def read_number(self, path):
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            if os.path.exists(path):
                with open(path, encoding="ascii") as file:
                    text = file.read()
                if text.endswith("\n"):
                    return int(text)
            time.sleep(0.01)
        return self.fail(f"{path} was never written")

    def test_who_does_not_end_when_asked_is_killed(self):
        script = 'if [ $TC_RUN_RANK = 1 ]; then sleep 0.2; exit 7; fi; trap "" TERM; sleep 600 & wait'
        self.run_to_end("-n", 2, "sh", "-c", script, status=7)

    def test_keep_going(self):
        script = 'if [ $TC_RUN_RANK = 1 ]; then exit 7; fi; sleep 0.3; echo done'
        out, _ = self.run_to_end("-n", 3, "-k", "sh", "-c", script, status=7)
        self.assertEqual(out, "done\ndone\n")

    def test_a_timeout(self):
        _, err = self.run_to_end("-n", 2, "--timeout", 1, "sleep", 600, status=124)
        self.assertIn("2 of 2 processes still run after 1 s", err)

    def test_a_signal_is_passed_on(self):
        process = self.start("-n", 2, "sh", "-c", 'trap "echo told; exit 0" INT; echo ready; sleep 600 & wait')
        self.assertEqual([process.stdout.readline() for _ in range(2)], ["ready\n"] * 2)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=DEADLINE_S)
        self.assertEqual((out, process.returncode), ("told\ntold\n", 130))

    def test_nothing_survives_tc_run(self):
        process = self.start("-n", 2, "sh", "-c", "echo $$; exec sleep 600")
        pids = [int(process.stdout.readline()) for _ in range(2)]
        process.kill()
        for pid in pids:
            self.assert_gone(pid)

    def test_what_a_process_left_behind_ends_with_the_job(self):
        out, _ = self.run_to_end("-n", 1, "sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!")
        self.assert_gone(int(out))


class Surroundings(RunTest):
    def test_labels(self):
        script = 'echo out $TC_RUN_RANK; echo err $TC_RUN_RANK >&2; printf tail'
        out, err = self.run_to_end("-n", 2, "--label", "sh", "-c", script)
        self.assertEqual(sorted(out.splitlines()), ["[0] out 0", "[0] tail", "[1] out 1", "[1] tail"])
        self.assertEqual(sorted(err.splitlines()), ["[0] err 0", "[1] err 1"])

    def test_long_lines_come_in_pieces(self):
        out, _ = self.run_to_end("-n", 1, "-l", "sh", "-c", "head -c 20000 /dev/zero | tr '\\0' x; echo; echo end")
        lines = out.splitlines()
        self.assertTrue(all(line.startswith("[0] ") for line in lines))
        self.assertEqual("".join(line[4:] for line in lines[:-1]), "x" * 20000)
        self.assertEqual(lines[-1], "[0] end")

    def test_rank_0_has_the_input(self):
        out, _ = self.run_to_end("-n", 3, "-l", "cat", send="some\ninput\n")
        self.assertEqual(out, "[0] some\n[0] input\n")

    def test_what_cannot_be_started(self):
        _, err = self.run_to_end("-n", 2, "/nowhere/program", status=127)
        self.assertEqual(err, "tc-run: cannot start /nowhere/program: No such file or directory\n")
        self.run_to_end("-n", 2, "/", status=126)

    def test_wrong_arguments(self):
        for arguments in ([], ["-n", 2], ["true"], ["-n", 0, "true"], ["-n", 1025, "true"], ["-n", "x", "true"],
                          ["-n", 1, "--timeout", 0, "true"], ["--bogus"]):
            _, err = self.run_to_end(*arguments, status=2)
            self.assertTrue(err)
        out, _ = self.run_to_end("--help")
        self.assertIn("usage: tc-run", out)

    def test_a_broken_environment_is_told(self):
        for broken, text in (("TC_RUN_RANK=9", "rank 9 of 1"), ("TC_RUN_RANK=x", "TC_RUN_RANK='x'"),
                             ("TC_RUN_SIZE=5000", "TC_RUN_SIZE='5000'"), ("TC_RUN_SECRET=12", "TC_RUN_SECRET is not 32"),
                             ("TC_RUN_SOCKET=@nobody", "tc-run does not listen at @nobody"),
                             ("TC_RUN_SOCKET=@", "neither @NAME nor a path")):
            out, _ = self.run_to_end("-n", 1, "env", broken, self.member, status=1)
            self.assertIn(text, out)


class Parts(RunTest):
    """Several programs in one job."""
    SAY = 'echo "$TC_RUN_RANK of $TC_RUN_SIZE: ${TC_RUN_PROGRAM-none} ${TC_RUN_PROGRAM_NAME-none} $*"'

    def say(self, *words):
        return ["sh", "-c", self.SAY, "sh", *words]

    def test_ranks_are_in_the_order_of_the_parts(self):
        out, _ = self.run_to_end("-n", 1, *self.say("first"), ":", "-n", 2, "--name", "my workers", *self.say("second"), ":",
                                 "-n", 1, *self.say())
        self.assertEqual(sorted(out.splitlines()), ["0 of 4: 0 sh first", "1 of 4: 1 my workers second",
                                                    "2 of 4: 1 my workers second", "3 of 4: 2 sh "])

    def test_a_colon_reaches_the_program(self):
        out, _ = self.run_to_end("-n", 1, *self.say("\\:", "a:", "::", "\\\\:", "\\::", "\\"), ":", "-n", 1, *self.say("\\:"))
        self.assertEqual(sorted(out.splitlines()), ["0 of 2: 0 sh : a: :: \\: \\:: \\", "1 of 2: 1 sh :"])

    def test_a_job_without_names_has_none(self):
        """Not those of an outer tc-run either."""
        out, _ = self.run_to_end("-n", 1, "--name", "outer", self.tc_run, "-n", 1, *self.say())
        self.assertEqual(out, "0 of 1: none none \n")
        out, _ = self.run_to_end("-n", 1, "--name", "outer", *self.say())
        self.assertEqual(out, "0 of 1: 0 outer \n")

    def test_the_first_failure_gives_the_status(self):
        _, err = self.run_to_end("-n", 1, "sleep", 600, ":", "-n", 2, "sh", "-c", "test $TC_RUN_RANK = 1 || exit 7", status=7)
        self.assertRegex(err, r"^tc-run: rank 2 \(process \d+\) ended with status 7; ending the others\n$")

    def test_a_program_that_is_not_there_ends_the_job(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "pid")
            script = f"echo $$ > {file}; exec sleep 600"
            _, err = self.run_to_end("-n", 1, "sh", "-c", script, ":", "-n", 1, "/nowhere/b", ":", "-n", 1, "true", status=127)
            self.assertEqual(err, "tc-run: cannot start /nowhere/b: No such file or directory\n")
            if os.path.exists(file) and os.path.getsize(file) > 0:  # it may have been ended before it wrote
                with open(file, encoding="ascii") as text:
                    self.assert_gone(int(text.read()))

    def test_the_summary_has_the_program_of_each_rank(self):
        out, _ = self.run_to_end("--json", "-", "-n", 1, "sh", "-c", "exit 0", ":", "-n", 2, "true")
        summary = json.loads(out)
        self.assertEqual(summary["program"], "sh")
        self.assertEqual([(process["rank"], process["part"], process["program"]) for process in summary["processes"]],
                         [(0, 0, "sh"), (1, 1, "true"), (2, 1, "true")])

    def test_wrong_parts_are_told(self):
        one, name = ["-n", 1, "true"], "has {} bytes, expected 1 to 63 characters of printable ASCII; --name gives one"
        for words, text in (([":", *one], "part 1: it is empty, expected -n N PROGRAM before ':'"),
                            ([*one, ":"], "part 2: it is empty, expected -n N PROGRAM after ':'"),
                            ([*one, ":", ":", *one], "part 2: it is empty"), ([":"], "part 1: it is empty"),
                            ([*one, ":", "true"], "part 2: -n is missing"), ([*one, ":", "-n", 2], "part 2: the program is missing"),
                            ([*one, ":", "-n", 0, "true"], "--processes '0': expected 1 to 1024"),
                            ([*one, ":", "--label", *one], "part 2: --label concerns the whole job, expected it before the first"),
                            ([*one, ":", "-k", *one], "part 2: --keep-going concerns"), ([*one, ":", "-j", "x", *one], "part 2: --json c"),
                            ([*one, ":", "--timeout", 1, *one], "part 2: --timeout concerns"),
                            (["-n", 1000, "true", ":", "-n", 25, "true"], "1025 processes up to part 2, expected at most 1024"),
                            ([*one, *([":", *one] * 64)], "65 parts, expected at most 64"),
                            ([*one, *([":", *one] * 5000)], "5001 parts, expected at most 64"),
                            ([*one, ":", "-n", 1, "--name", "a\x1b[2J", "true"], "the name 'a?[2J' " + name.format(5)),
                            ([*one, ":", "-n", 1, "--name", "ä", "true"], "the name '\\xc3\\xa4' " + name.format(2)),
                            ([*one, ":", "-n", 1, "/" + "x" * 64], name.format(64)), ([*one, ":", "-n", 1, "a/"], name.format(0)),
                            (["-n", 1, "--name", "", "true"], "--name ''")):
            _, err = self.run_to_end(*words, status=2)
            self.assertIn(text, err.splitlines()[0])
        self.run_to_end(*one, *([":", *one] * 63))

    def test_those_that_serve_end_with_the_others(self):
        """They are asked to end when no other runs."""
        serve = ("import os, signal, socket, struct, sys, time\n"
                 "signal.signal(signal.SIGTERM, lambda *_: sys.exit(int(sys.argv[1])))\n"
                 "run = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
                 "run.connect(chr(0) + os.environ['TC_RUN_SOCKET'][1:])\n"
                 "run.send(b'TR' + bytes([1, 7]) + bytes.fromhex(os.environ['TC_RUN_SECRET'])"
                 " + struct.pack('<II', 1, int(os.environ['TC_RUN_RANK'])))\n"
                 "assert run.recv(99)[3] == 3\nprint('serves', flush=True)\ntime.sleep(600)\n")
        for status in (0, 5):
            out, _ = self.run_to_end("-n", 1, "sleep", 0.3, ":", "-n", 2, sys.executable, "-c", serve, status, status=status)
            self.assertEqual(out.count("serves"), 2)


class Strangers(RunTest):
    """Rank 0 waits until the test has done its worst; then all still meet."""

    def setUp(self):
        script = ('if [ $TC_RUN_RANK = 0 ]; then echo $TC_RUN_SOCKET $TC_RUN_SECRET; read line; fi;'
                  f"exec '{self.member}' 1 {DEADLINE_S * 1000}")
        self.process = self.start("-n", 3, "sh", "-c", script, stdin=subprocess.PIPE)
        name, secret = self.process.stdout.readline().split()
        self.name, self.secret = "\0" + name[1:], bytes.fromhex(secret)

    def tearDown(self):
        out, err = self.process.communicate("go\n", timeout=DEADLINE_S)
        self.assertEqual(self.process.returncode, 0, out + err)
        self.assertEqual(len(out.splitlines()), 3, out + err)

    def connect(self):
        stranger = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(stranger.close)
        stranger.settimeout(DEADLINE_S)
        stranger.connect(self.name)
        return stranger

    def head(self, kind, rank, secret=None, round_=7):
        return b"TR\1" + bytes([kind]) + (secret or self.secret) + struct.pack("<II", round_, rank)

    def ask(self, packet):
        stranger = self.connect()
        stranger.send(packet)
        try:
            return stranger.recv(4096)
        except ConnectionResetError:
            return b""

    def test_what_is_no_request_ends_the_connection(self):
        address = b"127.0.0.1:1"
        for packet in (b"x", b"GET / HTTP/1.0\r\n\r\n", b"TR\1\1", os.urandom(600), b"\0" * 1536, b"z" * 100000,
                       self.head(9, 0) + address, self.head(PUBLISH, 0), self.head(PUBLISH, 0) + b"a" * 513,
                       self.head(PUBLISH, 0, round_=0) + address, self.head(PUBLISH, 0, round_=1025) + address, self.head(7, 0) + b"x",
                       self.head(LOOKUP, 0), self.head(LOOKUP, 0) + struct.pack("<IB", 0, 2)):
            self.assertEqual(self.ask(packet), b"")

    def test_without_the_secret_nothing_is_told(self):
        wrong = bytes([self.secret[0] ^ 1]) + self.secret[1:]
        self.assertEqual(self.ask(self.head(PUBLISH, 0, wrong, 1) + b"127.0.0.1:1"), b"")
        self.assertEqual(self.ask(self.head(LOOKUP, 0, wrong, 1) + struct.pack("<IB", 1, 0)), b"")

    def test_another_version_is_told_why(self):
        answer = self.ask(b"TR\2" + self.head(PUBLISH, 0)[3:] + b"127.0.0.1:1")
        self.assertEqual(answer[:4], b"TR\1" + bytes([REFUSAL]))
        self.assertIn(b"version 2 of tc-run's protocol, expected 1", answer)

    def test_no_such_rank(self):
        for packet in (self.head(PUBLISH, 3) + b"127.0.0.1:1", self.head(LOOKUP, 0) + struct.pack("<IB", 99, 1)):
            answer = self.ask(packet)
            self.assertEqual((answer[3], answer[8]), (REFUSAL, TC_E_INVALID))

    def test_a_rank_is_taken_once(self):
        publish = self.head(PUBLISH, 2) + b"127.0.0.1:1"
        self.assertEqual(self.ask(publish), b"TR\1" + bytes([DONE]) + struct.pack("<I", 2))
        answer = self.ask(publish)
        self.assertEqual((answer[3], answer[8]), (REFUSAL, TC_E_IN_USE))
        answer = self.ask(self.head(LOOKUP, 0) + struct.pack("<IB", 2, 0))
        self.assertEqual(answer, b"TR\1" + bytes([ADDRESS]) + struct.pack("<I", 2) + b"127.0.0.1:1")
        answer = self.ask(self.head(LOOKUP, 0) + struct.pack("<IB", 1, 0))
        self.assertEqual((answer[3], answer[8]), (REFUSAL, TC_E_TIMEOUT))

    def test_the_silent_make_room(self):
        self.silent = [self.connect() for _ in range(150)]

    def test_who_never_reads_is_hung_up_on(self):
        stranger = self.connect()
        lookup = self.head(LOOKUP, 0) + struct.pack("<IB", 1, 0)
        with self.assertRaises((BrokenPipeError, ConnectionResetError)):
            for _ in range(1000000):
                stranger.send(lookup)

    def test_many_questions_have_one_answer(self):
        stranger = self.connect()
        for _ in range(200):
            stranger.send(self.head(LOOKUP, 0) + struct.pack("<IB", 1, 1))
        self.assertEqual(self.ask(self.head(PUBLISH, 1) + b"a:1")[3], DONE)
        self.assertEqual(stranger.recv(4096)[3], ADDRESS)


if __name__ == "__main__":
    # A shell that runs this in the background may have it ignored, and a shell traps no signal that it was started
    # to ignore.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    RunTest.tc_run, RunTest.member = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main()
