"""A report of each kind that tc-perf writes, with the figures that such a run may have."""

ENV = {"date": "2026-01-02T03:04:05Z", "cpu": "Some'CPU", "cpus": 2, "kernel": "6.1", "arch": "x86_64",
       "versions": {"three_chains": "0.1.0", "protocol": 3, "ucx": "1.13.1", "llvm": "19.1.7", "compiler": "12.2.0"},
       "options": {"delivery": ["auto"], "tls": None, "rounds": 20, "slack_bytes": 1 << 20}}


def report(experiment, rows, **options):
    return {"program": "tc-perf", "format": 1, "experiment": experiment, "env": dict(ENV, options=dict(ENV["options"], **options)),
            "rows": rows, "ratios": {}}


def around(**figures):
    """Each figure with quartiles."""
    row = {}
    for name, value in figures.items():
        row.update({name: value, f"{name}_quartiles": [value * 0.8, value * 1.25]})
    return row


def tsi(mode, delivery, size, factor=1):
    return {"mode": mode, "delivery": delivery, "payload_bytes": size, "frame_bytes": size + 16,
            **around(latency_ns_p50=(100.0 + size) * factor, latency_ns_p99=(300.0 + 2 * size) * factor,
                     latency_ns_p999=(500.0 + 3 * size) * factor, rate_per_s=1e9 / (20 + size) / factor),
            "latency_ns_max": 2e5 * factor}


def sweep(sizes, modes):
    return [tsi("bare" if mode == "bare" else mode, delivery, 8 if mode == "bare" else size, factor)
            for size in sizes for mode, delivery, factor in modes]


def to_am(rows):
    """With the ratios that rows have where UCX AM was measured too. AM falls behind with large payloads."""
    for row in rows:
        if row["mode"] not in ("am", "bare"):
            size, slower = row["payload_bytes"], {"uncached": 1.3, "inject": 1}.get(row["mode"], 0.8)
            row.update(around(latency_to_am=slower * 4 / (1 + size / 4096), rate_to_am=(1 + size / 512) / 5 / slower))
    return rows


def with_losses(rows):
    """The loss by code in messages: little for long messages, and at times a gain."""
    for row in rows:
        if row["mode"] == "inject":
            lost = 200 / (1 + row["payload_bytes"] / 100)
            row.update(around(latency_loss_percent=lost, rate_loss_percent=lost / 4 - 2))
            row["rate_loss_percent_quartiles"].sort()
    return rows


def wait(policy, idle, p50, p99, rate):
    return [{"policy": policy, "processes": n, "idle_cpu_pct": idle, "wakeup_us_p50": p50, "wakeup_us_p99": p99,
             "wakeup_us_p999": 2 * p99, "wakeup_us_max": 3 * p99, **around(rate_per_s=rate * n)}
            for n in (16, 2, 4, 8)]


def cycles(function, mode, latency, spent, counted, sizes=(64, 512, 4096, 32768)):
    rows = []
    for n in sizes:
        row = {"function": function, "mode": mode, "delivery": "direct", "endpoints": 1, "payload_bytes": n}
        figures = dict(latency_ns_p50=latency + n / 8, latency_ns_p99=2 * latency + n / 4, latency_ns_p999=9 * latency + n,
                       cpu_ns=2 * latency + n / 4, looks=spent / 20, yields=0, sleeps=0)
        counts = dict(cycles=(2.6 * latency + n / 3) * spent, instructions=(2 * latency + n) * spent) if counted else {}
        rows.append({**row, **around(**figures, **counts), "latency_ns_max": 1e6})
    return rows


def cycles_of_both(counted, **more):
    skipped = {"function": "iput", "mode": "line", "payload_bytes": 64, "skipped": "no instruction"}
    return [row for function, slower in (("iput", 1), ("ssum", 1.1)) for mode, latency, spent in
            (("poll", 190, 1), ("pause", 200, 0.3), ("yield", 500, 0.8), ("sleep", 30000, 0.05))
            for row in cycles(function, mode, latency * slower, spent, counted, **more)] + ([] if counted else [skipped])


