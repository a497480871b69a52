#!/usr/bin/env python3
"""Runs tc-perf for a moment and checks the form of its output; never its speed.

    check_tc_perf.py TC_PERF tsi DELIVERY [tc-perf options]
    check_tc_perf.py TC_PERF WHAT [tc-perf options]

WHAT is one of CHECKS below: an experiment, or a variant of one. DELIVERY is the one that the library's modes must report.
"""
import json
import re
import subprocess
import sys

AN_HOUR_US = 3600e6  # no run takes as long
TAIL = ["latency_ns_p50", "latency_ns_p99", "latency_ns_p999", "latency_ns_max"]
NUMBERS = ["payload_bytes", "frame_bytes"] + TAIL + ["rate_per_s"]
MESSAGE = NUMBERS + ["mb_per_s"]
RATIOS = {"cached_to_bare_latency", "cached_to_am_latency", "cached_to_bare_rate",
          "cached_to_am_rate", "uncached_to_cached_latency", "uncached_to_cached_rate",
          "uncached_to_am_latency", "uncached_to_am_rate"}
TO_AM = ["latency_to_am", "rate_to_am"]
ERRORS = ["lost", "torn", "repeated", "out_of_order"]


def run(command):
    """The JSON that it wrote. A run that hangs is killed by the test's time limit, and its target dies with it."""
    done = subprocess.run(command + ["--json", "-"], stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}")
    return json.loads(done.stdout)


def expect(condition, text, found):
    if not condition:
        sys.exit(f"expected {text}, found {found}")


def expect_tail(row, name):
    """The figures of one measurement; with several rounds each figure has a median of its own, and still the same order."""
    tail = [row[f"{name}_{end}"] for end in ("p50", "p99", "p999", "max")]
    expect(tail[0] >= 0 and tail == sorted(tail), "p50 <= p99 <= p99.9 <= maximum", row)


MACHINE = ["placement", "placement_rounds", "placements", "pairs", "busy", "busy_reason"]
PLACEMENTS = ("near", "far", "shared", "mixed")


def take_machine(report):
    """Experiments that watch the machine tell where its processors were, and whether it was too busy; which, depends on it."""
    found = {name: report.pop(name) for name in MACHINE if name in report}
    if not found:
        return
    expect(found["placement"] in PLACEMENTS and list(found["placement_rounds"]) == list(PLACEMENTS), "placements", found)
    expect(found["busy"] == ("busy_reason" in found), "a reason of a busy machine", found)
    counts = found["placement_rounds"]
    expect(("placements" in found) <= (counts["near"] > 0 and counts["far"] > 0), "near and far rounds apart", found)
    for part in found.get("placements", {}).values():
        expect(part["rows"] and all(row["rounds"] > 0 for row in part["rows"]), "rows", part)
    for row in report["rows"]:
        expect(row.pop("placement") in PLACEMENTS and row.pop("rounds") > 0, "a placement", row)
        expect(row.pop("busy", False) <= found["busy"], "busy rows of a busy run", row)


def take_quartiles(row):
    """They belong to the figure whose name they have; without them a row is easier to check."""
    for name in [name for name in row if name.endswith("_quartiles")]:
        low, high = row.pop(name)
        figure = row[name.removesuffix("_quartiles")]
        expect(low <= figure <= high, f"{name} around {figure}", (low, high))
        row.setdefault("spread", []).append(name)


def check_spread(report):
    """Every experiment that measures something more than once has the spread of its figures."""
    for row in report["rows"]:
        take_quartiles(row)
        once = report["experiment"] in ("integrity", "flood") or "turn" in row or "skipped" in row
        expect(once or row.pop("spread", None), "quartiles", row)


def check_env(report, experiment):
    expect(list(report) == ["program", "format", "experiment", "env", "rows", "ratios"], "six members", list(report))
    expect((report["program"], report["format"]) == ("tc-perf", 1), "what wrote it", report)
    expect(re.fullmatch(r"\d{4}(-\d\d){2}T\d\d(:\d\d){2}Z", report["env"]["date"]), "a date", report["env"]["date"])
    expect(report["experiment"] == experiment, experiment, report["experiment"])
    env = report["env"]
    for name in ("cpu", "kernel", "versions", "options"):
        expect(env.get(name), f"env.{name}", env)
    for name in ("three_chains", "ucx", "llvm"):
        expect(env["versions"].get(name), f"env.versions.{name}", env["versions"])


