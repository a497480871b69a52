#!/usr/bin/env python3
"""Checks which files use which parts of a large struct.

    check_parts.py ROOT [--fields]

The chapter "Parts of an endpoint" of docs/architecture.md says "`struct NAME` in `HEADER`" and has a table: the part (a member
that is a struct of its own), the files that own it, the files that use it too. A file may use the parts that it owns and one
more; the table has to name further uses. A part in no row, and a row for no part, are mistakes.

An access is `ep->part` with ep declared as NAME, `x->ep->part` where some struct has a member ep of that type, `eps[i]->part`, or
`find(x)->part`. Macros are not looked into. --fields: which files use each member, part or not.
"""
import fnmatch
import re
import sys

from c_source import NAME, PAIRS, Source, close_of, flat
from check_calls import module_of
from source_tree import read, sources

CHAPTER = re.compile(r"^## Parts of an endpoint$(.*?)(?:^## |\Z)", re.MULTILINE | re.DOTALL)
OPENING = {")": "(", "]": "["}


class Table:
    def __init__(self, text):
        chapter = CHAPTER.search(text)
        named = chapter and re.search(r"`struct (\w+)`\s+in\s+`([^`]+)`", chapter.group(1))
        if not named:
            raise SystemExit("docs/architecture.md: no chapter 'Parts of an endpoint' that says `struct NAME` in `HEADER`")
        self.struct, self.header = named.groups()
        lines = [line for line in chapter.group(1).splitlines() if line.startswith("|")]
        self.rows = {}
        for line in lines[2:]:
            part, owners, users = (re.findall(r"`([^`]+)`", cell) for cell in line.strip("|").split("|")[:3])
            self.rows[part[0]] = (owners, users)

    def owns(self, path, part):
        return any(fnmatch.fnmatch(path, pattern) for pattern in self.rows[part][0])

    def names(self, path, part):
        return any(fnmatch.fnmatch(path, pattern) for pattern in self.rows[part][1])


def statements(tokens):
    """The member declarations among the tokens of a struct."""
    start = 0
    for i, token in flat(tokens):
        if token == ";":
            yield tokens[start:i]
            start = i + 1


def members_of(tokens):
    """[(name, type or None for one that is not embedded)] of the members of a struct. A struct without a name is its own type."""
    found = []
    for statement in statements(tokens):
        words = [t for t in statement if NAME.fullmatch(t) and t not in ("const", "struct")]
        kind = "struct" if "{" in statement else next(iter(words), None)
        commas = [i for i, t in flat(statement) if t == ","]
        for begin, end in zip([0] + [i + 1 for i in commas], commas + [len(statement)]):
            declarator = statement[begin:end]
            plain = [(i, t) for i, t in flat(declarator)]
            call = next((i for i, t in plain if t == "(" and declarator[i + 1:i + 2] == ["*"]), None)
            if call is not None:
                found.append((declarator[call + 2], None))
                continue
            stop = next((i for i, t in plain if t in ("[", ":")), len(declarator))
            names = [t for i, t in plain if i < stop and NAME.fullmatch(t)]
            embedded = "*" not in [t for _, t in plain] and stop == len(declarator)
            if names:
                found.append((names[-1], kind if embedded else None))
    return found


def declared_as(tokens, struct):
    """Names that these tokens declare as the struct or as pointers to it. A function that returns one is in there, too."""
    for i, token in enumerate(tokens):
        if token != struct:
            continue
        at = i + 1
        while at < len(tokens):
            while at < len(tokens) and tokens[at] in ("*", "const", "restrict"):
                at += 1
            if at >= len(tokens) or not NAME.fullmatch(tokens[at]):
                break
            yield tokens[at]
            at += 1
            while at < len(tokens) and tokens[at] not in (",", ";", ")"):  # an initialiser
                at = close_of(tokens, at) + 1 if tokens[at] in PAIRS else at + 1
            if tokens[at:at + 2] != [",", "*"]:
                break
            at += 1


