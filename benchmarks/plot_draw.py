"""Draws a chart by matplotlib. All positions are in inches, so that versions of matplotlib differ in little but letters."""
import io
import math
import re

import matplotlib
from matplotlib import figure, lines, patches, ticker

from plot_charts import Bars, Lines
from plot_report import wrapped

WIDTH = 8.0                 # inches; the following, too
PANEL_HEIGHT, BAR_HEIGHT = 2.7, 0.3
LEFT, RIGHT = 0.72, 0.2
LETTER, LINE = 0.078, 0.17  # of the small text
SEEN_LEAST = 0.001          # of an axis; smaller values are not drawn
TITLE_UP = 0.15             # of a panel's title, where something else stands above the axes
LINEAR_RATIO_MAX = 20       # of the largest value to the smallest; beyond it an axis is logarithmic
CHANGE_LINEAR_MAX = 400      # per cent, from the least to the most
CHANGE_FINE_MAX = 5000       # beyond it a tick for each power of ten is enough
CUT_RATIO = 2               # a stack that is so many times the next one is cut off
TICKS_MAX = 9

# Okabe and Ito's colours, which colour-blind people can distinguish; black is for limits.
BLUE, SKY, GREEN, ORANGE, RED, PINK, GREY, YELLOW = ("#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#777777",
                                                     "#F0E442")
PALETTE = (BLUE, RED, GREEN, ORANGE, SKY, PINK, GREY, YELLOW)
COLOURS = {"am": RED, "ucx": RED, "am-safe": PINK, "put": ORANGE, "get": ORANGE, "cached": BLUE, "bitcode": BLUE, "uncached": SKY,
           "image": GREEN, "call": SKY, "start": BLUE, "window": ORANGE, "window-start": GREEN, "window-get": PINK, "threaded": GREY, "task": YELLOW,
           "local": GREEN,
           "inject": PINK, "compat": GREY, "aligned": ORANGE,
           "direct": BLUE, "stream": GREEN, "adaptive": BLUE, "spin": RED, "block": GREEN, "yield": ORANGE, "quiet": BLUE,
           "intruded": RED, "taskbench mpi": RED, "taskbench mpi-gathered": ORANGE, "taskbench function": BLUE,
           "taskbench function-single": SKY, "taskbench view": GREEN}
DASHES = ("solid", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
USUAL_DASHES = {"direct": 0, "ucx": 0, "am": 1, "put": 2, "stream": 3, "source": 0, "target": 1}
MARKS = "osD^vPX*<>"
# From the first stage to the last: preparing stages are grey and yellow, compiling ones blue, placing ones green and
# pink.
STAGES = {"transmission": "#BBBBBB", "wait": "#777777", "libraries": YELLOW, "cache load": ORANGE, "parse": "#CFE5F2",
          "verify": "#9CCAE6", "passes": "#56A5D3", "codegen": "#0072B2", "link": PINK, "image load": GREEN, "execution": "#222222", "lookup, execution": "#0072B2"}
REST = "#FFFFFF"

STYLE = {"font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans", "Verdana"], "font.size": 8,
         "axes.labelsize": 8, "axes.titlesize": 8.5, "axes.titleweight": "bold",
         "axes.titlelocation": "left", "xtick.labelsize": 7.5, "ytick.labelsize": 7.5, "legend.fontsize": 7.5, "axes.spines.top": False,
         "axes.spines.right": False, "axes.edgecolor": "#444444", "grid.color": "#DDDDDD", "grid.linewidth": 0.6, "lines.linewidth": 1.4,
         "lines.markersize": 3.8, "axes.axisbelow": True, "text.parse_math": False, "svg.fonttype": "none", "pdf.fonttype": 42,
         "svg.hashsalt": "tc-perf", "figure.dpi": 100}
# Without the time or the program of the drawing: the same file gives the same drawing.
METADATA = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None},
            "pdf": {"CreationDate": None, "Creator": None, "Producer": None}}
FORMATS = tuple(METADATA)


