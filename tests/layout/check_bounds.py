#!/usr/bin/env python3
"""Every queue and table has a bound that docs/options.md names.

    check_bounds.py ROOT [--list]

A growing structure is found by the primitive that makes it grow: `realloc`, `calloc` of a variable count, a link to the next
element of a list (a pointer `next` among the members of a struct, or TAILQ_ENTRY), `pthread_create`, `posix_spawn`, `accept4`, or
a file that is opened to append. Its comment, on that line or in the four lines before it, says `bound: NAME` (or several names): a
constant or an option of this tree, or a limit of the system. Each name is in the table "Bounds of queues and tables" of
docs/options.md. Its column of defaults has the constant's value and the option's default.

--list: prints each structure, its file and line, and its bounds.
"""
import re
import sys

from c_source import DIRECTIVE, NOISE, Source, blank
from check_parts import statements
from source_tree import read, sources

FOLDERS = ("runtime/", "compiler/", "bitcode-archive/")
PROGRAMS = re.compile(r"/tc_ar_|/train_dictionary\.")  # they read their user's own files
DOCUMENT = "docs/options.md"
CHAPTER = re.compile(r"^## Bounds of queues and tables$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
NAME = r"[A-Za-z_]\w*(?:\.\w+)?"
MARKER = re.compile(rf"\bbound:\s+({NAME}(?:, {NAME})*)")
LINES_BEFORE = 4
CALLS = re.compile(r"\b(realloc|reallocarray|pthread_create|posix_spawnp?|accept4|TAILQ_ENTRY)\s*\(")
TABLES = re.compile(r"\bcalloc\s*\(\s*(?!1\s*,)")
LINK = re.compile(r"next|next_\w+|(?!previous_)\w+_next")
APPENDS = re.compile(r"\bO_APPEND\b")
SYSTEM = re.compile(r"RLIMIT_\w+|vm\.\w+")
SUFFIXES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def growing(path, text):
    """{line: primitive} of the structures of a file that grow. Tables of the compiler are as large as a module of its user's."""
    tables = not path.startswith("compiler/")
    plain = DIRECTIVE.sub(blank, NOISE.sub(blank, text))
    found = {}
    for pattern, name in (CALLS, None), (tables and TABLES, "calloc"), (APPENDS, "append"):
        for match in pattern.finditer(plain) if pattern else ():
            found[plain.count("\n", 0, match.start()) + 1] = name or match.group(1)
    for struct, body in Source(text).structs.items():
        for statement in statements(body):
            link = next((t for t in statement if LINK.fullmatch(t)), None)
            if link is not None and struct in statement and "*" in statement:
                found[link.line] = f"list of {struct}"
    return found


def bounds_of(lines, number, found):
    """The names of the nearest marker at or before a line, but not of another structure's."""
    for at in range(number, max(0, number - 1 - LINES_BEFORE), -1):
        match = MARKER.search(lines[at - 1])
        if at < number and at in found:
            break
        if match:
            return match.group(1).split(", ")
    return []


def number_of(text):
    """Returns the value of a constant's definition or of a cell such as 4M, or None."""
    cell = re.fullmatch(r"(0|[1-9][\d,]*)([KMG]?)", text.strip())
    if cell:
        return int(cell.group(1).replace(",", "")) * SUFFIXES[cell.group(2)]
    term = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]*\b", r"\1", text.strip())
    try:
        return eval(term) if re.fullmatch(r"[\d\sxa-fA-F()*+<-]+", term) else None  # pylint: disable=eval-used
    except SyntaxError:  # a number such as 0600
        return None


def constants_of(texts):
    """{name: values} of the constants that the sources define as numbers."""
    found = {}
    for text in texts:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
        pairs = re.findall(r"^#define (\w+)[ \t]+([^\n]+)$", text.replace("\\\n", " "), re.MULTILINE)
        for names in re.findall(r"\benum \{([^}]*)\}", text):
            pairs += re.findall(r"(\w+) = ([^,]+)", names)
        for name, value in pairs:
            number = number_of(value)
            if number is not None:
                found.setdefault(name, set()).add(number)
    return found


def rows(text, first):
    """Returns the cells of each row of the table with this first cell in its head."""
    table = re.search(rf"^\| {first} \|.*\n\|[-|]+\|\n((?:\|.*\n)*)", text, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in (table.group(1) if table else "").splitlines()]


class Document:
    """named: {name of a bound: its default in the chapter}. options: {option: its default}."""

    def __init__(self, text):
        chapter = CHAPTER.search(text)
        if not chapter:
            raise SystemExit(f"{DOCUMENT}: no chapter 'Bounds of queues and tables'")
        self.options = {row[0].strip("`| "): row[3] for row in rows(text, "option")}
        self.named, self.problems = {}, []
        for row in rows(chapter.group(1), "structure"):
            names, defaults = re.findall(r"`([^`]+)`", row[1]), row[2].split("; ")
            if not names or len(names) != len(defaults) or len(row) != 4 or not row[3].strip("| "):
                self.problems.append(f"{DOCUMENT}: '{row[0].strip('| ')}' needs a bound, a default for each, and a cell for what "
                                     "happens beyond it")
            self.named.update(zip(names, defaults))

    def check(self, constants):
        yield from self.problems
        for name, default in self.named.items():
            if name in self.options:
                if default != self.options[name]:
                    yield f"{DOCUMENT}: {name} is {default}, and the option's default {self.options[name]}"
            elif SYSTEM.fullmatch(name):
                if default != "-":
                    yield f"{DOCUMENT}: {name} is the system's and has no default here"
            elif name not in constants:
                yield f"{DOCUMENT}: {name} is no option, and no constant of the sources"
            elif constants[name] != {number_of(default)}:
                yield f"{DOCUMENT}: {name} is {default}, and the sources have {sorted(constants[name])}"


def check(document, constants, files):
    """Lines about structures without a bound that the document names, and about the document."""
    yield from document.check(constants)
    for path, text in files.items():
        lines, found = text.splitlines(), growing(path, text)
        for number, primitive in sorted(found.items()):
            names = bounds_of(lines, number, found)
            if not names:
                yield f"{path}:{number}: {primitive} without a comment 'bound: NAME'"
            for name in names:
                if name not in document.named:
                    yield f"{path}:{number}: {primitive}: its bound {name} is not in the table of {DOCUMENT}"


def main():
    root = sys.argv[1]
    files = {path: read(root, path) for path in sources(root) if path.startswith(FOLDERS) and not PROGRAMS.search(path)}
    found = {path: growing(path, text) for path, text in files.items()}
    if "--list" in sys.argv[2:]:
        for path, number in ((path, number) for path in found for number in sorted(found[path])):
            names = bounds_of(files[path].splitlines(), number, found[path])
            print(f"{path}:{number}: {found[path][number]}: {', '.join(names) or 'none'}")
    constants = constants_of([*files.values(), *(read(root, path) for path in sources(root) if path.startswith("include/"))])
    problems = list(check(Document(read(root, DOCUMENT)), constants, files))
    for problem in problems:
        print(problem)
    print(f"{sum(map(len, found.values()))} growing structures, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
