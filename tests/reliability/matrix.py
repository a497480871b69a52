"""Processes that die, stop or stop for a while, in the middle of each operation, by each delivery: the others' events, and their
times."""
import itertools
import os
import signal
import subprocess
import time

from bench import BITCODE, BY_ADDRESS, WAYS, Peer, Process, children, end_process, is_gone
from tool_process import wait_until

VICTIMS = ("source", "target", "member", "tc-run", "tc-compile")
ACTIONS = ("kill", "stop", "pause")
PAIR_OPS = ("connect", "code", "need", "large", "flush", "call", "close")
GROUP_OPS = (*PAIR_OPS, "barrier", "forward")
OPS = {"source": PAIR_OPS, "target": PAIR_OPS, "member": GROUP_OPS, "tc-run": GROUP_OPS, "tc-compile": ("code", "need")}

STOPPED_S = 0.8  # of "pause"; and before a stopped one is killed
REST_MS = "150"
ENDS = ("ended", "failed")


def cells():
    """All (victim, action, operation, way)."""
    for victim, action in itertools.product(VICTIMS, ACTIONS):
        ways = [*WAYS, *BY_ADDRESS] if victim in ("source", "target") else WAYS
        yield from itertools.product([victim], [action], OPS[victim], ways)


def spread():
    """So few of them that every pair of two values is in one."""
    def pairs(cell):
        return {(i, cell[i], j, cell[j]) for i, j in itertools.combinations(range(4), 2)}
    left = set().union(*map(pairs, cells()))
    while left:
        best = max(cells(), key=lambda cell: len(pairs(cell) & left))
        left -= pairs(best)
        yield best


def op_environment(op, way, rests):
    environment = {**WAYS[BY_ADDRESS.get(way, way)], "RELIABILITY_PATIENCE_MS": "4000", "TC_CONNECT_TIMEOUT": "4s"}
    if op == "need":
        environment["TC_CODE_PUSH"] = "no"
    if rests:
        environment["RELIABILITY_REST_MS"] = REST_MS
    return environment


def op_name(op):
    return "code" if op == "need" else op


def wait_for_moment(bench, process, rests, label=""):
    """All peers write to one queue of UCX's where active messages go by shared memory, and one that ends or stops between
    taking a slot there and filling it blocks it for all: there it is met at rest."""
    process.wait_for("round", 2, label)
    if rests:
        process.wait_for("resting", len(process.times("resting", label)) + 1, label)
        time.sleep(0.05)
    else:
        bench.jitter(0.05)


def strike(pid, action):
    """Gives when. A stopped process that is not to go on is dealt with by the caller."""
    begin = time.monotonic()
    os.kill(pid, {"kill": signal.SIGKILL}.get(action, signal.SIGSTOP))
    if action != "kill":
        time.sleep(STOPPED_S)
        os.kill(pid, signal.SIGCONT if action == "pause" else 0)
    return begin


def wait_rounds(process, count, label="", after=None):
    """It gets on: so many more rounds."""
    after = time.monotonic() if after is None else after
    wait_until(lambda: sum(t > after for t in process.times("round", label)) >= count or not process.running(),
               f"{count} rounds of {process}")
    assert process.running(), f"{process} ended\n{process.out[-1000:]}{process.err[-1000:]}"


def unanswered(bench, *processes):
    """Processes that should go on have not lost anybody."""
    for process in processes:
        bench.assertEqual(process.times("ended"), [], process.err[-1000:])


# --- a source and a target ----------------------------------------------------------------------------------------------

def open_endpoints(target):
    return len(target.times("opened")) - len(target.times("closed")) - len(target.times("failed"))


def ucx_keeps(op, way):
    """UCX 1.13 keeps the mappings of the queue and of the buffers of a peer that dies between UCX's request to connect and
    its own HELLO, which names it to the library."""
    return 2 if way == "direct_address" and op in ("connect", "close") else 0


