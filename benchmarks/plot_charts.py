"""The charts of each experiment: from rows to panels of lines, bars or stacks, all in the units of their axes.

A panel has the contents of a drawing, plot_draw.py the form. A figure that all others are measured against (the machine's
limit, or the allowed value) is a line across the panel.
"""
from dataclasses import dataclass, field

from plot_report import NUMBER_MAX, Refused, number, spread, text

UCX_NAMES = {"am": "UCX AM", "am-safe": "UCX AM, safe", "put": "UCX put", "get": "UCX GET", "ucx": "UCX AM over tcp"}
SERIES_MAX = 24


@dataclass
class Point:
    x: float
    y: float
    low: float
    high: float


@dataclass
class Series:
    name: str
    key: str          # of its colour
    style: str        # of its dashes and marks
    points: list


@dataclass
class Limit:
    name: str
    value: float
    is_told: bool = True       # the name alone shows it otherwise


@dataclass
class Lines:
    x_label: str
    y_label: str
    series: list
    x_unit: str = "count"      # "bytes", "count" and "time" are logarithmic, "seconds" is not
    limit: Limit = None
    title: str = ""
    from_zero: bool = False    # whatever the values are, the axis is linear
    scale: float = 1           # from the row's figure to the axis'
    is_ratio: bool = False     # the axis is logarithmic, and is not made for bands
    is_change: bool = False    # in per cent of another figure, above or below it


@dataclass
class Bar:
    name: str
    key: str
    value: float
    low: float
    high: float
    far: float = None          # p99, a mark of its own
    note: str = ""             # behind the figure
    farther: float = None      # p99.9, the same


@dataclass
class Bars:
    x_label: str
    bars: list
    limit: Limit = None
    title: str = ""
    shares_names: bool = False  # with the panel to its left
    dots: bool = False
    scale: float = 1


@dataclass
class Stack:
    name: str
    before: float              # ends at 0
    stages: list               # (name, value), from 0 on
    total: float


@dataclass
class Stacks:
    x_label: str
    stacks: list
    title: str = ""
    scale: float = 1
    is_whole: bool = False     # no name is cut off, even a long one


@dataclass
class Chart:
    title: str
    panels: list
    columns: int = 1
    notes: list = field(default_factory=list)


# --- names and units ------------------------------------------------------------------------------------------------


def mode_name(row, rows, joint="by"):
    """A mode of the library's is distinguished by its delivery where there are several."""
    mode = text(row.get("mode"))
    if mode in UCX_NAMES and row.get("delivery") in (mode, "am", "put", "tcp", None):
        return UCX_NAMES[mode]
    others = {text(other.get("delivery")) for other in rows if other.get("mode") == row.get("mode")}
    if row.get("language", "c") != "c":
        mode = f"{mode} in {text(row['language'])}"
    return f"{mode} {joint} {text(row['delivery'])}" if "delivery" in row and len(others) > 1 else mode


def time_unit(values_ns):
    most = max(values_ns, default=1)
    return ("ns", 1) if most < 1e3 else ("us", 1e-3) if most < 1e6 else ("ms", 1e-6)


def rate_unit(values):
    most = max(values, default=0)
    return ("million ", 1e-6) if most >= 1e6 else ("thousand ", 1e-3) if most >= 1e4 else ("", 1)


def figures(rows, name):
    return [value for value in (number(row, name) for row in rows) if value is not None]


def distinct(rows, name):
    return list(dict.fromkeys(text(row[name]) for row in rows if name in row))


def series_of(rows, x_name, y_name, scale, name_of, key="mode", style="delivery", least=0):
    """One for each name, sorted by x."""
    table = {}
    for row in rows:
        x, (y, low, high) = number(row, x_name), spread(row, y_name, least)
        if x is not None and y is not None:
            name = name_of(row)
            look = "ucx" if style == "delivery" and name in UCX_NAMES.values() else text(row.get(style))
            series = table.setdefault(name, Series(name, text(row.get(key)), look, []))
            series.points.append(Point(x, y * scale, low * scale, high * scale))
    for series in table.values():
        series.points.sort(key=lambda point: point.x)
    return list(table.values())


def bars_of(rows, name, scale, name_of, key="mode", far=None, note=lambda row: ""):
    bars = []
    for row in rows:
        value, low, high = spread(row, name)
        if value is not None:
            tail = [number(row, far.removesuffix("p99") + end) for end in ("p99", "p999")] if far else [None] * 2
            beyond, farther = (None if each is None else each * scale for each in tail)
            bars.append(Bar(name_of(row), text(row.get(key)), value * scale, low * scale, high * scale, beyond, note(row), farther))
    return bars


def marks(rows, name):
    """The marks of such bars: older files have no p99.9."""
    return "marks: p99, p99.9" if figures(rows, f"{name}_p999") else "mark: p99"


