#!/usr/bin/env python3
"""The words of comments and documents: how many sentences open with a noun clause, and how often words of a dialect are used.

    check_words.py ROOT [--max FILE] [--folders | --list]

Counts, in 10,000 words of each group, the sentences that open with What, Who, Whoever, Whose, Whether, That, Which or Of, and
some words. The groups are the comments of the library, of the other programs, of the tests and of the build's scripts, and the
text of the documents (GROUPS). FILE has lines "GROUP NAME NUMBER": the most that a count may be, which only ever falls. A count
well below its line fails, too, with the line to write. --folders prints the counts of each folder, --list every sentence found.
"""
import collections
import io
import math
import os
import re
import sys
import tokenize

from source_tree import read, walk

GROUPS = {  # the first one that has the beginning of a path is the path's group
    "library": ("runtime/", "include/", "objects/", "am/", "steady/", "mpi/", "simulation/"),
    "programs": ("tools/", "compiler/", "bitcode-archive/", "compat/", "benchmarks/", "bindings/", "examples/"),
    "tests": ("tests/",),
    "scripts": ("",),
}
C_ENDINGS = (".c", ".h", ".cpp", ".hpp", ".rs", ".d")
HASH_ENDINGS = (".sh", ".cmake", ".jl", "CMakeLists.txt")
DOCUMENTS = re.compile(r"(?:README|CONTRIBUTING|SECURITY)\.md|docs/(?:decisions/)?[^/]+\.md|docs/man/[^/]+\.[157]\.md")
GENERATED = {"docs/options.md"}
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
HASH_COMMENT = re.compile(r"(?:^|(?<=\n))[ \t]*#(?!!)[^\n]*(?:\n[ \t]*#[^\n]*)*|(?<=[ \t])# [^\n]*")
FENCED = re.compile(r"^([ \t]*)(```|~~~).*?^\1\2[^\n]*$|<!--.*?-->", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\([^)\s]*\)")
# A line of a document that goes on with nothing before it: an item, a term, a heading, a row.
ITEM = re.compile(r"\s*(?:[-*+] |\d+[.)] |: {3})")
BLOCK_START = re.compile(ITEM.pattern + r"|\s*[#|>]")
WORD = re.compile(r"[A-Za-z][A-Za-z']*")
OPENING = re.compile(r"(?:What|Who|Whoever|Whose|Whether|That|Which|Of)\b")
# Words that stand in the way of a reader, as regular expressions; those of one line count together.
DIALECT = {
    "what": r"what",
    "who": r"who|whoever|whose|whom",
    "nobody": r"nobody|none|nothing else",
    "told": r"told|tells?|hears?|heard|says?|said",
    "place": r"places?",
    "room": r"rooms?",
    "dialect": r"landings?|visits?|lookouts?|anew|strangers?|crews?|chores?|hands? over|for want of|comes? to rest",
}
SLACK = 1.15  # a count may be so much below its line before the line has to fall


def comments(text):
    """Each comment of a source in C, without its marks, lines joined."""
    for found in COMMENT.finditer(text):
        body = re.sub(r"^(?:/\*+|//+)|\*+/$", "", found[0])
        yield text.count("\n", 0, found.start()) + 1, re.sub(r"\s*\n\s*\*?\s*", " ", body).strip()


def hash_comments(text):
    """Each comment that begins with #; those of adjacent lines are one."""
    for found in HASH_COMMENT.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, re.sub(r"(?:^|\n)[ \t]*#+ ?", " ", found[0]).strip()


def python_comments(text):
    yield from hash_comments(re.sub(r"(\"\"\"|''').*?\1", lambda string: "\n" * string[0].count("\n"), text, flags=re.DOTALL))
    previous = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING and previous in (tokenize.NEWLINE, tokenize.INDENT):
            yield token.start[0], re.sub(r"\s+", " ", token.string.strip("\"'")).strip()
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            previous = token.type


def paragraphs(text):
    """Each paragraph, item, heading and cell of a document, without its code."""
    text = FENCED.sub(lambda block: "\n" * block[0].count("\n"), text)
    text = LINK.sub("]", SPAN.sub(lambda span: "`" + "\n" * span[0].count("\n"), text))
    start, lines, listed = 1, [], False
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if not line.strip() or BLOCK_START.match(line):
            if lines:
                yield start, " ".join(lines)
            start, lines = number, []
        listed = bool(ITEM.match(line)) if line[:1].strip() else listed
        if line.startswith("    ") and not lines and not listed:
            continue  # code
        if line.lstrip().startswith("|"):
            yield from ((number, cell.strip()) for cell in line.split("|") if cell.strip())
        elif line.strip():
            lines.append(re.sub(r"^(?:[-*+]|\d+[.)]|:|#+|>)\s+", "", line.strip()))


def sentences(comment):
    """Splits at full stops. Colons and semicolons end no sentence."""
    return [part for part in re.split(r"(?<=[.!?])\s+(?=[A-Z(\"'])", comment) if part]


def count(text, pieces=comments, on_found=lambda line, name, sentence: None):
    counts = collections.Counter()
    for line, comment in pieces(text):
        counts["words"] += len(WORD.findall(comment))
        for sentence in sentences(comment):
            if OPENING.match(sentence):
                counts["openings"] += 1
                on_found(line, "openings", sentence)
            for name, pattern in DIALECT.items():
                found = len(re.findall(rf"\b(?:{pattern})\b", sentence, re.IGNORECASE))
                counts[name] += found
                if found:
                    on_found(line, name, sentence)
    return counts


def kind(path):
    """The group of a file and the function that finds its comments; None of a file without any."""
    if DOCUMENTS.fullmatch(path):
        return None if path in GENERATED else ("documents", paragraphs)
    readers = ((C_ENDINGS, comments), (HASH_ENDINGS, hash_comments), (".py", python_comments))
    reader = next((reader for endings, reader in readers if path.endswith(endings)), None)
    return reader and (next(group for group, folders in GROUPS.items() if path.startswith(folders)), reader)


def rate(counts, name):
    return 10000 * counts[name] / max(1, counts["words"])


def check(groups, path):
    problems = []
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    limits = {(group, name): float(limit) for group, name, limit in lines}
    for group, counts in sorted(groups.items()):
        for name in ("openings", *DIALECT):
            found, limit = rate(counts, name), limits[group, name]
            if found > limit:
                problems.append(f"{group} {name}: {found:.1f} in 10,000 words, at most {limit:g}; --list names the sentences")
            elif found * SLACK + 1 < limit:
                problems.append(f"{group} {name}: {found:.1f} is below {limit:g}: write '{group} {name} {math.ceil(found)}' in {path}")
    return problems


def main(arguments):
    root, *options = arguments
    groups, folders = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    for path in walk(root):
        group, reader = kind(path) or (None, None)
        if group is None:
            continue

        def on_found(line, name, sentence, path=path):
            if "--list" in options:
                print(f"{path}:{line}: {name}: {sentence[:160]}")
        counts = count(read(root, path), reader, on_found)
        groups[group] += counts
        folders[os.path.dirname(path) or "."] += counts
    names = ("openings", *DIALECT)
    rows = [*(sorted(folders.items()) if "--folders" in options else ()), *sorted(groups.items())]
    print(f"{'':32}{'words':>8}" + "".join(f"{name:>10}" for name in names))
    for folder, counts in rows:
        print(f"{folder:32}{counts['words']:8}" + "".join(f"{rate(counts, name):10.1f}" for name in names))
    problems = check(groups, options[options.index("--max") + 1]) if "--max" in options else []
    for problem in problems:
        print(problem)
    return 1 if problems or not groups else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
