#!/usr/bin/env python3
"""Fails where a text names another range of LLVM's versions than cmake/TcLlvm.cmake does.

    check_llvm_versions.py ROOT
"""
import re
import sys

from source_tree import read

# Where the range stands in words; each of these must name it.
TEXTS = {
    "README.md": r"with\s+LLVM[^)]*?\b(\d+)\s+to\s+(\d+)",
    "docs/install.md": r"the LLVM to build with, (\d+) to (\d+);",
    "packaging/spack/package.py": r"llvm@(\d+):(\d+)",
}


def main():
    root = sys.argv[1]
    cmake = read(root, "cmake/TcLlvm.cmake")
    expected = tuple(re.search(rf"^set\(tc_llvm_{end} (\d+)\)$", cmake, re.MULTILINE).group(1) for end in ("min", "max"))
    problems = 0
    for path, pattern in TEXTS.items():
        found = re.findall(pattern, read(root, path))
        if found != [expected]:
            print(f"{path}: LLVM {found or 'without a range'}, expected {' to '.join(expected)}")
            problems += 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
