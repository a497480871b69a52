#!/usr/bin/env python3
"""The modes of tc-perf call that measure other systems: their rows, and that their processes end.

    check_call_peers.py rows TC_PERF MODE...      every mode, beside the library's; tc-perf itself has checked the replies
    check_call_peers.py killed TC_PERF MODE...    nothing outlives a tc-perf, a target, an mpirun or a rank that was killed
    check_call_peers.py missing TC_PERF           a build without them names the missing one, and the reason
    check_call_peers.py rest PROGRAM MPIRUN       tc-perf-mpi: its answers, and that it sleeps between orders
"""
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_tc_perf import NUMBERS, check_env, check_spread, expect, expect_tail, run, take_machine  # noqa: E402

DEADLINE_S = 60
FEW = ["--pin", "none", "-n", "100", "-w", "10", "--rounds", "2"]
BLOCKING = ("rpc", "rpc-null", "rpc-unix", "call")
SYSTEMS = {"mpi": "mpi", "mpi-tcp": "mpi", "mpich": "mpich", "mpich-tcp": "mpich", "rpc": "rpc", "rpc-null": "rpc", "rpc-unix": "rpc", "zmq": "zmq"}
LONG = ["--pin", "none", "-n", "10000000", "-w", "1", "--rounds", "1", "-O", "1"]
# benchmarks/mpi_words.h
VERSION = 0x6d70692d33
HELLO, ORDER, ANSWER = struct.Struct("=QQ64s"), struct.Struct("=QQQQQ"), struct.Struct("=QQQ")
CALLS, ECHOES, MESSAGES = range(3)


