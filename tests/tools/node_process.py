"""A target for tests: starts a tc-node, knows its address, ends it."""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

DEADLINE_S = 60


def clean_environment():
    """No settings of the caller's, and no object cache in its home. UCX logs to standard output, where tests read the tools'."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TC_")}
    return {**kept, "UCX_LOG_FILE": "stderr", "TC_CACHE_DIR": ""}


class Node:
    """A tc-node on a port of the system's choice, ended by its id."""

    def __init__(self, program, output=subprocess.DEVNULL, log=subprocess.DEVNULL, options=None, arguments=()):
        self.program = program
        self.output = output
        self.log = log
        self.options = options or {}
        self.arguments = arguments

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        port_file = os.path.join(self.folder.name, "port")
        self.process = subprocess.Popen([self.program, "--listen", "127.0.0.1:0", "--port-file", port_file, *self.arguments],
                                        env={**clean_environment(), **self.options}, stdin=subprocess.DEVNULL,
                                        stdout=self.output, stderr=self.log)
        deadline = time.monotonic() + 30
        while not (port := self.read_port(port_file)):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                raise RuntimeError("tc-node did not come up")
            time.sleep(0.01)
        self.address = f"127.0.0.1:{int(port)}"
        return self

    @staticmethod
    def read_port(path):
        if not os.path.exists(path):
            return ""
        with open(path, encoding="ascii") as file:
            return file.read().strip()

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()


def can_confine(program):
    """Whether a node of this build can confine itself here: not with a sanitizer, and not on every kernel."""
    try:
        with Node(program, arguments=["--confine"]):
            return True
    except RuntimeError:
        return False


def kill_child(process):
    """Of this process, also one that it has inherited; gone already or not."""
    try:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


class ToolTest(unittest.TestCase):
    """Tests that start processes, which end with the test."""

    def start_tool(self, program, *arguments, out=subprocess.PIPE, **environment):
        process = subprocess.Popen([program, *arguments], env={**clean_environment(), **environment}, text=True, bufsize=1,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()

    def line_until(self, process, is_it, what):
        """The first line of JSON that is it. Each line is flushed, so that the next one comes in time."""
        deadline = time.monotonic() + DEADLINE_S
        for line in process.stdout:
            found = json.loads(line)
            if is_it(found):
                return found
            self.assertLess(time.monotonic(), deadline, what)
        return self.fail("it has ended")

    def start_node(self, command, env, **more):
        """A process; `log` is the text that it has written to standard error so far."""
        log = tempfile.TemporaryFile()
        self.addCleanup(log.close)
        node = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, **more)
        self.addCleanup(self.end, node)
        node.log = lambda: os.pread(log.fileno(), 1 << 20, 0).decode()
        return node

    def stop(self, node, number=signal.SIGTERM):
        node.send_signal(number)
        self.assertEqual(node.wait(DEADLINE_S), 0, node.log())
