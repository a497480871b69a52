#!/usr/bin/env python3
"""Draws the JSON of an experiment; tc-perf plot runs this."""
import argparse
import itertools
import json
import os
import sys
from dataclasses import dataclass, field

SYSTEM_PYTHON = "/usr/bin/python3"  # whose modules are the system's packages

try:
    import matplotlib
    from matplotlib import figure, ticker
except ImportError:
    if sys.executable != SYSTEM_PYTHON and os.access(SYSTEM_PYTHON, os.X_OK):
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, "-B", *sys.argv])
    sys.exit("tc-perf: plot: this needs matplotlib; on Debian: apt-get install python3-matplotlib")

PANEL_INCHES = (10, 4.2)
LINEAR_RATIO_MAX = 20  # of the largest value to the smallest; beyond it an axis is logarithmic
MARKERS = "osD^vPX*<>"
LABELLED_BARS_MAX = 16  # with more of them, numbers above bars run into each other


@dataclass
class Panel:
    """One pair of axes. A series has the rows whose members `series` are alike, once for each measure."""
    x: tuple                    # members of a row; lines have one, a number
    x_label: str
    series: tuple
    measures: dict              # {member: its name in the legend}
    y_label: str
    scale: float = 1
    bars: bool = False
    log_x: bool = False
    bytes_x: bool = False       # log_x, too
    only: dict = field(default_factory=dict)  # rows with these members
    title: str = ""


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def name_of(row, members, more=""):
    parts = [str(row[key]) for key in members if key in row] + [more]
    return " ".join(part for part in dict.fromkeys(parts) if part)  # am over am is am


def values_of(rows, key):
    return list(dict.fromkeys(str(row.get(key)) for row in rows))


# --- which charts show an experiment best ---------------------------------------------------------------------------

MODE = ("mode", "delivery")
LATENCY = "half round trip (microseconds)"
RATE = "rate (million messages/s)"


def message_panels(rows):
    if "senders" in rows[0]:
        return [Panel(("senders",), "senders", MODE, {"rate_per_s": ""}, "total " + RATE, 1e-6)]
    # A message of mode bare is always one word.
    if len(values_of([row for row in rows if row.get("mode") != "bare"], "payload_bytes")) > 1:
        sweep = {"x": ("payload_bytes",), "x_label": "payload (bytes)", "series": MODE, "bytes_x": True}
        return [Panel(measures={"latency_ns_p50": ""}, y_label="half round trip, p50 (microseconds)", scale=1e-3, **sweep),
                Panel(measures={"rate_per_s": ""}, y_label=RATE, scale=1e-6, **sweep)]
    return [Panel(MODE, "mode and delivery", (), {"latency_ns_p50": "p50", "latency_ns_p99": "p99"}, LATENCY, 1e-3, bars=True),
            Panel(MODE, "mode and delivery", (), {"rate_per_s": ""}, RATE, 1e-6, bars=True)]


def bandwidth_panels(rows):
    return [Panel(("payload_bytes",), "payload (bytes)", MODE, {"mb_per_s": ""}, "bandwidth (MB/s)", bytes_x=True)]


def first_call_panels(rows):
    if "turn" in rows[0]:
        return [Panel(("turn",), "while another peer sends no new functions, and while it does", (),
                      {"us_p50": "p50", "us_p99": "p99"}, "cached call (microseconds)", bars=True)]
    return [Panel(("stage",), "stage", ("path",), {"us_p50": ""}, "time, p50 (microseconds)", bars=True,
                  only={"function": function}, title=function) for function in values_of(rows, "function")]


def wait_panels(rows):
    return [Panel(("policy",), "policy", (), {"idle_cpu_pct": ""}, "processor time when idle (%)", bars=True),
            Panel(("policy",), "policy", (), {"wakeup_us_p50": "p50", "wakeup_us_p99": "p99"}, "wake-up (microseconds)",
                  bars=True),
            Panel(("processes",), "processes, in pairs", ("policy",), {"rate_per_s": ""}, "total " + RATE, 1e-6, bars=True)]


def poll_panels(rows):
    return [Panel(("peers",), "endpoints that say nothing", ("delivery",), {"turn_ns": ""}, "one tc_progress (ns)",
                  log_x=True)]


def integrity_panels(rows):
    return [Panel(("delivery",), "delivery", (), {"seconds": ""}, "time for all messages (s)", bars=True)]


def flood_panels(rows):
    return [Panel(("delivery",), "delivery", (), {"rate_per_s": ""}, RATE, 1e-6, bars=True)]


def chase_panels(rows):
    """The paper's Figures 5 to 8, 9 to 12, and one of its own. What else there are several of becomes part of a name."""
    several = [key for key in ("depth", "inflight", "servers", "wait") if len(values_of(rows, key)) > 1]
    x = next((key for key in several if key != "wait"), "servers")
    label = {"inflight": "chases at once", "depth": "depth (entries of a chase)"}.get(x, x)
    for row in rows:
        row.update({f"{key} text": f"{row.get(key)} {key}" for key in ("inflight", "servers")})
    series = ["mode"] + [key if key == "wait" else f"{key} text" for key in several if key != x]
    return [Panel((x,), label, series, {"chases_per_s": ""}, "pointer chases per second", log_x=True)]


