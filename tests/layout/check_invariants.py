#!/usr/bin/env python3
"""docs/invariants.md and the assertions of the library (TCI_INVARIANT, runtime/base/assertion.h) are about the same invariants.

    check_invariants.py ROOT

Each invariant that the code checks has one row in the document. It is checked at least twice, and the files of its row are those
that check it: where it is written, and where it is read. A row names a test that breaks it, or "-"; each chapter has such a test.
"""
import os
import re
import sys

from source_tree import read, sources

DOCUMENT = "docs/invariants.md"
MACROS = os.path.join("runtime", "base", "assertion.h")
CHECK = re.compile(r"\bTCI_INVARIANT(?:_IS)?\(\s*(\w+)\s*,")
ROW = re.compile(r"^\| `(\w+)` \|(.*)\|$")


def checked(root):
    """{invariant: [base name of a file, once for each check]}"""
    found = {}
    for path in sources(root):
        if path.startswith(("runtime" + os.sep, "bitcode-archive" + os.sep)) and path != MACROS:
            for name in CHECK.findall(read(root, path)):
                found.setdefault(name, []).append(os.path.basename(path))
    return found


def names(cell):
    return set(re.findall(r"`([\w.]+)`", cell))


def rows(text):
    """Yields (chapter, name, cells behind the name)."""
    chapter = ""
    for line in text.splitlines():
        if line.startswith("## "):
            chapter = line[3:]
        match = ROW.match(line)
        if match:
            yield chapter, match.group(1), [cell.strip() for cell in match.group(2).split("|")]


def check_row(name, cells, files, tests):
    if len(cells) != 4:
        return [f"{name}: {len(cells)} cells, expected: holds, written, read, broken by"]
    holds, written, read_in, test = cells
    problems = []
    if not holds.endswith("."):
        problems.append(f"{name}: no sentence says what holds")
    if len(files) == 1:
        problems.append(f"{name}: checked once, expected where it is written and where it is read")
    if files and (not names(written) or not names(read_in) or names(written) | names(read_in) != set(files)):
        problems.append(f"{name}: written in {written}, read in {read_in}; the code checks it in {', '.join(sorted(set(files)))}")
    if test != "-" and not any(re.search(rf"\b{name}\b", tests.get(file, "")) for file in names(test)):
        problems.append(f"{name}: {test} does not break it")
    return problems


def check(root):
    code = checked(root)
    tests = {os.path.basename(path): read(root, path) for path in sources(root) if path.startswith("tests" + os.sep)}
    seen, chapters = set(), {}
    problems = []
    for chapter, name, cells in rows(read(root, DOCUMENT)):
        if name in seen:
            problems.append(f"{name}: a second row")
        seen.add(name)
        if name not in code:
            problems.append(f"{name}: no code checks it")
        problems += check_row(name, cells, code.get(name, []), tests)
        chapters[chapter] = chapters.get(chapter, False) or cells[-1] != "-"
    problems += [f"{name}: no row, checked in {', '.join(sorted(set(code[name])))}" for name in sorted(code.keys() - seen)]
    problems += [f"chapter {chapter}: no test breaks any of its invariants" for chapter in chapters if not chapters[chapter]]
    return len(seen), sum(map(len, code.values())), problems


def main():
    count, checks, problems = check(sys.argv[1])
    for problem in problems:
        print(f"{DOCUMENT}: {problem}")
    print(f"{count} invariants, {checks} checks, {len(problems)} problems")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
