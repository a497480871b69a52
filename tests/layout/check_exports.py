#!/usr/bin/env python3
"""A shared library exports exactly what its public headers declare, and what has been released: a function that no header
declares any more stays for programs that were linked with it.

    check_exports.py INCLUDE_FOLDER NM LIBRARY RELEASED

RELEASED: the library's file of tests/layout/abi.
"""
import os
import re
import subprocess
import sys


# The headers of libraries beside the library.
OTHERS = {"libtchains-objects": {"object.h", "object_entry.h"}, "libtchains-am": {"am.h", "am_entry.h", "am_op.h"},
          "libtchains-steady": {"steady.h"}}


def headers_of(folder, library):
    """The public headers of a library; those of no other are the library's."""
    names = {name for name in os.listdir(folder) if name.endswith(".h")}
    return OTHERS.get(os.path.basename(library).split(".")[0], names.difference(*OTHERS.values()))


def declared(include_folder, library):
    """Names of everything that a public header marks TC_API."""
    names = set()
    folder = os.path.join(include_folder, "tc")
    for header in sorted(headers_of(folder, library)):
        with open(os.path.join(folder, header), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.DOTALL)
        text = re.sub(r"^[ \t]*#.*$", "", text, flags=re.MULTILINE)
        for declaration in re.findall(r"\bTC_API\b([^;{]*)", text):
            names.update(re.findall(r"\b(tc_\w+)\s*\(", declaration)[:1])
    return names


def exported(nm, library):
    out = subprocess.run([nm, "-D", "--defined-only", library], capture_output=True, text=True,
                         timeout=60, check=True).stdout
    rows = [line.split() for line in out.splitlines()]
    # Type A: the name of the version itself.
    return {row[2].split("@")[0] for row in rows if len(row) == 3 and row[1] != "A"}


def main():
    include_folder, nm, library, stored = sys.argv[1:5]
    with open(stored, encoding="utf-8") as file:
        released = set(re.findall(r"^(\w+)@@", file.read(), re.MULTILINE))
    api, symbols = declared(include_folder, library), exported(nm, library)
    foreign = sorted(s for s in symbols if not s.startswith("tc_"))
    problems = ([f"{name}: exported, but not of ours" for name in foreign]
                + [f"{name}: declared in a public header, not exported" for name in sorted(api - symbols)]
                + [f"{name}: exported, in no public header" for name in sorted(symbols - api - released - set(foreign))])
    for problem in problems:
        print(problem)
    print(f"{len(api)} declared, {len(symbols)} exported, {len(problems)} problems")
    return 1 if problems or not api else 0


if __name__ == "__main__":
    sys.exit(main())