def chase(mode, servers, depth, factor, inflight=1, wait="adaptive", cache="warm"):
    rate = factor * 1e5 / (depth * (1 + servers / 8)) * inflight ** 0.5
    return {"mode": mode, "servers": servers, "depth": depth, "inflight": inflight, "wait": wait, "transport": "tcp", "cache": cache,
            "us_per_step": 1, **around(chases_per_s=rate, first_chase_us=9e3 * servers * factor, second_chase_us=1e3 * servers * factor)}


def call(mode, delivery, n, factor):
    return {"mode": mode, "delivery": delivery, "outstanding": n, "payload_bytes": 8, "frame_bytes": 64,
            **around(latency_ns_p50=900 * n * factor, latency_ns_p99=1800 * n * factor, latency_ns_p999=2e4 * factor * n,
                     rate_per_s=1e6 * (1 + n / 64) / factor), "latency_ns_max": 1e7}


def overhead(mode, transmission, lookup, **more):
    total = {"latency_ns_p50": 1.05 * (transmission + lookup), "latency_ns_p50_quartiles": [transmission, 2 * transmission]}
    return {"mode": mode, "delivery": "am" if mode == "am" else "direct", **(total if mode != "direct" else {}), "lookup_exec_ns": lookup,
            **({"transmission_ns": transmission} if mode != "direct" else {}), **more}


def paper(machine, mode, lookup, transmission):
    return {"machine": machine, "mode": mode, "lookup_exec_ns": lookup, "transmission_ns": transmission, "total_ns": lookup + transmission}


STAGES = ("transmission", "wait", "libraries", "cache load", "parse", "verify", "passes", "codegen", "link", "image load", "execution")
CALLS = {"jit-cold": (27, 184, 45, 2, 81, 25, 0, 348, 107, 0, 9, 53641), "jit-warm": (15, 11, 11, 1, 86, 25, 0, 413, 149, 0, 0, 877),
         "jit-best": (21, 33, 17, 1, 103, 35, 628, 1452, 197, 0, 1, 2716), "cached": (18, 0, 6, 31, 0, 0, 0, 0, 75, 0, 0, 117),
         "image": (17, 0, 2, 0, 0, 0, 0, 0, 0, 1, 0, 5)}


def first_calls():
    return [{"function": name, "path": path, "stage": stage, "us_p50": factor * value, "us_p99": 2 * factor * value,
             "us_p50_quartiles": [0.9 * factor * value, 1.1 * factor * value]}
            for name, factor in (("tsi", 1), ("saxpy", 3)) for path, values in CALLS.items() for stage, value in zip((*STAGES, "total"), values)]