def stat_of(pid):
    """Returns the state of a process, its parent, and its time on processors; or None."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            words = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return words[0], int(words[1]), int(words[11]) + int(words[12])


def is_alive(pid):
    stat = stat_of(pid)
    return stat is not None and stat[0] not in "ZX"


def descendants(pid):
    """Returns the ids of all processes below one; by parents, as threads may have started them."""
    parents = {int(name): stat_of(name) for name in os.listdir("/proc") if name.isdigit()}
    found = [pid]
    for at in found:
        found += [child for child, stat in parents.items() if stat is not None and stat[1] == at]
    return found[1:]


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def expect_ends(pids):
    end = time.monotonic() + DEADLINE_S
    while any(map(is_alive, pids)):
        expect(time.monotonic() < end, "processes to end", [(pid, name_of(pid)) for pid in pids if is_alive(pid)])
        time.sleep(0.05)


# --- rows ----------------------------------------------------------------------------------------


def check_rows(tc_perf, modes, size):
    own = ["call", "start"]
    report = run([tc_perf, "call", *FEW, "-O", "1,8", "-s", str(size), "--modes", ",".join(["am", *modes, *own])])
    take_machine(report)
    check_env(report, "call")
    check_spread(report)
    rows = [(row["outstanding"], row["mode"]) for row in report["rows"]]
    expect(rows == [(n, mode) for n in (1, 8) for mode in ("am", *modes, *own) if n == 1 or mode not in BLOCKING],
           "a row for each", rows)
    for row in report["rows"]:
        least = 0 if row["mode"] == "rpc-null" else size
        expect(row["payload_bytes"] == least and row["frame_bytes"] >= least, f"{least} bytes", row)
        expect(all(row[name] > 0 for name in NUMBERS if name != "payload_bytes"), "positive numbers", row)
        expect_tail(row, "latency_ns")
    names = {f"{over}_to_{under}_{what}_o{n}" for n in (1, 8) for over in own for under in ("am", *modes)
             for what in ("latency", "rate") if n == 1 or not {over, under} & set(BLOCKING)}
    names |= {f"{over}_to_fastest_{what}_o{n}" for n in (1, 8) for over in own for what in ("latency", "rate")
              if n == 1 or over not in BLOCKING and len({"am", *modes} - set(BLOCKING)) > 1}
    expect(set(report["ratios"]) == names, sorted(names), sorted(report["ratios"]))
    versions = report["env"]["versions"]
    expect({SYSTEMS[mode] for mode in modes} <= set(versions), "versions of what was measured", versions)


def check_messages(tc_perf, modes):
    """Messages beside those of tsi."""
    report = run([tc_perf, "tsi", *FEW, "-s", "1,100", "--modes", ",".join([*modes, "cached"])])
    take_machine(report)
    check_env(report, "tsi")
    expect([(row["payload_bytes"], row["mode"]) for row in report["rows"]] == [(n, mode) for n in (1, 100) for mode in ("cached", *modes)],
           "a row for each", report["rows"])
    expect(all(row["frame_bytes"] == row["payload_bytes"] for row in report["rows"] if row["mode"] in modes), "bytes", report["rows"])
    names = {f"cached_to_{mode}_{what}_{n}" for n in (1, 100) for mode in modes for what in ("latency", "rate")}
    expect(names <= set(report["ratios"]), sorted(names), sorted(report["ratios"]))
    versions = report["env"]["versions"]
    expect({SYSTEMS[mode] for mode in modes} <= set(versions), "versions of MPI", versions)
    expect("MPICH" in versions.get("mpich", "MPICH"), "MPICH", versions)


def rows(tc_perf, *modes):
    for size in (1001, 4096):
        check_rows(tc_perf, modes, size)
    messages = [mode for mode in modes if mode.startswith("mpi")]
    if messages:
        check_messages(tc_perf, messages)


# --- killed --------------------------------------------------------------------------------------


def start_long(tc_perf, mode, folder):
    """Starts a measurement of minutes, and returns it with the processes below it."""
    process = subprocess.Popen([tc_perf, "call", *LONG, "--modes", mode], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, env=dict(os.environ, TMPDIR=folder))
    wanted = 4 if mode.startswith("mpi") else 1  # the target, mpirun and two ranks
    end = time.monotonic() + DEADLINE_S
    while len(found := descendants(process.pid)) < wanted:
        expect(process.poll() is None and time.monotonic() < end, f"{wanted} processes of {mode}", found)
        time.sleep(0.02)
    time.sleep(0.5)  # into the measurement
    return process, descendants(process.pid)


def killed_one(tc_perf, mode, which, folder):
    """Of `which` processes one is killed; tc-perf reports that, unless it is itself the one."""
    process, others = start_long(tc_perf, mode, folder)
    try:
        target = [pid for pid in others if stat_of(pid)[1] == process.pid and name_of(pid) == name_of(process.pid)]
        ranks = [pid for pid in others if name_of(pid) in ("tc-perf-mpi", "tc-perf-mpich")]
        victim = {"source": [process.pid], "target": target, "rank": ranks,
                  "mpirun": [pid for pid in others if pid not in target + ranks]}[which][0]
        os.kill(victim, signal.SIGKILL)
        _, err = process.communicate(timeout=DEADLINE_S)
        expect(process.returncode == (-signal.SIGKILL if which == "source" else 1), "a failure", (which, process.returncode, err))
        expect(which == "source" or "tc-perf: " in err, "a complaint", err)
        expect_ends(others)
        print(f"{mode}: {which} killed:", *err.splitlines()[-1:])
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def killed(tc_perf, *modes):
    with tempfile.TemporaryDirectory() as folder:  # an mpirun that was killed leaves files
        for mode in modes:
            if mode != "rpc-null":
                for which in ("source", "target", *(("mpirun", "rank") if mode in ("mpi", "mpich") else ())):
                    killed_one(tc_perf, mode, which, folder)


# --- missing -------------------------------------------------------------------------------------


def missing(tc_perf):
    lacks = {mode: system.upper() for mode, system in SYSTEMS.items()}
    for mode, system in {**lacks, "typed": "libclang", "typed-doubles": "libclang"}.items():
        done = subprocess.run([tc_perf, "call", "--modes", f"am,{mode}"], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=DEADLINE_S, check=False)
        expect(done.returncode == 2, "exit status 2", done)
        expect(done.stderr == f"tc-perf: --modes {mode}: not in this build: no {system} here\n", "which, and why", done)
    done = subprocess.run([tc_perf, "tsi", "--modes", "cached,mpi"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=DEADLINE_S, check=False)
    expect((done.returncode, done.stderr) == (2, "tc-perf: --modes mpi: not in this build: no MPI here\n"), "which, and why", done)


# --- rest ----------------------------------------------------------------------------------------


def receive(link, size):
    got = b""
    while len(got) < size:
        part = link.recv(size - len(got))
        expect(part, "an answer", "the end of the link")
        got += part
    return got


def order(links, kind, count, window, size):
    """Returns the ticks of each round trip."""
    for link in links.values():
        link.sendall(ORDER.pack(kind, count, window, size, kind != MESSAGES))
    took_ns, is_wrong, _ = ANSWER.unpack(receive(links[0], ANSWER.size))
    expect(took_ns > 0 and is_wrong == 0, "right messages", (took_ns, is_wrong))
    ticks = struct.unpack(f"={count}Q", receive(links[0], 8 * count)) if kind != MESSAGES else ()
    expect(ANSWER.unpack(receive(links[1], ANSWER.size))[1] == 0, "right messages at rank 1", count)
    return ticks


def expect_sleep(ranks):
    time.sleep(0.2)
    before = [stat_of(pid)[2] for pid in ranks]
    states = []
    for _ in range(20):
        time.sleep(0.05)
        states += [stat_of(pid)[0] for pid in ranks]
    after = [stat_of(pid)[2] for pid in ranks]
    expect(set(states) == {"S"}, "ranks asleep", states)
    expect(all(b - a <= 1 for a, b in zip(before, after)), "no time on processors", (before, after))


def rest(program, mpirun):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    alone = subprocess.run([program], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    expect(alone.returncode == 2 and "part of tc-perf" in alone.stderr, "what it is for", alone)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("")
        listener.listen(2)
        listener.settimeout(DEADLINE_S)
        name = listener.getsockname()[1:].decode()
        job = subprocess.Popen([mpirun, "--oversubscribe", "--bind-to", "none", "-n", "2", program, name, "-1", "-1"],
                               stdin=subprocess.DEVNULL, env=environment)
        try:
            links = {}
            for _ in range(2):
                link, _ = listener.accept()
                link.settimeout(DEADLINE_S)
                version, rank, library = HELLO.unpack(receive(link, HELLO.size))
                expect(version == VERSION and b"MPI" in library, "a hello", (version, library))
                links[rank] = link
            ranks = [pid for pid in descendants(job.pid) if name_of(pid) == "tc-perf-mpi"]
            expect(len(ranks) == 2 and sorted(links) == [0, 1], "two ranks", (ranks, links))
            for what in ((CALLS, 50, 1, 8), (CALLS, 50, 16, 4096), (CALLS, 3, 64, 17), (ECHOES, 50, 1, 1), (ECHOES, 20, 1, 5000),
                         (MESSAGES, 1000, 64, 3), (MESSAGES, 3, 64, 100)):
                expect_sleep(ranks)
                expect(all(0 < ticks < 1 << 62 for ticks in order(links, *what)), "ticks of each", what)
            for link in links.values():  # without an order to end
                link.close()
            expect_ends(ranks)
            expect(job.wait(timeout=DEADLINE_S) != 0, "a failure", job.returncode)
        finally:
            job.terminate()  # which mpirun hands on to its ranks
            job.wait(timeout=DEADLINE_S)


if __name__ == "__main__":
    {"rows": rows, "killed": killed, "missing": missing, "rest": rest}[sys.argv[1]](*sys.argv[2:])