def check_tsi(report, delivery):
    rows = {row["mode"]: row for row in report["rows"]}
    expect(list(rows) == ["bare", "am", "cached", "uncached"], "four modes", list(rows))
    for mode in ("cached", "uncached"):
        # 0.000 where UCX waits for its turn on a processor.
        expect(all(rows[mode].pop(name, -1) >= 0 for name in TO_AM), "ratios to am", rows[mode])
    for row in rows.values():
        expect(list(row) == ["mode", "delivery"] + MESSAGE, "ten members", list(row))
        expect(all(row[name] > 0 for name in NUMBERS), "positive numbers", row)
        expect_tail(row, "latency_ns")
    for mode in ("cached", "uncached"):
        expect(rows[mode]["delivery"] == delivery, delivery, rows[mode])
    cached, uncached = rows["cached"], rows["uncached"]
    header = cached["frame_bytes"] - cached["payload_bytes"]
    expect(header >= 16, "a header before the payload", cached)
    expect(uncached["frame_bytes"] > cached["frame_bytes"] + 100, "code in every message", uncached)
    expect(set(report["ratios"]) == RATIOS, sorted(RATIOS), report["ratios"])
    # 0.000 where one side waited for its turn on a processor.
    expect(all(value >= 0 for value in report["ratios"].values()), "ratios", report["ratios"])


def check_sweep(report):
    """Payloads of 1, 8, 64 and 1 MB, over all deliveries that the library has."""
    deliveries = report["env"]["options"]["delivery"]
    expect("direct" in deliveries and "auto" not in deliveries, "all deliveries", deliveries)
    sizes = report["env"]["options"]["sizes"]
    expect(sizes == [1, 8, 64, 1 << 20], "four payloads", sizes)
    rows = [(row["delivery"], row["payload_bytes"]) for row in report["rows"]]
    expect(rows == [(name, size) for size in sizes for name in deliveries], "a row for each", rows)
    for row in report["rows"]:
        if "skipped" in row:
            expect(row["payload_bytes"] > 64, "small payloads to be measured", row)
        else:
            expect(list(row) == ["mode", "delivery"] + MESSAGE, "ten members", list(row))


def check_ifunc_api(report):
    """The comparison in the paper on the ifunc API: code in every message, and UCX AM. Beside `bare`, which shares the
    processes."""
    modes, sizes = ["uncached", "inject", "compat"], [1, 65536, 1 << 20]
    rows = [(row["payload_bytes"], row["mode"]) for row in report["rows"] if row["mode"] not in ("bare", "am")]
    expect(rows == [(size, mode) for size in sizes for mode in modes], "a row for each", rows)
    for row in report["rows"]:
        if row["mode"] in modes and "skipped" not in row:
            expect(all(row.get(name, -1) >= 0 for name in TO_AM), "ratios to am", row)
            for name in TO_AM:
                key = f"{row['mode']}_to_am_{name.split('_')[0]}_{row['payload_bytes']}"
                expect(report["ratios"].get(key) == row[name], f"{key}, as in the row", report["ratios"].get(key))
    skipped = [(row["mode"], row["payload_bytes"]) for row in report["rows"] if "skipped" in row]
    by_stores = any(row["delivery"] == "direct" for row in report["rows"])
    expect(skipped == ([] if by_stores else [("inject", 1 << 20)]), "every payload over shared memory", skipped)


def check_senders(report):
    """One, two and four senders over both deliveries, as processes and as threads."""
    rows = [(row["delivery"], row["senders"], row["mode"]) for row in report["rows"]]
    expected = [(name, n, mode) for name in ("direct", "am") for n in (1, 2, 4) for mode in ("cached", "threads")]
    expect(rows == expected, "a row for each", rows)
    for row in report["rows"]:
        expect(list(row) == ["mode", "delivery", "senders", "payload_bytes", "rate_per_s"], "five members", list(row))
        expect(row["rate_per_s"] > 0, "a rate", row)
    for name in ("senders_4_to_1_rate_am", "threads_to_processes_rate_4_direct"):
        expect(report["ratios"].get(name, 0) > 0, "ratios", report["ratios"])


def check_rings(report):
    """Two modes and two payloads with rings of 4K and 64K: the larger has space for more messages."""
    rows = [(row["payload_bytes"], row["mode"], row["ring_bytes"]) for row in report["rows"]]
    expect(rows == [(size, mode, ring) for size in (16, 256) for mode in ("cached", "inject") for ring in (4096, 65536)], "a row for each", rows)
    for row in report["rows"]:
        members = ["mode", "delivery", "payload_bytes", "ring_bytes", "outstanding", "rate_per_s"]
        expect(list(row) == members, members, list(row))
        expect(row["rate_per_s"] > 0 and 0 < row["outstanding"] * row["payload_bytes"] <= row["ring_bytes"], "what fits a ring", row)
    for small, large in zip(report["rows"][::2], report["rows"][1::2]):
        expect(large["outstanding"] > 8 * small["outstanding"], "more in a larger ring", (small, large))
    names = {f"ring_4096_to_65536_rate_{mode}_{report['rows'][0]['delivery']}_{size}" for mode in ("cached", "inject") for size in (16, 256)}
    expect(set(report["ratios"]) == names, sorted(names), report["ratios"])


