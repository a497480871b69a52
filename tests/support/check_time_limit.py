#!/usr/bin/env python3
"""The program that starts each test returns its end, and ends it with all processes that it started
when its time is over.

    check_time_limit.py TIME_LIMIT
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TIME_LIMIT = sys.argv[1]


def run(seconds, *command):
    return subprocess.run([TIME_LIMIT, str(seconds), *command], capture_output=True, text=True, timeout=100, check=False)


def is_there(process):
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class TimeLimit(unittest.TestCase):
    def test_the_status_is_the_tests(self):
        for status in (0, 1, 77):
            self.assertEqual(run(60, "sh", "-c", f"exit {status}").returncode, status)
        self.assertEqual(run(60, "/nonexistent").returncode, 125)
        self.assertEqual(run(0, "true").returncode, 125)

    def test_a_signal_is_the_tests(self):
        self.assertEqual(run(60, "sh", "-c", "kill -ABRT $$").returncode, -signal.SIGABRT)

    def test_what_the_test_prints_and_reads_is_its_own(self):
        done = subprocess.run([TIME_LIMIT, "60", "cat"], input="words", capture_output=True, text=True, timeout=100, check=True)
        self.assertEqual((done.stdout, done.stderr), ("words", ""))

    def test_a_test_that_hangs_is_ended_with_its_children(self):
        done = run(1, "sh", "-c", "trap '' INT; sleep 1000 >/dev/null 2>&1 & echo $!; wait; wait")
        self.assertEqual(done.returncode, 124)
        elapsed, counted = re.search(r"ended after (\d+) s, which count as (\d+)", done.stderr).groups()
        self.assertGreaterEqual(int(elapsed), int(counted))
        end = time.monotonic() + 60
        while is_there(int(done.stdout)):
            self.assertLess(time.monotonic(), end, "a child is left")
            time.sleep(0.01)

    def test_a_script_may_say_where_it_was(self):
        done = run(1, "sh", "-c", "trap 'echo here; exit 1' INT; sleep 1000 & wait")
        self.assertEqual((done.returncode, done.stdout), (124, "here\n"))

    def test_times_go_to_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "times")
            for word in ("one", "two"):
                subprocess.run([TIME_LIMIT, "60", "echo", word], env=os.environ | {"TC_TEST_TIMES": file}, stdout=subprocess.DEVNULL,
                               timeout=100, check=True)
            with open(file, encoding="utf-8") as lines:
                self.assertRegex(lines.read(), r"\A\d+\.\d\d \d+\.\d\d echo one\n\d+\.\d\d \d+\.\d\d echo two\n\Z")

    def test_a_signal_reaches_the_test(self):
        with subprocess.Popen([TIME_LIMIT, "60", "sh", "-c", "echo $$; exec sleep 1000"], stdout=subprocess.PIPE, text=True) as limit:
            test = int(limit.stdout.readline())
            os.kill(limit.pid, signal.SIGTERM)
            self.assertEqual(limit.wait(60), -signal.SIGTERM)
        self.assertFalse(is_there(test))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
