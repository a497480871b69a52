#!/usr/bin/env python3
"""Checks that the documents match the tree.

    check_docs.py ROOT C_COMPILER

Links and paths lead somewhere, names are names of the sources, the README's commands exist, its C examples and that of <tc/tc.h> compile, and no
file speaks of the machine it was written on or promises to be finished later.
"""
import os
import re
import subprocess
import sys

from source_tree import read, sources, walk

DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md"]
TEXT = (".c", ".h", ".md", ".py", ".sh", ".cmake", ".txt", ".json", ".yml", ".map", ".def", "run")
README_LINES_MAX = 110

# Spelled so that this file does not match itself. "me" is a made-up user: tests of paths need some
# path.
MACHINE_PATH = re.compile(r"(?:^|[^\w.~])/(?:" + "|".join(["work", "farm", "root", "home"]) + r")/(?!me\b)\w")
UNFINISHED = re.compile(r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX"]) + r")\b")

TREE_PATH = re.compile(
    r"(?:\./)?(?:runtime|compiler|include|bitcode-archive|benchmarks|tests|examples|docs|scripts|cmake|tools|\.ci)/"
    r"[\w./*-]*")


def blocks(text, language):
    return re.findall(r"^```" + language + r"\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def exists(root, path):
    path = path.rstrip("/.")
    if "*" not in path:
        return os.path.exists(os.path.join(root, path))
    folder, start = os.path.split(path.split("*")[0])
    return any(name.startswith(start) for name in os.listdir(os.path.join(root, folder)))


def check_paths(root, document):
    """Links, and whatever in backticks looks like a path of the tree."""
    text = read(root, document)
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        if not os.path.exists(os.path.join(root, os.path.dirname(document), link)):
            yield f"{document}: link to {link}, which is not there"
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    for quoted in re.findall(r"`([^`\n]+)`", prose):
        if TREE_PATH.fullmatch(quoted) and not exists(root, quoted):
            yield f"{document}: names {quoted}, which is not there"


def check_names(root, document, names):
    """Names of ours in backticks are in some source; "`name` in `file`" is in that one."""
    prose = read(root, document)
    for name in sorted(set(re.findall(r"`((?:tci|TCI)_\w+)`", prose)) - names):
        yield f"{document}: speaks of {name}, which is in no source"
    for name, path in re.findall(r"`(\w+)`\s+in\s+`((?:runtime|compiler|include|bitcode-archive)/[\w./-]+\.[ch])`", prose):
        if os.path.exists(os.path.join(root, path)) and not re.search(rf"\b{name}\b", read(root, path)):
            yield f"{document}: {name} is not in {path}"


def check_commands(root):
    for command in re.findall(r"^(\./[\w./-]+)", "\n".join(blocks(read(root, "README.md"), "sh")), re.MULTILINE):
        path = os.path.join(root, command)
        if not os.access(path, os.X_OK):
            yield f"README.md: the command {command} is not there or cannot be executed"


def check_examples(root, cc):
    command = [cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c",
               "-I", os.path.join(root, "include"), "-"]
    examples = [("README.md", example) for example in blocks(read(root, "README.md"), r"c \S+")]
    header = "include/tc/tc.h"
    quoted = re.search(r"^ \*     #include.*?^ \*     \}$", read(root, header), re.MULTILINE | re.DOTALL)
    examples += [(header, re.sub(r"^ \*(?:     )?", "", quoted.group(0), flags=re.MULTILINE))] if quoted else []
    if len({path for path, _ in examples}) < 2:
        yield f"README.md, {header}: no C example in one of them"
    for path, example in examples:
        done = subprocess.run(command, input=example, text=True, capture_output=True, timeout=60, check=False)
        if done.returncode != 0:
            yield f"{path}: an example does not compile:\n{done.stderr}"


def check_version(root):
    """Whatever names a version names the one of the headers."""
    version, = re.findall(r'TC_VERSION_STRING "(.*)"', read(root, "include/tc/version.h"))
    released = re.findall(r"^## \[(\d.*?)\] - \d{4}-\d\d-\d\d$", read(root, "CHANGELOG.md"), re.MULTILINE)
    packaged = re.findall(r"^three-chains \((.*?)\)", read(root, "debian/changelog"), re.MULTILINE)
    recipe = re.findall(r'version\("(\d.*?)"', read(root, "packaging/spack/package.py"))
    for path, versions in (("CHANGELOG.md", released), ("debian/changelog", packaged), ("packaging/spack/package.py", recipe)):
        if versions[:1] != [version]:
            yield f"{path}: its newest version is {versions[:1]}, that of the headers {version}"


def check_words(root):
    for path in walk(root):
        if not path.endswith(TEXT):
            continue
        for number, line in enumerate(read(root, path).splitlines(), 1):
            if MACHINE_PATH.search(line):
                yield f"{path}:{number}: a path of one machine: {line.strip()[:80]}"
            if UNFINISHED.search(line):
                yield f"{path}:{number}: a word that promises work: {line.strip()[:80]}"


def main():
    root, cc = sys.argv[1:3]
    missing = [path for path in DOCUMENTS if not os.path.exists(os.path.join(root, path))]
    if missing:
        raise SystemExit(f"not there: {', '.join(missing)}")
    docs = [path for path in walk(root) if path.startswith("docs/") and path.endswith(".md")]
    problems = [problem for document in DOCUMENTS + docs for problem in check_paths(root, document)]
    names = {name for path in sources(root) for name in re.findall(r"\b(?:tci|TCI)_\w+", read(root, path))}
    problems += [problem for document in docs for problem in check_names(root, document, names)]
    problems += check_commands(root)
    problems += check_examples(root, cc)
    problems += check_words(root)
    problems += check_version(root)
    lines = len(read(root, "README.md").splitlines())
    if lines > README_LINES_MAX:
        problems.append(f"README.md: {lines} lines; it is meant to be read at once, {README_LINES_MAX} at most")
    for problem in problems:
        print(problem)
    print(f"{len(DOCUMENTS) + len(docs)} documents, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