def bare_limit(rows, name, scale):
    """`bare` is measured once for each payload, and moves one word each time."""
    values = sorted(figures([row for row in rows if row.get("mode") == "bare"], name))
    return Limit("limit (bare)", values[len(values) // 2] * scale) if values else None


# --- experiments ----------------------------------------------------------------------------------------------------


def change_panel(rows, name, sign, label, name_of):
    """Ratios to UCX AM as the figures of the paper on the ifunc API have them: up is better. Older files have none."""
    series = series_of(rows, "payload_bytes", name, 1, name_of)
    for each in series:
        for point in each.points:
            ends = [100 * sign * (value - 1) for value in (point.low, point.high)]
            point.y, point.low, point.high = 100 * sign * (point.y - 1), min(ends), max(ends)
    return Lines("payload", label, series, "bytes", Limit("as UCX AM", 0, is_told=False), is_change=True)


def ring_panels(rows):
    """Rates over the messages that rings of several sizes let be under way."""
    unit, scale = rate_unit(figures(rows, "rate_per_s"))
    sizes = distinct(rows, "payload_bytes")

    def name_of(row):
        return mode_name(row, rows) + (f", {text(row.get('payload_bytes'))} B" if len(sizes) > 1 else "")

    return [Lines("messages under way at most", f"{unit}messages/s",
                  series_of(rows, "outstanding", "rate_per_s", scale, name_of, style="payload_bytes" if len(sizes) > 1 else "delivery"),
                  from_zero=len(sizes) == 1, scale=scale)], 1, "rings of several sizes"


def loss_panel(rows, name, label, name_of):
    """The cost of code in messages beside known code, as the figures of the Two-Chains paper have it."""
    return Lines("payload", label, series_of(rows, "payload_bytes", name, 1, name_of, least=-NUMBER_MAX), "bytes",
                 Limit("as local", 0, is_told=False), is_change=True)


def message_panels(rows):
    if "senders" in rows[0]:
        unit, scale = rate_unit(figures(rows, "rate_per_s"))
        own = series_of(rows, "senders", "rate_per_s", scale, lambda row: f"delivery {text(row.get('delivery'))}", key="delivery")
        return [Lines("sending processes, one target", f"{unit}messages/s, all together", own, from_zero=True, scale=scale)], 1, "several senders"
    if "ring_bytes" in rows[0]:
        return ring_panels(rows)
    others = [row for row in rows if row.get("mode") != "bare"] or rows
    latency, rate = (figures(others, name) for name in ("latency_ns_p50", "rate_per_s"))
    (time, time_scale), (million, rate_scale) = time_unit(latency), rate_unit(rate)
    limits = [bare_limit(rows, "latency_ns_p50", time_scale), bare_limit(rows, "rate_per_s", rate_scale)]
    labels = [f"half round trip, p50 ({time})", f"{million}messages/s"]

    def name_of(row):
        return mode_name(row, rows)

    if len(set(figures(others, "payload_bytes"))) > 1:
        x = ("payload", "payload_bytes")
        return [Lines(x[0], label, series_of(others, x[1], name, scale, name_of), "bytes", limit, scale=scale)
                for label, name, scale, limit in zip(labels, ("latency_ns_p50", "rate_per_s"), (time_scale, rate_scale), limits)] + [
                    change_panel(others, "latency_to_am", -1, "latency reduction from UCX AM (%)", name_of),
                    change_panel(others, "rate_to_am", 1, "rate increase over UCX AM (%)", name_of),
                    loss_panel(others, "latency_loss_percent", "latency above that of local (%)", name_of),
                    loss_panel(others, "rate_loss_percent", "rate below that of local (%)", name_of)], 2
    labels[0] = f"half round trip ({time}): p50, {marks(rows, 'latency_ns')}"
    return [Bars(labels[0], bars_of(others, "latency_ns_p50", time_scale, name_of, far="latency_ns_p99"), limits[0],
                 scale=time_scale),
            Bars(labels[1], bars_of(others, "rate_per_s", rate_scale, name_of), limits[1], shares_names=True,
                 scale=rate_scale)], 2


CALL_NAMES = {"am": "UCX AM, request and reply", "am-safe": "the same, safe", "get": "UCX get",
              "call": "tc_call", "start": "tc_call_start",
              "window": "tc_window_fetch_add", "window-start": "tc_window_fetch_add_start", "window-get": "tc_window_get_start",
              "threaded": "tc_call_start, TC_THREADED", "task": "tc_call_start, one wait"}


def call_panels(rows):
    """Over the number of calls at once; of one number alone, bars."""
    joined = {text(row.get("mode")) + text(row.get("delivery")) for row in rows}
    several = len(joined) > len({text(row.get("mode")) for row in rows})

    def name_of(row):
        name = CALL_NAMES.get(text(row.get("mode")), text(row.get("mode")))
        return f"{name} by {text(row.get('delivery'))}" if several and not text(row.get("mode")).startswith("am") else name

    (time, time_scale), (million, rate_scale) = time_unit(figures(rows, "latency_ns_p50")), rate_unit(figures(rows, "rate_per_s"))
    if len(distinct(rows, "outstanding")) > 1:
        return [Lines("calls at once", label, series_of(rows, "outstanding", name, scale, name_of), scale=scale)
                for label, name, scale in ((f"call, p50 ({time})", "latency_ns_p50", time_scale),
                                           (f"{million}calls/s", "rate_per_s", rate_scale))], 2
    return [Bars(f"call ({time}): p50, {marks(rows, 'latency_ns')}", bars_of(rows, "latency_ns_p50", time_scale, name_of, far="latency_ns_p99"),
                 scale=time_scale),
            Bars(f"{million}calls/s", bars_of(rows, "rate_per_s", rate_scale, name_of), shares_names=True, scale=rate_scale)], 2


def bandwidth_panels(rows):
    return [Lines("payload", "bandwidth (GiB/s)", series_of(rows, "payload_bytes", "mb_per_s", 1 / 1024,
                                                            lambda row: mode_name(row, rows)), "bytes", from_zero=True)], 1


def stack_of(rows, scale):
    stages = {text(row.get("stage")): (number(row, "us_p50") or 0) * scale for row in rows}
    before, total = stages.pop("transmission", 0), stages.pop("total", 0)
    rest = max(0, total - sum(stages.values()))
    return Stack(text(rows[0].get("path")), before, [*stages.items(), ("rest: other processes", rest)], total)


def first_call_panels(rows):
    """A row of panels for each function: compiled ways first, on an axis of their own, then the others."""
    if "turn" in rows[0]:
        bars = bars_of(rows, "us_p50", 1, lambda row: f"{text(row.get('turn'))}: {number(row, 'functions') or 0:g} new functions",
                      
                       key="turn", far="us_p99")
        return [Bars(f"cached call (us): p50, {marks(rows, 'us')}", bars, dots=True)], 1, "what they cost other peers"
    panels = []
    for function in distinct(rows, "function"):
        for compiles, title in ((True, "compiled"), (False, "not compiled")):
            own = [row for row in rows if text(row.get("function")) == function and text(row.get("path")).startswith("jit") == compiles]
            unit, scale = time_unit([1e3 * value for value in figures(own, "us_p50")])
            stacks = [stack_of([row for row in own if text(row.get("path")) == path], scale * 1e3) for path in distinct(own, "path")]
            if stacks:
                panels.append(Stacks(f"since the target saw the message ({unit}), p50", stacks, f"{function}, {title}",
                                     scale))
    both = any("not compiled" in panel.title for panel in panels) and any(", compiled" in panel.title for panel in panels)
    return panels, 2 if both else 1


FUNCTION_TITLES = {"iput": "Indirect Put", "ssum": "Server-Side Sum"}


def cycles_panels(rows):
    """The resources of each way to wait beside its latency, as Figures 13 and 14 of the Two-Chains paper have it."""
    counted = bool(figures(rows, "cycles"))
    several = len(distinct(rows, "endpoints")) > 1
    (time, time_scale), (cpu, cpu_scale) = time_unit(figures(rows, "latency_ns_p50")), time_unit(figures(rows, "cpu_ns"))
    figure, label, scale = ("cycles", "cycles per message at the target", 1) if counted else \
        ("cpu_ns", f"processor time per message at the target ({cpu})", cpu_scale)

    def name_of(row):
        return mode_name(row, rows) + (f", {text(row.get('endpoints'))} endpoints" if several else "")

    panels = []
    for function in distinct(rows, "function"):
        own = [row for row in rows if text(row.get("function")) == function]
        title = FUNCTION_TITLES.get(function, function)
        if len(set(figures(own, "payload_bytes"))) > 1:
            panels += [Lines("payload", f"half round trip, p50 ({time})", series_of(own, "payload_bytes", "latency_ns_p50", time_scale, name_of),
                             "bytes", title=title, scale=time_scale),
                       Lines("payload", label, series_of(own, "payload_bytes", figure, scale, name_of), "bytes", title=title, scale=scale)]
        else:
            panels += [Bars(f"half round trip ({time}): p50, {marks(own, 'latency_ns')}",
                            bars_of(own, "latency_ns_p50", time_scale, name_of, far="latency_ns_p99"), title=title, dots=True, scale=time_scale),
                       Bars(label, bars_of(own, figure, scale, name_of), title=title, shares_names=True, dots=True, scale=scale)]
    return panels, 2, "cycles by way to wait" if counted else "processor time by way to wait"


def wait_panels(rows):
    if "function" in rows[0]:
        return cycles_panels(rows)
    firsts = list({text(row.get("policy")): row for row in reversed(rows)}.values())[::-1]
    million, scale = rate_unit(figures(rows, "rate_per_s"))
    own = dict(name_of=lambda row: text(row.get("policy")), key="policy")
    rates = series_of(rows, "processes", "rate_per_s", scale, style="policy", **own)
    return [Bars("idle: % of a processor", bars_of(firsts, "idle_cpu_pct", 1, **own)),
            Bars(f"wake-up (us): p50, {marks(rows, 'wakeup_us')}", bars_of(firsts, "wakeup_us_p50", 1, far="wakeup_us_p99", **own), dots=True,
                 shares_names=True),
            Lines("processes, in pairs", f"{million}messages/s, all together", rates, from_zero=True, scale=scale)], 3


def poll_panels(rows):
    return [Lines("endpoints that say nothing", "one tc_progress (ns)",
                  series_of(rows, "peers", "turn_ns", 1, lambda row: f"delivery {text(row.get('delivery'))}", key="delivery"),
                  from_zero=True)], 1


def view_panels(rows):
    return [Bars("one access (ns)", bars_of(rows, "ns", 1, lambda row: f"{text(row.get('operation'))}: {text(row.get('way'))}", key="way"), dots=True)], 1


def icache_panels(rows):
    return [Lines("code", "each stage (ns)", series_of(rows, "code_bytes", "ns", 1, lambda row: text(row.get("stage")), key="stage"), "bytes")], 1


def integrity_panels(rows):
    def verdict(row):
        counts = {name: number(row, name) or 0 for name in ("lost", "torn", "repeated", "out_of_order")}
        wrong = ", ".join(f"{count:,.0f} {name.replace('_', ' ')}" for name, count in counts.items() if count)
        return f"{number(row, 'run') or 0:,.0f} of {number(row, 'messages') or 0:,.0f} run, {wrong or 'no error'}"

    timed = [dict(row, per_s=number(row, "run") / number(row, "seconds")) for row in rows
             if number(row, "run") is not None and number(row, "seconds")]
    million, scale = rate_unit(figures(timed, "per_s"))
    return [Bars(f"{million}messages/s, each checked", bars_of(timed, "per_s", scale, lambda row: text(row.get("delivery")), "delivery",
                                                             note=verdict), scale=scale)], 1


def growth_of(row, side, column):
    held, limits = row.get("memory"), row.get(side)
    limits = limits.get("rss_bytes") if isinstance(limits, dict) else None
    warm = number({"": limits[0]}, "") if isinstance(limits, list) and limits else None
    points = []
    for sample in held if isinstance(held, list) and warm is not None else []:
        if isinstance(sample, list) and len(sample) == 3:
            seconds, size = number({"": sample[0]}, ""), number({"": sample[column]}, "")
            if seconds is not None and size is not None:
                grown = (size - warm) / (1 << 20)
                points.append(Point(seconds, grown, grown, grown))
    return Series(f"{text(row.get('delivery'))}, {side}", text(row.get("delivery")), side, sorted(points, key=lambda point: point.x))


def flood_panels(rows, options):
    series = [growth_of(row, side, column) for row in rows for side, column in (("source", 1), ("target", 2))]
    slack = number(options, "slack_bytes")
    million, scale = rate_unit(figures(rows, "rate_per_s"))
    bars = bars_of(rows, "rate_per_s", scale, lambda row: text(row.get("delivery")), "delivery",
                   note=lambda row: f"no room {number(row, 'again') or 0:,.0f} times")
    return [Lines("time (s)", "resident memory, growth since warm (MiB)", [each for each in series if each.points], "seconds",
                  Limit("allowed", slack / (1 << 20)) if slack else None, from_zero=True),
            Bars(f"{million}messages/s that were run", bars, scale=scale)], 2


def emulation_of(rows):
    """Where members are of two architectures, which: one of them was emulated."""
    row = next((row for row in rows if row.get("emulated") is True), None)
    return f", emulated: {text(row.get('client_arch'))} client, {text(row.get('server_arch'))} servers" if row else ""


def chase_panels(rows):
    """The paper's Figures 5 to 8, 9 to 12, and others. Other fields with several values become part of a name."""
    several = [key for key in ("language", "depth", "inflight", "servers", "wait") if len(distinct(rows, key)) > 1]
    x = next((key for key in several if key not in ("language", "wait")), None)
    rest = [key for key in several if key not in (x, "language")]
    label = {"inflight": "chases at once", "depth": "depth (entries of a chase)"}.get(x, x)

    def name_of(row):
        more = [text(row.get(key)) if key == "wait" else f"{text(row.get(key))} {key}" for key in rest]
        if row.get("language", "c") != "c":
            more.insert(0, f"in {text(row['language'])}")
        return ", ".join([UCX_NAMES.get(text(row.get("mode")), text(row.get("mode"))), *more])

    style = "language" if "language" in several else rest[0] if rest else "mode"
    if x is None:
        return [Bars("chases/s", bars_of(rows, "chases_per_s", 1, name_of))], 1, emulation_of(rows).removeprefix(", ")
    if any(row.get("cache") == "cold" for row in rows):
        return [Lines(label, f"{which} chase (ms)", series_of(rows, x, f"{which}_chase_us", 1e-3, name_of, style=style),
                      title=f"the {which} chase of a new function") for which in ("first", "second")], 2, f"by {x}"
    return [Lines(label, "chases/s", series_of(rows, x, "chases_per_s", 1, name_of, style=style))], 1, f"by {label.split(' (')[0]}" + emulation_of(rows)


PROTECTION_FIGURES = {"connect": ("connect_us", "connect (us)"), "first_call": ("first_call_us", "first call (us)"),
                      "latency": ("latency_ns_p50", "half round trip (ns)"), "rate": ("rate_per_s", "messages/s"),
                      "bandwidth": ("mb_per_s", "1 MiB payloads (MiB/s)")}


def protection_panels(rows):
    """Each protection's figures as ratios to none by the same delivery, where both were measured; else unchanged."""
    compared = [row for row in rows if isinstance(row.get("to_off"), dict)]
    panels = []
    for name, (member, label) in PROTECTION_FIGURES.items():
        if compared:
            # A median between two quartiles, as the rows' other figures have it.
            flat = [dict(row, ratio=each[1], ratio_quartiles=[each[0], each[2]]) for row in compared
                    for each in [row["to_off"].get(name)] if isinstance(each, list) and len(each) == 3]
            bars = bars_of(flat, "ratio", 1, lambda row: f"{text(row.get('mode'))}, {text(row.get('delivery'))}", "delivery")
            panels.append(Bars(f"{name.replace('_', ' ')}, ratio to off", bars, Limit("off", 1, is_told=False), dots=True))
        else:
            unit, scale = rate_unit(figures(rows, member)) if name == "rate" else ("", 1)
            bars = bars_of(rows, member, scale, lambda row: f"{text(row.get('mode'))}, {text(row.get('delivery'))}", "delivery")
            panels.append(Bars(unit + label, bars, dots=True, scale=scale))
    panels = [panel for panel in panels if panel.bars]
    for index, panel in enumerate(panels):
        panel.shares_names = index % 3 > 0
    return panels, 3


OVERHEAD_STAGES = {"transmission": "transmission_ns", "lookup, execution": "lookup_exec_ns"}


def overhead_panels(rows, paper):
    """Tables I to III of the Three-Chains paper as bars, those of this run first: its stages, measured one by one."""
    panels = []
    groups = [("this run", rows, "latency_ns_p50"), *((machine, [row for row in paper if text(row.get("machine")) == machine], "total_ns")
                                                      for machine in distinct(paper, "machine")[:SERIES_MAX])]
    for title, own, total in groups:
        unit, scale = time_unit(figures(own, total))
        stacks = []
        for row in own:
            stages = [(name, value * scale) for name, value in ((name, number(row, key)) for name, key in OVERHEAD_STAGES.items())
                      if value is not None]
            whole = number(row, total)
            if whole is not None:
                stacks.append(Stack(mode_name(row, own), 0, stages or [("not told apart", whole * scale)], whole * scale))
        if stacks:
            panels.append(Stacks(f"half round trip ({unit}), p50" if total == "latency_ns_p50" else f"total ({unit})", stacks,
                                 title if total == "latency_ns_p50" else f"the paper: {title}", scale, is_whole=True))
    return panels, 2


def placement_changes(rows):
    """The gain of a frame in a cache, the sender's or the receiver's own, against the same in memory: Figures 9 and 10 of
    Two-Chains."""
    at = {(text(row.get("mode")), number(row, "payload_bytes"), text(row.get("placement"))): row for row in rows}
    changes = []
    for (mode, size, place), cache in at.items():
        memory = at.get((mode, size, "memory")) if place != "memory" else None
        if memory is None:
            continue
        row = {"mode": mode, "payload_bytes": size, "placement": place}
        for name, over, under in (("latency_ns_p50", cache, memory), ("rate_per_s", cache, memory)):
            ends = [number(each, name) for each in (over, under)]
            if None not in ends and ends[1] > 0:
                row[name] = 100 * (1 - ends[0] / ends[1] if name == "latency_ns_p50" else ends[0] / ends[1] - 1)
        changes.append(row)
    return changes


def tail_panels(rows):
    """Quiet: by placement. With load: the usual and the far latency, and their distance."""
    def name_of(row):
        mode, places = text(row.get("mode")), {text(other.get("placement")) for other in rows if other.get("mode") == row.get("mode")}
        return UCX_NAMES.get(mode, mode) + (f", {text(row.get('placement'))}" if len(places) > 1 else "")

    rows = [row for row in rows if "skipped" not in row]
    loads = distinct(rows, "load")
    title = ", ".join([FUNCTION_TITLES.get(name, name) for name in distinct(rows, "function")]) + ": frames in a cache or (emulated) in memory"
    panels, own = [], dict(name_of=name_of, style="placement")
    if len(set(figures(rows, "payload_bytes"))) == 1:
        time, scale = time_unit(figures(rows, "latency_ns_p50"))
        for index, load in enumerate(loads):
            bars = bars_of([row for row in rows if text(row.get("load")) == load], "latency_ns_p50", scale, name_of, far="latency_ns_p99")
            panels.append(Bars(f"half round trip ({time}): p50, marks: p99, p99.9", bars, title=f"load: {load}", shares_names=index % 2 > 0,
                               dots=True, scale=scale))
        return panels, 2, title
    quiet = [row for row in rows if text(row.get("load")) == loads[0]]
    changes = placement_changes(quiet)
    for label, name, unit, change in (("half round trip, p50", "latency_ns_p50", time_unit, "latency reduction by the cache (%)"),
                                      ("messages/s that a burst is handled at", "rate_per_s", rate_unit, "rate increase by the cache (%)")):
        prefix, scale = unit(figures(quiet, name))
        label = f"{label} ({prefix})" if unit is time_unit else prefix + label
        panels.append(Lines("payload", label, series_of(quiet, "payload_bytes", name, scale, **own), "bytes", title=f"load: {loads[0]}", scale=scale))
        panels.append(Lines("payload", change, series_of(changes, "payload_bytes", name, 1, **own), "bytes",
                            Limit("as in memory", 0, is_told=False), title=f"load: {loads[0]}", is_change=True))
    for load in loads:
        loaded = [row for row in rows if text(row.get("load")) == load]
        time, scale = time_unit(figures(loaded, "latency_ns_p999"))
        panels.append(Lines("payload", f"half round trip, p99.9 ({time})", series_of(loaded, "payload_bytes", "latency_ns_p999", scale, **own), "bytes",
                            title=f"load: {load}", scale=scale))
        panels.append(Lines("payload", "spread, (p99.9 - p50) / p50 (%)", series_of(loaded, "payload_bytes", "tail_spread", 100, **own), "bytes",
                            title=f"load: {load}"))
    return panels, 2, title


def library_panels(rows):
    """Pushes of each path, the effect of upgrades on others, and calls of a library; a run need not have all parts."""
    def of(part, **members):
        return [row for row in rows if text(row.get("part")) == part and all(text(row.get(name)) == value for name, value in members.items())]

    panels, calls, upgrades = [], of("call"), of("upgrade")
    for path in distinct(of("push"), "path"):
        own = of("push", path=path)
        time, scale = time_unit([1e3 * value for value in figures(own, "us_p50")])
        bars = bars_of(own, "us_p50", 1e3 * scale, lambda row: text(row.get("stage")), key="stage", far="us_p99")
        panels.append(Bars(f"library of 50 symbols ({time}): p50, {marks(own, 'us')}", bars, title=path, dots=True, shares_names=len(panels) % 2 > 0,
                           scale=1e3 * scale))
    if upgrades:
        bars = bars_of(upgrades, "us_p50", 1, lambda row: f"{number(row, 'upgrades') or 0:,.0f} upgrades", key="turn", far="us_p99")
        panels.append(Bars(f"call of another client (us): p50, {marks(upgrades, 'us')}", bars, title="upgrades", dots=True))
    (time, time_scale), (million, rate_scale) = time_unit(figures(calls, "latency_ns_p50")), rate_unit(figures(calls, "rate_per_s"))
    own = dict(name_of=lambda row: f"{text(row.get('library'))} library", key="library")
    if calls:
        panels.append(Bars(f"message ({time}): p50, {marks(calls, 'latency_ns')}",
                           bars_of(calls, "latency_ns_p50", time_scale, far="latency_ns_p99", **own), title="calls", dots=True, scale=time_scale))
        panels.append(Bars(f"{million}messages/s", bars_of(calls, "rate_per_s", rate_scale, **own), title="calls", shares_names=len(panels) % 2 > 0,
                           scale=rate_scale))
    return panels, 2


def by_iterations(rows):
    """Curves of efficiency over the size of a task, in the order in which tasks shrink: small ones are hardly told apart by their
    size."""
    curves = {}
    for row in sorted(rows, key=lambda row: -(number(row, "iterations") or 0)):
        x, y, name = number(row, "granularity_ns"), number(row, "efficiency_percent"), text(row.get("version"))
        if x and y is not None:
            curves.setdefault(name, Series(name, f"taskbench {name}", name, [])).points.append(Point(x, y, y, y))
    return list(curves.values())


def taskbench_panels(rows, options):
    """The figure by which Task Bench finds METG, a panel for each pattern of dependences."""
    panels = [Lines("task granularity (ns)", "efficiency (% of the peak)", by_iterations([row for row in rows if text(row.get("pattern")) == pattern]),
                    "time", Limit("50 %", 50, is_told=False), title=pattern, from_zero=True) for pattern in distinct(rows, "pattern")]
    told = [f"{number(options, name):g} {words}" for name, words in (("width", "points"), ("ranks", "ranks"), ("bytes", "bytes"),
                                                                     ("repetitions", "rounds")) if number(options, name)]
    return panels, 2, ", ".join(told)


AM_PAPER_LATENCIES = ((10, 115e3), (20, 95e3))  # ns by segments of a unit: the text beside its Figure 3(a)
AM_PAPER_ORDERING = 1.25                        # Figure 6: without order, to with it
AM_LEFT_OUT = ("am-atomic", "mpi-window-created", "mpi-accumulate-created", "am-epoch")


def am_relative(rows, name, base_of):
    """Points of a figure by the one that base_of returns for an x, or None."""
    points = []
    for row in rows:
        x, figure = number(row, "x"), spread(row, name)
        base = base_of(x)
        if x and base and figure[0] is not None:
            points.append(Point(x, *(value / base for value in figure)))
    return sorted(points, key=lambda point: point.x)


def am_unit_panels(rows):
    """Figure 3: latency and rate by the segments of a unit."""
    panels = []
    for operation in distinct(rows, "operation"):
        own = [row for row in rows if text(row.get("operation")) == operation]
        awaited, many = ([row for row in own if row.get("awaited") is each] for each in (True, False))
        time, scale = time_unit(figures(awaited, "ns"))
        look = dict(name_of=lambda row: text(row.get("way")), key="way", style="operation")
        if awaited:
            panels.append(Lines("segments of a unit", f"active message of 100 segments ({time})",
                                series_of(awaited, "x", "ns", scale, **look), title=operation, from_zero=True, scale=scale))
        prefix, scale = rate_unit(figures(many, "segments_per_s"))
        if many:
            panels.append(Lines("segments of a unit", f"{prefix}segments/s", series_of(many, "x", "segments_per_s", scale, **look), title=operation,
                                from_zero=True, scale=scale))
        own = [row for row in awaited if text(row.get("way")) == "am"]
        first = [number(row, "ns") for row in own if number(row, "x") == AM_PAPER_LATENCIES[0][0]]
        if operation == "search" and first:
            paper = [Point(x, *[ns / AM_PAPER_LATENCIES[0][1]] * 3) for x, ns in AM_PAPER_LATENCIES]
            panels.append(Lines("segments of a unit", "latency (that of units of 10 is 1)",
                                [Series("am", "am", "search", am_relative(own, "ns", lambda x: first[0])),
                                 Series("the paper's text", "paper", "paper", paper)], title=operation, from_zero=True))
    return panels


def am_order_panels(rows):
    """Figure 6."""
    strict = {number(row, "x"): number(row, "segments_per_s") for row in rows if text(row.get("order")) == "strict"}
    gains = am_relative([row for row in rows if text(row.get("order")) != "strict"], "segments_per_s", strict.get)
    prefix, scale = rate_unit(figures(rows, "segments_per_s"))
    return [Lines("active messages, large and small in turn", f"{prefix}segments/s",
                  series_of(rows, "x", "segments_per_s", scale, lambda row: f"order {text(row.get('order'))}", key="order", style="part"),
                  title="order", from_zero=True, scale=scale),
            Lines("active messages, large and small in turn", "rate without order, to that with it",
                  [Series("am", "am", "order", gains)] if gains else [],
                  limit=Limit("the paper: close to 1.25", AM_PAPER_ORDERING), title="order", from_zero=True)]


def am_origin_panels(rows):
    """Figures 5 and 7."""
    def name_of(row):
        credit = number(row, "credit_bytes") or 0
        return f"{text(row.get('way'))}, {credit / 1024:,.0f} KiB of credit" if text(row.get("way")) == "am" else text(row.get("way"))

    (time, scale), (prefix, rate_scale) = time_unit(figures(rows, "ns")), rate_unit(figures(rows, "segments_per_s"))
    return [Lines("origins", f"time by messages of each origin ({time})",
                  series_of([row for row in rows if text(row.get("way")) == "am"], "x", "ns", scale, name_of, key="credit_bytes", style="way"),
                  title="origins", from_zero=True, scale=scale),
            Lines("origins", f"{prefix}segments/s of all origins", series_of(rows, "x", "segments_per_s", rate_scale, name_of, key="credit_bytes", style="way"),
                  title="origins", from_zero=True, scale=rate_scale)]


def am_panels(rows, options):
    """Figures of the paper on generalized active messages; a run need not have all parts."""
    def of(part):
        return [row for row in rows if text(row.get("part")) == part and text(row.get("way")) not in AM_LEFT_OUT]

    panels, rates, credit = [], of("rate"), of("credit")
    for operation in distinct(of("hundred"), "operation"):
        own = [row for row in of("hundred") if text(row.get("operation")) == operation]
        time, scale = time_unit(figures(own, "ns"))
        panels.append(Bars(f"100 segments ({time})", bars_of(own, "ns", scale, lambda row: text(row.get("way")), key="way"), title=operation, dots=True,
                           scale=scale))
    if rates:
        prefix, scale = rate_unit(figures(rates, "segments_per_s"))
        panels.append(Lines("segment", f"{prefix}segments/s", series_of(rates, "x", "segments_per_s", scale, lambda row:
                            f"{text(row.get('way'))}, {number(row, 'segments') or 0:g} a message", key="way", style="segments"), "bytes", title="rate",
                            scale=scale))
    panels += am_unit_panels(of("units"))
    if credit:
        prefix, scale = rate_unit(figures(credit, "segments_per_s"))
        panels.append(Lines("credit", f"{prefix}segments/s", series_of(credit, "x", "segments_per_s", scale, lambda row: text(row.get("way")),
                            key="way", style="operation"), "bytes", title="credit", from_zero=True, scale=scale))
    if of("ordering"):
        panels += am_order_panels(of("ordering"))
    if of("origins"):
        panels += am_origin_panels(of("origins"))
    told = [f"{number(options, name):g} {words}" for name, words in (("ranks", "ranks"), ("rounds", "rounds")) if number(options, name)]
    return panels, 2, ", ".join([*told, *([text(options["mpi"])] if options.get("mpi") else [])])


EXPERIMENTS = {
    "tsi": ("Target-Side Increment", message_panels),
    "ssum": ("Server-Side Sum", message_panels),
    "iput": ("Indirect Put", message_panels),
    "call": ("Calls and their answers", call_panels),
    "bandwidth": ("Bandwidth of large payloads", bandwidth_panels),
    "first-call": ("First calls", first_call_panels),
    "wait": ("What waiting costs", wait_panels),
    "cycles": ("What waiting costs", wait_panels),
    "poll": ("Polling with idle endpoints", poll_panels),
    "view": ("Words of a mapped window", view_panels),
    "icache": ("Running code that was just written", icache_panels),
    "integrity": ("Integrity of messages", integrity_panels),
    "flood": ("A source that is too fast for its target", flood_panels),
    "dapc": ("Distributed Adaptive Pointer Chasing", chase_panels),
    "overhead": ("Lookup, execution and transmission", overhead_panels),
    "protection": ("What protection costs", protection_panels),
    "tail": ("Tails of latency", tail_panels),
    "library": ("Libraries that travel", library_panels),
    "taskbench": ("Task Bench", taskbench_panels),
    "am": ("Active messages", am_panels),
}


def is_drawn(panel):
    return bool(getattr(panel, "series", None) or getattr(panel, "bars", None) or getattr(panel, "stacks", None))


def has_spread(panels):
    drawn = [each for panel in panels for each in getattr(panel, "bars", ())]
    drawn += [point for panel in panels for series in getattr(panel, "series", ()) for point in series.points]
    return any(each.low < each.high for each in drawn)


def chart_of(report):
    title, choose = EXPERIMENTS[report.experiment]
    also = {flood_panels: [report.options], taskbench_panels: [report.options], am_panels: [report.options], overhead_panels: [report.paper]}.get(choose, [])
    panels, columns, *more = choose(report.rows, *also)
    panels = [panel for panel in panels if is_drawn(panel)]
    if not panels:
        raise Refused(f"{report.path}: found no row with figures, expected rows of {report.experiment}")
    for panel in panels:
        count = len(getattr(panel, "series", None) or getattr(panel, "bars", None) or panel.stacks)
        if count > SERIES_MAX * (2 if isinstance(panel, Bars) else 1):
            raise Refused(f"{report.path}: found {count} series to draw in one panel, expected at most {SERIES_MAX}")
    title = ": ".join([title, *filter(None, more)])
    return Chart(title, panels, min(columns, len(panels)), [report.how(has_spread(panels)), report.where()])


# --- two files ------------------------------------------------------------------------------------------------------


def ratio(over, under, units):
    """(value, low, high): the quartiles of either side taken where they are farthest apart."""
    if min(*over, *under) <= 0:
        return None
    return units * over[0] / under[0], units * over[1] / under[2], units * over[2] / under[1]


def ratio_bars(old, new, units):
    by_name = {bar.name: bar for bar in old}
    pairs = [(bar, ratio((bar.value, bar.low, bar.high), (base.value, base.low, base.high), units))
             for bar in new for base in [by_name.get(bar.name)] if base]
    return [Bar(bar.name, bar.key, *values) for bar, values in pairs if values]


def ratio_series(old, new, units):
    known = {(series.name, point.x): point for series in old for point in series.points}
    found = []
    for series in new:
        points = []
        for point in series.points:
            base = known.get((series.name, point.x))
            values = base and ratio((point.y, point.low, point.high), (base.y, base.low, base.high), units)
            if values:
                points.append(Point(point.x, *values))
        if points:
            found.append(Series(series.name, series.key, series.style, points))
    return found


def plain_label(label):
    """Without a unit: a ratio has no unit, and two files may have chosen different ones."""
    return label.split(" (")[0].removeprefix("million ").removeprefix("thousand ").split(": ")[0]


def ratio_panel(old, new):
    same, units = Limit("no change", 1, is_told=False), old.scale / new.scale
    if isinstance(new, Lines):
        if new.x_unit == "seconds" or new.is_change:
            return None  # two floods are as long as each was set to be; values around 0 have no ratio
        return Lines(new.x_label, f"B / A: {plain_label(new.y_label)}", ratio_series(old.series, new.series, units),
                     new.x_unit, same, new.title, is_ratio=True)
    if isinstance(new, Bars):
        return Bars(f"B / A: {plain_label(new.x_label)}", ratio_bars(old.bars, new.bars, units), same, new.title, new.shares_names, dots=True)
    totals = [[Bar(stack.name, stack.name, stack.total, stack.total, stack.total) for stack in panel.stacks] for panel in (old, new)]
    return Bars("B / A: total", ratio_bars(*totals, units), same, new.title, dots=True)


def compare(one, other):
    """The common figures, as ratios of the second to the first."""
    if one.experiment != other.experiment:
        raise Refused(f"{other.path}: found experiment '{other.experiment}', expected '{one.experiment}' as in {one.path}")
    old, new = chart_of(one), chart_of(other)
    kinds = {(type(panel), panel.title, plain_label(getattr(panel, "x_label", "")), plain_label(getattr(panel, "y_label", ""))): panel
             for panel in old.panels}
    panels = []
    for panel in new.panels:
        base = kinds.get((type(panel), panel.title, plain_label(panel.x_label), plain_label(getattr(panel, "y_label", ""))))
        made = base and ratio_panel(base, panel)
        if made and is_drawn(made):
            panels.append(made)
    if not panels:
        raise Refused(f"{other.path}: found no figure that {one.path} has too, expected two runs of the same kind")
    notes = [f"{name}: {line}" for name, chart in (("A", old), ("B", new)) for line in chart.notes]
    return Chart(f"{new.title}: the second file (B) to the first (A)", panels, min(new.columns, len(panels)), notes)
