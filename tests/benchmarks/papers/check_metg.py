#!/usr/bin/env python3
"""Task graphs of the paper on Task Bench: every version gives every task its inputs.

    check_metg.py run STARTER METG_RUN RANKS    all versions that the starter (tc-run or mpirun) has
    check_metg.py large STARTER METG_RUN RANKS  outputs that no single frame takes
    check_metg.py refuses STARTER METG_RUN      wrong arguments

Behaviour alone: no time is compared with another.
"""

import json
import os
import subprocess
import sys
import tempfile

DEADLINE_S = 120
VERSIONS = {"mpi": "mpi", "mpi-gathered": "mpi", "function-single": "function", "function": "function", "view": "view"}
PATTERNS = {"trivial", "stencil", "fft"}
# More steps than an inbox has boxes for. Where other programs have the processors, each step costs a turn of all of them, and
# most of all with MPI, as its ranks poll: so the sizes are few.
SMALL = ["--steps", "10", "--rounds", "1", "--unpinned"]
FEW = ["--steps", "5", "--rounds", "1", "--unpinned"]


def is_mpirun(starter):
    return os.path.basename(starter) != "tc-run"


def run(starter, program, ranks, options):
    environment = dict(os.environ, TC_IFUNC_PATH=os.path.dirname(program), OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    own = ["--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if is_mpirun(starter) else ["-n", str(ranks), "--timeout", str(DEADLINE_S)]
    return subprocess.run([starter, *own, program, *options], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=2 * DEADLINE_S, check=False)


def report_of(starter, program, ranks, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "metg.json")
        done = run(starter, program, ranks, [*options, "--json", path])
        assert done.returncode == 0, f"status {done.returncode}: {done.stdout}{done.stderr}"
        with open(path, encoding="utf-8") as file:
            return json.load(file), done.stdout


def check_series(starter, report, table, patterns, versions):
    found = {(one["pattern"], one["version"]): one for one in report["metg"]}
    assert set(found) == {(pattern, version) for pattern in patterns for version in versions}, sorted(found)
    for (pattern, version), one in found.items():
        assert version in table and pattern in table, (pattern, version, table)
        if "skipped" in one:
            assert VERSIONS[version] == "view" or (VERSIONS[version] == "mpi" and not is_mpirun(starter)), one
            continue
        assert one["verified"] is True and one["least_task_ns"] > 0, one
    return {key for key, one in found.items() if "skipped" not in one}


def check_rows(report, run_series, points):
    rows = {}
    for row in report["rows"]:
        rows.setdefault((row["pattern"], row["version"]), []).append(row)
        assert row["granularity_ns_median"] >= row["granularity_ns"] > 0 and row["efficiency_percent"] >= 0, row
    assert set(rows) == run_series, sorted(rows)
    for own in rows.values():
        iterations = [row["iterations"] for row in own]
        assert len(own) == points and iterations == sorted(iterations, reverse=True), iterations


def check_run(starter, program, ranks):
    width = 4 * ranks
    points = 1 if is_mpirun(starter) else 2  # of 1 and of 2 iterations
    report, table = report_of(starter, program, ranks, [*SMALL, "--width", str(width), "--iterations", str(points)])
    series = check_series(starter, report, table, PATTERNS, set(VERSIONS))
    check_rows(report, series, points)
    options = report["env"]["options"]
    assert (report["program"], report["experiment"], options["ranks"], options["width"]) == ("metg_run", "taskbench", ranks, width), report
    assert options["peak_gflops"] > 0 and (options["mpi"] != "") == is_mpirun(starter), options
    for version in VERSIONS:
        assert is_mpirun(starter) == (("fft", version) in series) or VERSIONS[version] != "mpi", (version, series)
        assert ("stencil", version) in series or VERSIONS[version] != "function", (version, series)


def check_large(starter, program, ranks):
    options = [*FEW, "--iterations", "1", "--width", str(2 * ranks), "--bytes", "65536", "--patterns", "stencil,fft"]
    report, table = report_of(starter, program, ranks, options)
    check_series(starter, report, table, {"stencil", "fft"}, set(VERSIONS))
    assert report["env"]["options"]["bytes"] == 65536, report["env"]


def check_refuses(starter, program):
    for options, text in ((["--width", "1"], "width"), (["--versions", "function-push"], "expected some of"), (["--bytes", "8"], "bytes")):
        done = run(starter, program, 2, options)
        assert done.returncode == 2 and text in done.stderr, (options, done.returncode, done.stderr)
    done = run(starter, program, 1, [])
    assert done.returncode == 1 and "expected 2 to 16 ranks" in done.stderr, done.stderr
    for options in (["--width", "7"], ["--bytes", "20"]):
        done = run(starter, program, 2, options)
        assert done.returncode == 1 and "a multiple of" in done.stderr, done.stderr


def main():
    what, starter, program = sys.argv[1:4]
    checks = {"run": check_run, "large": check_large, "refuses": check_refuses}
    checks[what](starter, program, *map(int, sys.argv[4:]))


main()
