#!/usr/bin/env python3
"""Lets tc-perf draw a report of every experiment and checks that a drawing with the right labels comes out.

    check_plot.py TC_PERF draws     each is drawn; exit status 77 where there is no matplotlib
    check_plot.py TC_PERF refuses   what is no report, and a machine without matplotlib
"""
import json
import os
import subprocess
import sys
import tempfile
import xml.dom.minidom

DEADLINE_S = 30


def tsi(mode, delivery, size, **more):
    return {"mode": mode, "delivery": delivery, "payload_bytes": size, "frame_bytes": size + 16,
            "latency_ns_p50": 100.0 + size, "latency_ns_p99": 200.0 + size, "rate_per_s": 1e8 / size, **more}


def wait(policy, processes):
    return {"policy": policy, "processes": processes, "idle_cpu_pct": 0.5, "wakeup_us_p50": 40, "wakeup_us_p99": 90,
            "rate_per_s": 1e6 * processes}


def chase(mode, servers, depth, inflight=1, wait="adaptive"):
    return {"mode": mode, "servers": servers, "depth": depth, "inflight": inflight, "wait": wait,
            "chases_per_s": 1e5 / depth}


SKIPPED = {"mode": "cached", "delivery": "am", "payload_bytes": 1 << 20, "skipped": "too large"}
REPORTS = {
    "one payload": ("tsi", [tsi("bare", "none", 8), tsi("cached", "am", 8)], ["cached am", "p99", "microseconds"]),
    "sweep": ("tsi", [tsi("bare", "none", 8), tsi("cached", "am", 1), tsi("cached", "am", 4096), SKIPPED],
              ["cached am", "payload (bytes)", "half round trip, p50 (microseconds)", "million messages/s"]),
    "server-side sum": ("ssum", [tsi(mode, "direct", n) for n in (16, 64) for mode in ("cached", "inject", "local")],
                        ["Server-Side Sum", "inject direct", "local direct", "payload (bytes)",
                         "half round trip, p50 (microseconds)", "rate (million messages/s)"]),
    "indirect put": ("iput", [tsi("inject", "am", 16), tsi("local", "am", 16)],
                     ["Indirect Put", "local am", "half round trip (microseconds)"]),
    "senders": ("tsi", [{"mode": "cached", "delivery": "direct", "senders": n, "payload_bytes": 8, "rate_per_s": 1e7}
                        for n in (1, 16)], ["cached direct", "senders", "total rate (million messages/s)"]),
    "wait": ("wait", [wait(policy, n) for policy in ("spin", "block") for n in (2, 16)],
             ["spin", "block", "p50", "wake-up (microseconds)", "processes, in pairs"]),
    "first calls": ("first-call", [{"function": name, "path": path, "stage": stage, "us_p50": 0 if stage == "parse" else 3.5}
                                   for name in ("tsi", "saxpy") for path in ("image", "jit-cold")
                                   for stage in ("parse", "total")],
                    ["First calls", "saxpy", "jit-cold", "total", "time, p50 (microseconds)"]),
    "intrusion": ("first-call", [{"turn": turn, "calls": 9, "functions": 5, "us_p50": 1, "us_p99": 2} for turn in ("quiet", "intruded")],
                  ["quiet", "intruded", "p99", "cached call (microseconds)"]),
    "bandwidth": ("bandwidth", [{"mode": mode, "delivery": mode, "payload_bytes": n, "mb_per_s": 9.5} for n in (4096, 1 << 20)
                                for mode in ("put", "am")], ["put", "4K", "1M", "bandwidth (MB/s)"]),
    "poll": ("poll", [{"delivery": "direct", "peers": n, "turn_ns": 5.5 * n} for n in (1, 256)],
             ["direct", "256", "one tc_progress (ns)"]),
    "chase by depth and servers": ("dapc", [chase("get", servers, n) for n in (1, 64) for servers in (2, 8)],
                                   ["get 8 servers", "depth (entries of a chase)"]),
    "chase by depth": ("dapc", [chase(mode, 4, n) for n in (1, 4096) for mode in ("get", "am")],
                       ["Pointer Chasing", "get", "depth", "4096", "pointer chases per second"]),
    "chase by servers": ("dapc", [chase(mode, n, 64) for n in (1, 8) for mode in ("get", "am")], ["am", "servers"]),
    "chases at once": ("dapc", [chase("get", 4, 64, n, wait) for n in (1, 16) for wait in ("yield", "block")],
                       ["chases at once", "get yield", "get block"]),
    "flood": ("flood", [{"delivery": "am", "rate_per_s": 5e5, "again": 7}], ["am", "rate (million messages/s)"]),
    "integrity": ("integrity", [{"delivery": "direct", "seconds": 1.5}], ["direct", "time for all messages (s)"]),
    # Names are text, whatever they hold.
    "hostile": ("tsi", [tsi("x'`touch hit`\"\n@$(y)", "am", 1), tsi("END", "am", 2)], ["million messages/s"]),
}


