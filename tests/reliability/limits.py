"""Too few descriptors, too little memory, shared memory or processes: ends, and peers that go on."""
import os
import re
import resource
import socket
import subprocess
import time

from bench import BITCODE, WAYS, Peer, Process, Skipped
from sample import MB, PAGE, descriptors
from tool_process import wait_until

SANITIZED = "RELIABILITY_MEMORY_FACTOR" in os.environ
HOLD_S = 2.5      # longer than UCX's interval between two checks of its peers
STRANGERS = 40
LOG_KB = 64
CONTEXTS = 100
# In address space, where a payload has twice as much: UCX maps peers' memory whenever it first needs that, a megabyte or two,
# and an endpoint ends, or before UCX 1.19 the process, where it cannot.
ROOM_MB = 16
REFUSALS = 3
ROOMS_KB = (100, 200, 300)  # less than a ring of 256 KB needs, and a little more
SHM_MB = 64       # Docker's size for a container
# UCX 1.13 asserts where it finds no descriptor, or no memory, for a thread of its own.
UCX_START_DEFECT = "Assertion `ucs_async_thread_global_context.thread != NULL' failed"
# UCX maps more of a peer's memory when a message comes that lies there, and drops the message where it finds no descriptor.
UCX_DROPPED = re.compile(r"UCX +ERROR open\(file_name=/proc/.* failed: Too many open files")


def try_context(bench, way, limit):
    """A context that cannot be had is an error with a text. Returns the number: 0, 1, or None for UCX's defect."""
    peer = Peer(bench, "contexts", 1, prefix=("prlimit", limit), **WAYS[way])
    status = peer.wait()
    if status < 0 and UCX_START_DEFECT in peer.err + peer.out:
        return None
    if status == 0:
        bench.assertTrue(peer.number("contexts") == 1 or "context: TC_E_" in peer.err, f"{limit}: {peer.out}{peer.err}")
    # 127: not even the loader had enough memory.
    bench.assertIn(status, (0, 127), f"{limit}: {peer.err[-1000:]}")
    return peer.number("contexts") if status == 0 else 0


def no_descriptors(bench, way):
    """A target that has no descriptor for seconds loses no peer, and takes new peers afterwards."""
    target = bench.target(**WAYS[way])
    witness = bench.witness(target, **WAYS[way])
    bench.limit(target.pid, resource.RLIMIT_NOFILE, max(descriptors(target.pid)) + 1)
    strangers = []
    for _ in range(STRANGERS):
        stranger = socket.create_connection(("127.0.0.1", target.number("port")))
        bench.addCleanup(stranger.close)
        strangers.append(stranger)
    time.sleep(HOLD_S)
    log_kb = len(target.text(1)) // 1024
    for stranger in strangers:
        stranger.close()
    bench.limit(target.pid, resource.RLIMIT_NOFILE, 1024)
    late = Peer(bench, "source", "call", target.address, **WAYS[way])
    late.wait_for("round", 2)
    late.finish()
    figures = {"log_kb": log_kb}
    if UCX_DROPPED.search(target.err):
        witness.kill()
        figures["dropped_by_ucx"] = 1
    else:
        figures["stall_ms"] = bench.stall_ms(witness)
    bench.assertEqual(target.times("failed"), [], target.err[-1000:])
    bench.assertLessEqual(log_kb, LOG_KB)
    target.finish()
    return figures


def few_descriptors(bench, way):
    """Each number of them is enough, or too few and reported."""
    found = [try_context(bench, way, f"--nofile={count}") for count in range(4, 40, 3)]
    bench.assertEqual(found[-1], 1)
    return {"ended_by_ucx": found.count(None)}


def large_payloads(bench, way):
    """A target without memory for a payload refuses it; others go on."""
    if SANITIZED:
        raise Skipped("a sanitizer has address space of its own")
    target = bench.target(**WAYS[way])
    witness = bench.witness(target, **WAYS[way])
    with open(f"/proc/{target.pid}/statm", encoding="ascii") as file:
        size = int(file.read().split()[0]) * PAGE
    bench.limit(target.pid, resource.RLIMIT_AS, size + ROOM_MB * MB)
    source = Peer(bench, "source", "large", target.address, RELIABILITY_PATIENCE_MS="1000",
                  RELIABILITY_LARGE_MB=str(2 * ROOM_MB), **WAYS[way])
    refused = lambda: target.err.count("out of memory") + target.err.count("lines like this")  # noqa: E731
    wait_until(lambda: refused() >= REFUSALS or not (source.running() and target.running()), "refusals of large payloads")
    bench.assertTrue(target.running(), "the target runs without memory for payloads")
    bench.assertTrue(source.running(), f"a source stays connected whose payloads are refused: {source.err[-1000:]}")
    count = len(witness.times("round"))
    wait_until(lambda: len(witness.times("round")) > count or not witness.running(), "an answer for the witness meanwhile")
    bench.limit(target.pid, resource.RLIMIT_AS, resource.RLIM_INFINITY)
    # Before the source's end: a process killed while UCX writes into the target's queue of shared memory blocks that queue for
    # all.
    figures = {"stall_ms": bench.stall_ms(witness)}
    source.kill()
    target.finish()
    return figures