def check_table(report):
    """The paper's rows, beside this run's own."""
    paper = report.pop("paper")
    expect(len(paper) == 9 and [row["table"] for row in paper[::3]] == ["IV", "V", "VI"], "three tables", paper)
    modes = {row["mode"] for row in report["rows"]}
    for row in paper:
        expect(row["mode"] in modes and row["latency_ns"] > 1000 and row["rate_per_s"] > 4e5, "a row to compare", row)
    check_tsi(report, "direct")


def check_forms(report):
    """The same function as a native image and as bitcode."""
    rows = [row["mode"] for row in report["rows"]]
    expect(rows == ["image", "bitcode"], "a row for each form", rows)
    names = {"image_to_bitcode_latency", "image_to_bitcode_rate"}
    expect(set(report["ratios"]) == names, sorted(names), report["ratios"])


LOSSES = {"latency_loss_percent": "inject_loss_percent_latency", "rate_loss_percent": "inject_loss_percent_rate"}


def check_losses(row, ratios):
    """The loss of inject against local, in the row and among the ratios. A loss may be a gain on processors that others use as
    well."""
    if row["mode"] == "inject":
        for name, ratio in LOSSES.items():
            expect(row.pop(name) == ratios.get(f"{ratio}_{row['payload_bytes']}"), "the same loss among the ratios", ratios)
        return
    expect(not LOSSES.keys() & row.keys(), "losses of inject alone", row)


def check_delivered(report, modes, work):
    """Plain puts, and messages that run nothing: figures and ratios for every payload."""
    sizes = report["env"]["options"]["sizes"]
    rows = [(row["payload_bytes"], row["mode"]) for row in report["rows"]]
    # A put has its number in it.
    expect(rows == [(max(size, 8) if mode == "put" else size, mode) for size in sizes for mode in modes], "a row for each", rows)
    for row in report["rows"]:
        check_losses(row, report["ratios"])
        expect(all(row[name] > 0 for name in NUMBERS), "positive numbers", row)
        expect(abs(row["mb_per_s"] / (row["rate_per_s"] * row["payload_bytes"] / (1 << 20)) - 1) < 1e-2 or row["mb_per_s"] < 0.1,
               "the rate in megabytes", row)
        expect_tail(row, "latency_ns")
    expect({row["delivery"] for row in report["rows"] if row["mode"] == "put"} == {"put"}, "puts", rows)
    names = {f"noexec_to_put_{metric}_{size}" for metric in ("latency", "rate") for size in sizes}
    names |= {f"{ratio}_{size}" for ratio in work for size in sizes}
    expect(names <= set(report["ratios"]), sorted(names), report["ratios"])


def check_unrun(report):
    check_delivered(report, ["put", "noexec", "inject", "local"], LOSSES.values())


def check_unrun_tsi(report):
    for row in report["rows"]:
        for name in TO_AM:
            row.pop(name, None)
    check_delivered(report, ["am", "put", "noexec", "cached"], ["cached_to_noexec_latency", "cached_to_noexec_rate"])


def check_work(report):
    """Rows and ratios for every payload and three modes. tc-perf itself has checked the results."""
    sizes = report["env"]["options"]["sizes"]
    rows = [(row["payload_bytes"], row["mode"]) for row in report["rows"]]
    expect(rows == [(size, mode) for size in sizes for mode in ("cached", "inject", "local")], "a row for each", rows)
    for row in report["rows"]:
        check_losses(row, report["ratios"])
        expect(list(row) == ["mode", "delivery"] + MESSAGE, "ten members", list(row))
        expect(all(row[name] > 0 for name in NUMBERS), "positive numbers", row)
        expect_tail(row, "latency_ns")
    frames = {(row["payload_bytes"], row["mode"]): row["frame_bytes"] for row in report["rows"]}
    for size in sizes:
        expect(frames[size, "inject"] > frames[size, "cached"] + 100, "code in every message", frames)
    names = {f"{upper}_to_{lower}_{metric}_{size}" for metric in ("latency", "rate") for size in sizes
             for upper, lower in (("inject", "cached"), ("inject", "local"), ("local", "cached"))}
    names |= {f"{name}_{size}" for name in LOSSES.values() for size in sizes}
    expect(set(report["ratios"]) == names, sorted(names), report["ratios"])


