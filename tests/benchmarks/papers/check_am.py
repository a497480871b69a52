#!/usr/bin/env python3
"""Active messages after the paper on generalized ones: every way finds and adds the same.

    check_am.py alone TC_PERF              all parts of tc-perf am
    check_am.py refuses TC_PERF            wrong arguments
    check_am.py mpi MPIRUN PROGRAM         all ways of mpi-am-bench, under that MPI

Behaviour alone: no time is compared with another.
"""

import json
import os
import subprocess
import sys
import tempfile

DEADLINE_S = 120
PARTS = "single,hundred,rate,units,credit,ordering,origins"
HUNDRED = {"search": {"am", "am-concurrent", "call", "window", "view", "function"},
           "sum": {"am", "am-concurrent", "am-atomic", "call", "window", "view", "function"},
           "accumulate": {"am", "am-concurrent", "am-atomic", "window", "view", "function"}}
MPI_HUNDRED = {"mpi-server", "mpi-server-each", "mpi-server-many", "mpi-window", "mpi-window-created"}
MPI_SUMS = {"mpi-accumulate", "mpi-accumulate-created"}


def report_of(command, environment=None):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "am.json")
        done = subprocess.run([*command, "--json", path], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=2 * DEADLINE_S, check=False)
        assert done.returncode == 0, f"status {done.returncode}: {done.stdout}{done.stderr}"
        with open(path, encoding="utf-8") as file:
            return json.load(file), done.stdout


def check_rows(report, table):
    for row in report["rows"]:
        assert row["verified"] is True and row["ns"] > 0 and row["least_ns"] > 0 and row["segments_per_s"] > 0, row
        low, high = row["ns_quartiles"]
        assert low <= row["ns"] <= high and row["way"] in table, row
    assert "WRONG" not in table, table


def ways(report, part, **members):
    return {row["way"] for row in report["rows"] if row["part"] == part and all(row[name] == value for name, value in members.items())}


def points(report, part, **members):
    return sorted({row["x"] for row in report["rows"] if row["part"] == part and all(row[name] == value for name, value in members.items())})


def check_alone(tc_perf):
    report, table = report_of([tc_perf, "am", "--modes", PARTS, "--origins", "2", "-n", "8", "--rounds", "2", "--pin", "none"])
    check_rows(report, table)
    assert (report["program"], report["experiment"], report["env"]["options"]["ranks"]) == ("tc-perf", "am", 3), report
    for operation, expected in HUNDRED.items():
        assert ways(report, "hundred", operation=operation) == expected, ways(report, "hundred", operation=operation)
    assert points(report, "rate") == [20, 64, 400], points(report, "rate")
    for operation in ("search", "sum"):
        assert points(report, "units", operation=operation, awaited=True) == list(range(10, 101, 10)), report
        assert points(report, "units", operation=operation, awaited=False) == list(range(10, 101, 10)), report
    assert points(report, "credit") == [4096 << n for n in range(9)], points(report, "credit")
    assert {row["order"] for row in report["rows"] if row["part"] == "ordering"} == {"none", "strict"}, report
    assert points(report, "origins", way="am") == points(report, "origins", way="am-concurrent") == [1, 2], report
    assert "single_search_20_am-1_to_call-1" in report["ratios"], sorted(report["ratios"])


def check_refuses(tc_perf):
    for options, text in ((["--modes", "single,each"], "expected some of"), (["--origins", "8"], "origins"), (["--senders", "2"], "senders")):
        done = subprocess.run([tc_perf, "am", *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
        assert done.returncode == 2 and text in done.stderr, (options, done.returncode, done.stderr)


def check_mpi(mpirun, program):
    functions = os.path.join(os.path.dirname(program), "..")
    environment = dict(os.environ, TC_IFUNC_PATH=functions, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    is_open = "mpich" not in os.path.basename(mpirun)
    starter = [mpirun, *(["--oversubscribe", "--bind-to", "none"] if is_open else ["-bind-to", "none"]), "-n", "2"]
    report, table = report_of([*starter, program, "--awaited", "2", "--messages", "8", "--rounds", "1", "--unpinned"], environment)
    check_rows(report, table)
    assert report["program"] == "mpi-am-bench" and report["env"]["options"]["mpi"], report["env"]
    for operation, expected in HUNDRED.items():
        expected = expected | MPI_HUNDRED | (MPI_SUMS if operation != "search" else set())
        assert ways(report, "hundred", operation=operation) == expected, ways(report, "hundred", operation=operation)
    assert "hundred_sum_400_am-100_to_mpi-accumulate-100" in report["ratios"], sorted(report["ratios"])


def main():
    {"alone": check_alone, "refuses": check_refuses, "mpi": check_mpi}[sys.argv[1]](*sys.argv[2:])


main()
