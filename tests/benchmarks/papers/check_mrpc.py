#!/usr/bin/env python3
"""FFT, LU and Water of the paper on MRPC: every version has the results of a run in one process.

    check_mrpc.py verified TC_RUN PROGRAM RANKS VERSIONS OPTION...  all versions, at that many ranks
    check_mrpc.py refuses TC_RUN PROGRAM RANKS TEXT OPTION...       options that end all ranks with a text

Behaviour alone: no time is compared with another.
"""

import sys

from mrpc_program import check_placement, check_ratios, check_rows, report_of, run


def check_verified(tc_run, program, ranks, versions, *options):
    report, table = report_of(tc_run, program, ranks, ["--rounds", "2", "--stamped", "1", *options])
    check_rows(report, table, set(versions.split(",")))
    check_ratios(report, table)
    check_placement(report)
    assert report["ranks"] == int(ranks), report
    assert any(name.startswith("function_to_window") for name in report["ratios"]), report["ratios"]


def check_refuses(tc_run, program, ranks, text, *options):
    done = run(tc_run, program, ranks, list(options))
    assert done.returncode in (1, 2) and text in done.stderr, (options, done.returncode, done.stderr)


def main():
    checks = {"verified": check_verified, "refuses": check_refuses}
    checks[sys.argv[1]](*sys.argv[2:])


main()
