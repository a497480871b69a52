"""Runs of the applications of the paper on MRPC, which have one form of report and of table."""

import json
import os
import subprocess
import tempfile

DEADLINE_S = 60


def run(tc_run, program, ranks, options):
    environment = dict(os.environ, TC_IFUNC_PATH=os.path.dirname(program))
    command = [tc_run, "-n", str(ranks), "--timeout", str(DEADLINE_S), program] + options
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=2 * DEADLINE_S, check=False)


def report_of(tc_run, program, ranks, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        done = run(tc_run, program, ranks, options + ["--json", path])
        assert done.returncode == 0, f"status {done.returncode}: {done.stdout}{done.stderr}"
        with open(path, encoding="utf-8") as file:
            return json.load(file), done.stdout


def check_rows(report, table, names):
    found = {row["version"] for row in report["rows"]}
    assert found == names, f"versions {sorted(found)}, expected {sorted(names)}"
    for row in report["rows"]:
        assert row["version"] in table, f"the table has no {row['version']}: {table}"
        if "skipped" in row:
            assert row["way"] in ("view", "rpc") and row["skipped"] in table, row
            continue
        assert row["verified"] is True and row[report["unit"]] > 0, row
        assert row["version"] == f"{row['way']}-{row['method']}", row
        check_parts(row["parts"])


def check_parts(parts):
    """The parts of a run with stamps sum up to the whole."""
    each = [parts[name] for name in ("cpu", "net", "barrier", "copy")]
    assert min(each) >= 0 and parts["total"] > 0 and parts["stamps_percent"] >= 0, parts
    assert abs(sum(each) - parts["total"]) < 0.003, parts  # each is rounded to thousandths


def check_ratios(report, table):
    for name, ratio in report["ratios"].items():
        low, high = ratio["ratio_quartiles"]
        assert 0 < low <= ratio["ratio"] <= high, (name, ratio)
        assert name in table and ratio.get("asked") in ((None,) if "_rpc_" in name else (1.1, 1.3)), (name, ratio)


def check_placement(report):
    assert report["placement"] in ("near", "far", "mixed", "unknown"), report
