#!/usr/bin/env python3
"""Draws Figures 11 and 12 of the paper on MRPC from the runs of reproduce.sh mrpc: where each version's time goes, to that of
windows that are served.

    draw_mrpc.py DIR [svg|png]    reads DIR/*.json, writes DIR/figure-11.svg and DIR/figure-12.svg
"""
import json
import os
import sys

sys.dont_write_bytecode = True  # beside the sources
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import plot  # noqa: E402

PERCENTS = (10, 40, 70, 100)
PARTS = ("cpu", "net", "barrier", "copy")
NAMES = {"cpu": "cpu: the application", "net": "net: waiting for answers and data", "barrier": "barrier: waiting for all",
         "copy": "marsh + copy: packing, sending, storing"}
COLOURS = {"cpu": "#0072B2", "net": "#E69F00", "barrier": "#BBBBBB", "copy": "#009E73"}
LETTERS = {"window": "W", "view": "V", "function": "F", "rpc": "R"}
HEIGHT_MAX = 2.5  # of a bar; higher ones are cut off, with their height above them
EDGE = 0.6        # between the bars of a group and those of the next


def rows_of(folder, name):
    path = os.path.join(folder, f"{name}.json")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return {row["version"]: row for row in json.load(file)["rows"] if "parts" in row}


def group_of(rows, method, **others):
    """The versions of a method, window first: (letter, parts). Some ways may have other methods."""
    names = [(letter, f"{way}-{others.get(way, method)}") for way, letter in LETTERS.items()]
    return [(letter, rows[name]["parts"]) for letter, name in names if name in rows]


def figure_11(folder):
    """A panel for each method, a group for each percentage."""
    fetched = {percent: rows_of(folder, f"fetched-{percent}") for percent in PERCENTS}
    bulk = {percent: rows_of(folder, f"bulk-{percent}") for percent in PERCENTS}
    panels = (("em3d-base", fetched, "base"), ("em3d-ghost", fetched, "ghost"), ("em3d-bulk; W and V with a barrier", bulk, "bulk"),
              ("em3d-bulk; W and V with a word (signal)", bulk, "signal"))
    return [(title, [(f"{percent} %", group_of(source[percent], method, function="bulk" if method == "signal" else method))
                     for percent in PERCENTS]) for title, source, method in panels]


def figure_12(folder):
    water, fft, lu = (rows_of(folder, name) for name in ("water", "fft", "lu"))
    scatter = group_of(fft, "bulk", view="scatter")
    return [("water", [(method, group_of(water, method)) for method in ("atomic", "prefetch", "bundle")]),
            ("fft; lu", [("fft", group_of(fft, "bulk")), ("fft, V scatters", scatter), ("lu, fetch", group_of(lu, "fetch")),
                         ("lu, push", group_of(lu, "push"))])]


def height_text(height):
    return f"{height:.0f}" if height >= 9.5 else f"{height:.2g}" if height >= 0.1 else f"{height:.1g}"


def time_text(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def draw_bar(axes, at, parts, whole):
    bottom, total = 0.0, parts["total"] / whole
    for name in PARTS:
        height = min(parts[name] / whole, HEIGHT_MAX - bottom)
        axes.bar(at, height, 0.8, bottom=bottom, color=COLOURS[name], linewidth=0)
        bottom += height
    axes.annotate(height_text(total) + ("^" if total > HEIGHT_MAX else ""), (at, bottom), xytext=(0, 1.5),
                  textcoords="offset points", ha="center", va="bottom", fontsize=6, bbox={"facecolor": "white", "linewidth": 0, "pad": 0.4})


def draw_panel(axes, title, groups, unit):
    at, ticks, letters = 0.0, [], []
    for name, bars in groups:
        if not bars or bars[0][0] != "W":
            continue
        whole, begin = bars[0][1]["total"], at
        for letter, parts in bars:
            draw_bar(axes, at, parts, whole)
            ticks.append(at)
            letters.append(letter)
            at += 1
        axes.text((begin + at - 1) / 2, -0.1, f"{name}\n{time_text(whole)} {unit}", transform=axes.get_xaxis_transform(), ha="center", va="top",
                  fontsize=7)
        at += EDGE
    axes.set_xticks(ticks, letters)
    axes.tick_params(axis="x", length=0)
    axes.set_ylim(0, HEIGHT_MAX * 1.08)
    axes.set_ylabel("time (that of W is 1)")
    axes.axhline(1, color="black", linewidth=0.7, linestyle=(0, (4, 2)), zorder=0)
    axes.set_title(title)


def draw(panels, title, notes, unit, path):
    from matplotlib import figure, patches, rc_context
    import plot_draw
    with rc_context(plot_draw.STYLE):
        rows = (len(panels) + 1) // 2
        drawing = figure.Figure(figsize=(8.0, 0.95 + 2.75 * rows))
        height = drawing.get_figheight()
        for i, (name, groups) in enumerate(panels):
            left, top = 0.07 + 0.5 * (i % 2), 0.78 + 2.75 * (i // 2)
            axes = drawing.add_axes([left, 1 - (top + 2.0) / height, 0.42, 2.0 / height])
            draw_panel(axes, name, groups, unit)
        drawing.text(0.015, 1 - 0.12 / height, title, fontsize=11, fontweight="bold", va="top")
        drawing.text(0.015, 1 - 0.33 / height, notes, fontsize=7, color="#555555", va="top")
        drawing.legend([patches.Patch(color=COLOURS[name]) for name in PARTS], [NAMES[name] for name in PARTS], loc="lower center",
                       bbox_to_anchor=(0.5, 0.04 / height), ncol=4, frameon=False, borderaxespad=0, columnspacing=1.6)
        form = os.path.splitext(path)[1][1:]
        drawing.savefig(path, format=form, dpi=144, metadata=plot_draw.METADATA[form])


def main():
    folder, form = sys.argv[1], (sys.argv[2:] or ["svg"])[0]
    own = plot.own_folder_for_matplotlib()
    plot.import_matplotlib(own)
    ways = "W: windows that are served, V: mapped windows, F: functions, R: ONC RPC"
    draw(figure_11(folder), "EM3D: time per edge and step, by percentage of remote edges (Figure 11)",
         f"{ways}. Runs with stamps; below each group the time of W.", "ns", os.path.join(folder, f"figure-11.{form}"))
    draw(figure_12(folder), "Water, FFT and LU (Figure 12)",
         f"{ways}. Runs with stamps; below each group the time of W: of a step of\nWater, of a run of FFT and LU.", "ms",
         os.path.join(folder, f"figure-12.{form}"))
    if own is not None:
        own.cleanup()


if __name__ == "__main__":
    main()