class Choice:
    """The colour, dashes and mark of a series, the same in all panels: its usual one, or one that is free."""

    def __init__(self, chart):
        series = [each for panel in chart.panels for each in getattr(panel, "series", None) or getattr(panel, "bars", ())]
        keys = list(dict.fromkeys(each.key for each in series))
        self.colours = {}
        for key in sorted(keys, key=lambda key: key not in COLOURS):
            free = [colour for colour in PALETTE if colour not in self.colours.values()]
            usual = COLOURS.get(key)
            self.colours[key] = usual if usual and (usual in free or not free) else (free or PALETTE)[len(self.colours) % len(free or PALETTE)]
        styles = list(dict.fromkeys(each.style for each in series if hasattr(each, "style")))
        pairs = list(dict.fromkeys((each.key, each.style) for each in series if hasattr(each, "style")))
        # Dashes only where the colour is not enough.
        self.dashes = {style: DASHES[USUAL_DASHES.get(style, i % len(DASHES))] if len(pairs) > len(keys) else DASHES[0]
                       for i, style in enumerate(styles)}
        self.marks = {pair: MARKS[i % len(MARKS)] for i, pair in enumerate(pairs)}

    def of_series(self, panel, series):
        mark = "" if panel.x_unit == "seconds" else self.marks[series.key, series.style]
        return {"color": self.colours[series.key], "linestyle": self.dashes[series.style], "marker": mark}


# --- axes -----------------------------------------------------------------------------------------------------------


def bytes_text(value, _=None):
    """4096 as 4 KiB."""
    power = next((power for power in (3, 2, 1) if value >= 1 << 10 * power), 0)
    return f"{value / (1 << 10 * power):g} {('', 'Ki', 'Mi', 'Gi')[power]}B"


