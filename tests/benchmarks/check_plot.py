#!/usr/bin/env python3
"""Lets tc-perf draw reports of every kind, and compares the drawings with those in plots/.

    check_plot.py TC_PERF draws     each is as it was, by what an SVG holds and by what a picture shows
    check_plot.py TC_PERF manners   formats, titles, no display, no home, the same bytes each time
    check_plot.py TC_PERF refuses   what is no report, wrong arguments, a machine without matplotlib
    check_plot.py TC_PERF mutants   reports that were damaged: a drawing can be made, or a text says why not
    check_plot.py TC_PERF update    writes plots/ anew: look at the drawings first

plots/NAME.txt has the texts of a drawing in their order, those of an axis in a line, and how many points each line or bar has in
which panels; it is the same with every version of matplotlib. plots/NAME.png is the drawing at a low resolution, in greys, where
letters of other shapes hardly count.
Exit status 77 where there is no matplotlib.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import xml.dom.minidom

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "..", "..", "benchmarks")
PICTURES = os.path.join(HERE, "plots")
SYSTEM_PYTHON = "/usr/bin/python3"  # as tc-perf plot does it
DEADLINE_S = 240  # of one drawing: the first one looks through all fonts, and a machine may have other work too
BLOCK = 12        # pixels of a drawing to one of its reference
GREY_MEAN_MAX, GREY_OTHER, OTHER_SHARE_MAX = 2.5, 48, 0.02  # of 255

sys.path.insert(0, HERE)
sys.path.insert(0, SOURCES)
from plot_samples import REPORTS  # noqa: E402


def run(tc_perf, folder, *arguments, **environment):
    own = {name: value for name, value in dict(os.environ, **environment).items() if value is not None}
    return subprocess.run([tc_perf, "plot", *arguments], cwd=folder, env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", errors="replace", timeout=DEADLINE_S)


def write(folder, report, name="in.json"):
    with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
        file.write(report if isinstance(report, str) else json.dumps(report))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def expect(condition, text, found):
    if not condition:
        sys.exit(f"expected {text}, found {found}")


def need_matplotlib(tc_perf):
    try:
        import matplotlib.image  # noqa: F401
    except ImportError:
        if sys.executable != SYSTEM_PYTHON and os.access(SYSTEM_PYTHON, os.X_OK):
            os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, "-B", *sys.argv])
        print("skipped: no matplotlib")
        sys.exit(77)
    done = run(tc_perf, ".", "--help")
    expect(done.returncode == 0 and "FILE.json" in done.stdout, "a help", done)
    expect(len(done.stdout.splitlines()) <= 24, "a help of one screen", done.stdout)
    expect(all(word in done.stdout for word in (".svg", ".png", ".pdf", "--compare", "--title")), "formats and options", done.stdout)


# --- the contents of a drawing
# ----------------------------------------------------------------------------------------------


def text_of(node):
    return "".join(child.data for child in node.childNodes if child.nodeType == child.TEXT_NODE)


def texts_of(node):
    """A line for each text; those of an axis, its ticks and its name, are one."""
    for child in node.childNodes:
        if child.nodeName == "text":
            yield "text " + text_of(child)
        elif child.nodeName == "g" and child.getAttribute("id").startswith("matplotlib.axis_"):
            if words := [text_of(text) for text in child.getElementsByTagName("text")]:
                yield "axis " + " | ".join(words)
        else:
            yield from texts_of(child)


def summary(svg):
    """Its texts, and a row for each named part, a line, bars or a band: panels, and its points there."""
    document = xml.dom.minidom.parseString(svg)
    parts = {}
    for group in document.getElementsByTagName("g"):
        if part := re.fullmatch(r"(series|spread|limit|p99|p999|stage) (\d+) (.*)", group.getAttribute("id")):
            paths = [path.getAttribute("d") for path in group.getElementsByTagName("path")]
            points = sum(len(re.findall("[MLC]", path)) for path in paths)
            parts.setdefault(f"{part[1]} {part[3]}:", []).append(f"{points} in {part[2]}")
    return [*texts_of(document), *(f"{name} {', '.join(points)}" for name, points in parts.items())]


def shrunk(path):
    """Rows of greys, 0 to 255, each of a block of pixels."""
    import matplotlib.image
    picture = matplotlib.image.imread(path)
    grey = picture[:, :, :3].mean(axis=2) if picture.ndim == 3 else picture
    high, wide = (size // BLOCK for size in grey.shape)
    return (grey[:high * BLOCK, :wide * BLOCK].reshape(high, BLOCK, wide, BLOCK).mean(axis=(1, 3)) * 255).round()


def compare_pictures(name, found):
    import matplotlib.image
    expected = (matplotlib.image.imread(f"{PICTURES}/{name}.png")[:, :, 0] * 255).round()
    expect(found.shape == expected.shape, f"{name}: a picture of {expected.shape} blocks", found.shape)
    apart = abs(found - expected)
    expect(apart.mean() <= GREY_MEAN_MAX, f"{name}: a picture like plots/{name}.png", f"greys {apart.mean():.2f} apart")
    expect((apart > GREY_OTHER).mean() <= OTHER_SHARE_MAX, f"{name}: a picture like plots/{name}.png",
           f"{100 * (apart > GREY_OTHER).mean():.1f} % of it is another")


def drawn(folder, name):
    """(lines of the summary, greys) of a sample, or of a comparison of two. In this process: starting one takes longer."""
    import plot_charts
    import plot_draw
    import plot_report
    reports = []
    for part in name.split("-to-"):
        write(folder, REPORTS[part])
        reports.append(plot_report.Report(f"{folder}/in.json", plot_charts.EXPERIMENTS))
    chart = plot_charts.compare(*reports) if len(reports) == 2 else plot_charts.chart_of(reports[0])
    with open(f"{folder}/out.png", "wb") as file:
        file.write(plot_draw.render(chart, None, "png"))
    return summary(plot_draw.render(chart, None, "svg")), shrunk(f"{folder}/out.png")


COMPARED = ["calls-to-calls-tcp", "payloads-to-payloads", "first-call-to-first-call", "wait-to-wait"]
NAMES = [*REPORTS, *COMPARED]


def draws(tc_perf, folder):
    need_matplotlib(tc_perf)
    for name in NAMES:
        lines, greys = drawn(folder, name)
        expected = read(f"{PICTURES}/{name}.txt").decode().splitlines()
        expect(lines == expected, f"{name}: what plots/{name}.txt says",
               "\n".join([*(f"+ {line}" for line in lines if line not in expected), *(f"- {line}" for line in expected if line not in lines)]))
        compare_pictures(name, greys)
    known = sorted(os.listdir(PICTURES))
    expect(known == sorted(f"{name}.{end}" for name in NAMES for end in ("txt", "png")), "references of these drawings alone", known)


def update(tc_perf, folder):
    need_matplotlib(tc_perf)
    import matplotlib.image
    for name in NAMES:
        lines, greys = drawn(folder, name)
        with open(f"{PICTURES}/{name}.txt", "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        matplotlib.image.imsave(f"{PICTURES}/{name}.png", greys, cmap="gray", vmin=0, vmax=255, metadata={"Software": None})


# --- manners --------------------------------------------------------------------------------------------------------


def manners(tc_perf, folder):
    need_matplotlib(tc_perf)
    write(folder, REPORTS["payloads"])
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "SVG": b"<?xml"}
    for end, start in starts.items():
        twice = []
        for _ in range(2):
            done = run(tc_perf, folder, "in.json", "-o", f"out.{end}")
            expect(done.returncode == 0, f"a drawing: {end}", done)
            twice.append(read(f"{folder}/out.{end}"))
        expect(twice[0].startswith(start), end, twice[0][:8])
        expect(twice[0] == twice[1], f"the same {end} each time", "two")
    title = "100 % of $x_1$, \"a: b\" <&> 'é' \u00b5s \u4e16 \\n {0} a\tb\x01"
    done = run(tc_perf, folder, "in.json", "-o", "out.svg", "-t", title)
    texts = summary(read(f"{folder}/out.svg"))
    expect(done.returncode == 0 and "text " + title.replace("\t", "?").replace("\x01", "?") in texts, "the title", (done, texts[:3]))
    # No display, no home, or one that cannot be written; a user's settings for other programs do not count.
    write(folder, "backend: nonsense\nfont.size: 30\naxes.facecolor: red\n", "matplotlibrc")
    plain = read(f"{folder}/out.SVG")
    for environment in ({"DISPLAY": None, "HOME": "/dev/null/home", "XDG_CACHE_HOME": None}, {"HOME": "/proc", "XDG_CONFIG_HOME": "/proc"},
                        {"MPLBACKEND": "nonsense", "MPLCONFIGDIR": None, "HOME": None}):
        done = run(tc_perf, folder, "in.json", "-o", "out.svg", **{"MPLCONFIGDIR": None, "TMPDIR": folder, **environment})
        expect(done.returncode == 0 and not done.stderr, f"a drawing in {environment}", done)
        expect(read(f"{folder}/out.svg") == plain, "the same drawing", environment)
    # Names are text, whatever they hold.
    hostile = json.loads(json.dumps(REPORTS["payloads"]))
    for row, name in zip(hostile["rows"][1:], ("x'`touch hit`\"\n@$(y)", "_hidden", "\ud800\x00", "]]>&<g/>", "n" * 500)):
        row["mode"] = name
    write(folder, hostile)
    done = run(tc_perf, folder, "in.json", "-o", "out.svg")
    expect(done.returncode == 0 and not done.stderr, "a drawing", done)
    texts = summary(read(f"{folder}/out.svg"))
    for name in ("x'`touch hit`\"?@$(y)", "_hidden", "]]>&<g/>", "n" * 37 + "..."):
        expect(any(name in text for text in texts), f"the name {name}", texts)
    left = sorted(os.listdir(folder))
    expect(left == ["in.json", "matplotlibrc", *sorted(f"out.{end}" for end in starts)], "no other file", left)


# --- refusals -------------------------------------------------------------------------------------------------------


def changed(name="calls", **members):
    return {**REPORTS[name], **members}


MANY = [dict(REPORTS["calls"]["rows"][2], mode=f"m{i}", payload_bytes=size) for i in range(30) for size in (1, 2)]
WRONG_FILES = (
    ("", "no JSON"), ("{", "no JSON"), (json.dumps(REPORTS["calls"])[:-200], "no JSON"), ("[" * 200000, "no JSON"), ("NaN", "no JSON"),
    ("[]", "without the member 'program'"), ({"experiment": "tsi", "env": {}, "rows": []}, "without the member 'program'"),
    (changed(program="fio"), "a file of 'fio'"), (changed(format=2), "found format 2, expected 1"), (changed(format=True), "found format True"),
    (changed(format=None), "found format None"), (changed(experiment="x"), "found experiment 'x', expected one of tsi,"),
    (changed(experiment=["tsi"]), "found experiment"), (changed(rows=[]), "found 0 rows"), (changed(rows=5), "found 0 rows"),
    (changed(rows=[7, "x"]), "found 0 rows"), (changed(rows=[{}]), "no row with figures"), (changed("poll", rows=[{"peers": "many", "turn_ns": 1}]), "no row with figures"),
    (changed("calls", rows=[{"mode": "am", "payload_bytes": 8, "latency_ns_p50": -1, "rate_per_s": 1e999}]), "no JSON|no row with figures"),
    (changed(rows=[{}] * 20001), "found 20001 rows"), (changed(rows=MANY), "found 30 series"),
)


def refuses(tc_perf, folder):
    write(folder, REPORTS["calls"])
    os.mkdir(f"{folder}/none")
    os.mkdir(f"{folder}/old")
    write(folder, "raise ImportError", "none/matplotlib.py")
    write(folder, "__version__ = '3.3.4'", "old/matplotlib.py")
    for where in ({"PATH": "/nonexistent"}, {"PYTHONPATH": f"{folder}/none"}):
        done = run(tc_perf, folder, "in.json", "-o", "out.svg", **where)
        expect(done.returncode == 1 and "python3-matplotlib" in done.stderr, "the package's name", done)
    need_matplotlib(tc_perf)
    for report, text in WRONG_FILES:
        write(folder, report)
        done = run(tc_perf, folder, "in.json", "-o", "out.svg")
        expect(done.returncode == 1 and re.search(f"in.json: .*({text})", done.stderr), text, done)
        expect(len(done.stderr.splitlines()) == 1, "one line", done.stderr)
    write(folder, REPORTS["calls"])
    write(folder, REPORTS["poll"], "poll.json")
    for arguments, status, text in (
            (("missing.json", "-o", "out.svg"), 1, "missing.json"), (("none", "-o", "out.svg"), 1, "none"),
            (("in.json", "-o", "none/x/out.svg"), 1, "none/x/out.svg"), (("--compare", "in.json", "poll.json", "-o", "out.svg"), 1, "'poll'"),
            (("in.json", "-o", "out.eps"), 2, "found the end '.eps', expected one of .svg, .png, .pdf"), (("in.json", "-o", "out"), 2, "found the end ''"),
            (("in.json",), 2, "-o"), (("in.json", "-o", "out.svg", "-t"), 2, "-t"), (("-o", "out.svg"), 2, "expected one FILE.json"),
            (("in.json", "--compare", "in.json", "poll.json", "-o", "out.svg"), 2, "expected one FILE.json"),
            (("--compare", "in.json", "-o", "out.svg"), 2, "--compare"), (("in.json", "-o", "out.svg", "--nonsense"), 2, "--nonsense")):
        done = run(tc_perf, folder, *arguments)
        expect(done.returncode == status and text in done.stderr and len(done.stderr.splitlines()) == 1, f"{status}, {text}", done)
    expect(sorted(os.listdir(folder)) == ["in.json", "none", "old", "poll.json"], "no drawing", os.listdir(folder))


# --- mutants --------------------------------------------------------------------------------------------------------

VALUES = (None, True, -1, 0, 1e-300, 1e18, 1e300, 2 ** 70, "", "x" * 300, "\ud800", [], [1], [1, 2], [None, {}], {}, {"a": [0]}, [[0, 1, 2]])


def places(node, found):
    for key, child in node.items() if isinstance(node, dict) else enumerate(node):
        found.append((node, key))
        if isinstance(child, (dict, list)):
            places(child, found)
    return found


def mutant(random_of, name):
    document = json.loads(json.dumps(REPORTS[name]))
    for _ in range(random_of.randint(1, 12)):
        # Rows are most of a report, and are hit most.
        found = places(document["rows"] if isinstance(document.get("rows"), list) and random_of.random() < 0.8 else document, [])
        if not found:
            break
        parent, key = random_of.choice(found)
        parent[key] = json.loads(json.dumps(random_of.choice(VALUES)))
    return document


def mutants(tc_perf, folder):
    """Without a drawing for each; those that can be drawn are drawn now and then."""
    del tc_perf
    import plot_charts
    import plot_report
    random_of = random.Random(7)
    made = 0
    for turn in range(2000):
        name = random_of.choice(list(REPORTS))
        write(folder, mutant(random_of, name))
        try:
            report = plot_report.Report(f"{folder}/in.json", plot_charts.EXPERIMENTS)
            chart = plot_charts.chart_of(report)
            made += 1
            if turn % 20 == 0:
                draw_mutant(chart)
        except plot_report.Refused as error:
            expect("expected" in str(error), "a text", error)
    expect(made > 200, "some that can be drawn", made)


def draw_mutant(chart):
    try:
        import plot_draw
    except ImportError:
        return
    expect(plot_draw.render(chart, None, "svg").startswith(b"<?xml"), "a drawing", chart)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        {"draws": draws, "manners": manners, "refuses": refuses, "mutants": mutants, "update": update}[sys.argv[2]](sys.argv[1], directory)
