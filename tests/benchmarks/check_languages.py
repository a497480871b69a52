#!/usr/bin/env python3
"""The benchmarks' functions in several languages, one beside another.

    check_languages.py rows TC_PERF       tsi and dapc with every language that is there
    check_languages.py refuses TC_PERF    a language that is not there, and why
    check_languages.py plots TC_PERF      their rows are told apart
    check_languages.py table TC_PERF      benchmarks/papers/language_table.py, of a few messages
"""
import json
import os
import subprocess
import sys
import tempfile

DEADLINE_S = 600
TSI = ["tsi", "--pin", "none", "-n", "50", "-w", "5", "--rounds", "2"]
DAPC = ["dapc", "--servers", "2", "--depth", "16", "-n", "2", "--rounds", "1"]


def run(command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=DEADLINE_S, check=False)


def expect(condition, text, found):
    if not condition:
        sys.exit(f"expected {text}, found {found}")


def chases(tc_perf):
    """Returns whether the build has the experiments of the papers."""
    return "\n  dapc " in run([tc_perf, "--help"]).stdout


def report_of(*command):
    done = run([*command, "--json", "-"])
    expect(done.returncode == 0, "exit status 0", (command, done.returncode, done.stderr))
    return json.loads(done.stdout)


def languages_of(report, mode):
    return [row["language"] for row in report["rows"] if row["mode"] == mode]


def check(report, plain, modes, ratio):
    """C comes first and is the base of the others' ratios; modes without a function are there once."""
    languages = languages_of(report, modes[0])
    expect(languages[:2] == ["c", "c++"], "C, C++, and others", languages)
    expect(all(languages_of(report, mode) == languages for mode in modes), f"all in {modes}", report["rows"])
    expect(languages_of(report, plain) == ["c"], f"one row of {plain}", report["rows"])
    names = {ratio.format(mode, language) for mode in modes for language in languages[1:]}
    expect(names <= set(report["ratios"]), sorted(names), sorted(report["ratios"]))


def rows(tc_perf):
    report = report_of(tc_perf, *TSI, "--modes", "am,cached,image,local", "--function", "all")
    check(report, "am", ["cached", "image"], "{}_{}_to_c_latency")
    expect(languages_of(report, "local") == ["c"], "one row of local", report["rows"])
    if chases(tc_perf):
        check(report_of(tc_perf, *DAPC, "--modes", "am,bitcode,image", "--function", "all"), "am", ["bitcode", "image"],
              "{}_{}_to_c_s2_q1_d16")
        one = report_of(tc_perf, *DAPC, "--modes", "image", "--function", "c++", "--return", "ifunc")
        expect(languages_of(one, "image") == ["c", "c++"], "C beside C++", one["rows"])
    without = report_of(tc_perf, *TSI, "--modes", "cached")
    expect("language" not in without["rows"][0], "no word of languages where there is C alone", without["rows"])
    table = run([tc_perf, *TSI, "--modes", "bare,cached", "--function", "c++"])
    found = [line.split()[:2] for line in table.stdout.splitlines()[:4]]
    expect(found == [["mode", "language"], ["bare", "-"], ["cached", "c"], ["cached", "c++"]], "a column", table.stdout)


def refuses(tc_perf):
    with tempfile.TemporaryDirectory() as folder:
        done = run([tc_perf, *TSI, "--function", "rust", "--ifunc-path", folder])
        expect(done.returncode == 2, "exit status 2", done)
        expect(f"no tsi_rust.tca in {folder}: " in done.stderr, "which file, and where", done.stderr)
        done = run([tc_perf, *TSI, "--function", "all", "--ifunc-path", folder])
        expect(f"--function all: without rust: no tsi_rust.tca in {folder}: " in done.stderr, "what is left out", done.stderr)
        if chases(tc_perf):
            done = run([tc_perf, *DAPC, "--function", "c++", "--ifunc-path", folder])
            expect(done.returncode == 1 and "no chase_reply_cpp.tca" in done.stderr, "a refusal", done)
    done = run([tc_perf, *TSI, "--function", "pascal"])
    expect(done.returncode == 2 and "rust,fortran" in done.stderr, "those that there are", done)
    done = run([tc_perf, "tsi", "--senders", "1..2", "--function", "c++"])
    expect(done.returncode == 2 and "expected no --function" in done.stderr, "a refusal", done)


def plots(tc_perf):
    with tempfile.TemporaryDirectory() as folder:
        path, drawing = os.path.join(folder, "run.json"), os.path.join(folder, "run.svg")
        both = ((TSI + ["--modes", "cached"], "cached in c++"), (DAPC + ["--modes", "image"], "image, in c++"))
        for command, name in both if chases(tc_perf) else both[:1]:
            done = run([tc_perf, *command, "--function", "c++", "--json", path])
            expect(done.returncode == 0, "exit status 0", done)
            done = run([tc_perf, "plot", path, "-o", drawing])
            if "matplotlib" in done.stderr:
                print("skipped:", done.stderr.strip())
                sys.exit(77)
            expect(done.returncode == 0, "a drawing", done)
            with open(drawing, encoding="utf-8") as file:
                expect(name in file.read(), name, "a drawing without it")


def table(tc_perf):
    """A row for each language, in the order of the runs that it is made of."""
    build = os.path.dirname(os.path.dirname(os.path.abspath(tc_perf)))
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../benchmarks/papers/language_table.py")
    with tempfile.NamedTemporaryFile() as file:
        done = run([sys.executable, "-B", script, "--quick", "--json", file.name, build])
        expect(done.returncode == 0, "exit status 0", done)
        measured = json.load(file)
    lines = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in done.stdout.splitlines()]
    languages = [row["language"] for row in measured["rows"]]
    expect(languages[:2] == ["c", "c++"] and [line[0] for line in lines[2:]] == languages, "C, C++, and others", done.stdout)
    for row in measured["rows"]:
        expect(all(0 < size < 10000 for size in row["archive_bytes"].values()), "sizes of archives", row)
        expect(row["image_bytes"] > 0, "bytes of an image", row)
        expect(all(value > 0 for value in row["first_call_us"].values()), "times of first chases", row)
    expect(measured["rows"][0]["cached_to_c"] == {"latency": 1, "rate": 1} and measured["rows"][0]["same_image"], "C as C", lines)


if __name__ == "__main__":
    {"rows": rows, "refuses": refuses, "plots": plots, "table": table}[sys.argv[1]](*sys.argv[2:])