def plain(value, _=None):
    """Never 1e+06."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def figure_text(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def is_wide(values):
    values = [value for value in values if value > 0]
    return bool(values) and max(values) > LINEAR_RATIO_MAX * min(values)


def make_logarithmic(axis, low, high):
    """Ticks at 1, or at 1, 2 and 5, or at more, of each power of ten."""
    (axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale)("log")
    steps = (1, 1.5, 2, 3, 4, 5, 7) if high < 8 * low else (1, 2, 5) if high < 300 * low else (1,)
    axis.set_major_locator(ticker.LogLocator(subs=steps, numticks=20))
    axis.set_major_formatter(ticker.FuncFormatter(plain))
    axis.set_minor_locator(ticker.NullLocator())


def set_payload_axis(axes, panel):
    xs = sorted({point.x for series in panel.series for point in series.points})
    if panel.x_unit == "time" and xs[0] > 0:
        make_logarithmic(axes.xaxis, xs[0], xs[-1])
        return
    if panel.x_unit == "seconds" or xs[0] <= 0:
        axes.xaxis.set_major_formatter(ticker.FuncFormatter(plain))
        return
    axes.set_xscale("log", base=2)
    # Every one, or every other, or ... so that there is space for them; the last is always there.
    step = -(-len(xs) // TICKS_MAX)
    axes.set_xticks(xs[::-1][::step])
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(bytes_text if panel.x_unit == "bytes" else plain))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    if panel.x_unit == "bytes" and len(xs) > 4:
        axes.tick_params(axis="x", labelrotation=35)
        for label in axes.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor", va="top")


# --- panels ---------------------------------------------------------------------------------------------------------


def id_of(axes, kind):
    """In an SVG: "series 2 cached" is that of the second panel."""
    return f"{kind} {axes.get_label()}"


def draw_limit_across(axes, limit):
    axes.axhline(limit.value, color="black", linewidth=1, linestyle=(0, (4, 2)), gid=id_of(axes, "limit") + f" {limit.name}")


def change_text(value, _=None):
    return f"{value:+,.0f}" if value else "0"


def set_change_axis(axis, low, high):
    """Linear from -100 to 100 %; beyond that by powers of ten, where there is anything so far out."""
    if high - low <= CHANGE_LINEAR_MAX:
        room = 0.08 * (high - low) or 10
        axis.axes.set_ylim(low - room, high + room)
        axis.set_major_locator(ticker.MaxNLocator(6, steps=(1, 2, 2.5, 5, 10)))
    else:
        axis.axes.set_yscale("symlog", linthresh=100, linscale=1.5)
        low, high = 1.3 * min(low, -50), 1.3 * max(high, 50)
        ticks = [-50, 0, 50]
        for sign, end in ((-1, -low), (1, high)):
            ticks += [sign * step * 10 ** power for power in range(2, 18) for step in ((1, 2, 5) if end < CHANGE_FINE_MAX else (1,))
                      if step * 10 ** power <= end]
        axis.axes.set_ylim(low, high)
        axis.set_major_locator(ticker.FixedLocator(ticks))
        axis.set_minor_locator(ticker.NullLocator())
    axis.set_major_formatter(ticker.FuncFormatter(change_text))


def draw_lines(axes, panel, choice):
    points = [point for series in panel.series for point in series.points]
    values = [point.y for point in points] + ([panel.limit.value] if panel.limit else [])
    logarithmic = panel.is_ratio or is_wide(values) and not panel.from_zero
    for series in panel.series:
        look = choice.of_series(panel, series)
        xs, ys = [point.x for point in series.points], [point.y for point in series.points]
        if any(point.low < point.high for point in series.points):
            axes.fill_between(xs, [point.low for point in series.points], [point.high for point in series.points], color=look["color"],
                              alpha=0.08 if panel.is_ratio else 0.18, linewidth=0, gid=id_of(axes, "spread") + f" {series.name}")
        axes.plot(xs, ys, gid=id_of(axes, "series") + f" {series.name}", **look)
    if panel.limit:
        draw_limit_across(axes, panel.limit)
    set_payload_axis(axes, panel)
    if panel.is_change:
        set_change_axis(axes.yaxis, min(values), max(values))
    elif logarithmic:
        low = min(value for value in values if value > 0)
        make_logarithmic(axes.yaxis, low, max(values))
        if panel.is_ratio:
            axes.set_ylim(low / 2, max(values) * 2)
    else:
        lowest = min([point.low for point in points] + [0])
        axes.set_ylim(bottom=lowest if lowest == 0 else lowest * 1.05, top=max([point.high for point in points] + values) * 1.08 or 1)
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(plain))
    axes.set(xlabel=panel.x_label, ylabel=panel.y_label)
    axes.grid(True)


def fraction_of(axes, value):
    """In parts of the axes' width, from the left."""
    return axes.transAxes.inverted().transform(axes.transData.transform((value, 0)))[0]


def bar_end(panel):
    """The range of the axis: the drawn values; p99 and a limit too unless they are far out."""
    most = max(bar.high for bar in panel.bars)
    beyond = [far for bar in panel.bars for far in (bar.far, bar.farther) if far is not None] + ([panel.limit.value] if panel.limit else [])
    return max([most] + [value for value in beyond if value <= 3 * most]) or 1


def bar_words(bar):
    """The figure, and the known part of its tail: "119 (p99 348, p99.9 604)"."""
    tail = [f"{name} {figure_text(value)}" for name, value in (("p99", bar.far), ("p99.9", bar.farther)) if value is not None]
    return figure_text(bar.value) + (f" ({', '.join(tail)})" if tail else "")


def room_for_words(panel):
    """The range of the axis, with the bars as one."""
    if any(bar.farther for bar in panel.bars):
        return 1.75
    return 1.38 if any(bar.far for bar in panel.bars) else 1.22


