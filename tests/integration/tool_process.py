"""The tools as processes of a test: started, waited for with a deadline, ended by their id, never left behind."""
import collections
import contextlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

# Ends processes that hang. Nothing is ever judged by it but that it ended at all.
DEADLINE_S = 180

ENDLESS = 10 ** 12  # messages

# All peers of a process write to one queue of UCX's in its shared memory, and one that is killed or stopped between taking a
# slot there and filling it blocks it for all. Only active messages over shared memory meet this: a mapped ring and a socket
# have one writer each. There a source is killed when it has written all that it had.
ONE_QUEUE = os.environ.get("TC_DELIVERY") == "am" and "UCX_TLS" not in os.environ

# UCX 1.13 asserts in its own wireup over sockets (wireup_ep.c, tcp_ep.c, ucp_request.c) when the peer dies between the
# connection and the first message on it; some milliseconds of a peer's life, and nothing that a user of UCX can bar.
# Whatever else ends a process is a failure.
UCX_WIREUP_DEFECTS = ("Assertion `wireup_ep->pending_count == 0' failed",
                      "Assertion `!(ep->flags & UCT_TCP_EP_FLAG_CTX_TYPE_TX)' failed",
                      "Assertion `(req->send.wireup.type == UCP_WIREUP_MSG_EP_REMOVED)")

# Of the caller's TC_ variables only those for the way of messages and code, and for the tiers of code: a test sets the others
# itself.
KEPT = {"TC_DELIVERY", "TC_FORM", "TC_TIER"}


def clean_environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TC_") or name in KEPT}
    # UCX logs to standard output, where the tests read functions' output. No object cache in the caller's home.
    return {**kept, "UCX_LOG_FILE": "stderr", "TC_CACHE_DIR": "", **more}


def slowdown():
    """How many times as long as alone on a processor a computation takes now."""
    begin, processor = time.monotonic(), time.thread_time()
    while (used := time.thread_time() - processor) < 0.02:
        pass
    return max(1, (time.monotonic() - begin) / used)


def wait_until(condition, what, seconds=DEADLINE_S):
    """Its time is longer where other programs have the processors when it is over."""
    begin = time.monotonic()
    while not (result := condition()):
        waited = time.monotonic() - begin
        if waited > seconds and waited > seconds * slowdown():
            raise AssertionError(f"not within {waited:.0f} s: {what}")
        time.sleep(0.005)
    return result