STAGES = ["transmission", "wait", "libraries", "cache load", "parse", "verify", "passes", "codegen", "link",
          "image load", "execution", "total"]
PATHS = ["jit-cold", "jit-warm", "jit-best", "cached", "restart", "image", "prepared"]
# The stages that a path must, and must not, pass; tc-perf itself has checked the source of the code.
PASSED = {"jit-warm": ["parse", "codegen", "link"], "jit-best": ["passes", "codegen"], "cached": ["cache load", "link"],
          "restart": ["cache load", "link"], "image": ["image load"], "prepared": ["execution"]}
LEFT_OUT = {"jit-warm": ["image load"], "cached": ["codegen"], "restart": ["codegen"], "image": ["link", "codegen"],
            "prepared": ["codegen"]}


def check_first_call(report):
    """A row for every stage of every path of every function."""
    functions, paths = ("tsi", "saxpy"), PATHS
    rows = {(row["function"], row["path"], row["stage"]): row for row in report["rows"]}
    expected = [(name, path, stage) for name in functions for path in paths for stage in STAGES]
    expect(list(rows) == expected, "a row for each", list(rows))
    for row in report["rows"]:
        expect(list(row) == ["function", "path", "stage", "us_p50", "us_p99", "us_p999", "us_max"], "seven members", list(row))
        expect_tail(row, "us")
        expect(row["us_max"] < AN_HOUR_US, "a time, not a difference below zero", row)
    for name in functions:
        for path in paths:
            expect(rows[name, path, "total"]["us_p50"] > 0, "a total", rows[name, path, "total"])
            for stage in PASSED.get(path, []):
                expect(rows[name, path, stage]["us_p99"] > 0, f"{stage} to take time", rows[name, path, stage])
            for stage in LEFT_OUT.get(path, []):
                expect(rows[name, path, stage]["us_p99"] == 0, f"no {stage}", rows[name, path, stage])
    compiled = [path for path in paths if rows["tsi", path, "codegen"]["us_p50"] > 0]
    names = {f"best_to_quick_{name}" for name in functions} | {"shipped_to_native_loop"}
    names |= {f"{path}_to_llvm_{name}" for path in compiled for name in functions}
    expect(set(report["ratios"]) == names, sorted(names), report["ratios"])


def check_holes(report):
    """A row for each step of each way."""
    expect([row["way"] for row in report["rows"]] == ["hole"] * 4 + ["archive"] * 3 + ["payload"], "eight rows", report["rows"])
    for row in report["rows"]:
        expect(list(row) == ["way", "step", "us_p50", "us_p99", "us_p999", "us_max"], "six members", list(row))
        expect_tail(row, "us")
    expect(report["ratios"]["hole_to_archive"] > 0, "a ratio", report["ratios"])


def check_intrusion(report):
    """Calls while nothing new came, and while it did."""
    expect([row["turn"] for row in report["rows"]] == ["quiet", "intruded"], "both turns", report["rows"])
    for row in report["rows"]:
        expect(list(row) == ["turn", "calls", "functions", "us_p50", "us_p99", "us_p999", "us_max"], "seven members", list(row))
        expect(row["calls"] > 0 and row["us_p50"] > 0, "calls", row)
        expect_tail(row, "us")
    expect(report["rows"][1]["functions"] > 0, "new functions", report["rows"])
    expect(report["ratios"]["intruded_to_quiet_p99"] > 0, "a ratio", report["ratios"])


def check_call(report):
    """One call at a time by all modes; several at once by all but the blocking ones."""
    once, started = ("call", "window"), ("start", "window-start", "window-get", "window-put", "threaded", "task", "atomic")
    rows = [(row["outstanding"], row["mode"]) for row in report["rows"]]
    expect(rows == [(n, mode) for n in (1, 32) for mode in ("am", "am-safe", "get", "call", "start", "window", *started[1:])
                    if n == 1 or mode not in once],
           "a row for each", rows)
    for row in report["rows"]:
        expect(list(row) == ["mode", "delivery", "outstanding"] + NUMBERS, "ten members", list(row))
        expect(all(row[name] > 0 for name in NUMBERS), "positive numbers", row)
        expect_tail(row, "latency_ns")
    names = {f"{over}_to_{under}_{what}_o{n}" for n in (1, 32) for over in (*once, *started) if n == 1 or over not in once
             for under in ("am", "am-safe", "get", "fastest") for what in ("latency", "rate")}
    expect(set(report["ratios"]) == names, sorted(names), report["ratios"])


