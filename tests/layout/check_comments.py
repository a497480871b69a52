#!/usr/bin/env python3
"""Comments stand where they can be read.

    check_comments.py ROOT

In headers, a declaration that its trailing comment would break in two has the comment above it instead, and so has one with
a comment that would go on behind the next declaration. Prototypes in a comment are whole lines.

In the library, the compiler and the tools every header opens with a comment that states its idea. A source opens with one, too,
when it is long (OWN_OPENING_LINES) or when it has more than OPENING_LINES and its header states nothing for it.
"""
import os
import re
import sys

from source_tree import read, sources

COLUMNS_MAX = 96
OPENED = ("bitcode-archive/", "compiler/", "include/", "runtime/", "tools/")
OPENING = re.compile(r"/\*\s*(?!---)\S(?:(?!\*/).){20,}\*/", re.DOTALL)
OPENING_LINES, OWN_OPENING_LINES = 60, 250
TRAILING = re.compile(r"^(\s*\S.*?)\s+/\*(.*?)(\*/)?$")
# Words that no sentence ends with.
UNFINISHED = re.compile(r"(?:,|\b(?:and|or|the|a|an))$")
# "NAME *" or "size_t" at the end of a comment's line, when the next one goes on with a name and a parenthesis.
CUT_PROTOTYPE = re.compile(r"^(?:/\*| \*) .*\b(?:void|int|size_t|char|tc_status)(?: \*)?$")
PROTOTYPE = re.compile(r"^ \* \*?\w+\([\w\s*,\[\]]*(?:\);|$)")


def is_half(line):
    """Returns whether a declaration goes on behind this line: no statement, label, brace, directive or comment ends here."""
    code = line.rstrip()
    return bool(code.strip()) and not code.lstrip().startswith(("#", "/*", "*", "//")) \
        and not code.endswith((";", ",", "{", "}", ":", "*/", "\\", "(", "&&", "||"))


def check_lines(path, lines):
    inside = False  # a comment that began on an earlier line
    for number, (line, following) in enumerate(zip(lines, lines[1:]), 1):
        if CUT_PROTOTYPE.match(line) and PROTOTYPE.match(following):
            yield f"{path}:{number}: a prototype in a comment is cut in two"
        if inside:
            inside = "*/" not in line
            continue
        trailing = None if line.lstrip().startswith("/*") else TRAILING.match(line)
        next_trailing = TRAILING.match(following)
        inside = line.rfind("/*") > line.rfind("*/")
        if trailing and inside:
            yield f"{path}:{number}: a trailing comment of several lines: put it above"
        if is_half(line) and next_trailing and len(f"{line.rstrip()} {next_trailing[1].strip()}") <= COLUMNS_MAX:
            yield f"{path}:{number}: a comment breaks the declaration in two: put it above"
        if trailing and not inside and next_trailing and UNFINISHED.search(trailing[2].strip()):
            yield f"{path}:{number}: the comment goes on behind the next declaration: put one above both"


def check_openings(texts):
    """`texts` is {path: text}."""
    for path, text in texts.items():
        if not path.startswith(OPENED) or OPENING.match(text):
            continue
        lines = text.count("\n")
        if path.endswith(".h"):
            yield f"{path}: a header opens with a comment that states its idea"
        elif lines > OWN_OPENING_LINES:
            yield f"{path}: a source of {lines} lines opens with a comment that states how it works"
        elif lines > OPENING_LINES and not OPENING.match(texts.get(os.path.splitext(path)[0] + ".h", "")):
            yield f"{path}: neither this source of {lines} lines nor a header of its name opens with a comment that states its idea"


def main():
    root = sys.argv[1]
    texts = {path: read(root, path) for path in sources(root)}
    files = [path for path in texts if path.endswith(".h")]
    problems = [problem for path in files for problem in check_lines(path, texts[path].splitlines())]
    problems += check_openings(texts)
    for problem in problems:
        print(problem)
    print(f"{len(files)} files, {len(problems)} problems")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
