#!/usr/bin/env python3
"""The name of an exported function matches the file that it is in.

    check_prefixes.py ROOT ALLOWED [--max N]

`tci_X_...` is declared in a header with a base name that begins with X, and defined in that header, in the source of its name,
or in a source with a base name that begins with X, too (frame.h, frame.c, frame_out.c). X may be longer than the base name
(tci_calls_add in call.h). In the library every exported function but main has a prefix, tc_ or tci_, and every tci_ one a
header.

ALLOWED has lines `X HEADER: reason`: the functions tci_X and tci_X_... of HEADER and of sources that begin with its base name. A
line that allows nothing is a mistake. --max: no more functions than that break the rule.
"""
import argparse
import os
import re
import sys

from check_calls import Calls
from source_tree import read, sources

FOLDERS = ("runtime/", "bitcode-archive/", "compiler/", "compat/", "tools/", "benchmarks/", "include/")
LIBRARY = ("runtime/", "bitcode-archive/")
LINE = re.compile(r"(\w+) ([\w.-]+\.h): (\S.*)")


def base_of(path):
    return os.path.splitext(os.path.basename(path))[0]


def fits(word, base):
    return base.startswith(word) or word.startswith(base)


def read_allowed(text):
    """{(X, base name of a header): reason}"""
    allowed = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            match = LINE.fullmatch(line.strip())
            if not match:
                raise SystemExit(f"not 'X HEADER: reason': {line}")
            allowed[match.group(1), base_of(match.group(2))] = match.group(3)
    return allowed


def problem_of(word, headers, path, allowed, used):
    """The error of the file of a function tci_WORD..., or None."""
    for header in headers:
        if fits(word, header) and (base_of(path) == header or fits(word, base_of(path))):
            return None
        if (word, header) in allowed and base_of(path).startswith(header):
            used.add((word, header))
            return None
    if not headers:
        return "is in no header"
    if any(fits(word, header) for header in headers):
        return f"is declared in {headers[0]}.h, but not defined in a file of that name"
    return f"is declared in {headers[0]}.h"


def check(calls, allowed):
    """Lines about functions in the wrong file, and about lines of `allowed` that allow nothing."""
    declared = {}
    for path, source in calls.sources.items():
        if path.endswith(".h"):
            for name in list(source.declared) + [f.name for f in source.functions]:
                declared.setdefault(name, []).append(base_of(path))
    wrong, used = [], set()
    for name, paths in sorted(calls.functions.items(), key=lambda item: (item[1][0], item[0])):
        path = paths[0]
        if name.startswith("tci_"):
            problem = problem_of(name.split("_")[1], declared.get(name, []), path, allowed, used)
            if problem:
                wrong.append(f"{path}: {name} {problem}")
        elif path.startswith(LIBRARY) and name != "main" and not name.startswith("tc_"):
            wrong.append(f"{path}: {name} has no prefix")
    return wrong, [f"{word} {header}.h: allows nothing" for word, header in sorted(set(allowed) - used)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("allowed")
    parser.add_argument("--max", type=int, default=0)
    args = parser.parse_args()
    calls = Calls({path: read(args.root, path) for path in sources(args.root) if path.startswith(FOLDERS)})
    with open(args.allowed, encoding="utf-8") as file:
        wrong, idle = check(calls, read_allowed(file.read()))
    for problem in wrong + idle:
        print(problem)
    exported = sum(name.startswith("tci_") for name in calls.functions)
    print(f"{exported} exported functions tci_..., {len(wrong)} in a file that their name does not say, {args.max} at most")
    return 1 if idle or len(wrong) > args.max else 0


if __name__ == "__main__":
    sys.exit(main())