def draw_dots(axes, panel, choice):
    """Their positions mean something on a logarithmic axis; lengths of bars would not."""
    values = [value for bar in panel.bars for value in (bar.low, bar.value, bar.high, bar.far, bar.farther) if value] + ([panel.limit.value] if panel.limit else [])
    for place, bar in enumerate(panel.bars):
        colour = choice.colours[bar.key]
        axes.plot([bar.low, bar.high], [place, place], color=colour, linewidth=4, alpha=0.35, solid_capstyle="butt", gid=id_of(axes, "spread") + f" {bar.name}")
        if bar.far is not None:
            axes.plot([bar.value, max(bar.far, bar.farther or 0)], [place, place], color=colour, linewidth=1)
            axes.plot([bar.far], [place], "|", color=colour, markersize=8, gid=id_of(axes, "p99") + f" {bar.name}")
        if bar.farther is not None:
            axes.plot([bar.farther], [place], "|", color=colour, markersize=5, gid=id_of(axes, "p999") + f" {bar.name}")
        axes.plot([bar.value], [place], "o", color=colour, markersize=5, gid=id_of(axes, "series") + f" {bar.name}")
    low, high = min(values, default=1), max(values, default=1)
    if is_wide(values):
        make_logarithmic(axes.xaxis, low, high)
        axes.set_xlim(low / 1.6, high * 1.6)
    else:
        room = (high - low) * 0.08 or 0.1 * high
        axes.set_xlim(max(0, low - room), high + room)
        axes.xaxis.set_major_formatter(ticker.FuncFormatter(plain))
        axes.xaxis.set_major_locator(ticker.MaxNLocator(5))
    for place, bar in enumerate(panel.bars):
        at = fraction_of(axes, bar.value)
        words = bar_words(bar)
        axes.annotate(words, (bar.value, place), xytext=(0, 5), textcoords="offset points", fontsize=7,
                      ha="left" if at < 0.2 else "right" if at > 0.8 else "center", bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3})


def bar_thickness(axes, count):
    """In parts of the distance between two bars; no thicker where another panel makes the axes high."""
    height = axes.get_position().height * axes.figure.get_figheight()
    return min(0.62, 0.8 * BAR_HEIGHT * (count + 0.2) / height)


def draw_bars(axes, panel, choice):
    end = bar_end(panel)
    thickness = bar_thickness(axes, len(panel.bars))
    for place, bar in enumerate(panel.bars):
        axes.barh(place, bar.value, height=thickness, color=choice.colours[bar.key], gid=id_of(axes, "series") + f" {bar.name}")
        if bar.low < bar.high:
            axes.plot([bar.low, bar.high], [place, place], color="black", linewidth=1.1, gid=id_of(axes, "spread") + f" {bar.name}")
        at = max(bar.value, bar.high)
        if bar.far is not None and bar.far <= end:
            axes.plot([bar.far], [place], "|", color="black", markersize=9, gid=id_of(axes, "p99") + f" {bar.name}")
            at = max(at, bar.far)
        if bar.farther is not None and bar.farther <= end:
            axes.plot([bar.farther], [place], "|", color="black", markersize=5, gid=id_of(axes, "p999") + f" {bar.name}")
            at = max(at, bar.farther)
        words = bar_words(bar)
        axes.annotate(words, (at, place), xytext=(5, 0), textcoords="offset points", va="center", fontsize=7)
        if bar.note:
            axes.annotate(bar.note, (0, place - thickness / 2), xytext=(2, 2), textcoords="offset points", fontsize=6.5, color="#444444")
    axes.set_xlim(0, end * room_for_words(panel))
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(plain))
    axes.xaxis.set_major_locator(ticker.MaxNLocator(5))


def draw_limit_down(axes, limit):
    """Its name stands above the axes, and within their width; an arrow where the limit is beyond it."""
    low, high = axes.get_xlim()
    words = f"{limit.name} {figure_text(limit.value)}" if limit.is_told else limit.name
    if low <= limit.value <= high:
        axes.axvline(limit.value, color="black", linewidth=1, linestyle=(0, (4, 2)), gid=id_of(axes, "limit") + f" {limit.name}")
        at = (limit.value, 1)
    else:
        words, at = f"{words} \N{RIGHTWARDS ARROW}", (high, 1)
    place = fraction_of(axes, at[0])
    axes.annotate(words, at, xycoords=("data", "axes fraction"), xytext=(0, 3), textcoords="offset points",
                  ha="left" if place < 0.2 else "right" if place > 0.8 else "center", fontsize=7)


