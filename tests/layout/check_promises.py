#!/usr/bin/env python3
"""The calls that docs/what-an-ifunc-may-do.md promises to functions are those of the library's table.

    check_promises.py ROOT
"""
import re
import sys

from source_tree import read

TABLE = "runtime/context/host_symbols.c"
DOCUMENT = "docs/what-an-ifunc-may-do.md"
CHAPTER = "### Calls that the library promises\n"


def main():
    root = sys.argv[1]
    # A call that takes the size of a struct is promised by the name that programs write.
    offered = {re.sub(r"_sized$", "", name) for name in re.findall(r"HOST_SYMBOL\((tc_\w+)\)", read(root, TABLE))}
    chapter = read(root, DOCUMENT).split(CHAPTER)[1].split("\n## ")[0]
    promised = set(re.findall(r"`(tc_\w+)`", chapter))
    for name in sorted(offered - promised):
        print(f"{DOCUMENT}: {name} of {TABLE} is not in the chapter")
    for name in sorted(promised - offered):
        print(f"{DOCUMENT}: {name} is promised, and not in {TABLE}")
    print(f"{len(offered)} calls")
    return 1 if offered != promised else 0


if __name__ == "__main__":
    sys.exit(main())
