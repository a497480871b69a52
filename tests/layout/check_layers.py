#!/usr/bin/env python3
"""Fails on every #include and every call that the table "Layers" of docs/architecture.md does not allow, and on a folder that
outgrew its lines there.

    check_layers.py ROOT [--calls-max N] [--circle-max N]

A folder may call the folders that it may include: the file that defines a function counts (check_calls.py), not the one that
declares it, so the library's own files get no further by a public header. All other folders may call the functions of the public
headers. --calls-max: so many calls are allowed that the table does not allow. --circle-max: files of runtime/ that call one
another round and round are no more than N.

The rows of tests/layout/exceptions.md count as those of that table do, and each has its reason. A file counts in the lines of the
deepest folder of the table that it is in, also where an exception covers it.

Also: base names of C files are unique in the tree (but for examples and for functions to be sent, in folders `data`,
`ifuncs` and `shipped`), and no source includes another source.
"""
import argparse
import fnmatch
import os
import re
import sys

from check_calls import Calls, circles
from source_tree import read, sources

# Headers of each library that the table can name. Whatever is in no list is not ours to use.
LIBRARIES = {
    "ucx": ["ucp/*", "ucs/*", "uct/*", "ucm/*"],
    "llvm": ["llvm-c/*", "llvm/*", "clang-c/*"],
    "zstd": ["zstd.h", "zdict.h", "zstd_errors.h"],
    "sodium": ["sodium.h", "sodium/*"],
    "elf": ["gelf.h", "libelf.h"],
    "sqlite": ["sqlite3.h"],
    "jansson": ["jansson.h"],
    "pmix": ["pmix.h", "pmix_*.h"],
    "mpi": ["mpi.h"],
    "tirpc": ["rpc/*"],
    "zmq": ["zmq.h"],
    "julia": ["julia.h"],
    "cmocka": ["cmocka.h"],
    "openssl": ["openssl/*"],
}
C_LIBRARY = """
    assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h setjmp.h signal.h
    stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h tgmath.h
    threads.h time.h uchar.h wchar.h wctype.h
    dirent.h dlfcn.h elf.h endian.h err.h fcntl.h fnmatch.h fts.h ftw.h getopt.h glob.h ifaddrs.h libgen.h link.h malloc.h netdb.h
    poll.h pthread.h pwd.h regex.h sched.h semaphore.h spawn.h strings.h syslog.h termios.h ucontext.h unistd.h
    arpa/* linux/* net/* netinet/* sys/* cpuid.h immintrin.h x86intrin.h arm_acle.h arm_sve.h unwind.h cxxabi.h
    """.split()

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


TABLE = "docs/architecture.md"
EXCEPTIONS = "tests/layout/exceptions.md"
SPARE, SPARE_SHARE = 100, 0.1  # lines that a folder may lack of its budget: these, and this part of its size


class Row:
    def __init__(self, cells, page):
        layer, folders, allowed, libraries, *rest = (cell.strip() for cell in cells)
        self.layer = int(layer) if layer.isdigit() else None
        self.folders = re.findall(r"`([^`]+)`", folders)
        self.allowed_text = allowed
        self.everything = allowed == "everything"
        self.allowed_folders = re.findall(r"`([^`]+)`", allowed)
        self.allowed_layers = set()
        for first, last in re.findall(r"\blayers? (\d+)(?:-(\d+))?", allowed):
            self.allowed_layers |= set(range(int(first), int(last or first) + 1))
        self.libraries = set(re.findall(r"`([^`]+)`", libraries))
        if libraries == "everything":
            self.libraries = set(LIBRARIES)
        unknown = self.libraries - set(LIBRARIES)
        if unknown:
            raise SystemExit(f"{page}: unknown library {sorted(unknown)}")
        lines = rest[0].replace(",", "")
        self.budget = int(lines) if page == TABLE and lines.isdigit() else None
        if page == TABLE and self.budget is None:
            raise SystemExit(f"{page}: the row of {folders} has no lines")
        if not rest[-1]:
            raise SystemExit(f"{page}: the row of {folders} does not say " + ("what it holds" if page == TABLE else "why"))

    def folder_of(self, path):
        """The longest pattern of this row that covers path, or None."""
        covering = [f for f in self.folders if path.startswith(f + "/") or fnmatch.fnmatch(path, f)]
        return max(covering, key=len, default=None)

    @property
    def is_library(self):
        """Returns whether it is a part of the library, in one of its layers, not a user of it: those name the public headers."""
        return self.layer is not None or bool(self.allowed_layers) and "include/tc" not in self.allowed_folders


def read_rows(text, page):
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [Row(line.strip("|").split("|"), page) for line in lines[2:]]


