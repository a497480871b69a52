#!/usr/bin/env python3
"""Fails on C files and functions that are longer than CONTRIBUTING.md allows, and on lines that are wider.

    check_sizes.py ROOT

A function begins with a line that is "{" and ends with the next one that is "}", as .clang-format has it; both count.
"""
import os
import re
import sys

from source_tree import read, sources, walk

FILE_LINES_MAX = 440
FUNCTION_LINES_MAX = 54
COLUMNS_MAX = {".c": 96, ".h": 96, ".cpp": 96, ".hpp": 96}
BRACE_BEHIND = re.compile(r"[a-z].*\w\([^()]*\) \{")


def functions(lines):
    """Yields the line before each function's body, its number, and the lines of the body."""
    begin = None
    for i, line in enumerate(lines):
        if line == "{":
            begin = i
        elif line == "}" and begin is not None:
            yield lines[begin - 1], begin, i - begin + 1
            begin = None


def check_file(path, text):
    lines = text.splitlines()
    if len(lines) > FILE_LINES_MAX:
        yield f"{path}: {len(lines)} lines, at most {FILE_LINES_MAX}: split it by noun"
    for i, line in enumerate(lines):
        if BRACE_BEHIND.fullmatch(line):
            yield f"{path}:{i + 1}: the brace of a function has a line of its own"
    for name, number, size in functions(lines):
        if size > FUNCTION_LINES_MAX:
            yield f"{path}:{number}: a function of {size} lines, at most {FUNCTION_LINES_MAX}: {name.strip()}"


def check_columns(path, text):
    columns_max = COLUMNS_MAX[os.path.splitext(path)[1]]
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > columns_max:
            yield f"{path}:{number}: {len(line)} columns, at most {columns_max}"


def main():
    root = sys.argv[1]
    paths = sources(root)
    count = 0
    problems = []
    for path in paths:
        text = read(root, path)
        count += sum(1 for _ in functions(text.splitlines()))
        problems.extend(check_file(path, text))
    for path in walk(root):
        if os.path.splitext(path)[1] in COLUMNS_MAX:
            problems.extend(check_columns(path, read(root, path)))
    for problem in problems:
        print(problem)
    print(f"{len(paths)} files, {count} functions, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
