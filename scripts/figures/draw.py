#!/usr/bin/env python3
"""Draws docs/figures/*.fig as SVG beside them.

    scripts/figures/draw.py [FIGURE.fig...]

A .fig is a text of statements, one a line, quoted as in a shell, # begins a comment. The first is `figure KIND "title"`:

    diagram    boxes and arrows where the source puts them   diagram.py
    bytes      fields at their offsets, parts of any size    byte_rows.py
    sequence   messages between actors, top to bottom        sequence.py

`check` statements are read by tests/layout/check_figures.py alone, which compares figures with the sources of the program.
"""
import os
import shlex
import sys

import byte_rows
import diagram
import sequence
from svg import Canvas, FigureError

FOLDER = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/figures"))
KINDS = {"diagram": diagram.draw, "bytes": byte_rows.draw, "sequence": sequence.draw}


def read_statements(path):
    """[(line number, words)] of a source."""
    with open(path, encoding="utf-8") as file:
        numbered = enumerate(file.read().splitlines(), 1)
    return [(number, words) for number, words in ((n, shlex.split(line, comments=True)) for n, line in numbered) if words]


def draw(path):
    """The module that drew one figure, its canvas, and the SVG."""
    statements = read_statements(path)
    name = os.path.basename(path)
    if not statements or len(statements[0][1]) != 3 or statements[0][1][0] != "figure":
        raise FigureError(f'{name}: the first statement has to be: figure KIND "title"')
    _, kind, title = statements[0][1]
    if kind not in KINDS:
        raise FigureError(f"{name}: no kind {kind}; there are {', '.join(KINDS)}")
    canvas = Canvas(title)
    width = None
    painter = KINDS[kind](canvas)
    for number, words in statements[1:]:
        try:
            if words[0] == "width":
                width = float(words[1])
            elif words[0] != "check":
                painter.statement(words[0], words[1:])
        except (FigureError, ValueError, IndexError, KeyError) as error:
            raise FigureError(f"{name}:{number}: {' '.join(words[:2])}: {error}") from error
    painter.finish()
    return painter, canvas, canvas.svg(width)


def sources():
    return sorted(os.path.join(FOLDER, name) for name in os.listdir(FOLDER) if name.endswith(".fig"))


def main():
    try:
        for path in sys.argv[1:] or sources():
            _, _, svg = draw(path)
            with open(path.removesuffix(".fig") + ".svg", "w", encoding="utf-8") as file:
                file.write(svg)
    except FigureError as error:
        raise SystemExit(f"draw: {error}") from error


if __name__ == "__main__":
    main()