def base_of(tokens, at):
    """(index, name) of the variable, member or function with its value before the sign at `at`, or None."""
    i = at - 1
    while i >= 0 and tokens[i] in OPENING:
        depth, end = 0, i
        while i >= 0:
            depth += (tokens[i] in OPENING) - (tokens[i] in OPENING.values())
            if depth == 0:
                break
            i -= 1
        if tokens[end] == ")" and (i == 0 or not NAME.fullmatch(tokens[i - 1]) or tokens[i - 1] == "return"):
            inner = [n for n in range(i + 1, end) if NAME.fullmatch(tokens[n]) and tokens[n] not in ("const", "struct")]
            chosen = inner[-1:] if "->" in tokens[i:end] else inner[:1]  # (hub->first); (*ep_out), ((tc_ep *)user)
            return (chosen[0], tokens[chosen[0]]) if chosen else None
        i -= 1
    return (i, tokens[i]) if i >= 0 and NAME.fullmatch(tokens[i]) else None


def uses(function, struct, members, globally, fields):
    """Fields of the struct that a function uses. members, globally: names of members and functions of that type."""
    local = {struct} | set(declared_as(function.head, struct)) | set(declared_as(function.body, struct))
    body = function.body
    for i in range(1, len(body) - 1):
        if body[i] not in ("->", ".") or body[i + 1] not in fields:
            continue
        base = base_of(body, i)
        if base is None:
            continue
        at, name = base
        member = at > 0 and body[at - 1] in ("->", ".")
        if name in (members if member else local | globally):
            yield body[i + 1]


def read_uses(texts, table):
    """({field: type} of the struct, {field: {file that uses it}})"""
    parsed = {path: Source(text) for path, text in texts.items()}
    types = {name for source in parsed.values() for name in source.structs} | {"struct"}
    if table.header not in parsed or table.struct not in parsed[table.header].structs:
        raise SystemExit(f"{table.header}: has no struct {table.struct}")
    fields = {name: kind if kind in types else None for name, kind in members_of(parsed[table.header].structs[table.struct])}
    members = {name for source in parsed.values() for body in source.structs.values() for name in declared_as(body, table.struct)}
    functions = {name for source in parsed.values() for name in declared_as(source.tokens, table.struct)
                 if name in source.declared or any(f.name == name for f in source.functions)}
    used = {name: set() for name in fields}
    for path, source in parsed.items():
        for function in source.functions:
            for field in uses(function, table.struct, members, functions, fields):
                used[field].add(path)
    return fields, used


def check(table, fields, used):
    parts = {name for name, kind in fields.items() if kind}
    for part in sorted(parts - set(table.rows)):
        yield f"{table.header}: {part} is a part of {table.struct} without a row in docs/architecture.md"
    for part in sorted(set(table.rows) - parts):
        yield f"docs/architecture.md: {part} is no part of {table.struct}"
    foreign = {}
    for part in sorted(parts & set(table.rows)):
        for path in sorted(used[part]):
            if not table.owns(path, part) and not table.names(path, part):
                foreign.setdefault(module_of(path), {}).setdefault(part, path)
    for file, found in sorted(foreign.items()):
        if len(found) > 1:
            yield f"{file}: uses {', '.join(found)}, which it does not own; one such part is enough"


def main():
    root = sys.argv[1]
    table = Table(read(root, "docs/architecture.md"))
    fields, used = read_uses({path: read(root, path) for path in sources(root) if path.startswith("runtime/")}, table)
    if "--fields" in sys.argv[2:]:
        for name, kind in fields.items():
            print(f"{name}{' (part)' if kind else ''}: {' '.join(sorted(used[name]))}")
    problems = list(check(table, fields, used))
    for problem in problems:
        print(problem)
    files = {module_of(path) for paths in used.values() for path in paths}
    print(f"{table.struct}: {len(fields)} members, {sum(1 for kind in fields.values() if kind)} parts, used by {len(files)} files; "
          f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
