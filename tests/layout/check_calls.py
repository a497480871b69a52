#!/usr/bin/env python3
"""The call graph: files, and the functions defined in other files that they call.

    check_calls.py ROOT [--graph] [--knows] [--circle-max N] [--closure FILE,FILE:LINES]

A header and the source of its name are one file here. A call is the name of a function that another file defines, in a function
or in an initialiser: to take its address is to call it. A call through a member of a table of operations does not count, so such
tables are the way to call upward; files that name a table itself (an exported variable) are listed apart, with --knows.

Prints every circle of more than three files in runtime/. --graph: the edges, too. --circle-max: fails when the largest circle has
more files. --closure: the files that these two (without .c) reach by calls; fails when they have more lines than that, without
those that check invariants.
"""
import argparse
import os
import re
import sys

from c_source import KEYWORDS, NAME, Source
from source_tree import read, sources

CIRCLE_SHOWN = 4
# Checks of invariants are in no release.
INVARIANT = re.compile(r"^[ \t]*TCI_(?:INVARIANT|INVARIANT_IS|ASSERT)\([^;]*;\n", re.MULTILINE)


def module_of(path):
    """A header and its source are one."""
    return os.path.splitext(path)[0]


def circles(graph):
    """The strongly connected components of {node: {node}} that have more than one member, largest first, each sorted (Tarjan)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in sorted(graph):
        work = [(root, iter(sorted(graph[root])))] if root not in index else []
        while work:
            node, targets = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
            for target in targets:
                if target not in index:
                    work.append((target, iter(sorted(graph.get(target, ())))))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    if len(stack) - at > 1:
                        found.append(sorted(stack[at:]))
                    on_stack.difference_update(stack[at:])
                    del stack[at:]
    return sorted(found, key=lambda members: (-len(members), members))


class Calls:
    """The calls of a tree: `calls` and `knows` are {(path, name): [path that defines it]} between files; `public` are the names that
    headers of include/tc declare or define."""

    def __init__(self, texts):
        self.texts, self.sources = texts, {}
        for path, text in texts.items():
            try:
                self.sources[path] = Source(text)
            except ValueError as problem:
                raise SystemExit(f"{path}: {problem}") from problem
        self.functions, self.variables, self.macros = {}, {}, {}
        self.public = set()
        for path, source in self.sources.items():
            header = path.endswith(".h")
            for function in source.functions:
                # A definition in front of MPI's: callers call MPI.
                if function.name.startswith("MPI_"):
                    continue
                if header or not function.static:
                    self.functions.setdefault(function.name, []).append(path)
            for name, static in source.variables.items():
                if not static:
                    self.variables.setdefault(name, []).append(path)
            if header:
                for name, body in source.macros.items():
                    self.macros.setdefault(name, []).extend(body)
            if path.startswith("include/tc/"):
                self.public |= set(source.declared) | {f.name for f in source.functions}
        self.calls, self.knows = {}, {}
        for path, source in self.sources.items():
            self.read_uses(path, source)

    def read_uses(self, path, source):
        own = {f.name for f in source.functions} | set(source.variables)
        expanded = set()
        work = list(source.uses())
        while work:
            before, name, after = work.pop()
            if before in (".", "->") or not NAME.fullmatch(name) or name in KEYWORDS or name in own:
                continue
            # A name without our prefix may be that of a variable.
            if name in self.functions and (after == "(" or name.startswith(("tc_", "tci_"))):
                self.note(self.calls, path, name, self.functions[name])
            elif name in self.variables:
                self.note(self.knows, path, name, self.variables[name])
            elif name not in expanded:
                expanded.add(name)
                body = source.macros.get(name) or self.macros.get(name, [])
                work += zip([""] + body[:-1], body, body[1:] + [""])

    @staticmethod
    def note(edges, path, name, places):
        if all(module_of(place) != module_of(path) for place in places):
            edges[path, name] = places

    def graph(self, edges, folder="runtime/"):
        """{file: {file that it calls: [names]}} among those of a folder."""
        graph = {module_of(path): {} for path in self.sources if path.startswith(folder)}
        for (path, name), places in sorted(edges.items()):
            for place in places:
                if path.startswith(folder) and place.startswith(folder):
                    graph[module_of(path)].setdefault(module_of(place), []).append(name)
        return graph


def read_tree(root, prefixes=None):
    """The calls of all C files of the tree; or of those in some folders."""
    return Calls({path: read(root, path) for path in sources(root) if prefixes is None or path.startswith(tuple(prefixes))})


def closure(graph, starts):
    """The files that are reached from some of them, with those."""
    reached, work = set(), list(starts)
    while work:
        path = work.pop()
        if path not in reached:
            reached.add(path)
            work += graph.get(path, ())
    return reached


def lines_of(calls, files):
    return sum(INVARIANT.sub("", text).count("\n") for path, text in calls.texts.items() if module_of(path) in files)


def print_graph(graph):
    for path in sorted(graph):
        for target, names in sorted(graph[path].items()):
            print(f"{path} -> {target}: {', '.join(sorted(set(names)))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("--graph", action="store_true")
    parser.add_argument("--knows", action="store_true")
    parser.add_argument("--circle-max", type=int)
    parser.add_argument("--closure", metavar="FILE,FILE:LINES")
    args = parser.parse_args()
    calls = read_tree(args.root, ["runtime/", "bitcode-archive/", "include/"])
    graph = calls.graph(calls.calls)
    if args.graph:
        print_graph(graph)
    if args.knows:
        print_graph(calls.graph(calls.knows))
    found = circles(graph)
    for members in found:
        if len(members) >= CIRCLE_SHOWN:
            print(f"circle of {len(members)}:\n    " + "\n    ".join(members))
    functions = sum(len(s.functions) for path, s in calls.sources.items() if path.startswith("runtime/"))
    largest = len(found[0]) if found else 0
    print(f"{len(graph)} files, {functions} functions, {sum(map(len, graph.values()))} edges, "
          f"{sum(len(names) for targets in graph.values() for names in targets.values())} calls between files")
    print(f"circles: {' '.join(str(len(members)) for members in found)}; the largest has {largest} files")
    if args.circle_max is not None and largest > args.circle_max:
        print(f"a circle has more than {args.circle_max} files")
        return 1
    if args.closure:
        starts, most = args.closure.split(":")
        reached = closure(graph, starts.split(","))
        lines = lines_of(calls, reached)
        print(f"{starts} reach {len(reached)} files of {lines} lines, at most {most}")
        return 1 if lines > int(most) or not set(starts.split(",")) <= set(graph) else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
