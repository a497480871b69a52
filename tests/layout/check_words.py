#!/usr/bin/env python3
"""The words of comments: how many sentences open with a noun clause, and how often words of a dialect are used.

    check_words.py ROOT [--max FILE] [--folders | --list]

Counted are the comments of runtime/ and include/, in 10,000 words of them: sentences that open with What, Who, Whoever, Whose,
Whether, That, Which or Of, and some words. FILE has lines "NAME NUMBER": what each count may be at most, which only ever falls. A
count well below its line fails, too, with the line to write. --folders prints the counts of each folder, --list every place.
"""
import collections
import math
import re
import sys

from source_tree import read, sources

FOLDERS = ("runtime/", "include/")
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
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
    """Each comment without its marks, lines joined."""
    for found in COMMENT.finditer(text):
        body = re.sub(r"^(?:/\*+|//+)|\*+/$", "", found[0])
        yield text.count("\n", 0, found.start()) + 1, re.sub(r"\s*\n\s*\*?\s*", " ", body).strip()


def sentences(comment):
    """Splits at full stops. Colons and semicolons end no sentence."""
    return [part for part in re.split(r"(?<=[.!?])\s+(?=[A-Z(\"'])", comment) if part]


def count(text, on_found=lambda line, name, sentence: None):
    counts = collections.Counter()
    for line, comment in comments(text):
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


def rate(counts, name):
    return 10000 * counts[name] / max(1, counts["words"])


def check(counts, path):
    problems = []
    with open(path, encoding="utf-8") as file:
        limits = dict(line.split() for line in file if line.strip() and not line.startswith("#"))
    for name in ("openings", *DIALECT):
        found, limit = rate(counts, name), float(limits[name])
        if found > limit:
            problems.append(f"{name}: {found:.1f} in 10,000 words of comment, at most {limit:g}; --list names the sentences")
        elif found * SLACK + 1 < limit:
            problems.append(f"{name}: {found:.1f} is below {limit:g}: write '{name} {math.ceil(found)}' in {path}")
    return problems


def main(arguments):
    root, *options = arguments
    files = [path for path in sources(root) if path.startswith(FOLDERS)]
    folders = collections.defaultdict(collections.Counter)
    for path in files:
        def on_found(line, name, sentence, path=path):
            if "--list" in options:
                print(f"{path}:{line}: {name}: {sentence[:160]}")
        folders[path.rpartition("/")[0]] += count(read(root, path), on_found)
    total = sum(folders.values(), collections.Counter())
    names = ("openings", *DIALECT)
    rows = [*sorted(folders.items()), ("all", total)] if "--folders" in options else [("all", total)]
    print(f"{'':32}{'words':>8}" + "".join(f"{name:>10}" for name in names))
    for folder, counts in rows:
        print(f"{folder:32}{counts['words']:8}" + "".join(f"{rate(counts, name):10.1f}" for name in names))
    problems = check(total, options[options.index("--max") + 1]) if "--max" in options else []
    for problem in problems:
        print(problem)
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
