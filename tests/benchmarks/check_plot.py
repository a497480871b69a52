#!/usr/bin/env python3
"""Lets tc-perf draw a report of every experiment and checks that a drawing with the right labels comes out.

    check_plot.py TC_PERF draws     what gnuplot makes of each
    check_plot.py TC_PERF refuses   what is no report, and a machine without gnuplot
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
                    ["First calls", "saxpy jit-cold", "total", "time, p50 (microseconds)"]),
    "chase by depth": ("dapc", [chase(mode, 4, n) for n in (1, 4096) for mode in ("get", "am")],
                       ["Pointer Chasing", "get", "depth", "4096", "pointer chases per second"]),
    "chase by servers": ("dapc", [chase(mode, n, 64) for n in (1, 8) for mode in ("get", "am")], ["am", "servers"]),
    "chases at once": ("dapc", [chase("get", 4, 64, n, wait) for n in (1, 16) for wait in ("yield", "block")],
                       ["chases at once", "get yield", "get block"]),
    "flood": ("flood", [{"delivery": "am", "rate_per_s": 5e5, "again": 7}], ["am", "rate (million messages/s)"]),
    "integrity": ("integrity", [{"delivery": "direct", "seconds": 1.5}], ["direct", "time for all messages (s)"]),
    # Names are text to gnuplot, whatever they hold.
    "hostile": ("tsi", [tsi("x'`touch hit`\"\n@$(y)", "am", 1), tsi("END", "am", 2)], ["million messages/s"]),
}


def plot(tc_perf, folder, report, path=None):
    with open(f"{folder}/in.json", "w") as file:
        file.write(report if isinstance(report, str) else json.dumps(report))
    env = dict(os.environ, PATH=path) if path else None
    return subprocess.run([tc_perf, "plot", "in.json", "-o", "out.svg"], cwd=folder, env=env, stderr=subprocess.PIPE,
                          text=True, timeout=DEADLINE_S)


def report_of(experiment, rows):
    return {"experiment": experiment, "env": {"cpu": "Some'CPU"}, "rows": rows, "ratios": {}}


def expect(condition, text, found):
    if not condition:
        sys.exit(f"expected {text}, found {found}")


def draws(tc_perf, folder):
    for name, (experiment, rows, labels) in REPORTS.items():
        done = plot(tc_perf, folder, report_of(experiment, rows))
        expect(done.returncode == 0, f"{name}: exit status 0", done)
        texts = [node.toxml() for node in xml.dom.minidom.parse(f"{folder}/out.svg").getElementsByTagName("text")]
        for label in labels:
            expect(any(label in text for text in texts), f"{name}: the label {label}", texts)
    titled = subprocess.run([tc_perf, "plot", "in.json", "-o", "out.svg", "-t", "On 4 'servers'"], cwd=folder, timeout=DEADLINE_S)
    with open(f"{folder}/out.svg") as file:
        expect(titled.returncode == 0 and "On 4  servers" in file.read(), "the title given", titled)
    expect(sorted(os.listdir(folder)) == ["in.json", "out.svg"], "no other file", os.listdir(folder))


def refuses(tc_perf, folder):
    good = report_of("tsi", [tsi("cached", "am", 8)])
    for report, text in (("{", "in.json"), ("[]", "not of an experiment"), (report_of("x", []), "not of an experiment"),
                         (report_of("wait", []), "no row"), (report_of("tsi", 5), "no row"),
                         (report_of("tsi", [tsi("m%d" % n, "am", 1 + n) for n in range(30)]), "more rows")):
        done = plot(tc_perf, folder, report)
        expect(done.returncode == 1 and text in done.stderr, text, done)
    done = plot(tc_perf, folder, good, path="/nonexistent")
    expect(done.returncode == 1 and "gnuplot-nox" in done.stderr, "the package's name", done)
    expect(os.listdir(folder) == ["in.json"], "no drawing", os.listdir(folder))
    done = subprocess.run([tc_perf, "plot", "in.json", "-o", "out.svg", "-t"], cwd=folder, stderr=subprocess.PIPE, timeout=DEADLINE_S)
    expect(done.returncode == 2, "a title behind -t", done)
    usage = subprocess.run([tc_perf, "plot", "in.json"], stderr=subprocess.PIPE, timeout=DEADLINE_S)
    expect(usage.returncode == 2, "exit status 2", usage)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        {"draws": draws, "refuses": refuses}[sys.argv[2]](sys.argv[1], directory)
