#!/usr/bin/env python3
"""Draws the output of tc-perf --json; tc-perf plot runs this."""
import argparse
import logging
import os
import sys
import tempfile
import warnings

SYSTEM_PYTHON = "/usr/bin/python3"  # for the modules of the system's packages
MATPLOTLIB_LEAST = (3, 6)
EXIT_FILE, EXIT_ARGUMENTS = 1, 2


def complain(text, status=EXIT_FILE):
    print(f"tc-perf: plot: {text}".encode("utf-8", "replace").decode(), file=sys.stderr)
    sys.exit(status)


class Arguments(argparse.ArgumentParser):
    def error(self, message):
        complain(f"{message}; tc-perf plot --help has the list", EXIT_ARGUMENTS)


def parse_arguments():
    parser = Arguments(
        prog="tc-perf plot", formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        usage="tc-perf plot FILE.json -o FILE.svg [-t TITLE]\n       tc-perf plot --compare A.json B.json -o FILE.svg [-t TITLE]",
        description="Draws what tc-perf EXPERIMENT --json FILE.json wrote.",
        epilog="Formats, by the end of the name: .svg, .png (144 dpi), .pdf. Bands and whiskers are\n"
               "quartiles over rounds; a dashed line is a limit. Needs matplotlib, and no display;\n"
               "on Debian: apt-get install python3-matplotlib. The same file gives the same drawing.")
    parser.add_argument("report", metavar="FILE.json", nargs="?", help="of any experiment")
    # Not nargs=2: with one file alone Python 3.13 reports that -o is missing.
    parser.add_argument("-c", "--compare", metavar="FILE.json", nargs="+",
                        help="two runs of one experiment, A.json and B.json: draw the ratios of B to A")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the drawing")
    parser.add_argument("-t", "--title", metavar="TITLE", help="what to write above it, in place of the experiment's name")
    options = parser.parse_args()
    if options.compare and len(options.compare) != 2:
        parser.error(f"--compare: found {len(options.compare)}, expected two files")
    if (options.report is None) == (options.compare is None):
        parser.error("expected one FILE.json, or --compare and two")
    return options


def format_of(path, formats):
    end = os.path.splitext(path)[1]
    if end.lower().lstrip(".") not in formats or not end:
        complain(f"-o {path}: found the end '{end}', expected one of {', '.join('.' + name for name in formats)}", EXIT_ARGUMENTS)
    return end.lower().lstrip(".")


def can_be_made(folder):
    while not os.path.exists(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return os.path.isdir(folder) and os.access(folder, os.W_OK)


def own_folder_for_matplotlib():
    """It caches its list of fonts, in the home where there is one. None: it has a folder."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    if "MPLCONFIGDIR" in os.environ or can_be_made(os.path.join(cache, "matplotlib")):
        return None
    folder = tempfile.TemporaryDirectory(prefix="tc-perf-plot-")
    os.environ["MPLCONFIGDIR"] = folder.name
    return folder


def import_matplotlib(own_folder):
    """Without a display, and without a user's settings for other programs."""
    os.environ.pop("MPLBACKEND", None)
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    warnings.simplefilter("ignore")
    try:
        import matplotlib
        import matplotlib.figure  # noqa: F401  numpy, too
    except ImportError as error:
        if sys.executable != SYSTEM_PYTHON and os.access(SYSTEM_PYTHON, os.X_OK):
            if own_folder is not None:  # it makes one of its own
                own_folder.cleanup()
                del os.environ["MPLCONFIGDIR"]
            os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, "-B", *sys.argv])
        complain(f"found no matplotlib ({error}), expected {'.'.join(map(str, MATPLOTLIB_LEAST))} or newer; "
                 "on Debian: apt-get install python3-matplotlib")
    version = tuple(int(part) for part in matplotlib.__version__.split(".")[:2])
    if version < MATPLOTLIB_LEAST:
        complain(f"found matplotlib {matplotlib.__version__}, expected {'.'.join(map(str, MATPLOTLIB_LEAST))} or newer")


def read_chart(options):
    """Without matplotlib, which takes far longer to start than a file that is no report takes to refuse."""
    import plot_charts
    import plot_report
    try:
        reports = [plot_report.Report(path, plot_charts.EXPERIMENTS) for path in options.compare or [options.report]]
        return plot_charts.compare(*reports) if options.compare else plot_charts.chart_of(reports[0])
    except plot_report.Refused as error:
        return complain(str(error))


def main():
    options = parse_arguments()
    chart = read_chart(options)
    folder = own_folder_for_matplotlib()
    import_matplotlib(folder)
    import plot_draw
    import plot_report
    name = format_of(options.output, plot_draw.FORMATS)
    try:
        title = options.title and "\n".join(plot_report.text(line, 400) for line in options.title.split("\n"))
        picture = plot_draw.render(chart, title, name)
        with open(options.output, "wb") as file:
            file.write(picture)
    except plot_report.Refused as error:
        complain(str(error))
    except OSError as error:
        complain(f"{options.output}: {error.strerror}")
    if folder is not None:
        folder.cleanup()


if __name__ == "__main__":
    main()
