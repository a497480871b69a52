#!/usr/bin/env python3
"""The man pages that were built can be read: no viewer warns, nothing was lost on the way, names lead to their pages.

    check_pages.py ROOT MAN_FOLDER
"""
import os
import re
import shutil
import subprocess
import sys

from manual_page import pages

SKIPPED = 77


def run(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100", "MANPAGER": "cat"})


def viewers():
    """{name: a command that only prints warnings about a page}."""
    known = {"mandoc": ["mandoc", "-T", "lint", "-W", "warning"], "man": ["man", "--warnings=w", "-l"]}
    return {name: command for name, command in known.items() if shutil.which(name)}


def check_page(page, folder):
    file = os.path.join(folder, f"man{page.section}", f"{page.name}.{page.section}")
    if not os.path.exists(file):
        if page.section != "1":  # a program that this build leaves out has no page
            yield f"{page.file}: was not built"
        return
    for name, command in viewers().items():
        done = run([*command, file])
        said = done.stderr if name == "man" else done.stdout + done.stderr
        if done.returncode != 0 or said:
            yield f"{page.file}: {name} says {said or done.returncode}"
        if name == "man":
            yield from (f"{page.file}: lost {word} on its way" for word in page.names if word not in done.stdout)
            yield from (f"{page.file}: shows {mark}, which was to be a style"
                        for mark in re.findall(r"(?<!\w)\*[\w.]+\*|\*\*[\w-]+\*\*|`[\w-]+`|\\_", done.stdout))
    for other in page.names:
        alias = os.path.join(folder, f"man{page.section}", f"{other}.{page.section}")
        if other == page.name:
            continue
        if not os.path.exists(alias):
            yield f"{page.file}: nothing leads from {other} to it"
            continue
        with open(alias, encoding="utf-8") as text:
            if text.read() != f".so man{page.section}/{page.name}.{page.section}\n":
                yield f"{page.file}: {other} leads elsewhere"


def main():
    root, folder = sys.argv[1:3]
    if not os.path.isdir(os.path.join(folder, "man7")) or not viewers():
        print("no man pages, or nothing to look at them with: packages lowdown, man-db, mandoc")
        return SKIPPED
    manuals = pages(root, folder)
    problems = [problem for page in manuals for problem in check_page(page, folder)]
    for problem in problems:
        print(problem)
    print(f"{len(manuals)} pages, seen by {', '.join(viewers())}, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