def read_table(text):
    section = re.search(r"^## Layers$(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    if section is None:
        raise SystemExit(f"{TABLE}: no chapter 'Layers'")
    return read_rows(section.group(1), TABLE)


def check_budgets(rows, lines):
    """Folders with more lines than their row says, or far fewer; `lines` is {path: number}."""
    budgets = [row for row in rows if row.budget is not None]
    for row in budgets:
        size = sum(n for path, n in lines.items() if place_of(budgets, path) is not None and place_of(budgets, path)[0] is row)
        name = row.folders[0]
        if size > row.budget:
            yield f"{name}: {size:,} lines, {row.budget:,} in {TABLE}: make it smaller, or say there and in the commit why it grows"
        if row.budget > size * (1 + SPARE_SHARE) + SPARE:
            yield f"{name}: {size:,} lines, {row.budget:,} in {TABLE}: lower that"


def place_of(rows, path):
    """(row, folder) that path belongs to, or None."""
    places = [(row, row.folder_of(path)) for row in rows if row.folder_of(path) is not None]
    return max(places, key=lambda place: len(place[1]), default=None)


def may_reach(rows, path, target):
    """Returns whether a file may include, and call, another."""
    here, there = place_of(rows, path), place_of(rows, target)
    if here is None or there is None:
        return False
    row = here[0]
    return here == there or row.everything or there[0].layer in row.allowed_layers or there[1] in row.allowed_folders


def resolve(files, path, kind, name):
    """The file of the tree that an include means, or None for one from outside.

    Base names are unique, so one without a folder can only mean one file, whatever the search path of its target."""
    if kind == "<" and not name.startswith("tc/"):
        return None
    places = ["include"] if kind == "<" else [os.path.dirname(path), "runtime", "bitcode-archive", "include"]
    for place in places:
        target = os.path.normpath(os.path.join(place, name))
        if target in files:
            return target
    named = [file for file in files if kind == '"' and os.path.basename(file) == name]
    return named[0] if named else None


def library_of(name):
    for library, patterns in LIBRARIES.items():
        if any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            return library
    return None


def is_package_header(files, name):
    """Returns whether tc-package makes it, of the functions in the folder of that name."""
    return any(file.endswith(".c") and os.path.basename(os.path.dirname(file)) + ".h" == name for file in files)


def is_stub_header(files, name):
    """Returns whether tc-clang --stubs makes it, of the header of the name in front."""
    return name.endswith("_calls.h") and any(os.path.basename(file) == name.removesuffix("_calls.h") + ".h" for file in files)


def is_one_file_header(name):
    """Returns whether scripts/amalgamate.py makes it."""
    return name == "tchains.h"


def check_include(rows, files, path, kind, name):
    """The error of one include, or None."""
    if name.endswith(".c"):
        return "includes a source"
    row = place_of(rows, path)[0]
    target = resolve(files, path, kind, name)
    if target is not None:
        if target.startswith("include/tc/") or may_reach(rows, path, target):
            return None
        return f"is not allowed: the row of {path} may include {row.allowed_text}"
    if kind == '"' and (is_package_header(files, name) or is_stub_header(files, name) or is_one_file_header(name)):
        return None
    if kind == '"' or name.startswith("tc/"):
        return "is in no folder of the tree"
    if any(fnmatch.fnmatch(name, pattern) for pattern in C_LIBRARY):
        return None
    library = library_of(name)
    if library is None:
        return f"belongs to no library that {TABLE} or this test knows"
    return None if library in row.libraries else f"is of {library}, which the row of {path} may not use"


def check_calls(rows, calls):
    """Calls that the table does not allow, each once for each file that makes it."""
    for (path, name), definers in sorted(calls.calls.items()):
        here = place_of(rows, path)
        if here is None or any(may_reach(rows, path, definer) for definer in definers):
            continue
        inside = path.startswith("runtime/") or here[0].is_library
        if name in calls.public and (not inside or definers[0].startswith("include/tc/")):
            continue
        yield f"{path}: calls {name} of {definers[0]}: its row may include {here[0].allowed_text}"


def is_shipped(path):
    """Functions to be sent: inputs of tests and programs. Such a file has its function's name."""
    return os.path.basename(os.path.dirname(path)) in ("data", "ifuncs", "shipped")


def check_names(paths):
    seen = {}
    for path in paths:
        name = os.path.basename(path)
        if is_shipped(path) or path.startswith("examples/"):
            continue
        if name in seen:
            yield f"{path}: base name as {seen[name]}"
        seen.setdefault(name, path)


def check_tree(root):
    """(problems, calls that are not allowed, Calls, number of files, of includes)"""
    rows = read_table(read(root, TABLE)) + read_rows(read(root, EXCEPTIONS), EXCEPTIONS)
    paths = sources(root)
    files = set(paths)
    problems = list(check_names(paths))
    problems += check_budgets(rows, {path: read(root, path).count("\n") for path in paths})
    edges = 0
    for path in paths:
        if place_of(rows, path) is None:
            problems.append(f"{path}: in no row of {TABLE} or {EXCEPTIONS}")
            continue
        if is_shipped(path) and path.startswith("tests/"):
            continue  # some include generated files, some are wrong on purpose
        for kind, name in INCLUDE.findall(read(root, path)):
            edges += 1
            problem = check_include(rows, files, path, kind, name)
            if problem:
                problems.append(f"{path}: {name} {problem}")
    calls = Calls({path: read(root, path) for path in paths if not path.startswith(("tests/", "examples/")) and not is_shipped(path)})
    return problems, list(check_calls(rows, calls)), calls, len(paths), edges


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("--calls-max", type=int, default=0)
    parser.add_argument("--circle-max", type=int)
    args = parser.parse_args()
    problems, forbidden, calls, file_count, edge_count = check_tree(args.root)
    largest = max(circles(calls.graph(calls.calls)), key=len, default=[])
    for problem in problems + forbidden:
        print(problem)
    print(f"{file_count} files, {edge_count} includes, {len(problems)} problems; {len(calls.calls)} calls of other files, "
          f"{len(forbidden)} not allowed; largest circle in runtime/: {len(largest)}")
    failed = bool(problems)
    if len(forbidden) > args.calls_max:
        failed = True
        print(f"{len(forbidden)} calls that the table does not allow, {args.calls_max} at most")
    if args.circle_max is not None and len(largest) > args.circle_max:
        failed = True
        print(f"{len(largest)} files call one another round and round, {args.circle_max} at most:\n    " + "\n    ".join(largest))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