def draw_categories(axes, panel, choice):
    values = [value for bar in panel.bars for value in (bar.value, bar.far) if value]
    dots = panel.dots or (is_wide(values) and any(bar.far for bar in panel.bars) and is_wide([bar.value for bar in panel.bars]))
    (draw_dots if dots else draw_bars)(axes, panel, choice)
    if panel.limit:
        draw_limit_down(axes, panel.limit)
    set_names(axes, [bar.name for bar in panel.bars], panel.shares_names)
    axes.set_xlabel(panel.x_label)
    axes.grid(axis="x")


def set_names(axes, names, shared):
    axes.set_yticks(range(len(names)), [""] * len(names) if shared else names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)


def draw_stacks(axes, panel, _):
    totals = sorted(stack.total for stack in panel.stacks)
    end = totals[-1]
    if not panel.is_whole and len(totals) > 2 and totals[-1] > CUT_RATIO * totals[-2] > 0:
        end = 1.25 * totals[-2]
    before, thickness = max(stack.before for stack in panel.stacks), bar_thickness(axes, len(panel.stacks))
    for place, stack in enumerate(panel.stacks):
        axes.barh(place, -stack.before, height=thickness, color=STAGES["transmission"], gid=id_of(axes, "stage") + f" transmission of {stack.name}")
        left = 0
        for name, value in stack.stages:
            colour = STAGES.get(name, REST)
            if value > SEEN_LEAST * end and left < end:
                axes.barh(place, min(value, end - left), left=left, height=thickness, color=colour, gid=id_of(axes, "stage") + f" {name} of {stack.name}",
                          **({"hatch": "////", "edgecolor": "#999999", "linewidth": 0.4} if colour == REST else {}))
            left += value
        axes.annotate(figure_text(stack.total), (min(stack.total, end), place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=7)
        if stack.total > end:
            axes.annotate("//", (0.93 * end, place), va="center", ha="center", fontsize=11, fontweight="bold", color="black",
                          bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})
    axes.set_xlim(-max(before, 0.01 * end) * 1.05, end * 1.2 or 1)
    axes.axvline(0, color="#444444", linewidth=0.8)
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(plain))
    axes.xaxis.set_major_locator(ticker.MaxNLocator(5))
    set_names(axes, [stack.name for stack in panel.stacks], False)
    axes.set_xlabel(panel.x_label)
    axes.grid(axis="x")


# --- the whole ------------------------------------------------------------------------------------------------------


def legend_of(chart, choice):
    """[(handle, name)] of parts that panels do not name themselves."""
    entries = {}
    for panel in chart.panels:
        if isinstance(panel, Lines):
            for series in panel.series:
                entries.setdefault(series.name, lines.Line2D([], [], **choice.of_series(panel, series)))
            if panel.limit:
                entries.setdefault(panel.limit.name, lines.Line2D([], [], color="black", linewidth=1, linestyle=(0, (4, 2))))
        elif not isinstance(panel, Bars):
            for name in (*(["transmission"] if any(stack.before for stack in panel.stacks) else []), *(name for stack in panel.stacks for name, _ in stack.stages)):
                hatch = {} if name in STAGES else {"hatch": "////", "edgecolor": "#999999", "linewidth": 0.4}
                entries.setdefault(name, patches.Patch(facecolor=STAGES.get(name, REST), **hatch))
    return entries


def names_width(panel):
    names = [bar.name for bar in getattr(panel, "bars", ())] + [stack.name for stack in getattr(panel, "stacks", ())]
    return 0 if getattr(panel, "shares_names", False) else max((len(name) for name in names), default=0) * LETTER


def height_of(panel):
    if isinstance(panel, Lines):
        return PANEL_HEIGHT
    return max(0.9, BAR_HEIGHT * len(getattr(panel, "bars", None) or panel.stacks) + 0.25)


def has_limit_above(panel):
    """Its name stands there."""
    return isinstance(panel, Bars) and panel.limit is not None


def below_of(panel):
    """For the axes: ticks and a label; payloads stand slanted."""
    return 0.68 if isinstance(panel, Lines) and panel.x_unit == "bytes" else 0.52


