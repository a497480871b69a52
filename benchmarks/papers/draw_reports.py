#!/usr/bin/env python3
"""Draws the files NAME.json that tc-perf wrote as NAME.svg, as `tc-perf plot` does, but all in one process: most of the time
of a drawing alone goes into matplotlib's start.

    draw_reports.py NAME.json...
"""
import os
import sys

sys.dont_write_bytecode = True  # beside the sources
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import plot  # noqa: E402


def main():
    folder = plot.own_folder_for_matplotlib()
    plot.import_matplotlib(folder)
    import plot_charts
    import plot_draw
    import plot_report
    for path in sys.argv[1:]:
        try:
            chart = plot_charts.chart_of(plot_report.Report(path, plot_charts.EXPERIMENTS))
            with open(os.path.splitext(path)[0] + ".svg", "wb") as file:
                file.write(plot_draw.render(chart, None, "svg"))
        except (plot_report.Refused, OSError) as error:
            plot.complain(f"{path}: {error}")
    if folder is not None:
        folder.cleanup()


if __name__ == "__main__":
    main()