def check_typed_call(report):
    """The same calls packed by hand and, where stubs were built, by those; each with its bytes, and a ratio of both."""
    kinds = {"": 0, "-word": 8, "-two": 16, "-doubles": 160}
    found = {row["mode"] for row in report["rows"]}
    sides = [side for side in ("hand", "typed") if side in found]
    rows = [(row["outstanding"], row["mode"], row["payload_bytes"]) for row in report["rows"] if row["mode"] != "am"]
    expect(rows == [(n, side + kind, size) for n in (1, 32) for side in sides for kind, size in kinds.items()],
           "a row for each", rows)
    for row in report["rows"]:
        expect(row["frame_bytes"] >= row["payload_bytes"], "a frame with the payload", row)
        expect(row["latency_ns_p50"] > 0 and row["rate_per_s"] > 0, "positive numbers", row)
    pairs = [(side + kind, "am") for side in sides for kind in kinds]
    pairs += [("typed" + kind, "hand" + kind) for kind in kinds if "typed" in sides]
    names = {f"{over}_to_{under}_{what}_o{n}" for n in (1, 32) for over, under in pairs for what in ("latency", "rate")}
    expect(set(report["ratios"]) == names, sorted(names), report["ratios"])


def check_overhead(report):
    """A row for each mode, split where the target sees a message come, and the paper's beside it."""
    paper = report.pop("paper")
    expect(len(paper) == 9 and {row["table"] for row in paper} == {"I", "II", "III"}, "three tables", paper)
    rows = {row["mode"]: row for row in report["rows"]}
    expect(list(rows) == ["direct", "am", "uncached", "cached", "image"], "five modes", list(rows))
    expect(rows["direct"]["lookup_exec_ns"] > 0, "a time of a call", rows["direct"])
    expect(all(rows[mode]["jit_ns"] > 0 for mode in ("uncached", "image")), "what it takes to load", rows)
    for mode in ("am", "uncached", "cached", "image"):
        expect_tail(rows[mode], "latency_ns")
    split = {mode for mode, row in rows.items() if "transmission_ns" in row}
    shared = rows["cached"]["delivery"] == "direct"
    expect(not shared or {"cached", "image"} <= split, "stages over shared memory", rows)
    expect(shared or split <= {"am"}, "no stages where a system call brings the message", rows)
    expect(set(report["ratios"]) == {f"sum_to_total_{mode}" for mode in split}, "a sum for each", report["ratios"])


def check_bandwidth(report):
    """Two payloads by all modes; the library's over two deliveries."""
    modes = ["put", "am", "am-safe", "cached", "cached"]
    rows = [(row["payload_bytes"], row["mode"]) for row in report["rows"]]
    expect(rows == [(size, mode) for size in (65536, 1 << 20) for mode in modes], "a row for each", rows)
    for row in report["rows"]:
        expect(list(row) == ["mode", "delivery", "payload_bytes", "mb_per_s"], "four members", list(row))
        expect(row["mb_per_s"] > 0, "a rate", row)
    expect(report["ratios"].get("cached_to_ucx_direct_1048576", 0) > 0, "ratios", report["ratios"])


def check_wait(report):
    """Two and four processes for each policy."""
    members = ["policy", "processes", "idle_cpu_pct", "wakeup_us_p50", "wakeup_us_p99", "wakeup_us_p999", "wakeup_us_max", "rate_per_s"]
    policies = list(dict.fromkeys(row["policy"] for row in report["rows"]))
    expect("adaptive" in policies, "adaptive", policies)
    rows = [(row["policy"], row["processes"]) for row in report["rows"]]
    expect(rows == [(name, n) for name in policies for n in (2, 4)], "two rows for each", rows)
    for row in report["rows"]:
        expect(list(row) == members, members, list(row))
        expect(row["wakeup_us_p50"] > 0, "figures", row)
        expect_tail(row, "wakeup_us")
        expect(row["idle_cpu_pct"] >= 0 and row["rate_per_s"] > 0, "figures", row)


