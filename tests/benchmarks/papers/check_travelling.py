#!/usr/bin/env python3
"""tc-perf library: its output for libraries that travel; never its speed.

    check_travelling.py TC_PERF rows PARTS    each part of the comma list
    check_travelling.py TC_PERF refuses       wrong options
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from check_tc_perf import check_env, check_spread, expect, expect_tail, run  # noqa: E402

DEADLINE_S = 60
PATHS = ["image", "bitcode", "bitcode-stored"]
STAGES = ["push", "first call", "total"]
LATENCY = ["latency_ns_p50", "latency_ns_p99", "latency_ns_p999", "latency_ns_max"]
TAIL = ["us_p50", "us_p99", "us_p999", "us_max"]


def check_pushes(rows, ratios):
    found = [(row["path"], row["stage"]) for row in rows]
    expect(found == [(path, stage) for path in PATHS for stage in STAGES], "a row for each", found)
    for row in rows:
        expect(list(row) == ["part", "path", "stage"] + TAIL, "seven members", list(row))
        expect_tail(row, "us")
        expect(row["us_p50"] > 0, "a time", row)
    for path in PATHS:
        expect(ratios.pop(f"{path}_total_to_goal", -1) >= 0, f"{path} beside its goal", ratios)


def check_calls(rows, ratios):
    expect([row["library"] for row in rows] == ["travelling", "host"], "both libraries", rows)
    for row in rows:
        expect(list(row) == ["part", "library"] + LATENCY + ["rate_per_s"], "seven members", list(row))
        expect_tail(row, "latency_ns")
        expect(row["latency_ns_p50"] > 0 and row["rate_per_s"] > 0, "figures", row)
    # 0.000 where one side waited for its turn on a processor.
    for name in ("latency", "rate"):
        expect(ratios.pop(f"travelling_to_host_{name}", -1) >= 0, f"a ratio of {name}", ratios)


def check_upgrades(rows, ratios):
    """tc-perf itself fails when a call was lost."""
    expect([row["turn"] for row in rows] == ["quiet", "upgraded"], "both turns", rows)
    for row in rows:
        expect(list(row) == ["part", "turn", "calls", "upgrades", "lost"] + TAIL, "nine members", list(row))
        expect(row["calls"] > 0 and row["us_p50"] > 0, "calls", row)
        expect_tail(row, "us")
    expect([(row["upgrades"], row["lost"]) for row in rows] == [(0, 0), (100, 0)], "100 upgrades, nothing lost", rows)
    for name in ("p50", "p99"):
        expect(ratios.pop(f"upgraded_to_quiet_{name}", -1) >= 0, f"a ratio of {name}", ratios)


CHECKS = {"push": check_pushes, "call": check_calls, "upgrade": check_upgrades}


def rows_of(tc_perf, parts):
    report = run([tc_perf, "library", "--pin", "none", "-n", "200", "-w", "20", "--rounds", "2", "--modes", parts])
    check_env(report, "library")
    check_spread(report)
    ratios = report["ratios"]
    for part in CHECKS:
        rows = [row for row in report["rows"] if row["part"] == part]
        expect(bool(rows) == (part in parts.split(",")), "the parts that were asked for", [row["part"] for row in report["rows"]])
        if rows:
            CHECKS[part](rows, ratios)
    expect(not ratios, "no other ratios", ratios)


def refuses(tc_perf):
    for options, text in ((["--modes", "pull"], "--modes 'pull': expected some of push,call,upgrade"), (["--rounds", "0"], "--rounds '0'")):
        done = subprocess.run([tc_perf, "library", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE_S, text=True)
        expect(done.returncode == 2 and text in done.stderr, f"2: {text}", (options, done))


def main():
    tc_perf, what, *rest = sys.argv[1:]
    {"rows": rows_of, "refuses": refuses}[what](tc_perf, *rest)


if __name__ == "__main__":
    main()