def quiet_port():
    """Free, and below those that the kernel gives to sockets without a chosen port, so that no other test takes it meanwhile.
    For tests that need a port before a process listens on it."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        begin = int(file.read().split()[0])
    while True:
        port = random.randrange(max(1024, begin - 12000), begin) if begin > 2048 else 0
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return probe.getsockname()[1]
            except OSError:
                continue


class Process:
    """One program; its output goes to files, so that no pipe ever blocks it."""

    def __init__(self, test, command, stdin=subprocess.DEVNULL, user=None, **environment):
        self.test = test
        self.command = [str(part) for part in command]
        self.files = [tempfile.TemporaryFile(), tempfile.TemporaryFile()]
        whose = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        self.process = subprocess.Popen(self.command, env=clean_environment(**environment), stdin=stdin,
                                        stdout=self.files[0], stderr=self.files[1], **whose)
        test.addCleanup(self.end)

    def __str__(self):
        return " ".join(part if len(part) < 100 else part[:100] + "..." for part in self.command)

    @property
    def pid(self):
        return self.process.pid

    def text(self, which):
        # Not by the file's own position: the process shares it.
        return os.pread(self.files[which].fileno(), 1 << 26, 0)

    @property
    def out(self):
        return self.text(0).decode(errors="replace")

    @property
    def err(self):
        return self.text(1).decode(errors="replace")

    def out_size(self):
        return os.fstat(self.files[0].fileno()).st_size

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        if self.process.poll() is None:
            self.kill()
        for file in [*self.files, self.process.stdin]:
            if file is not None:
                file.close()

    def running(self):
        return self.process.poll() is None

    def is_stopped(self):
        """By a signal, which takes effect some time after it was sent."""
        with open(f"/proc/{self.pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "T"

    def wait(self, seconds=DEADLINE_S):
        try:
            return self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.test.fail(f"{self} did not end in {seconds} s\n{self.out}{self.err}")

    def died_of_ucx(self):
        """It has ended, by one of the unavoidable assertions."""
        return not self.running() and any(defect in self.err + self.out for defect in UCX_WIREUP_DEFECTS)

    def expect(self, status, *patterns, seconds=DEADLINE_S):
        """Ends with that status, or one of several; each pattern is on standard error."""
        found = self.wait(seconds)
        self.test.assertIn(found, status if isinstance(status, tuple) else (status,), f"{self}\n{self.out}{self.err}")
        for pattern in patterns:
            self.test.assertRegex(self.err, pattern)
        return self

    def wait_for_line(self, pattern, count=1):
        wait_until(lambda: len(re.findall(pattern, self.err)) >= count or not self.running(), f"{pattern} of {self}")
        self.test.assertGreaterEqual(len(re.findall(pattern, self.err)), count, self.err)


@contextlib.contextmanager
def silent_crowd(port):
    """A thread connects to the port as fast as it can, and sends nothing; the newest few hundred stay."""
    over = threading.Event()
    silent = collections.deque()

    def crowd():
        while not over.is_set():
            with contextlib.suppress(OSError):
                silent.append(socket.create_connection(("127.0.0.1", port), timeout=1))
            if len(silent) > 400:
                silent.popleft().close()

    thread = threading.Thread(target=crowd)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        while silent:
            silent.popleft().close()


class Node(Process):
    """A tc-node, ready for peers."""

    def __init__(self, test, program, *arguments, listen="127.0.0.1:0", form=("--json",), user=None, **environment):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        if user is not None:
            os.chown(folder.name, user, -1)
        port_file = os.path.join(folder.name, "port")
        super().__init__(test, [program, "--listen", listen, "--port-file", port_file, *form, *arguments], user=user, **environment)
        wait_until(lambda: os.path.exists(port_file) or not self.running(), "a port")
        if not os.path.exists(port_file):
            test.fail(f"tc-node did not come up: {self.err}")
        with open(port_file, encoding="ascii") as file:
            self.port = int(file.read())
        self.address = f"127.0.0.1:{self.port}"

    def stop(self, number=signal.SIGINT):
        """Ends it in order; gives its counters."""
        self.signal(number)
        self.expect(0)
        return self.summary()

    def summary(self):
        # At the end: earlier output of functions may be too long to search.
        end = os.pread(self.files[0].fileno(), 1 << 16, max(0, self.out_size() - (1 << 16))).decode(errors="replace")
        return json.loads(next(line for line in end.splitlines() if line.startswith('{"messages_run"')))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def transcript(self):
        """The payloads that the transcript function wrote, in order."""
        payloads, rest = [], self.text(0)
        while match := re.match(rb"(\d+):", rest):
            begin, size = match.end(), int(match.group(1))
            payloads.append(rest[begin:begin + size])
            self.test.assertEqual(rest[begin + size:begin + size + 1], b"\n")
            rest = rest[begin + size + 1:]
        return payloads


class ToolTest(unittest.TestCase):
    """Common data of this folder's tests: the paths of the tools and the functions."""
    tools = functions = args_library = None

    @classmethod
    def tool(cls, name):
        return os.path.join(cls.tools, name)

    @classmethod
    def function(cls, name):
        return os.path.join(cls.functions, name + ".tca")

    def node(self, *arguments, **environment):
        return Node(self, self.tool("tc-node"), *arguments, **environment)

    def tallying_node(self, *arguments, **environment):
        return self.node("--lib", self.args_library, "--args-symbol", "tally_args", *arguments, **environment)

    def checking_node(self, *arguments, **environment):
        return self.node("--lib", self.args_library, "--args-symbol", "check_args", *arguments, **environment)

    def send(self, address, function, *arguments, **more):
        """Starts a tc-send of an archive's path, or of the name of a function in tests/shipped."""
        path = function if function.endswith(".tca") else self.function(function)
        patience = {"TC_CONNECT_TIMEOUT": "60s"}  # of a busy machine, where a test does not set it
        return Process(self, [self.tool("tc-send"), address, path, *arguments], **{**patience, **more})

    def peer(self):
        return os.path.join(os.path.dirname(self.args_library), "integration_peer")

    def doomed(self, node):
        """A source in the middle of its work, as far as one may be killed there. The node has tally's arguments."""
        if not ONE_QUEUE:
            return self.stream(node)
        source = Process(self, [self.peer(), "source", node.address, 0, 100], stdin=subprocess.PIPE,
                         TC_IFUNC_PATH=self.functions)
        wait_until(lambda: "flushed" in source.out or not source.running(), "the source's messages")
        self.assertTrue(source.running(), source.err)
        return source

    def wait_for_output(self, node, source, size):
        """Until functions wrote more than these bytes at the node; the source still runs."""
        wait_until(lambda: node.out_size() > size or not source.running(), f"{size} bytes that {source} has written there")
        self.assertTrue(source.running(), source.err + node.err)

    def stream(self, node, *arguments, **environment):
        """A source that sends without end, and has begun."""
        peers, size = node.err.count("peer connected"), node.out_size()
        stream = self.send(node.address, "transcript", "--text", "on and on", "--count", ENDLESS, *arguments, **environment)
        node.wait_for_line("peer connected", peers + 1)
        self.wait_for_output(node, stream, size + 100)
        return stream

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name


def main():
    """TOOLS FUNCTIONS ARGS_LIBRARY, then unittest's arguments: the names of classes."""
    ToolTest.tools, ToolTest.functions, ToolTest.args_library = sys.argv[1:4]
    del sys.argv[1:4]
    unittest.main()