def check_cycles(report):
    """Each function by each way to wait, with the target's resources; `line` where the processor has it."""
    counters, options = report["counters"], report["env"]["options"]
    counted = counters["counted"] != "none"
    expect(list(counters) == ["counted", "reason", "line"] and (counters["reason"] is None) == counted, "how it was counted", counters)
    spent = ["cpu_ns"] + (["cycles", "instructions"] if counted else []) + ["looks", "yields", "sleeps"]
    members = ["function", "mode", "delivery", "endpoints", "payload_bytes", *TAIL, *spent]
    deliveries, ends = len(options["delivery"]), sorted({row["endpoints"] for row in report["rows"] if "endpoints" in row})
    expected = [(size, function, mode) for size in options["sizes"] for function in ("iput", "ssum") for _ in ends
                for mode in options["modes"].split(",") for _ in range(deliveries)]
    expect([(row["payload_bytes"], row["function"], row["mode"]) for row in report["rows"]] == expected, expected, report["rows"])
    for row in report["rows"]:
        if row["mode"] == "line" and counters["line"] is None:
            expect(list(row) == ["function", "mode", "payload_bytes", "skipped"], "a reason", row)
            continue
        expect(list(row) == members, members, list(row))
        expect_tail(row, "latency_ns")
        expect(all(row[name] >= 0 for name in spent) and row["latency_ns_p50"] > 0 and row["cpu_ns"] > 0, "figures", row)
        expect(row["mode"] != "sleep" or row["looks"] == 0, "no look between sleeps", row)
        expect(row["mode"] in ("yield", "adaptive") or row["yields"] == 0, "no yield", row)
        expect(row["mode"] in ("sleep", "adaptive") or row["sleeps"] == 0, "no sleep", row)
    for name, ratio in report["ratios"].items():
        expect(re.fullmatch(r"(iput|ssum)_[a-z]+_to_poll_(latency|cpu_ns|cycles|instructions|looks)(_[a-z]+)?(_e\d+)?(_\d+)?", name)
               and ratio >= 0, "a ratio to poll", (name, ratio))
    expect(len(report["ratios"]) >= 2, "ratios", report["ratios"])


def check_served(report):
    """A row for each way to use a context, and its ratio to the program's own loop."""
    members = ["call_ns_p50", "call_ns_p99", "rate_per_s", "batch_rate_per_s"]
    expect([row["mode"] for row in report["rows"]] == ["own", "lock", "served"], "three rows", report["rows"])
    for row in report["rows"]:
        expect(list(row) == ["mode", "delivery"] + members, members, list(row))
        expect(all(row[name] > 0 for name in members), "figures", row)
    for mode in ("lock", "served"):
        for name in ("call", "call_p99", "rate", "batch_rate"):
            expect(report["ratios"].get(f"{mode}_to_own_{name}", 0) > 0, "a ratio", report["ratios"])


def check_tasks(report):
    """A row for each figure, of one task, of 64 and of all; where the allocator does not count, without its figures."""
    many = report["env"]["options"]["iterations"]
    rows = [(row["figure"], row["tasks"], row["order"]) for row in report["rows"] if not row["figure"].startswith("allocated")]
    wakes = [(name, many, order) for name in ("suspend", "wake-sleep", "wake-answer") for order in ("created", "random")]
    alone = [(name, 0, "none") for name in ("word", "switch", "switch-return", "call")]
    expected = alone + [("begin", 1, "none"), ("turn", 0, "none"), ("suspend", 1, "none"), ("suspend", 64, "created")] + wakes + [
        (name, many, "none") for name in ("create-sleep", "create-call", "resident-sleep", "resident-call")] + [
        ("rate", 0, "none"), ("rate", many, "created")]
    expect(rows == expected, expected, rows)
    for row in report["rows"]:
        name = {"rate": "rate_per_s"}.get(row["figure"], "bytes" if row["figure"][:4] in ("resi", "allo") else "ns")
        expect(list(row) == ["figure", "tasks", "order", "delivery", "placement", name], "six members", list(row))
        expect(row[name] > 0 or row["figure"].startswith("resident"), "a figure", row)
        expect(row["placement"] in PLACEMENTS, "a placement", row)
    for name in ("begin_to_switch", "begin_to_switch_return", "suspend_to_turn", "rate_waiting_to_quiet", "wake_answer_random_to_created"):
        expect(report["ratios"].get(name, -1) >= 0, "a ratio", report["ratios"])


def check_poll(report):
    """Figures for 1 to 8 endpoints."""
    expect([row["peers"] for row in report["rows"]] == [1, 2, 4, 8], "four rows", report["rows"])
    for row in report["rows"]:
        expect(row["turn_ns"] > 0 and row["descriptors"] > 0 and row["memory_bytes"] > 0, "figures", row)
    expect("ns_per_idle_peer" in report["ratios"], "a slope", report["ratios"])


