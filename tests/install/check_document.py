#!/usr/bin/env python3
"""The steps of docs/install.md work: below a prefix with spaces, without other ways to find the library.

    check_document.py ROOT BUILD_FOLDER C_COMPILER [C_FLAG ...]
"""
import os
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "manuals"))
from run_document import BLOCK, Runner  # noqa: E402

SOURCES = ("c count.c", "c sender.c")  # README's, and of no other use here


def blocks(root, file):
    with open(os.path.join(root, file), encoding="utf-8") as text:
        return BLOCK.findall(text.read())


def main():
    root, build = (os.path.abspath(path) for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "a project")
        os.mkdir(folder)
        runner = Runner(folder, root, build, sys.argv[3:])
        programs = runner.environment["PATH"].split(":")
        runner.environment["PATH"] = ":".join(path for path in programs if path != f"{build}/bin")
        runner.environment["prefix"] = os.path.join(scratch, "three chains")
        for name in ("LD_LIBRARY_PATH", "CMAKE_PREFIX_PATH", "PKG_CONFIG_PATH"):
            runner.environment.pop(name, None)
        try:
            for kind, text in [found for found in blocks(root, "README.md") if found[0] in SOURCES]:
                runner.block(kind, text)
            for kind, text in blocks(root, "docs/install.md"):
                runner.block(kind, text)
        finally:
            runner.end_target()
        left = [os.path.join(path, name) for path, _, names in os.walk(runner.environment["prefix"]) for name in names]
        if left:
            raise SystemExit(f"not uninstalled: {left}")
    print(f"docs/install.md: {runner.counts}")
    return 0 if runner.counts.get("text", 0) >= 4 else 1


if __name__ == "__main__":
    sys.exit(main())
