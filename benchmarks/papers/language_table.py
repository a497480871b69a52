#!/usr/bin/env python3
"""The benchmarks' functions in each language beside C, as one table: sizes, first calls, and the cost of a cached
call.

    language_table.py [--quick] [--json FILE] [BUILD]    prints it; BUILD: a build folder (build/release)
    language_table.py --docs [BUILD]                     and puts it into docs/languages.md

All languages take turns in one run, so that whatever else the machine does strikes all of them. The quieter it is, the better.
"""
import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DOCUMENT = os.path.join(HERE, "..", "docs", "languages.md")
SUFFIXES = {"c": "", "c++": "_cpp"}
FUNCTIONS = ("tsi", "chase_reply")
HEAD = ["language", "archive of `tsi`, bytes", "of `chase_reply`", "image of `tsi`", "first chase, image, us", "bitcode, us",
        "cached latency, to C", "cached rate, to C"]


def report_of(tc_perf, *options):
    done = subprocess.run([tc_perf, *options, "--function", "all", "--json", "-"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"language_table: tc-perf {' '.join(options)}: exit status {done.returncode}")
    return json.loads(done.stdout)


def archive_of(build, function, language):
    """C's functions of the papers are built beside them, those of other languages with the users'."""
    name = function + SUFFIXES.get(language, "_" + language) + ".tca"
    folders = [os.path.join(build, "benchmarks"), os.path.join(build, "benchmarks", "papers")]
    return next((os.path.join(f, name) for f in folders if os.path.exists(os.path.join(f, name))), os.path.join(folders[0], name))


def image_of(build, path):
    """The bytes of this machine's image, without its name."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "image")
        subprocess.run([os.path.join(build, "bin", "tc-ar"), "extract", path, platform.machine(), "--image", "-o", out], check=True)
        with open(out, "rb") as file:
            return file.read()


def measure(build, quick):
    """A row for each language that was built, C first."""
    tc_perf = os.path.join(build, "bin", "tc-perf")
    few = ["-n", "50", "-w", "5", "--rounds", "2", "--pin", "none"] if quick else ["--rounds", "40"]
    cached = report_of(tc_perf, "tsi", "--modes", "cached", *few)
    first = report_of(tc_perf, "dapc", "--cache", "cold", "--modes", "bitcode,image", "--servers", "1", "--depth", "16", "--rounds",
                      "2" if quick else "40")
    calls = {(row["mode"], row["language"]): row["first_chase_us"] for row in first["rows"]}
    languages = [row["language"] for row in cached["rows"]]
    reference = image_of(build, archive_of(build, "tsi", "c"))
    rows = []
    for language in languages:
        sizes = [os.path.getsize(archive_of(build, function, language)) for function in FUNCTIONS]
        image = image_of(build, archive_of(build, "tsi", language))
        ratios = [cached["ratios"].get(f"cached_{language}_to_c_{what}", 1.0) for what in ("latency", "rate")]
        rows.append({"language": language, "archive_bytes": dict(zip(FUNCTIONS, sizes)), "image_bytes": len(image), "same_image": image == reference,
                     "first_call_us": {mode: calls.get((mode, language)) for mode in ("image", "bitcode")},
                     "cached_to_c": dict(zip(("latency", "rate"), ratios))})
    return {"env": cached["env"], "rows": rows}


def table_of(measured):
    """In Markdown."""
    lines = [HEAD, ["---"] * len(HEAD)]
    for row in measured["rows"]:
        firsts = [row["first_call_us"][mode] for mode in ("image", "bitcode")]
        lines.append([row["language"], *(str(size) for size in row["archive_bytes"].values()),
                      f"{row['image_bytes']}" + (", as C's" if row["same_image"] else ""),
                      *("-" if value is None else f"{value:.0f}" for value in firsts),
                      *(f"{value:.3f}" for value in row["cached_to_c"].values())])
    head, rule, *rest = [f"| {' | '.join(line)} |\n" for line in lines]
    return head + rule.replace(" ", "") + "".join(rest)


def put(table):
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read()
    place = re.compile(rf"^\| {re.escape(HEAD[0])} \| {re.escape(HEAD[1])} .*?\n(?=\n)", re.MULTILINE | re.DOTALL)
    if len(place.findall(text)) != 1:
        sys.exit("language_table: docs/languages.md has no such table")
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(place.sub(lambda _: table, text))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", 2)[1].strip(), add_help=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("build", nargs="?", default=os.path.join(HERE, "..", "build", "release"))
    args = parser.parse_args()
    measured = measure(args.build, args.quick)
    table = table_of(measured)
    print(table, end="")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(measured, file, indent=2)
    if args.docs:
        put(table)


if __name__ == "__main__":
    main()