def check_view(report):
    rows = [(row["operation"], row["way"]) for row in report["rows"]]
    operations = ("get, a hit", "get, a miss", "compare and swap")
    expect(rows == [(operation, way) for operation in operations for way in ("pointer", "view")], "a row for each", rows)
    expect(all(row["ns"] > 0 for row in report["rows"]), "times", report["rows"])
    expect(list(report["ratios"]) == list(operations), "a ratio for each", report["ratios"])


def check_icache(report):
    """Each stage for each size; that every call ran the newest code, tc-perf itself has checked."""
    rows = [(row["code_bytes"], row["stage"]) for row in report["rows"]]
    expect(rows == [(64 * 4 ** n, stage) for n in range(6) for stage in ("write", "icache", "first call", "later call")], "a row for each", rows)
    expect(all(row["ns"] >= 0 for row in report["rows"]), "times", report["rows"])


def check_integrity(report):
    deliveries = [row["delivery"] for row in report["rows"]]
    expect(deliveries == report["env"]["options"]["delivery"], "a row for each delivery", deliveries)
    for row in report["rows"]:
        expect(row["ok"] and row["run"] == row["messages"], "every message run", row)
        expect(all(row[name] == 0 for name in ERRORS), "no errors", row)


def check_flood(report):
    """A row for each delivery; both sides held no more at the end than when they were warm."""
    deliveries = [row["delivery"] for row in report["rows"]]
    expect(deliveries == report["env"]["options"]["delivery"], "a row for each delivery", deliveries)
    slack = report["env"]["options"]["slack_bytes"]
    for row in report["rows"]:
        expect(row["ok"] and row["messages"] > 0 and row["rate_per_s"] > 0, "a flat run", row)
        expect(row["again"] >= 0, "a count", row)  # none where the source gets too little of the processors
        seconds = [sample[0] for sample in row["memory"]]
        expect(len(seconds) > 20 and seconds == sorted(seconds), "memory over time", row["memory"])
        expect(all(sample[1] > 0 and sample[2] > 0 for sample in row["memory"]), "both sides' memory", row["memory"])
        for side in (row["source"], row["target"]):
            expect(list(side) == ["rss_bytes", "descriptors", "segments"], "three members", side)
            expect(side["rss_bytes"][1] <= side["rss_bytes"][0] + slack, "flat memory", side)
            expect(side["descriptors"][1] <= side["descriptors"][0], "flat descriptors", side)
            expect(side["segments"][1] <= side["segments"][0], "flat segments", side)


def check_dapc(report):
    """A row for every number of servers and of chases at once, mode and policy. The results tc-perf itself has checked."""
    options = report["env"]["options"]
    members = ["mode", "servers", "depth", "inflight", "wait", "transport", "cache", "start",
               "client_arch", "server_arch", "emulated", "us_per_step", "chases_per_s",
               "first_chase_us", "second_chase_us"]
    modes, policies = options["modes"].split(","), options["wait"].split(",")
    inflight = sorted({row["inflight"] for row in report["rows"]})
    rows = [(row["servers"], row["inflight"], row["mode"], row["wait"]) for row in report["rows"]]
    expected = [(n, q, mode, wait) for n in (1, 2) for q in inflight for mode in modes for wait in policies]
    expect(rows == expected, "a row for each", rows)
    for row in report["rows"]:
        expect(list(row) == members, members, list(row))
        expect(row["depth"] == 16, "the depth", row)
        expect(all(row[name] > 0 for name in members[-4:]), "positive numbers", row)
        for name in ("transport", "cache", "start"):
            expect(row[name] == options[name], "the options", row)
        expect(row["client_arch"] == row["server_arch"] and not row["emulated"], "one architecture", row)
    for name in ("am_to_get", "bitcode_to_am", "image_to_get") if "am" in modes else ():
        found = [key for key in report["ratios"] if key.startswith(name + "_s")]
        expect(len(found) == 2 * len(inflight) * len(policies), f"ratios {name}", report["ratios"])


FIGURES = {"connect": "connect_us", "first_call": "first_call_us", "latency": "latency_ns_p50", "rate": "rate_per_s",
           "bandwidth": "mb_per_s"}


