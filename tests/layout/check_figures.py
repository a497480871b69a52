#!/usr/bin/env python3
"""docs/figures: each drawing matches its source, the source agrees with the program's, and a document shows
it.

    check_figures.py ROOT

Measured data are docs/figures/measured/NAME.json alone: scripts/site.sh draws them where a document has a paragraph
`[Drawing](figures/measured/NAME.json): ...`. The numbers of that paragraph, and of a table right above it, are among the data.

Sources (.fig) name the sources that they are compared with:

    check writes LAYOUT FUNCTION FILE... [FIELD=NAME...] [bytes=CONSTANT]   offsets and sizes: what FUNCTION of the first FILE
                                         writes; other FILEs have sizes of arrays; what it writes behind them: the row's parts
    check word LAYOUT AT FUNCTION FILE   fields from AT on: what FUNCTION shifts into one word
    check grammar DOCUMENT RULE...       the parts of each row are those of a rule, and dashed where it may be absent
    check values CONSTANT=NUMBER...      what a text says in figures
    check enum ENUM FILE [EXCEPT...]     each member is named
    check names ENUM FILE                names in capitals are members of such enums
    check words WORD...                  or these
    check layers DOCUMENT                rows of layers: the folders of runtime/ that the table numbers so
"""
import json
import os
import re
import sys
import xml.etree.ElementTree

from check_layers import read_table
from source_tree import read, sources, walk

FOLDER = "docs/figures"
MEASURED = "docs/figures/measured"  # of benchmarks/papers/reproduce.sh
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)#:\s]+)\)")
DRAWING = re.compile(r"((?:^\|.*\n)*)\n\[Drawing\]\(([^)\s]+)\): (.+(?:\n.+)*)", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.,-])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?![\w-])")
SCALES = (1, 1e-3, 1e-6, 1 / 1024, 100)  # ns in us and ms, bytes in KiB, ratios in per cent
ALT_MIN = 20
WRITE = re.compile(r"\b(?:tci_write_(u8|u16|u32|u64|bytes)|write_(version))\(&?w,\s+((?:[^()]|\([^()]*\))*)\);")
SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
CAPITALS = re.compile(r"(?<!\w)[A-Z][A-Z_]{2,}(?!\w)")
OURS = re.compile(r"\b(?:tci?|TCI?)_\w+")


def body_of(text, function):
    found = re.search(r"^[^\n;]*\b" + function + r"\([^;{]*\)\s*\{$(.*?)^\}$", text, re.MULTILINE | re.DOTALL)
    return found.group(1) if found else ""


def members_of(text, enum):
    """Members without the words that all of them begin with."""
    found = re.search(r"typedef enum " + enum + r" \{(.*?)\}", text, re.DOTALL)
    plain = re.sub(r"/\*.*?\*/", "", found.group(1), flags=re.DOTALL) if found else ""
    names = re.findall(r"\b([A-Z]\w+)\b", plain)
    common = os.path.commonprefix(names)
    common = common[:common.rfind("_") + 1]
    return [name[len(common):] for name in names]


def normal(text):
    return "_" + re.sub(r"\W+|_", "_", text).strip("_").lower() + "_"


def array_bytes(expression, texts, constants):
    """The value of `sizeof a->b.c`, by the declaration of that array."""
    member = re.findall(r"\w+", expression)[-1]
    for text in texts:
        found = re.search(rf"\buint8_t {member}\[(\w+)\];", text)
        if found:
            return int(found.group(1)) if found.group(1).isdigit() else constants.get(found.group(1), 0)
    return 0


def written(body, texts, constants):
    """([(expression, at, size)], [expressions without a fixed size]) in the order of a function's writes."""
    fixed, behind, at = [], [], 0
    for kind, version, arguments in WRITE.findall(body):
        arguments = re.sub(r"\s+", " ", arguments)
        size = 3 if version else SIZES.get(kind)
        if kind == "bytes":
            arguments, _, size = arguments.partition(", ")
            size = array_bytes(size, texts, constants) if size.startswith("sizeof ") else None
        if size is None or behind:
            behind.append(arguments)
            continue
        fixed.append((arguments, at, size))
        at += size
    return fixed, behind


