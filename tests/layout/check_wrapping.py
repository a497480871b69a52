#!/usr/bin/env python3
"""Documents have lines of at most 110 columns.

    check_wrapping.py ROOT [--wrap]

Fails on each paragraph and list item that is wider and can be wrapped; with --wrap it wraps them. Parts that cannot be
wrapped stay: tables, fenced and indented code, headings, HTML, references, and lines that end with a forced break. No text
changes: when lowdown is there, a file is written only if its HTML is the same as before but for white space.
"""
import os
import re
import shutil
import subprocess
import sys

from source_tree import read, walk

WIDTH = 110
GENERATED = {"docs/options.md"}

FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)]) +(?=\S)|: {3}(?=\S)")
UNTOUCHED = re.compile(r"\s*(?:[|>]|<[a-zA-Z!/]|\[[^\]]*\]:|#|[-=_*]{3,}$)")
FORCED_BREAK = re.compile(r"(?: {2}|\\)$")
# Parts that stay on one line: code, and the text of a link that is short.
KEPT_WHOLE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)|\[[^\]`]{1,40}\](?=\()")
# A line that began with one of these would begin something else than a line of text. A dash, as in the chapter NAME of a
# man page, stays with the words before and behind it.
NO_LINE_START = re.compile(r"[-+*]$|\d+[.)]$|[-=_*]{2,}$|[#>|:~<]|```|\[[^\]]*\]:")


def words(text):
    """The pieces between which a line may end: words, each with the code or link that it touches."""
    hidden = KEPT_WHOLE.sub(lambda span: "\0" * len(span.group()), text)
    pieces = []
    for piece in re.finditer(r"\S+", hidden):
        word = text[piece.start():piece.end()]
        if pieces and (NO_LINE_START.match(word) or pieces[-1].endswith(" -")):
            pieces[-1] += " " + word
        else:
            pieces.append(word)
    return pieces


def fill(text, first, rest):
    lines, line = [], first
    for number, word in enumerate(words(text)):
        if number > 0 and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = rest + word
        else:
            line += (" " if number > 0 else "") + word
    return lines + [line]


def indent_of(line):
    return len(line) - len(line.lstrip(" "))


def wrap_block(lines):
    """One paragraph or list item."""
    if all(len(line) <= WIDTH for line in lines) or any(FORCED_BREAK.search(line) for line in lines):
        return lines
    marker = ITEM.match(lines[0])
    first = marker.group() if marker else " " * indent_of(lines[0])
    rest = " " * (indent_of(lines[1]) if len(lines) > 1 else len(first))
    return fill(" ".join(line.strip() for line in [lines[0][len(first):]] + lines[1:]), first, rest)


class Wrapper:
    def __init__(self):
        self.out = []
        self.group = []  # lines between two empty ones
        self.content = 0  # where the text of the list item begins that the next group may belong to

    def flush(self):
        group, self.group = self.group, []
        if not group:
            return
        if indent_of(group[0]) == 0:
            self.content = 0
        if indent_of(group[0]) >= self.content + 4 or any(UNTOUCHED.match(line) for line in group):
            self.out += group
            return
        blocks = []
        for line in group:
            if ITEM.match(line) or not blocks:
                blocks.append([])
            blocks[-1].append(line)
        for block in blocks:
            self.out += wrap_block(block)
        marker = ITEM.match(blocks[-1][0])
        if marker:
            self.content = len(marker.group())

    def run(self, text):
        fenced = False
        for line in text.split("\n"):
            if FENCE.match(line):
                self.flush()
                fenced = not fenced
                self.content = min(self.content, indent_of(line))
            if fenced or FENCE.match(line) or not line.strip():
                self.flush()
                self.out.append(line)
            else:
                self.group.append(line)
        self.flush()
        return "\n".join(self.out)


def html(text):
    """Its pieces of prose, without regard to white space, and of code."""
    shown = subprocess.run(["lowdown", "-t", "html"], input=text, capture_output=True, text=True, check=True).stdout
    return [part if part.startswith("<pre") else part.split()
            for part in re.split(r"(<pre.*?</pre>)", shown, flags=re.DOTALL)]


def documents(root):
    return [path for path in walk(root) if path.endswith(".md") and path not in GENERATED]


def wrap_file(root, path, text, wrapped):
    if shutil.which("lowdown") and html(text) != html(wrapped):
        return f"{path}: wrapped, it would be shown otherwise; left as it is"
    with open(os.path.join(root, path), "w", encoding="utf-8") as file:
        file.write(wrapped)
    return None


def main():
    root, mend = sys.argv[1], "--wrap" in sys.argv[2:]
    problems = []
    paths = documents(root)
    for path in paths:
        text = read(root, path)
        wrapped = Wrapper().run(text)
        if wrapped == text:
            continue
        if mend:
            problem = wrap_file(root, path, text, wrapped)
            problems += [problem] if problem else []
        else:
            kept = set(wrapped.split("\n"))
            problems += [f"{path}:{number}: {len(line)} columns, at most {WIDTH}"
                         for number, line in enumerate(text.split("\n"), 1) if len(line) > WIDTH and line not in kept]
    for problem in problems:
        print(problem)
    print(f"{len(paths)} documents, {len(problems)} problems; check_wrapping.py ROOT --wrap wraps them")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