def flood(delivery, rate, more):
    warm = 72 << 20
    memory = [[i * 0.25, warm - (1 << 20) * max(0, 8 - i) // 8, warm + more * i * 1000] for i in range(41)]
    side = {"rss_bytes": [warm, warm + more], "descriptors": [25, 25], "segments": [1, 1]}
    return {"delivery": delivery, "messages": 2000000, "seconds": 10.0, "rate_per_s": rate, "again": 91520074, "source": side, "target": side,
            "memory": memory, "ok": True}


def integrity(delivery, seconds, torn):
    return {"delivery": delivery, "messages": 1000000, "payload_bytes": 1 << 30, "run": 1000000, "lost": 0, "torn": torn, "repeated": 0,
            "out_of_order": 0, "seconds": seconds, "ok": torn == 0}


NAMES = ("connect", "first_call", "latency", "rate", "bandwidth")


def protection(mode, delivery, factor):
    row = {"mode": mode, "delivery": delivery, **around(connect_us=900 * factor, first_call_us=70 * factor, latency_ns_p50=4e3 * factor,
                                                        rate_per_s=1e7 / factor, mb_per_s=800 / factor)}
    if mode not in ("off", "ucx"):
        row["to_off"] = {name: [0.9 * value, value, 1.2 * value] for name, value in zip(NAMES, (factor, factor, factor, 1 / factor, 1 / factor))}
    return row


def tail(load, mode, placement, size, factor):
    p50, far = (200.0 + size / 4) * factor, {"none": 2, "vm": 2000}[load]
    row = {"load": load, "load_by": "own", "function": "iput", "mode": mode, "delivery": "direct", "placement": placement, "payload_bytes": size,
           "frame_bytes": size + 32, "samples": 1000000, "latency_ns_p50": p50, "latency_ns_p99": 1.5 * p50, "latency_ns_p999": far * p50,
           "latency_ns_max": 9 * far * p50, "tail_spread": far - 1, **around(round_p50_ns=p50)}
    return row if mode == "am" else {**row, **around(rate_per_s=1e9 / (25 + size) / factor), "seen_share": 1.0}


def tails(sizes):
    placed = [("am", "cache", 1.1), ("cached", "cache", 1), ("cached", "memory", 1.4), ("inject", "cache", 2), ("inject", "memory", 2.5)]
    return [tail(load, mode, place, size, factor) for size in sizes for load in ("none", "vm") for mode, place, factor in placed]


def travelling(parts):
    push = [{"part": "push", "path": path, "stage": stage, "us_p50": p50 * share, "us_p99": 3 * p50 * share, "us_p999": 4 * p50 * share,
             "us_max": 5 * p50} for path, p50 in (("image", 180), ("bitcode", 4100), ("bitcode-stored", 420))
            for stage, share in (("push", 0.6), ("first call", 0.4), ("total", 1))]
    calls = [{"part": "call", "library": library, "latency_ns_p50": p50, "latency_ns_p99": 2 * p50, "latency_ns_p999": 5 * p50,
              "latency_ns_max": 90 * p50, "rate_per_s": 4e9 / p50} for library, p50 in (("travelling", 152), ("host", 150))]
    upgrades = [{"part": "upgrade", "turn": turn, "calls": 9000, "upgrades": count, "lost": 0, "us_p50": 3.1, "us_p99": p99, "us_p999": 2 * p99,
                 "us_max": 9 * p99} for turn, count, p99 in (("quiet", 0, 14), ("upgraded", 100, 22))]
    rows = {"push": push, "call": calls, "upgrade": upgrades}
    return report("library", [row for part in parts for row in rows[part]])


def active(part, way, x, ns, operation="search", segments=100, **more):
    return {"part": part, "operation": operation, "way": way, "x": x, "segments": segments, "awaited": False, "credit_bytes": 65536, "order": "strict",
            **around(ns=ns), **around(segments_per_s=segments * 1e9 / ns), **more}


def actives():
    rows = [active("hundred", way, 100, ns * factor, operation) for operation, factor in (("search", 1), ("sum", 3))
            for way, ns in (("am", 1400), ("am-concurrent", 650), ("call", 1000), ("am-atomic", 9000), ("mpi-server", 1000), ("mpi-window", 2400))]
    rows += [active("rate", way, size, ns + size, segments=segments) for way, segments, ns in (("am", 100, 600), ("am", 1, 130), ("mpi-server-many", 100, 8000))
             for size in (400, 20, 64)]
    for operation, factor in (("search", 1), ("sum", 3)):
        rows += [active("units", way, unit, factor * (ns + 5000 / unit), operation, awaited=True) for unit in range(10, 101, 10)
                 for way, ns in (("am", 900), ("function", 300))]
        rows += [active("units", "am", unit, factor * (500 + 5000 / unit), operation) for unit in range(10, 101, 10)]
    rows += [active("credit", "am", 4096 << n, 600 + (4096 >> n)) for n in range(9)]
    rows += [active("ordering", "am", n, ns, order=order) for n in (1000, 2000) for order, ns in (("strict", 500), ("none", 400))]
    return rows + [active("origins", way, n, n * ns, credit_bytes=credit, origins=n) for n in (1, 2, 4)
                   for way, credit, ns in (("am", 8192, 1500), ("am", 65536, 1000), ("am-concurrent", 65536, 600))]


def task_graph(pattern, version, overhead):
    rows = []
    for iterations in (1, 4, 16, 64, 256, 1024, 4096):
        granularity = iterations + overhead
        rows.append({"pattern": pattern, "version": version, "way": version, "transport": "shared memory", "iterations": iterations,
                     "steps": 1000, "granularity_ns": granularity, "efficiency_percent": 100 * iterations / granularity})
    return rows


OWN = [("bare", "none", 0.9), ("am", "am", 5), ("cached", "direct", 1.1), ("uncached", "direct", 2)]
SKIPPED = {"mode": "cached", "delivery": "am", "payload_bytes": 1 << 20, "skipped": "too large"}
PAYLOADS = [1 << power for power in range(0, 17, 2)]
REPORTS = {
    "calls": report("tsi", sweep([8], OWN)),
    "calls-tcp": report("tsi", sweep([8], [("bare", "none", 1), ("am", "am", 40), ("cached", "am", 42)]), tls="tcp,self"),
    "payloads": report("tsi", sweep(PAYLOADS[::-1], [*OWN, ("cached", "put", 1.6)]) + [SKIPPED]),
    "ifunc-api": report("tsi", to_am(sweep([1 << power for power in range(0, 21, 2)], [("am", "am", 5), ("uncached", "direct", 2),
                                                                                      ("inject", "direct", 1.7), ("compat", "direct", 1.2)]))),
    "little-change": report("tsi", to_am(sweep([64, 1024], [("am", "am", 5), ("inject", "direct", 1.7)]))),
    "sum": report("ssum", sweep(PAYLOADS[3:], [(mode, "direct", factor) for mode, factor in (("cached", 1), ("inject", 3), ("local", 0.9))])),
    "losses": report("iput", with_losses(sweep(PAYLOADS[2:], [("put", "put", 0.7), ("noexec", "direct", 0.9), ("inject", "direct", 3),
                                                              ("local", "direct", 1)]))),
    "put": report("iput", sweep([64], [("inject", "am", 3), ("local", "am", 1)])),
    "tail": report("tail", tails([16, 256, 4096, 16384])),
    "tail-alone": report("tail", tails([64])),
    "library": travelling(["push", "call", "upgrade"]),
    "library-upgrades": travelling(["upgrade"]),
    "rings": report("tsi", [{"mode": mode, "delivery": "direct", "payload_bytes": 8, "ring_bytes": 4096 << n, "outstanding": 120 << n,
                             **around(rate_per_s=3e7 * (1 - 0.8 ** (n + 2)) * factor)} for mode, factor in (("cached", 1), ("inject", 0.2)) for n in range(8)]),
    "call": report("call", [call(mode, delivery, n, factor) for n in (1, 4, 16, 64, 256, 1024) for mode, delivery, factor in
                            (("am", "am", 1), ("call", "direct", 1.3), ("start", "direct", 1.1)) if n == 1 or mode != "call"]),
    "call-alone": report("call", [call("am", "am", 1, 1), call("call", "direct", 1, 1.2), call("start", "direct", 1, 1.1)]),
    "overhead": dict(report("overhead", [overhead("direct", 0, 10), overhead("am", 600, 20), overhead("uncached", 590, 150, jit_ns=4e5),
                                         overhead("cached", 265, 20), {"mode": "image", "delivery": "am", "latency_ns_p50": 7000}]),
                     paper=[paper("Ookami", "am", 80, 2500), paper("Ookami", "cached", 50, 2620), paper("Thor BF2", "am", 10, 1870)]),
    "senders": report("tsi", [{"mode": "cached", "delivery": delivery, "senders": n, "payload_bytes": 8, **around(rate_per_s=rate * (1 + n / 16))}
                              for delivery, rate in (("direct", 6e7), ("am", 1.5e7)) for n in (16, 1, 2, 4, 8)]),
    "bandwidth": report("bandwidth", [{"mode": mode, "delivery": delivery, "payload_bytes": 65536 << n, **around(mb_per_s=rate * (1 + n / 4))}
                                      for mode, delivery, rate in (("put", "put", 2000), ("am", "am", 4000), ("cached", "direct", 15000))
                                      for n in (8, 0, 2, 4, 6)]),
    "wait": report("wait", wait("adaptive", 0.12, 42.3, 243, 4e7) + wait("spin", 79.3, 2.7, 4675, 1e6) + wait("block", 0.15, 70.8, 204.6, 3e7)),
    "cycles": report("wait", cycles_of_both(True)),
    "cycles-uncounted": report("wait", cycles_of_both(False)),
    "cycles-alone": report("wait", cycles_of_both(True, sizes=(64,))),
    "first-call": report("first-call", first_calls()),
    "intrusion": report("first-call", [{"turn": turn, "calls": 9, "functions": 5, "us_p50": 0.45, "us_p99": p99}
                                       for turn, p99 in (("quiet", 11.4), ("intruded", 99.8))]),
    "poll": report("poll", [{"delivery": "direct", "peers": 1 << n, **around(turn_ns=20 + 0.8 * (1 << n))} for n in range(9)]),
    "view": report("view", [{"operation": operation, "way": way, **around(ns=ns)} for operation, ns in (("get, a hit", 1.2), ("get, a miss", 95), ("compare and swap", 5))
                            for way in ("pointer", "view")]),
    "icache": report("icache", [{"code_bytes": 64 << 2 * n, "stage": stage, **around(ns=ns + share * (64 << 2 * n))} for n in range(6)
                                for stage, ns, share in (("write", 40, 0.02), ("icache", 10, 0.01), ("first call", 30, 0), ("later call", 5, 0))]),
    "integrity": report("integrity", [integrity("direct", 0.9, 0), integrity("am", 1.4, 3)]),
    "flood": report("flood", [flood("direct", 2.2e5, 4), flood("am", 1.1e5, 19)]),
    "depth": report("dapc", [chase(mode, 4, 1 << n, factor) for n in (12, 0, 3, 6, 9) for mode, factor in (("get", 1), ("am", 4), ("bitcode", 3))]),
    "depth-servers": report("dapc", [chase(mode, servers, n, factor) for n in (1, 64) for servers in (2, 8)
                                     for mode, factor in (("get", 1), ("image", 3))]),
    "servers": report("dapc", [chase(mode, n, 4096, factor) for n in (1, 2, 4, 8, 16) for mode, factor in (("get", 1), ("am", 4), ("image", 3))]),
    "mixed": report("dapc", [chase(mode, n, 64, factor) | {"client_arch": "x86_64", "server_arch": "aarch64", "emulated": True}
                             for n in (1, 2, 4) for mode, factor in (("am", 2), ("image", 1))]),
    "inflight": report("dapc", [chase("get", 4, 64, 1, n, wait) for n in (1, 4, 16) for wait in ("yield", "block")]),
    "cold": report("dapc", [chase(mode, n, 64, factor, cache="cold") for n in (1, 4) for mode, factor in (("bitcode", 2), ("image", 1))]),
    "waits": report("dapc", [chase(mode, 4, 64, factor, wait=wait) for mode, factor in (("get", 1), ("am", 2)) for wait in ("yield", "block")]),
    "protection": report("protection", [protection("ucx", "tcp", 3), *(protection(mode, delivery, factor) for delivery in ("direct", "stream")
                                        for mode, factor in (("off", 1), ("sealed", 1.1), ("certified", 1.2), ("isolated", 4)))]),
    "taskbench": dict(report("taskbench", [row for pattern in ("trivial", "stencil", "fft") for version, overhead in
                                           (("mpi", 100), ("function", 45), ("view", 30))
                                           for row in task_graph(pattern, version, 5 if pattern == "trivial" else overhead)],
                             width=8, ranks=2, bytes=16, repetitions=20), program="metg_run"),
    "am": dict(report("am", actives(), ranks=2, mpi="An MPI 1"), program="mpi-am-bench"),
    "protection-alone": report("protection", [protection("off", delivery, 1) for delivery in ("direct", "am")]),
}