def lose_source(bench, target, witness, source, before, kept):
    """The target of a source that is dead: when it knew, if there was anything to know."""
    begin = time.monotonic()
    source.kill()
    wait_until(lambda: open_endpoints(target) == 1, f"the end of the source's endpoint: {target.out}")
    ends = [t for word in ("closed", "failed") for t in target.times(word) if t >= begin]
    bench.wait_given_back(target, before, witness, ucx_keeps=kept)
    bench.wait_no_segments({source.pid})
    return round(max(ends) - begin, 3) if ends else None


def run_source(bench, action, op, way):
    rests = BY_ADDRESS.get(way, way) == "am"
    environment = op_environment(op, way, rests)
    target = bench.target(RELIABILITY_ADDRESS="1", **op_environment(op, way, False))
    witness = bench.witness(target, **WAYS[BY_ADDRESS.get(way, way)])
    before = bench.sample(target)
    source = Peer(bench, "source", op_name(op), target.digits if way in BY_ADDRESS else target.address, **environment)
    wait_for_moment(bench, source, rests)
    if action != "kill":
        strike(source.pid, action)
        wait_rounds(witness, 2)
    if action == "pause":
        wait_rounds(source, 2)
        unanswered(bench, source)
    learnt = lose_source(bench, target, witness, source, before, ucx_keeps(op, way))
    wait_rounds(witness, 2)
    figures = {"learnt_s": learnt, "stall_ms": bench.stall_ms(witness)}
    target.finish()
    return figures


def run_target(bench, action, op, way):
    target = bench.target(RELIABILITY_ADDRESS="1", **op_environment(op, way, False))
    source = Peer(bench, "source", op_name(op), target.digits if way in BY_ADDRESS else target.address,
                  **op_environment(op, way, False))
    wait_for_moment(bench, source, False)
    if action != "kill":
        strike(target.pid, action)
        unanswered(bench, source)
    if action == "pause":
        wait_rounds(source, 2)
        unanswered(bench, source)
    begin = time.monotonic()
    target.kill()
    # By address there is no report that a dead process cannot be reached: that takes until
    # connect_timeout.
    word = "missed" if way in BY_ADDRESS and op in ("connect", "close") else "ended"
    wait_until(lambda: any(t >= begin for w in {word, "ended"} for t in source.times(w)), f"its end: {source.out[-500:]}")
    learnt = min(t for w in {word, "ended"} for t in source.times(w) if t >= begin) - begin
    source.finish()
    bench.wait_no_segments({target.pid, source.pid})
    return {"learnt_s": round(learnt, 3) if word == "ended" else None}


def run_compiler(bench, action, op, way):
    environment = {**op_environment(op, way, False), **BITCODE, "TC_COMPILE_TIME_MAX": "1s"}
    target = bench.target(**environment)
    witness = bench.witness(target, **WAYS[way])
    source = Peer(bench, "source", op_name(op), target.address, **environment)
    wait_for_moment(bench, source, False)
    compilers = children(target.pid, "tc-compile")
    bench.assertTrue(compilers, "no tc-compile")
    for compiler in compilers:
        bench.addCleanup(end_process, compiler)
        strike(compiler, action)
    wait_rounds(source, 3)
    unanswered(bench, source)
    figures = {"stall_ms": bench.stall_ms(witness)}
    source.finish()
    target.finish()
    for compiler in compilers:
        wait_until(lambda pid=compiler: is_gone(pid), "the compiler's end")
    return figures


# --- a group ------------------------------------------------------------------------------------------------------------

