#!/usr/bin/env python3
"""tc-perf tail: its output, and that no program which it started outlives it.

    check_tail.py TC_PERF rows FUNCTION DELIVERY LOADS SIZES   every mode and placement; never how fast anything was
    check_tail.py TC_PERF stressor    stress-ng where there is one, with the processes that it starts
    check_tail.py TC_PERF killed      the load ends with a tc-perf that was killed
    check_tail.py TC_PERF refuses     wrong options, a load that ended by itself
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from check_tc_perf import check_env, check_spread, expect, expect_tail, run  # noqa: E402

DEADLINE_S = 60
FEW = ["--pin", "none", "-n", "100", "-w", "200", "--rounds", "2"]
RING = "16K"  # that many messages go through it several times
MEMBERS = ["load", "load_by", "function", "mode", "delivery", "placement", "payload_bytes", "frame_bytes", "samples", "latency_ns_p50",
           "latency_ns_p99", "latency_ns_p999", "latency_ns_max", "tail_spread", "round_p50_ns"]
PLACED = [("am", "cache"), *((mode, place) for mode in ("cached", "inject") for place in ("cache", "own", "memory"))]
# It leaves a child behind that would run on, and prints the ids of both.
FAKE = """#!/bin/sh
echo "$*" >"$FAKE_FOLDER/args"
sleep 1000 &
echo "$$ $!" >"$FAKE_FOLDER/pids"
wait
"""


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def expect_ends(pids):
    end = time.monotonic() + DEADLINE_S
    while any(map(is_alive, pids)):
        expect(time.monotonic() < end, "processes of the load to end", [pid for pid in pids if is_alive(pid)])
        time.sleep(0.05)


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


def check_figures(row, function):
    expect(row["function"] == function and row["samples"] == 100, "every sample", row)
    expect_tail(row, "latency_ns")
    p50, p999 = row["latency_ns_p50"], row["latency_ns_p999"]
    expect(abs(row["tail_spread"] - (p999 - p50) / p50) < 0.01 + 0.01 * row["tail_spread"], "the spread of p99.9", row)
    more = ["rate_per_s", "seen_share"] if row["mode"] != "am" else []
    expect(list(row) == MEMBERS + more, MEMBERS + more, list(row))
    expect(all(row[name] > 0 for name in more[:1]), "a rate", row)
    # After the first lap of a ring the receiver knows where frames come.
    expect(row["placement"] == "cache" or row["seen_share"] > 0.5, "most frames to be moved", row)


def check_ratios(report, delivery, loads, sizes):
    """One of each kind, with the first payload and the last load."""
    payload, load = f"_{sizes[0]}" if len(sizes) > 1 else "", loads[-1]
    names = [f"{load}_to_none_p999_cached_cache", f"inject_to_am_latency_cache_{load}"]
    names += [f"memory_to_cache_rate_inject_{load}", "memory_to_own_latency_cached_none"] if delivery == "direct" else []
    for name in (name + payload for name in names):
        expect(report["ratios"].get(name, -1) >= 0, name, report["ratios"])  # 0.000 where quiet was not quiet


def check_rows(report, function, delivery, loads):
    check_env(report, "tail")
    check_spread(report)
    sizes = report["env"]["options"]["sizes"]
    rows = [(row["payload_bytes"], row["load"], row["mode"], row["placement"]) for row in report["rows"]]
    expect(rows == [(size, load, *placed) for size in sizes for load in loads for placed in PLACED], "a row for each", rows)
    for row in report["rows"]:
        expect(row["delivery"] == ("am" if row["mode"] == "am" else delivery), "the delivery", row)
        if "skipped" in row:
            expect(delivery != "direct" and row["placement"] != "cache", "placements over shared memory", row)
            continue
        expect(row["load_by"] == ("none" if row["load"] == "none" else "own"), "who the load is", row)
        check_figures(row, function)
    check_ratios(report, delivery, loads, sizes)


def rows_of(tc_perf, function, delivery, loads, sizes):
    report = run([tc_perf, "tail", *FEW, "--load", loads, "--stressor", "own", "-s", sizes, "--placement", "cache,own,memory", "--function", function, "--delivery", delivery])
    check_rows(report, function, delivery, loads.split(","))


def with_fake(folder, script=FAKE):
    path = os.path.join(folder, "stress-ng")
    with open(path, "w", encoding="ascii") as file:
        file.write(script)
    os.chmod(path, 0o755)
    return dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", FAKE_FOLDER=folder)


def read(folder, name):
    with open(os.path.join(folder, name), encoding="ascii") as file:
        return file.read().strip()


def stressor(tc_perf):
    with tempfile.TemporaryDirectory() as folder:
        for load, args in (("vm", "--class vm --all 1"), ("cpu", "--cpu 2")):
            done = subprocess.run([tc_perf, "tail", *FEW, "--load", load, "--modes", "cached"], env=with_fake(folder),
                                  stdout=subprocess.PIPE, timeout=DEADLINE_S, text=True)
            expect(done.returncode == 0 and "load: stress-ng" in done.stdout, "a run beside it", done)
            expect(read(folder, "args") == args, args, read(folder, "args"))
            expect_ends([int(pid) for pid in read(folder, "pids").split()])


def killed(tc_perf):
    process = subprocess.Popen([tc_perf, "tail", "--pin", "none", "--load", "vm,cpu", "--stressor", "own"], stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + DEADLINE_S
        while len(pids := children_of(process.pid)) < 5:  # two of each load, and the target
            expect(time.monotonic() < end and process.poll() is None, "five processes", pids)
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    expect_ends(pids)


def expect_refusal(tc_perf, status, text, *options, **more):
    done = subprocess.run([tc_perf, "tail", *FEW, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE_S, text=True, **more)
    expect(done.returncode == status and text in done.stderr, f"{status}: {text}", (options, done))


def refuses(tc_perf):
    for options, text in ((["--load", "disk"], "--load 'disk': expected LIST"), (["--placement", "l2"], "--placement 'l2'"),
                          (["--modes", "uncached"], "--modes 'uncached': expected some of am,cached,inject"),
                          (["--function", "tsi"], "expected NAME, the function: iput or ssum"), (["-s", "8"], "--size '8'"),
                          (["-s", "32K"], "--size '32K'"), (["--delivery", "direct,am"], "expected one delivery"),
                          (["-n", "1"], "no more rounds than iterations")):
        expect_refusal(tc_perf, 2, text, *options)
    with tempfile.TemporaryDirectory() as folder:
        expect_refusal(tc_perf, 1, "--stressor stress-ng: found none", "--load", "vm", "--stressor", "stress-ng", env=dict(os.environ, PATH=folder))
        expect_refusal(tc_perf, 1, "found that it has ended", "--load", "vm", env=with_fake(folder, "#!/bin/sh\nexit 3\n"))


def main():
    tc_perf, what, *rest = sys.argv[1:]
    os.environ["TC_RING_BYTES"] = RING
    {"rows": rows_of, "stressor": stressor, "killed": killed, "refuses": refuses}[what](tc_perf, *rest)


if __name__ == "__main__":
    main()