def plot(tc_perf, folder, report, **environment):
    with open(f"{folder}/in.json", "w") as file:
        file.write(report if isinstance(report, str) else json.dumps(report))
    return run(tc_perf, folder, "in.json", "-o", "out.svg", **environment)


def run(tc_perf, folder, *arguments, **environment):
    return subprocess.run([tc_perf, "plot", *arguments], cwd=folder, env=dict(os.environ, **environment), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=DEADLINE_S)


def report_of(experiment, rows):
    return {"experiment": experiment, "env": {"cpu": "Some'CPU"}, "rows": rows, "ratios": {}}


def expect(condition, text, found):
    if not condition:
        sys.exit(f"expected {text}, found {found}")


def need_matplotlib(tc_perf):
    done = run(tc_perf, ".", "--help")
    if "python3-matplotlib" in done.stderr:
        print(f"skipped: {done.stderr}")
        sys.exit(77)
    expect(done.returncode == 0 and "FILE.json" in done.stdout, "a help", done)


def draws(tc_perf, folder):
    need_matplotlib(tc_perf)
    for name, (experiment, rows, labels) in REPORTS.items():
        done = plot(tc_perf, folder, report_of(experiment, rows))
        expect(done.returncode == 0, f"{name}: exit status 0", done)
        texts = [node.toxml() for node in xml.dom.minidom.parse(f"{folder}/out.svg").getElementsByTagName("text")]
        for label in labels + ["Some'CPU"]:
            expect(any(label in text for text in texts), f"{name}: the label {label}", texts)
    titled = run(tc_perf, folder, "in.json", "-o", "out.png", "-t", "On 4 $servers")
    with open(f"{folder}/out.png", "rb") as file:
        expect(titled.returncode == 0 and file.read(4) == b"\x89PNG", "a picture with a title", titled)
    expect(sorted(os.listdir(folder)) == ["in.json", "out.png", "out.svg"], "no other file", os.listdir(folder))


def refuses(tc_perf, folder):
    good = report_of("tsi", [tsi("cached", "am", 8)])
    os.mkdir(f"{folder}/none")
    with open(f"{folder}/none/matplotlib.py", "w") as file:
        file.write("raise ImportError")
    for where in ({"PATH": "/nonexistent"}, {"PYTHONPATH": f"{folder}/none"}):
        done = plot(tc_perf, folder, good, **where)
        expect(done.returncode == 1 and "python3-matplotlib" in done.stderr, "the package's name", done)
    need_matplotlib(tc_perf)
    for report, text in (("{", "in.json"), ("[]", "not of an experiment"), (report_of("x", []), "not of an experiment"),
                         (report_of("wait", []), "no row"), (report_of("tsi", 5), "no row"),
                         (report_of("poll", [{"peers": "many", "turn_ns": 1}, 7]), "no row")):
        done = plot(tc_perf, folder, report)
        expect(done.returncode == 1 and text in done.stderr and "Traceback" not in done.stderr, text, done)
    plot(tc_perf, folder, "{")
    for arguments, text in ((("in.json", "-o", "none/x/out.svg"), "in.json"), (("missing", "-o", "out.svg"), "missing"),
                            (("in.json", "-o", "out.unknown"), "in.json")):
        done = run(tc_perf, folder, *arguments)
        expect(done.returncode == 1 and text in done.stderr and "Traceback" not in done.stderr, text, done)
    expect(sorted(os.listdir(folder)) == ["in.json", "none"], "no drawing", os.listdir(folder))
    for arguments in (("in.json", "-o", "out.svg", "-t"), ("in.json",)):
        done = run(tc_perf, folder, *arguments)
        expect(done.returncode == 2, "exit status 2", done)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        {"draws": draws, "refuses": refuses}[sys.argv[2]](sys.argv[1], directory)
