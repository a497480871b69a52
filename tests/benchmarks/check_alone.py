#!/usr/bin/env python3
"""A tc-perf without the experiments of papers: its help has the others, and it knows none of theirs.

    check_alone.py TC_PERF PAPER_LIST_H
"""
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)


def expect(condition, text, found):
    if not condition:
        sys.exit(f"expected {text}, found {found}")


def main():
    tc_perf, listed = sys.argv[1:]
    with open(listed, encoding="utf-8") as file:
        papers = {name.replace("_", "-") for name in re.findall(r"row\((\w+)\)", file.read().split("PAPER_EXPERIMENTS(row)")[1])}
    text = run(tc_perf, "--help").stdout
    offered = set(re.findall(r"^  ([a-z-]+) ", text, re.MULTILINE))
    expect({"tsi", "call", "bandwidth", "wait", "first-call", "flood", "integrity", "plot"} <= offered, "what users measure", text)
    expect("dapc" in papers and not papers & offered, f"none of {sorted(papers)}", text)
    for name in sorted(papers) + ["member"]:
        done = run(tc_perf, name)
        expect(done.returncode == 2 and done.stderr, "exit status 2 and a reason", (name, done))
    done = run(tc_perf, "tsi", "--servers", "4")
    expect(done.returncode == 2 and "unknown option '--servers'" in done.stderr, "an option that it does not know", done)


if __name__ == "__main__":
    main()