def little_room(bench, way):
    """A target that cannot map the ring of a peer that comes refuses it, and takes it when it can."""
    if SANITIZED:
        raise Skipped("a sanitizer has address space of its own")
    refused = 0
    for room_kb in ROOMS_KB:
        target = bench.target(**WAYS[way])
        bench.witness(target, **WAYS[way])  # memory made for all by the first peer is there
        with open(f"/proc/{target.pid}/statm", encoding="ascii") as file:
            size = int(file.read().split()[0]) * PAGE
        bench.limit(target.pid, resource.RLIMIT_AS, size + (room_kb << 10))
        early = Peer(bench, "source", "call", target.address, **WAYS[way])
        wait_until(lambda: early.times("round") or not early.running() or not target.running(), "what becomes of a peer")  # noqa: B023
        bench.assertTrue(target.running(), f"the target runs with room for {room_kb} KB")
        refused += not early.running()
        bench.limit(target.pid, resource.RLIMIT_AS, resource.RLIM_INFINITY)
        early.kill()
        Peer(bench, "source", "call", target.address, **WAYS[way]).wait_for("round").finish()
        target.finish()
    bench.assertGreater(refused, 0)
    return {"refused": refused}


def little_memory(bench, way):
    """With so little that not even a context is there."""
    if SANITIZED:
        raise Skipped("a sanitizer has address space of its own")
    found = [try_context(bench, way, f"--as={count * MB}") for count in (20, 40, 60, 80, 100, 130, 160, 200, 300, 600)]
    bench.assertEqual(found[-1], 1)
    return {"ended_by_ucx": found.count(None)}


def small_shm(bench, way):
    """/dev/shm of a container: either all contexts are there, or the text has the remedy."""
    prefix = ("unshare", "--user", "--map-root-user", "--mount", "--ipc", "sh", "-c",
              f'mount -t tmpfs -o size={SHM_MB}m tmpfs /dev/shm && exec "$@"', "sh")
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode != 0:
        raise Skipped("this machine gives no namespace with a /dev/shm of its own")
    peer = Peer(bench, "contexts", CONTEXTS, prefix=prefix, **WAYS[way])
    peer.expect(0)
    made = peer.number("contexts")
    bench.assertTrue(made == CONTEXTS or re.search("(?m)^context: .*(/dev/shm|UCX_TLS)", peer.err), f"{made} contexts: {peer.err[-1000:]}")
    return {"contexts": made}


def no_processes(bench, way):
    """Where tc-compile cannot be started, functions are refused or run as images; the target goes on."""
    if os.geteuid() == 0:
        raise Skipped("root has no limit of processes")
    environment = {**WAYS[way], **BITCODE}
    target = bench.target(**environment)
    running = len(subprocess.run(["ps", "-Lu", str(os.geteuid())], capture_output=True, check=True).stdout.splitlines())
    bench.limit(target.pid, resource.RLIMIT_NPROC, running // 2)
    source = Process(bench, [bench.program("reliability_peer"), "source", "code", target.address],
                     TC_IFUNC_PATH=bench.functions, TC_ENGINE_PATH=bench.engine, **environment)
    wait_until(lambda: source.out.count("\n") > 2 or not source.running(), "what becomes of its functions")
    bench.limit(target.pid, resource.RLIMIT_NPROC, resource.RLIM_INFINITY)
    late = bench.witness(target, **environment)
    bench.stall_ms(late)
    target.finish()
    return {}


LIMITS = {  # and for which ways; None: for all
    "no_descriptors": (no_descriptors, None),
    "few_descriptors": (few_descriptors, ("direct",)),
    "large_payloads": (large_payloads, None),
    "little_room": (little_room, ("put",)),
    "little_memory": (little_memory, ("direct",)),
    "small_shm": (small_shm, ("direct",)),
    "no_processes": (no_processes, ("direct",)),
}


def parts(options):
    for number in range(options.rounds):
        for name, (run, ways) in LIMITS.items():
            for way in ways or WAYS:
                if options.only in (None, name) and options.way in (None, way):
                    yield (f"{name} {way}" + (f" #{number}" if number else ""),
                           lambda bench, r=run, w=way: r(bench, w))
