#!/usr/bin/env python3
"""No architecture is taken for another one, and docs/new-architecture.md names every file that knows one.

    check_arch.py ROOT

Fails on a compiler's macro for an architecture outside runtime/base/arch.h, on an #else that a condition on the architecture leaves
to all others (unless it is an #error), and on a source that names an architecture and is not in the document.
"""
import re
import sys

from source_tree import read, sources

FOLDERS = ("runtime/", "bitcode-archive/", "compiler/", "compat/", "objects/", "tools/", "include/")
HEADER = "runtime/base/arch.h"
COMPILERS_MACRO = re.compile(r"\b__(x86_64|amd64|i386|aarch64|arm|riscv|powerpc64|s390x|loongarch64)(?:__)?\b")
ARCHITECTURE = re.compile(r"x86[_-]64|aarch64|X86_64|AARCH64|HWCAP")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b(.*)")


def silent_elses(text):
    """Lines with an #else for all other architectures."""
    conditions = []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        match = DIRECTIVE.match(line)
        if not match:
            continue
        word, rest = match.groups()
        if word.startswith("if"):
            conditions.append(rest)
        elif word == "endif":
            conditions.pop()
        elif word == "else":
            following = next((after for after in lines[number + 1:] if after.strip()), "")
            about = COMPILERS_MACRO.search(conditions[-1]) or re.search(r"TCI_ARCH_[A-Z0-9_]+", conditions[-1])
            if about and not re.match(r"[ \t]*#[ \t]*error\b", following):
                yield number + 1


def problems_of(path, text, document):
    code = COMMENT.sub(lambda comment: re.sub(r"[^\n]", "", comment.group()), text)
    for number in silent_elses(code):
        yield f"{path}:{number}: takes every other architecture for one"
    if path != HEADER and COMPILERS_MACRO.search(code):
        yield f"{path}: asks the compiler for the architecture, not base/arch.h"
    if ARCHITECTURE.search(code) and f"`{path}`" not in document:
        yield f"{path}: names an architecture, but docs/new-architecture.md does not name it"


def main():
    root = sys.argv[1]
    document = read(root, "docs/new-architecture.md")
    problems = [problem for path in sources(root) if path.startswith(FOLDERS)
                for problem in problems_of(path, read(root, path), document)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
