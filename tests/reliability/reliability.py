#!/usr/bin/env python3
"""Tests of the promises in docs/reliability.md: the short form in CTest, the long one by
scripts/reliability.sh.

    reliability.py BUILD PART [--long] [--only NAME] [--way WAY] [--seed N] [--seconds S] [--rounds N] [--messages N]
                   [--cell PATTERN] [--load N] [--json FILE] [--list]

PART is matrix, attacks, limits or traffic. Each has cells, which are named as they run; a cell's figures follow it. At the
end stand a table of the worst and, of each cell that failed, the expected and the actual result, and the processes' output.
Ends with 1 when a cell failed, with 77 when all were skipped.
"""
import argparse
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import traceback

import attacks
import limits
import matrix
import traffic
from bench import Bench, LeftByUcx, Skipped, use_build

PARTS = {"matrix": matrix, "attacks": attacks, "limits": limits, "traffic": traffic}
LOG_CHARACTERS = 3000  # of the output of each process of a failed cell
# For cells in which UCX ended a process by an assertion of its own: UCX 1.13 does so in one of five runs when a source is killed
# while it connects by address over sockets ("got REP message").
TRIES = 6


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--long", action="store_true", help="every cell, in place of a spread")
    parser.add_argument("--only", help="a victim, a scenario or a limit")
    parser.add_argument("--way", help="a delivery")
    parser.add_argument("--cell", help="a regular expression for names, which --list shows")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3, help="of each attack")
    parser.add_argument("--rounds", type=int, default=1, help="of all cells")
    parser.add_argument("--messages", type=int, default=200000, help="of traffic, on each way")
    parser.add_argument("--load", type=int, default=0, help="so many processes that compute beside it")
    parser.add_argument("--json", help="a file for the figures of all cells")
    parser.add_argument("--list", action="store_true", help="the names of the cells")
    return parser.parse_args()


def victims(processes):
    """Those that a signal of their own ended. One writes a while before it ends."""
    time.sleep(1)
    return [process for process in processes if (process.process.poll() or 0) < 0
            and process.process.returncode not in (-signal.SIGKILL, -signal.SIGTERM)]


def account(process):
    """A process's state, and the end of its output; for one that a signal ended the beginning of its report too."""
    status = process.process.poll()
    how = "runs" if status is None else f"ended with {status}" if status >= 0 else f"ended by signal {-status}"
    logs = [("out", process.out), ("err", process.err)]
    if status not in (None, 0, -signal.SIGKILL) and len(process.err) > 2 * LOG_CHARACTERS:
        logs.insert(1, ("err, begin", process.err[-8000:][:LOG_CHARACTERS]))
    return "\n".join([f"{process}, process {process.pid}, {how}",
                      *(f"  {name}: {text[-LOG_CHARACTERS:].rstrip()}" for name, text in logs if text)])


def run_once(options, number, run):
    """The figures of one cell, or the reason why there are none."""
    bench = Bench(options.seed * 1000003 + number)
    try:
        return {"status": "ok", **(run(bench) or {})}
    except Skipped as why:
        return {"status": "skipped", "text": str(why)}
    except Exception as failure:  # a mistake of the test's own is a failure of its cell, and the others run
        by_ucx = isinstance(failure, LeftByUcx) or any(process.died_of_ucx() for process in victims(bench.processes))
        where = traceback.extract_tb(failure.__traceback__)
        path = " > ".join(f"{frame.name}:{frame.lineno}" for frame in where if "unittest" not in frame.filename)
        return {"status": "ucx" if by_ucx else "failed", "text": f"{type(failure).__name__}: {str(failure)[:LOG_CHARACTERS]}\n({path})",
                "log": "\n".join(map(account, bench.processes))}
    finally:
        bench.doCleanups()


def run_cell(options, number, run):
    for left in reversed(range(TRIES)):
        begin = time.monotonic()
        result = run_once(options, number, run)
        if result["status"] != "ucx" or left == 0:
            return {**result, "seconds": round(time.monotonic() - begin, 2)}
    return None


def indented(text):
    return "        " + text.replace("\n", "\n        ")


def show(name, result):
    figures = ", ".join(f"{key} {value}" for key, value in result.items()
                        if key not in ("status", "text", "log", "seconds") and value is not None)
    print(f"{result['status']:8}{name}  {figures}  ({result['seconds']} s)", flush=True)
    if result.get("text"):
        print(indented(result["text"]), flush=True)


def machine():
    """The parts of it that a failure may depend on."""
    shm = os.statvfs("/dev/shm")
    limits = {name: resource.getrlimit(getattr(resource, "RLIMIT_" + name))[0] for name in ("NOFILE", "MEMLOCK", "AS", "NPROC")}
    with open("/proc/sysvipc/shm", encoding="ascii") as table:
        segments = len(table.readlines()) - 1
    return (f"user {os.geteuid()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {limits}, /dev/shm "
            f"{shm.f_bavail * shm.f_frsize >> 20} of {shm.f_blocks * shm.f_frsize >> 20} MB free in "
            f"{len(os.listdir('/dev/shm'))} files, {segments} segments, Linux {os.uname().release}")


def show_failures(results):
    """At the end, for readers of only the end of a log: all logs first, then all reasons."""
    failed = {name: result for name, result in results.items() if result["status"] in ("failed", "ucx")}
    for name, result in failed.items():
        print(f"\n--- the processes of {name}\n{indented(result['log'])}")
    if failed:
        print(f"\nthis machine: {machine()}")
    for name, result in failed.items():
        print(f"{result['status']}: {name}\n{indented(result['text'])}", flush=True)


def show_worst(results):
    """Each figure's largest value, and its cell."""
    worst = {}
    for name, result in results.items():
        for key, value in result.items():
            if isinstance(value, (int, float)) and key != "seconds" and value >= worst.get(key, (value,))[0]:
                worst[key] = (value, name)
    print("\n| figure | worst | in |\n|---|---|---|")
    for key, (value, name) in sorted(worst.items()):
        print(f"| {key} | {value} | {name} |")
    counts = {}
    for result in results.values():
        counts[result["status"]] = counts.get(result["status"], 0) + 1
    print(f"\n{len(results)} cells: " + ", ".join(f"{n} {status}" for status, n in sorted(counts.items())))
    return counts


def main():
    options = arguments()
    use_build(options.build)
    cells = [(name, run) for name, run in PARTS[options.part].parts(options) if re.search(options.cell or "", name)]
    if options.list:
        print("\n".join(name for name, _ in cells))
        return 0
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.load)]
    results = {}
    try:
        for number, (name, run) in enumerate(cells):
            print(f"[{number + 1}/{len(cells)}] ", end="")
            results[name] = run_cell(options, number, run)
            show(name, results[name])
    finally:
        for process in load:
            process.kill()
            process.wait()
    counts = show_worst(results)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"part": options.part, "seed": options.seed, "cells": results}, file, indent=1)
    show_failures(results)
    if counts.get("failed") or counts.get("ucx"):
        return 1
    return 77 if counts.get("skipped") == len(results) else 0


if __name__ == "__main__":
    sys.exit(main())