def shifted(body, at):
    """The same of a word that is made by shifting."""
    shifts = [(name, int(shift or 0)) for name, shift in re.findall(r"\w->(\w+)(?: << (\d+))?", body)]
    ends = [shift for _, shift in shifts[1:]] + [64]
    return [(name, at + shift // 8, (end - shift) // 8) for (name, shift), end in zip(shifts, ends)]


def compare_fields(fields, found, aliases):
    """fields: {name: (at, size)} of a figure; found: those of the program."""
    if len(fields) != len(found):
        yield f"{len(fields)} fields, and the program has {len(found)}"
    for (name, place), (expression, at, size) in zip(sorted(fields.items(), key=lambda field: field[1]), found):
        if place != (at, size):
            yield f"{name} is {place[1]} bytes at {place[0]}, and in the program `{expression}` is {size} at {at}"
        if "_" + aliases.get(name, name) + "_" not in normal(expression):
            yield f"{name} stands where the program has `{expression}`"


class Figure:
    """One figure, and the tree that it is compared with."""

    def __init__(self, painter, canvas, tree):
        self.painter, self.tree = painter, tree
        self.text = "\n".join(canvas.texts)
        self.members = set()
        self.words = None

    def check(self, words):
        checks = {"writes": self.writes, "word": self.word, "grammar": self.grammar, "values": self.values,
                  "enum": self.enum, "names": self.names, "words": self.allow, "layers": self.layers}
        if words[0] not in checks:
            return [f"no check {words[0]}; there are {', '.join(checks)}"]
        return list(checks[words[0]](words[1:]))

    def writes(self, words):
        layout, function, files = words[0], words[1], [word for word in words[2:] if "=" not in word]
        aliases = dict(word.split("=") for word in words[2:] if "=" in word)
        texts = [self.tree.read(file) for file in files]
        fixed, behind = written(body_of(texts[0], function), texts, self.tree.constants)
        yield from compare_fields(self.painter.fields[layout], fixed, aliases)
        end = sum(size for _, _, size in fixed)
        if "bytes" in aliases and self.tree.constants.get(aliases["bytes"]) != end:
            yield f"{layout} ends at {end}, and {aliases['bytes']} is {self.tree.constants.get(aliases['bytes'])}"
        parts = [name for name, _ in self.painter.rows[0]] if behind else []
        if len(parts) != len(behind) or any(part not in text for part, text in zip(parts, behind)):
            yield f"behind the fields are {parts}, and the program writes {behind}"

    def word(self, words):
        layout, at, function, file = words[0], int(words[1]), words[2], words[3]
        fields = {name: place for name, place in self.painter.fields[layout].items() if place[0] >= at}
        yield from compare_fields(fields, shifted(body_of(self.tree.read(file), function), at), {})

    def grammar(self, words):
        lines = self.tree.read(words[0])
        for rule, row in zip(words[1:], self.painter.rows):
            found = re.search(rf"^    {rule} += (.*(?:\n {{8,}}[^=\n]+$)*)", lines, re.MULTILINE)
            right = re.sub(r"\{[^}]*\}", "", found.group(1)) if found else ""
            expected = [(name.strip("[]"), name.startswith("[")) for name in right.split()]
            shown = [part for i, part in enumerate(row) if i == 0 or part != row[i - 1]]
            if shown != expected:
                yield f"{rule} is {shown}, and {words[0]} has {expected}"

    def values(self, words):
        for name, value in (word.split("=") for word in words):
            if self.tree.constants.get(name) != int(value):
                yield f"{name} is {self.tree.constants.get(name)}, not {value}"

    def enum(self, words):
        names = members_of(self.tree.read(words[1]), words[0])
        self.members |= set(names)
        if not names:
            yield f"no enum {words[0]} in {words[1]}"
        for name in names:
            if name not in words[2:] and not re.search(rf"\b{name}\b", self.text, re.IGNORECASE):
                yield f"{words[0]} has {name}, which is nowhere"

    def names(self, words):
        names = members_of(self.tree.read(words[1]), words[0])
        self.members |= set(names)
        self.words = self.words or set()
        if not names:
            yield f"no enum {words[0]} in {words[1]}"

    def allow(self, words):
        self.words = (self.words or set()) | set(words)
        return ()

    def layers(self, words):
        rows = [row for row in read_table(self.tree.read(words[0])) if row.layer is not None]
        table = {(row.layer, os.path.basename(folder)) for row in rows for folder in row.folders
                 if re.fullmatch(r"(runtime/)?[\w-]+", folder)}
        drawn = {(number, name) for number, names in self.painter.rows for name in names}
        for number, name in sorted(table ^ drawn):
            yield f"layer {number}: {name} is in the {'table' if (number, name) in table else 'figure'} alone"
        numbers = [number for number, _ in self.painter.rows]
        if numbers != sorted(numbers, reverse=True):
            yield f"layers are in the order {numbers}"

    def finish(self):
        for name in sorted(set(OURS.findall(self.text)) - self.tree.names):
            yield f"speaks of {name}, which is in no source"
        if self.words is not None:
            for word in sorted(set(CAPITALS.findall(self.text)) - self.members - self.words):
                if not word.startswith("TC_"):
                    yield f"{word} is in none of the enums that it names"


class Tree:
    def __init__(self, root):
        self.root = root
        paths = [path for path in sources(root) if not path.startswith("tests/")]
        text = "\n".join(read(root, path) for path in paths)
        self.names = set(OURS.findall(text))
        self.constants = {name: int(value, 0) for name, value in
                          re.findall(r"^#define (TCI?_\w+) (0x[0-9a-f]+|0|[1-9]\d*)u?\b(?!.*<<)", text, re.MULTILINE)}

    def read(self, path):
        return read(self.root, path)


def check_drawing(tree, draw, path):
    """Problems of one source and its drawing."""
    name = os.path.basename(path)
    try:
        painter, canvas, svg = draw.draw(path)
    except draw.FigureError as error:
        return [str(error)]
    drawing = path.removesuffix(".fig") + ".svg"
    there = read("", drawing) if os.path.exists(drawing) else ""
    xml.etree.ElementTree.fromstring(svg)
    problems = [] if there == svg else [f"{name}: its .svg is another one; scripts/figures/draw.py draws it"]
    figure = Figure(painter, canvas, tree)
    for number, words in draw.read_statements(path):
        if words[0] == "check":
            problems += [f"{name}:{number}: {problem}" for problem in figure.check(words[1:])]
    return problems + [f"{name}: {problem}" for problem in figure.finish()]


def check_references(root):
    """Every figure is in some document, with a text for readers who do not see it; every one that is in a document exists."""
    shown = set()
    for path in walk(root):
        if not path.endswith(".md"):
            continue
        text = read(root, path)
        for alt, link in IMAGE.findall(re.sub(r"\s+", " ", text)):
            target = os.path.normpath(os.path.join(os.path.dirname(path), link))
            shown.add(target)
            if not os.path.exists(os.path.join(root, target)):
                yield f"{path}: shows {link}, which is not there"
            if len(alt) < ALT_MIN:
                yield f"{path}: what does {link} show? '{alt}' does not tell"
    for path in (f"{FOLDER}/{name}" for name in sorted(os.listdir(os.path.join(root, FOLDER)))):
        if path.endswith((".svg", ".png")) and path not in shown:
            yield f"{path}: in no document"


def measured_values(data):
    """The numbers of a report's rows and ratios, without the spread of each."""
    if isinstance(data, dict):
        for name, value in data.items():
            if name != "env" and not name.endswith("_quartiles"):
                yield from measured_values(value)
    elif isinstance(data, list):
        for value in data:
            yield from measured_values(value)
    elif isinstance(data, (int, float)) and not isinstance(data, bool):
        yield data


def numbers_without_data(text, data):
    """Those of a text that no measured value is when it is rounded as they are."""
    values = [value * scale for value in measured_values(data) for scale in SCALES]
    for whole, decimals in NUMBER.findall(text):
        digits = whole.replace(",", "")
        unit = 10.0 ** (1 - len(decimals)) if decimals else 10.0 ** (len(digits) - len(digits.rstrip("0")) if digits.strip("0") else 0)
        if not any(abs(value - float(digits + decimals)) <= unit * 0.5000001 for value in values):
            yield whole + decimals


def check_measured(root):
    """Each document that tells of a drawing has its data, tells what they are, and all data are told of."""
    told = set()
    for path in (path for path in walk(root) if path.endswith(".md")):
        for table, link, text in DRAWING.findall(read(root, path)):
            target = os.path.normpath(os.path.join(os.path.dirname(path), link))
            told.add(target)
            if not os.path.exists(os.path.join(root, target)):
                yield f"{path}: a drawing of {link}, which is not there"
                continue
            if len(text) < ALT_MIN:
                yield f"{path}: what does the drawing of {link} show? '{text}' does not tell"
            yield from (f"{path}: {number}, beside the drawing of {link}, is not in it"
                        for number in numbers_without_data(table + text, json.loads(read(root, target))))
    for path in (f"{MEASURED}/{name}" for name in sorted(os.listdir(os.path.join(root, MEASURED)))):
        if path not in told:
            yield f"{path}: no document tells of its drawing" if path.endswith(".json") else f"{path}: no JSON of measured data"


def main():
    root = sys.argv[1]
    sys.path.insert(0, os.path.join(root, "scripts", "figures"))
    import draw  # pylint: disable=import-outside-toplevel
    tree = Tree(root)
    paths = draw.sources()
    problems = [problem for path in paths for problem in check_drawing(tree, draw, path)]
    problems += [*check_references(root), *check_measured(root)]
    for problem in problems:
        print(problem)
    print(f"{len(paths)} figures, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
