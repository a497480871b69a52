#!/usr/bin/env python3
"""EM3D of the paper on MRPC: every version has the values of a run in one process.

    check_em3d.py all TC_RUN EM3D_RUN RANKS    all versions, with a small graph
    check_em3d.py local TC_RUN EM3D_RUN RANKS  a graph without remote edges: messages without values
    check_em3d.py large TC_RUN EM3D_RUN RANKS  more values than one message has
    check_em3d.py refuses TC_RUN EM3D_RUN      wrong arguments

Behaviour alone: no time is compared with another.
"""

import sys

from mrpc_program import check_placement, check_ratios, check_rows, report_of, run

METHODS = {"window": {"base", "ghost", "bulk", "signal"}, "view": {"base", "ghost", "bulk", "signal"},
           "function": {"base", "ghost", "bulk"}, "rpc": {"base", "ghost"}}
BULK = "window-bulk,view-bulk,function-bulk,window-signal,view-signal"
SMALL = ["--nodes", "48", "--degree", "4", "--remote", "50", "--steps", "3", "--rounds", "2", "--stamped", "1", "--seed", "7"]


def check_all(tc_run, program, ranks):
    report, table = report_of(tc_run, program, ranks, SMALL)
    check_rows(report, table, {f"{way}-{method}" for way, methods in METHODS.items() for method in methods})
    assert (report["ranks"], report["nodes"], report["edges"]) == (ranks, 48, 192), report
    assert 0 < report["ghosts"] <= 48, report
    check_placement(report)
    check_ratios(report, table)
    for method in METHODS["window"]:
        assert f"function_to_window_{method}" in report["ratios"], report["ratios"]


def check_local(tc_run, program, ranks):
    report, table = report_of(tc_run, program, ranks, SMALL + ["--remote", "0", "--versions", BULK])
    check_rows(report, table, set(BULK.split(",")))
    assert report["ghosts"] == 0, report


def check_large(tc_run, program, ranks):
    options = ["--nodes", "600000", "--degree", "1", "--remote", "100", "--steps", "2", "--rounds", "1"]
    report, table = report_of(tc_run, program, ranks, options + ["--versions", BULK])
    check_rows(report, table, set(BULK.split(",")))
    assert report["ghosts"] > 2 * 65536, report


def check_refuses(tc_run, program):
    for options, text in ((["--degree", "0"], "degree"), (["--versions", "function-push"], "expected some of"),
                          (["--remote", "101"], "remote")):
        done = run(tc_run, program, 2, options)
        assert done.returncode == 2 and text in done.stderr, (options, done.returncode, done.stderr)
    done = run(tc_run, program, 1, [])
    assert done.returncode == 1 and "expected 2 to 64 ranks" in done.stderr, done.stderr
    done = run(tc_run, program, 3, ["--nodes", "5"])
    assert done.returncode == 1 and "a node of each field" in done.stderr, done.stderr


def main():
    what, tc_run, program = sys.argv[1:4]
    checks = {"all": check_all, "local": check_local, "large": check_large, "refuses": check_refuses}
    checks[what](tc_run, program, *map(int, sys.argv[4:]))


main()