class Job(Peer):
    """Three members under tc-run."""

    def __init__(self, bench, op, **environment):
        command = [bench.tool("tc-run"), "-n", 3, "--label", "--keep-going", bench.program("reliability_peer"), "member", op]
        Process.__init__(self, bench, command, stdin=subprocess.DEVNULL, TC_IFUNC_PATH=bench.functions,
                         TC_ENGINE_PATH=bench.engine, **environment)
        wait_until(lambda: len(self.members()) == 3 or not self.running(), "three members")
        bench.assertTrue(self.running(), self.err)
        for pid in self.members().values():
            bench.addCleanup(end_process, pid)

    def members(self):
        """The process of each rank."""
        rows = [line.split() for line in self.out.splitlines() if " pid " in line]
        return {int(row[0][1:-1]): int(row[2]) for row in rows}

    def times(self, word, label="[2] "):
        return super().times(word, label)

    def finish_job(self, statuses):
        if self.running():
            self.signal(signal.SIGTERM)
        found = self.wait()
        self.test.assertIn(found, statuses, self.out[-2000:] + self.err[-2000:])
        wait_until(lambda: all(map(is_gone, self.members().values())), "the members' end")


def run_member(bench, action, op, way):
    rests = way == "am"
    job = Job(bench, op_name(op), **op_environment(op, way, rests))
    victim = job.members()[2]
    wait_for_moment(bench, job, rests, "[2] ")
    if action != "kill":
        strike(victim, action)
        for rank in (0, 1):
            bench.assertEqual(job.times("ended", f"[{rank}] "), [], job.err[-1000:])
    if action == "pause":
        for rank in range(3):
            wait_rounds(job, 2, f"[{rank}] ")
    begin = time.monotonic()
    end_process(victim)
    learnt = []
    for rank in (0, 1):
        # A process that waits for all has to be notified, or finds that the notified one has left.
        gone = lambda: job.times("left", f"[{1 - rank}] ")  # noqa: E731, B023
        words = lambda: ("ended",) if op == "barrier" and not gone() else ENDS  # noqa: E731, B023
        knows = lambda: [t for word in words() for t in job.times(word, f"[{rank}] ") if t >= begin]  # noqa: E731, B023
        wait_until(knows, f"rank {rank} knows: {job.out[-1500:]}")
        learnt.append(min(knows()) - begin)
    job.finish_job((128 + signal.SIGKILL, 128 + signal.SIGTERM))
    return {"learnt_s": round(max(learnt), 3)}


def run_starter(bench, action, op, way):
    job = Job(bench, op_name(op), **op_environment(op, way, False))
    for rank in range(3):
        wait_for_moment(bench, job, False, f"[{rank}] ")
    begin = strike(job.pid, action)
    if action == "pause":
        for rank in range(3):
            wait_rounds(job, 2, f"[{rank}] ")
            during = [t for t in job.times("round", f"[{rank}] ") if begin < t < begin + STOPPED_S]
            # A process that joins needs tc-run.
            bench.assertTrue(during or op in ("connect", "close"), f"rank {rank} did nothing while tc-run was stopped")
        job.finish_job((128 + signal.SIGTERM,))
        return {}
    begin = time.monotonic()
    job.kill()
    wait_until(lambda: all(map(is_gone, job.members().values())), "the members' end")
    return {"learnt_s": round(time.monotonic() - begin, 3)}


RUNS = {"source": run_source, "target": run_target, "member": run_member, "tc-run": run_starter, "tc-compile": run_compiler}


def shm_left():
    """Files of shared memory that no process has."""
    used = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
                used.update(line.split("/dev/shm/")[1].split()[0] for line in maps if "/dev/shm/" in line)
        except OSError:
            continue
    return set(os.listdir("/dev/shm")) - used


def run_cell(bench, victim, action, op, way, long):
    before = shm_left() if long else None
    figures = RUNS[victim](bench, action, op, way)
    return {**figures, "shm_left": len(shm_left() - before)} if long else figures


def parts(options):
    """(name, function that runs it) of each requested cell."""
    chosen = list(cells() if options.long else spread())
    for number in range(options.rounds):
        for victim, action, op, way in chosen:
            if options.only in (None, victim) and options.way in (None, way):
                yield (f"{victim} {action} {op} {way}" + (f" #{number}" if number else ""),
                       lambda bench, v=victim, a=action, o=op, w=way: run_cell(bench, v, a, o, w, options.long))
