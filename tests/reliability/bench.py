"""Common parts of the reliability tests: processes in a cell, their output with its times, and their resources."""
import os
import random
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "integration"))
from sample import MB, Sample, rss, shared_segments  # noqa: E402, F401
from tool_process import DEADLINE_S, Process, ToolTest, wait_until  # noqa: E402

# use_build() adds "sealed", the way of records under a key, where the build has TLS.
WAYS = {
    "direct": {},
    "am": {"TC_DELIVERY": "am"},
    "put": {"TC_DELIVERY": "put"},
    "tcp": {"TC_DELIVERY": "am", "UCX_TLS": "tcp,self"},
    "stream": {"TC_DELIVERY": "stream"},
}
# The peers connect by tc_context_address, so no stream reports an end.
BY_ADDRESS = {"direct_address": "direct", "tcp_address": "tcp"}

# Everything is compiled. With whole stacks a sanitizer takes minutes to load LLVM.
BITCODE = {"TC_FORM": "bitcode", "TC_TIER": "fast", "ASAN_OPTIONS": "quarantine_size_mb=1"}

# Freed memory that a sanitizer keeps, and its shadow, count as memory of the process too.
MEMORY_FACTOR = int(os.environ.get("RELIABILITY_MEMORY_FACTOR", "1"))
WITNESS_SIZES = 8


class Skipped(Exception):
    """This machine cannot show it; the text has the reason."""


class LeftByUcx(Exception):
    """UCX did it; the cell is tried again, so that only a repeated error is a failure."""


class Peer(Process):
    """A reliability_peer, which ends when its standard input does."""

    def __init__(self, bench, *arguments, limits=None, prefix=(), **environment):
        command = [*prefix, bench.program("reliability_peer"), *arguments]
        environment = {"TC_IFUNC_PATH": bench.functions, "TC_ENGINE_PATH": bench.engine, **environment}
        super().__init__(bench, command, stdin=subprocess.PIPE, **environment)
        for limit, value in (limits or {}).items():
            bench.limit(self.pid, limit, value)

    def times(self, word, label=""):
        """The time of that line, in seconds of the monotonic clock."""
        begin = f"{label}{word} "
        return [int(line.rsplit(" ", 1)[1]) / 1e9 for line in self.out.splitlines()
                if line.startswith(begin) and line.rsplit(" ", 1)[1].isdigit()]

    def number(self, word):
        found = [line.split()[1] for line in self.out.splitlines() if line.startswith(word + " ")]
        return int(found[-1]) if found else None

    def wait_for(self, word, count=1, label="", seconds=60):
        wait_until(lambda: len(self.times(word, label)) >= count or not self.running(), f"{word} of {self}", seconds)
        if len(self.times(word, label)) < count:
            raise AssertionError(f"{self} ended without '{word}'\n{self.out[-2000:]}{self.err[-2000:]}")
        return self

    def finish(self, *, status=0):
        """Lets it end in order."""
        self.process.stdin.close()
        self.expect(status)
        return self

    @property
    def address(self):
        return f"127.0.0.1:{self.number('port')}"

    @property
    def digits(self):
        return self.text(0).split(b"address ", 1)[1].split(b"\n", 1)[0].decode()


class Bench(ToolTest):
    """The processes of one cell. All that were started are ended by doCleanups()."""
    programs = integration = engine = None

    def __init__(self, seed):
        super().__init__()
        self.chance = random.Random(seed)
        self.seed = seed
        self.processes = []
        self.segments_before = shared_segments()

    def addCleanup(self, function, *rest, **named):
        """Also how a process makes itself known."""
        if isinstance(getattr(function, "__self__", None), Process):
            self.processes.append(function.__self__)
        super().addCleanup(function, *rest, **named)

    def runTest(self):
        """For unittest, which wants one."""

    def program(self, name):
        return os.path.join(self.programs, name)

    @staticmethod
    def limit(pid, limit, value):
        """As far as the hard limit, which stays."""
        hard = resource.prlimit(pid, limit)[1]
        if hard != resource.RLIM_INFINITY and (value == resource.RLIM_INFINITY or value > hard):
            value = hard
        resource.prlimit(pid, limit, (value, hard))

    def target(self, *arguments, **environment):
        # Better code would come from a process with descriptors of its own.
        target = Peer(self, "target", *arguments, **{"TC_TIER": "fast", **environment})
        wait_until(lambda: target.number("port") or not target.running(), "the target's port")
        if not target.running():
            raise AssertionError(f"no target: {target.err}")
        return target

    def witness(self, target, **environment):
        """One that has sent each of its sizes: the target has all memory for it that it will have."""
        witness = Peer(self, "witness", target.address, **environment)
        wait_until(lambda: (witness.number("round") or 0) >= WITNESS_SIZES or not witness.running(), f"the rounds of {witness}")
        if not witness.running():
            raise AssertionError(f"no witness: {witness.err[-1000:]}")
        return witness

    def stall_ms(self, witness):
        """The longest that it waited for an answer, all of which were right; ends it."""
        if not witness.running():
            raise AssertionError(f"the witness ended: {witness.out[-400:]}{witness.err[-1000:]}")
        witness.finish()
        self.assertEqual(witness.times("ended"), [], witness.err)
        return round(witness.number("stall_us") / 1000, 1)

    def jitter(self, seconds):
        time.sleep(self.chance.random() * seconds)

    def sample(self, process):
        return Sample(process.pid)

    def wait_given_back(self, process, before, witness, slack_mb=64, ucx_keeps=0):
        """All its resources are the same as before, except the witness's; its memory nearly."""
        held = lambda: Sample(process.pid).more_than(before, slack_mb * MEMORY_FACTOR, ucx_keeps, witness.pid)  # noqa: E731
        deadline = time.monotonic() + DEADLINE_S
        while (more := held()) and time.monotonic() < deadline:
            time.sleep(0.02)
        if more:
            raise AssertionError(f"the target has not given back what the source took: {more}")

    def wait_no_segments(self, pids):
        """Those of the dead are removed. Others of makers with the same process ids may be left on this machine."""
        left = lambda: shared_segments(pids) - self.segments_before  # noqa: E731
        deadline = time.monotonic() + DEADLINE_S
        while (found := left()) and time.monotonic() < deadline:
            time.sleep(0.02)
        # UCX makes a segment, and then marks it for removal with its last user: a process killed between the two
        # leaves it.
        if found:
            raise LeftByUcx(f"segments {found} are left that processes {pids} made, which are dead")


def use_build(build):
    """Where everything is that the tests start and send."""
    ToolTest.tools = os.path.join(build, "bin")
    ToolTest.functions = os.path.join(build, "tests", "shipped")
    Bench.programs = os.path.join(build, "tests", "reliability")
    Bench.integration = os.path.join(build, "tests", "integration")
    Bench.engine = os.path.join(build, "lib")
    if os.path.exists(os.path.join(Bench.engine, "libtchains-tls.so")):
        WAYS["sealed"] = {**WAYS["stream"], "TC_KEY_FILE": os.path.join(build, "tests", "cluster.key")}


def children(pid, name):
    """The processes of that name that it started."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            pids = [int(word) for word in file.read().split()]
    except OSError:
        return []
    return [child for child in pids if comm(child) == name]


def comm(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return None


def is_gone(pid):
    """Ended, or a zombie that its parent has not waited for."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


def end_process(pid):
    """One that a process of ours started, by its id."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