def check_protection(report):
    """A row for each protection over each delivery, compared with none, and with plain UCX where that takes the network."""
    modes = report["env"]["options"]["modes"].split(",")
    deliveries = report["env"]["options"]["delivery"]
    rows = [(row["mode"], row["delivery"]) for row in report["rows"]]
    expected = [("ucx", "tcp")] + [(mode, name) for name in deliveries for mode in modes[1:] if name != "am" or mode == "off"]
    expect(rows == expected, "a row for each", rows)
    for row in report["rows"]:
        figures = FIGURES if row["mode"] != "ucx" else ("latency", "rate", "bandwidth")
        expect(all(row[FIGURES[name]] > 0 for name in figures), "positive numbers", row)
        expect_tail(row, "latency_ns")
        compared = {} if row["mode"] in ("ucx", "off") else {"off": FIGURES}
        if row["mode"] != "ucx" and row["delivery"] != "direct":
            compared["ucx"] = ("latency", "rate", "bandwidth")
        for base, names in compared.items():
            expect(set(row["to_" + base]) == set(names), sorted(names), row)
            for name, (low, median, high) in row["to_" + base].items():
                expect(0 <= low <= median <= high, "quartiles", row)  # rounded to thousandths
                key = f"{row['mode']}_to_{base}_{name}_{row['delivery']}"
                expect(report["ratios"].get(key) == median, key, report["ratios"])
    if "sealed" in modes and "stream" in deliveries:
        row = report["rows"][rows.index(("sealed", "stream"))]
        expect(row["aes_seal_mb_per_s"] > 0 and row["aes_open_mb_per_s"] > 0, "rates of AES", row)
        smaller, in_turn = (report["ratios"][f"sealed_to_{bound}_stream"] for bound in ("smaller", "in_turn"))
        expect(0 < smaller < in_turn, "the smaller is above one after the other", report["ratios"])


def check_usage(report):
    """A row for each choice of statistics, and ratios to off."""
    modes = ["off", "counts", "times"]
    deliveries = report["env"]["options"]["delivery"]
    rows = [(row["mode"], row["delivery"]) for row in report["rows"]]
    expect(rows == [(mode, name) for name in deliveries for mode in modes], "a row for each", rows)
    expect(all(row["latency_ns_p50"] > 0 and row["rate_per_s"] > 0 for row in report["rows"]), "positive numbers", report["rows"])
    names = {f"{mode}_to_off_{figure}_{name}" for mode in modes[1:] for figure in ("latency", "rate") for name in deliveries}
    expect(set(report["ratios"]) == names, sorted(names), sorted(report["ratios"]))
    expect(all(ratio > 0 for ratio in report["ratios"].values()), "ratios", report["ratios"])


def check_scrape(report):
    """A row for each choice of statistics; times have lines of their own."""
    expect([row["usage"] for row in report["rows"]] == ["counts", "times"], "two rows", report["rows"])
    for row in report["rows"]:
        expect((row["functions"], row["peers"]) == (10000, 1000), "all functions and peers", row)
        expect(row["page_lines"] > 2 * row["functions"] and row["ms_p50"] > 0, "a page", row)
        expect_tail(row, "ms")
    counts, times = report["rows"]
    expect(times["page_lines"] >= counts["page_lines"] + 4 * 10000, "four lines more for each function", report["rows"])


# Checks by name: the experiment that is run, and the check of its report.
CHECKS = {"tsi": ("tsi", check_tsi), "sweep": ("tsi", check_sweep), "senders": ("tsi", check_senders), "ifunc_api": ("tsi", check_ifunc_api),
          "rings": ("iput", check_rings), "unrun": ("iput", check_unrun), "unrun_tsi": ("tsi", check_unrun_tsi),
          "forms": ("tsi", check_forms), "table": ("overhead", check_table), "ssum": ("ssum", check_work),
          "iput": ("iput", check_work), "first-call": ("first-call", check_first_call),
          "holes": ("first-call", check_holes), "intrusion": ("first-call", check_intrusion), "call": ("call", check_call),
          "typed_call": ("call", check_typed_call), "overhead": ("overhead", check_overhead),
          "bandwidth": ("bandwidth", check_bandwidth),
          "wait": ("wait", check_wait), "cycles": ("cycles", check_cycles), "served": ("served", check_served),
          "tasks": ("tasks", check_tasks), "view": ("view", check_view), "poll": ("poll", check_poll), "icache": ("icache", check_icache),
          "integrity": ("integrity", check_integrity),
          "flood": ("flood", check_flood), "dapc": ("dapc", check_dapc),
          "protection": ("protection", check_protection), "usage": ("usage", check_usage),
          "scrape": ("scrape", check_scrape)}


def main():
    tc_perf, what, *rest = sys.argv[1:]
    expected = [rest.pop(0)] if what == "tsi" else []
    experiment, check = CHECKS[what]
    report = run([tc_perf, experiment] + rest)
    take_machine(report)
    check_env({key: report[key] for key in report if key not in ("paper", "counters")}, "tsi" if what == "table" else experiment)
    check_spread(report)
    check(report, *expected)


if __name__ == "__main__":
    main()
