#!/usr/bin/env python3
"""tc-perf on two pairs of processors that take turns, --pin A,B:C,D: so many rounds on each.

    check_pairs.py TC_PERF
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_tc_perf import expect, run, take_machine  # noqa: E402

SKIPPED = 77
FEW = ["-n", "100", "-w", "10", "--rounds", "2"]


def refused(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    expect(done.returncode == 2 and "--pin" in done.stderr, "a refusal", (command, done))


def main():
    tc_perf = sys.argv[1]
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        print("one processor")
        sys.exit(SKIPPED)
    first, last = cpus[0], cpus[-1]
    pairs = f"{first},{last}:{last},{first}"
    for experiment in (["tsi", "--modes", "bare,cached", "-s", "1,8"], ["call", "--modes", "am,start", "-O", "1,8"]):
        report = run([tc_perf, *experiment, *FEW, "--pin", pairs])
        expect(report["pairs"] == [[first, last], [last, first]], "both pairs", report["pairs"])
        expect(all(row["rounds"] == 4 for row in report["rows"]), "two rounds on each", report["rows"])
        expect(sum(report["placement_rounds"].values()) == 8, "four rounds of two points", report["placement_rounds"])
        take_machine(report)
    for wrong in (f"{first},{last}:", f"{first}:{last}", f":{first},{last}", f"{first},{last}:{first},{last}:{first},{last}", f"{first},{last}:0,99999"):
        refused(tc_perf, "tsi", *FEW, "--pin", wrong)
    refused(tc_perf, "tasks", "--pin", pairs)
    refused(tc_perf, "tsi", "--ring-bytes", "4K", "--pin", pairs)


if __name__ == "__main__":
    main()