EXPERIMENTS = {
    "tsi": ("Target-Side Increment", message_panels),
    "ssum": ("Server-Side Sum", message_panels),
    "iput": ("Indirect Put", message_panels),
    "bandwidth": ("Bandwidth of large payloads", bandwidth_panels),
    "first-call": ("First calls", first_call_panels),
    "wait": ("Waiting", wait_panels),
    "poll": ("Polling with idle endpoints", poll_panels),
    "integrity": ("Integrity", integrity_panels),
    "flood": ("A source that is too fast", flood_panels),
    "dapc": ("Distributed Adaptive Pointer Chasing", chase_panels),
}

# --- drawing --------------------------------------------------------------------------------------------------------


def table_of(panel, rows):
    """{series: {x: value}}, all in the order of the rows."""
    table = {}
    for row in rows:
        if any(row.get(key) != value for key, value in panel.only.items()):
            continue
        x = name_of(row, panel.x) if panel.bars else row.get(panel.x[0])
        for member, name in panel.measures.items():
            if is_number(row.get(member)) and (panel.bars or is_number(x)):
                table.setdefault(name_of(row, panel.series, name), {})[x] = panel.scale * row[member]
    return table


def bytes_text(value, _):
    """4096 as 4K."""
    power = next((power for power in (3, 2, 1) if value >= 1 << 10 * power), 0)
    return f"{value / (1 << 10 * power):g}{' KMG'[power].strip()}"


def draw_lines(axes, panel, table):
    for (name, points), marker in zip(table.items(), itertools.cycle(MARKERS)):
        axes.plot(list(points), list(points.values()), marker=marker, label=name)
    if panel.log_x or panel.bytes_x:
        xs = sorted({x for points in table.values() for x in points})
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(ticker.FuncFormatter(bytes_text if panel.bytes_x else lambda value, _: f"{value:g}"))
        if len(xs) <= 16:
            axes.set_xticks(xs)
            axes.xaxis.set_minor_locator(ticker.NullLocator())


def draw_bars(axes, panel, table):
    xs = list(dict.fromkeys(x for points in table.values() for x in points))
    width = 0.8 / len(table)
    for index, (name, points) in enumerate(table.items()):
        places = [xs.index(x) + (index - (len(table) - 1) / 2) * width for x in points]
        bars = axes.bar(places, list(points.values()), width, label=name)
        if len(xs) * len(table) <= LABELLED_BARS_MAX:
            axes.bar_label(bars, fmt="%.4g", padding=2)
    axes.set_xticks(range(len(xs)), xs, rotation=20 if len(xs) > 8 else 0)
    axes.margins(y=0.12)


def draw_panel(axes, panel, table):
    (draw_bars if panel.bars else draw_lines)(axes, panel, table)
    values = [value for points in table.values() for value in points.values() if value > 0]
    if values and max(values) > LINEAR_RATIO_MAX * min(values):
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if max(values) < 1000 * min(values) else (1,)))
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:.7g}"))
        axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    else:
        axes.set_ylim(bottom=0)
    axes.set(xlabel=panel.x_label, ylabel=panel.y_label, title=panel.title)
    axes.grid(axis="y" if panel.bars else "both", alpha=0.4)
    axes.set_axisbelow(True)
    if list(table) != [""]:
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)


def draw(report, title, output):
    experiment = report.get("experiment") if isinstance(report, dict) else None
    if experiment not in EXPERIMENTS:
        raise ValueError("the file is not of an experiment that tc-perf knows")
    rows = report.get("rows")
    rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    own_title, choose = EXPERIMENTS[experiment]
    panels = [(panel, table_of(panel, rows)) for panel in (choose(rows) if rows else [])]
    if not any(table for _, table in panels):
        raise ValueError("the file holds no row to draw")
    panels = [(panel, table) for panel, table in panels if table]
    width, height = PANEL_INCHES
    drawing = figure.Figure(figsize=(width, height * len(panels)), layout="constrained")
    for (panel, table), each in zip(panels, drawing.subplots(len(panels), squeeze=False).flat):
        draw_panel(each, panel, table)
    env = report.get("env")
    cpu = env.get("cpu") if isinstance(env, dict) else None
    drawing.suptitle(f"{title or own_title}\n{cpu}" if cpu else title or own_title)
    drawing.savefig(output, dpi=120)


def main():
    parser = argparse.ArgumentParser(prog="tc-perf plot", description="Draws what tc-perf --json wrote.")
    parser.add_argument("report", metavar="FILE.json")
    parser.add_argument("-o", dest="output", metavar="FILE.svg", required=True, help="the drawing: svg, png or pdf")
    parser.add_argument("-t", dest="title", metavar="TITLE", help="what to write above it")
    options = parser.parse_args()
    # Text in a report is text, whatever it holds; and text in a drawing can be searched.
    matplotlib.rcParams.update({"text.parse_math": False, "svg.fonttype": "none"})
    try:
        with open(options.report, encoding="utf-8") as file:
            report = json.load(file)
        draw(report, options.title, options.output)
    except (OSError, ValueError) as error:
        where = "" if str(options.report) in str(error) else f"{options.report}: "
        sys.exit(f"tc-perf: plot: {where}{error}")


if __name__ == "__main__":
    main()
