#!/usr/bin/env python3
"""Draws a sequence chart from the trace of a simulated world: a column for each node, time downwards.

    sim-explore --seed 7 --trace | sim-chart.py > chart.svg
    sim-explore --seed 7 --trace | sim-chart.py --text | less

Reads the lines that tc_sim_params.trace gets, from standard input. Thin arrows are bytes that arrive; thick ones lead from a
note "sends KEY" (tc_sim_note) to the note "runs KEY" with the same word KEY. A message without its run ends in a small circle."""
import argparse
import re
import sys
from xml.sax.saxutils import escape

LINE = re.compile(r"\s*([0-9.]+) ms  (\S+(?: \d+)?)\s+(\w+)\s+(.*)")
ARRIVAL = re.compile(r"(no node|node \d+) to (no node|node \d+): (.*)")
KEYED = re.compile(r"(sends|runs) (\S+)\s*(.*)")
LEFT, COLUMN, ROW, TOP = 110, 220, 18, 40  # pixels


class Event:
    """A line of the trace. `at` is the column of its node; without one it concerns all nodes."""

    def __init__(self, time_ms, actor, word, detail):
        self.time_ms, self.word, self.text, self.source, self.key = time_ms, word, detail, None, None
        self.at = int(actor.split()[1]) if actor.startswith("node ") else None
        arrival = ARRIVAL.fullmatch(detail) if word == "arrives" else None
        if arrival:
            self.source, self.at = (int(name[5:]) if name != "no node" else None for name in arrival.groups()[:2])
            self.text = arrival[3] if self.at is not None else detail
        elif word in ("killed", "paused", "ends", "begins"):
            node, _, self.text = detail[5:].partition(" ")
            self.at = int(node)
        keyed = KEYED.fullmatch(detail) if word == "notes" else None
        if keyed:
            self.word, self.key, self.text = keyed.groups()

    def label(self):
        return " ".join(part for part in ("" if self.word in ("notes", "arrives") else self.word, self.key, self.text) if part)


def read(lines):
    """Returns the events but those of the scheduler, and how many lines were not of a trace."""
    events, others = [], 0
    for line in lines:
        found = LINE.fullmatch(line.rstrip("\n"))
        if not found:
            others += 1
        elif found[3] != "runs":
            events.append(Event(float(found[1]), found[2], found[3], found[4]))
    return events, others


def choose(events, arguments):
    chosen = [e for e in events if arguments.begin <= e.time_ms <= arguments.end
              and not (arguments.notes and e.word == "arrives")]
    return chosen[-arguments.last:]


def nodes_of(events):
    return sorted({n for e in events for n in (e.at, e.source) if n is not None})


def as_text(events, columns):
    """A line for each event: its text in the column of its node, with an arrow from the source's column."""
    width = max(24, 132 // len(columns))
    lines = ["%14s  " % "ms" + "".join(("node %d" % n).ljust(width) for n in columns)]
    for e in events:
        cells = ["|".ljust(width)] * len(columns)
        if e.at is None:
            lines.append("%14.6f  -- %s %s" % (e.time_ms, e.word, e.text))
            continue
        here = columns.index(e.at)
        if e.source is not None and e.source != e.at:
            there = columns.index(e.source)
            low, high = sorted((here, there))
            cells[low:high] = ["|".ljust(width, "-")] * (high - low)
            cells[here] = ("<" if here < there else ">") + cells[here][1:]
        cells[here] = (cells[here][0].replace("|", "*") + " " + e.label())[:width - 1].ljust(width)
        lines.append("%14.6f  " % e.time_ms + "".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def arrow(x1, y1, x2, y2, kind):
    return '<line class="%s" x1="%g" y1="%g" x2="%g" y2="%g" marker-end="url(#head)"/>' % (kind, x1, y1, x2, y2)


def as_svg(events, columns, title):
    def x_of(node):
        return LEFT + COLUMN * (columns.index(node) + 0.5)

    height = TOP + ROW * (len(events) + 2)
    width = LEFT + COLUMN * max(1, len(columns)) + 60
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">'
             % (width, height), "<title>%s</title>" % escape(title),
             "<style>text{paint-order:stroke;stroke:#fff;stroke-width:3}line{stroke:#888}.life{stroke:#ccc}.message{stroke:#06c;stroke-width:2}.fault{fill:#c00}"
             ".time{fill:#666;text-anchor:end}</style>",
             '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto" '
             'markerUnits="userSpaceOnUse"><path d="M0,0 L8,4 L0,8 z" fill="#555"/></marker></defs>',
             '<rect width="100%" height="100%" fill="#fff"/>',
             '<text class="time" x="%d" y="%d">simulated ms</text>' % (LEFT - 10, TOP - 16)]
    for node in columns:
        parts.append('<line class="life" x1="%g" y1="%d" x2="%g" y2="%d"/>' % (x_of(node), TOP, x_of(node), height - ROW))
        parts.append('<text x="%g" y="%d" text-anchor="middle" font-weight="bold">node %d</text>'
                     % (x_of(node), TOP - 16, node))
    sent, texts = {}, []
    for row, e in enumerate(events):
        y = TOP + ROW * (row + 1)
        texts.append('<text class="time" x="%d" y="%d">%.6f</text>' % (LEFT - 10, y + 4, e.time_ms))
        fault = ' class="fault"' if e.word in ("cut", "killed", "paused", "fails", "joined") else ""
        if e.at is None:
            texts.append('<text x="%d" y="%d"%s>%s</text>' % (LEFT + 4, y + 4, fault, escape(e.label())))
            continue
        x = x_of(e.at)
        texts.append('<text x="%g" y="%d"%s>%s</text>' % (x + 6, y + 4, fault, escape(e.label())))
        if e.source is not None and e.source != e.at:
            parts.append(arrow(x_of(e.source), y, x, y, "bytes"))
        elif e.key and e.word == "sends":
            sent[e.key] = (x, y)
        elif e.key in sent:
            parts.append(arrow(*sent.pop(e.key), x, y, "message"))
    for x, y in sent.values():
        parts.append('<circle cx="%g" cy="%g" r="4" fill="none" stroke="#c00"/>' % (x, y))
    return "\n".join(parts + texts) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", action="store_true", help="lines of text in place of SVG")
    parser.add_argument("--notes", action="store_true", help="leave out the bytes that arrive")
    parser.add_argument("--begin", type=float, default=0, metavar="MS", help="first simulated millisecond")
    parser.add_argument("--end", type=float, default=float("inf"), metavar="MS", help="last one")
    parser.add_argument("--last", type=int, default=300, metavar="N", help="at most the last N events (300)")
    arguments = parser.parse_args()
    all_events, others = read(sys.stdin)
    events = choose(all_events, arguments)
    if not events:
        sys.exit("sim-chart: %d events of a trace, %d other lines, and no event in the times asked for"
                 % (len(all_events), others))
    columns = nodes_of(events)
    title = "%d of %d events, %.6f to %.6f ms" % (len(events), len(all_events), events[0].time_ms, events[-1].time_ms)
    try:
        sys.stdout.write(as_text(events, columns) if arguments.text else as_svg(events, columns, title))
    except BrokenPipeError:
        sys.stderr.close()


main()