def render(chart, title, name):
    """The bytes of a file of that format."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(STYLE)
    choice = Choice(chart)
    drawing = Layout(chart, title, choice).drawing
    for panel, axes in zip(chart.panels, drawing.axes):
        draw = draw_lines if isinstance(panel, Lines) else draw_categories if isinstance(panel, Bars) else draw_stacks
        draw(axes, panel, choice)
        axes.set_title(panel.title, pad=8 + TITLE_UP * 72 * has_limit_above(panel))
    output = io.BytesIO()
    drawing.savefig(output, format=name, dpi=144, metadata=METADATA[name])
    return smaller(output.getvalue()) if name == "svg" else output.getvalue()


def smaller(svg):
    """With two digits behind the point of every position, and no rotation by zero; texts stay unchanged."""
    return re.sub(rb"<[^>]*>", lambda tag: re.sub(rb' transform="rotate\(-?0 [^"]*"', b"", re.sub(rb"(\.\d\d)\d+", rb"\1", tag.group())), svg)


class Layout:
    """A figure with placed axes: title and notes above, the legend below."""

    def __init__(self, chart, title, choice):
        self.chart = chart
        titles = wrapped((title or chart.title).split("\n"), 84)
        notes = wrapped(chart.notes, 132)
        entries = legend_of(chart, choice)
        fit = max(1, int((WIDTH - 0.4) / (0.55 + LETTER * max(map(len, entries), default=1))))
        lines_needed = math.ceil(len(entries) / fit)
        legend_height = LINE * 1.15 * lines_needed + 0.12 if entries else 0
        head = 0.12 + 0.22 * len(titles) + LINE * 0.9 * len(notes) + 0.08
        rows = [chart.panels[i:i + chart.columns] for i in range(0, len(chart.panels), chart.columns)]
        above = [max(0.05 + 0.15 * bool(panel.title) + TITLE_UP * has_limit_above(panel) for panel in row) for row in rows]
        below = [max(map(below_of, row)) for row in rows]
        heights = [max(map(height_of, row)) for row in rows]
        self.height = head + sum(heights) + sum(above) + sum(below) + legend_height
        self.drawing = figure.Figure(figsize=(WIDTH, self.height))
        self.write(titles, notes)
        top = head
        for row, height, room, under in zip(rows, heights, above, below):
            self.place(row, top + room, height)
            top += room + height + under
        if entries:
            self.drawing.legend(list(entries.values()), list(entries), loc="lower center", bbox_to_anchor=(0.5, 0.06 / self.height), ncol=math.ceil(len(entries) / lines_needed),
                                frameon=False, borderaxespad=0, columnspacing=1.6, handlelength=2.6)

    def write(self, titles, notes):
        at = 0.12
        for lines_of, size, step, colour, weight in ((titles, 11, 0.22, "black", "bold"), (notes, 7, LINE * 0.9, "#555555", "normal")):
            for line in lines_of:
                self.drawing.text(0.12 / WIDTH, 1 - at / self.height, line, fontsize=size, color=colour, fontweight=weight, va="top")
                at += step

    def place(self, row, top, height):
        lefts = [self.left_of(panel) for panel in row]
        # Panels of a row that is not full are as wide as those above.
        all_lefts = lefts + [self.left_of(panel) for panel in self.chart.panels[len(row):self.chart.columns]]
        width = (WIDTH - RIGHT - sum(all_lefts) - 0.2 * (len(all_lefts) - 1)) / len(all_lefts)
        at = 0.0
        for panel, left in zip(row, lefts):
            at += left
            self.drawing.add_axes([at / WIDTH, 1 - (top + height) / self.height, width / WIDTH, height / self.height],
                                  label=str(len(self.drawing.axes) + 1))
            at += width + 0.2

    @staticmethod
    def left_of(panel):
        if isinstance(panel, Lines):
            return LEFT
        return 0.1 if getattr(panel, "shares_names", False) else max(0.4, names_width(panel) + 0.15)
