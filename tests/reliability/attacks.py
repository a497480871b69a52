"""A malicious peer of many kinds against a target that others use meanwhile: the cost for them and the target."""
import os
import subprocess
import threading

from bench import BITCODE, MB, MEMORY_FACTOR, WAYS, Peer, Process, Sample, rss
from tool_process import quiet_port, wait_until

ALL = tuple(WAYS)  # without "sealed": a holder of the key can lie as others can
STORM = {"TC_SEND_QUEUE_BYTES": "256K", "TC_RING_BYTES": "2M"}
BOMB = {"TC_COMPILE_TIME_MAX": "5s", **BITCODE}
# Scenario -> (the deliveries it applies to, settings of the target).
SCENARIOS = {
    "frames": (ALL, {}),
    "changing": (("direct",), {}),
    "hello_fields": (ALL, {}),
    "hello_place": (("put",), {}),
    "hello_rkey": (("direct", "put", "tcp"), {}),
    "hello_address": (("direct", "tcp"), {}),
    "need_unknown": (ALL, {}),
    "code_grow": (("direct", "am", "tcp", "stream"), {}),
    "heap_leak": (("direct", "am", "tcp", "stream"), {}),
    "payload_parts": (("am", "put", "tcp", "stream"), {}),
    "foreign_frames": (ALL, {}),
    "need_storm": (ALL, STORM),
    "credit_storm": (ALL, STORM),
    "answer_storm": (ALL, STORM),
    "refusal_storm": (ALL, STORM),
    "tiny_frames": (ALL, {}),
    "large_rings": (("am", "tcp", "stream"), {"TC_RING_BYTES": "4096"}),
    "forged_answers": (ALL, {}),
    "member": (ALL, {}),
    "garbage": (("direct",), {}),
    "cut_hellos": (("direct",), {}),
    "replayed_hellos": (("direct", "put"), {}),
    "slow_loris": (("direct",), {}),
    "flood": (("direct",), {}),
    "bomb_globals": (("direct",), BOMB),
    "bomb_functions": (("direct",), BOMB),
}
# UCX parses addresses, and trusts them (docs/security.md): only the long form tries, and the target's end by it is a figure.
UNPROMISED = {("hello_address", "tcp")}

GROWTH_MB = 96      # of the target in an attack: a few rings, queues and functions
STORM_MB = 16       # in a storm: the ring of 2 MB, its copy, and queued data: 4 x send_queue_bytes
LOG_KB = 512        # of the target, besides a share for each second
LOG_KB_PER_S = 64
STALL_S = 20        # of an honest peer; the figure counts
SEEDS = 1 << 30
COMPILER_DESCRIPTORS = 8  # of another tc-compile, which stays


class Watch(threading.Thread):
    """The most that the target's memory and descriptors come to."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.rss, self.descriptors, self.over = pid, 0, 0, threading.Event()
        self.start()

    def run(self):
        while not self.over.wait(0.01):
            try:
                self.rss = max(self.rss, rss(self.pid))
                self.descriptors = max(self.descriptors, len(os.listdir(f"/proc/{self.pid}/fd")))
            except (OSError, IndexError):
                return

    def stop(self):
        self.over.set()
        self.join()


def attacker(bench, scenario, address, seconds, way, **environment):
    return Process(bench, [bench.program("reliability_attacker"), scenario, address, bench.seed % SEEDS, int(seconds * 1000)],
                   TC_IFUNC_PATH=bench.functions, TC_ENGINE_PATH=bench.engine, **{**WAYS[way], **environment})


def bomb_text(scenario):
    """In LLVM's own language: tc-clang drops unused parts of a program in C."""
    functions = [f"@f{n}" for n in range(10000)] if scenario == "bomb_functions" else []
    yield f'target triple = "{os.uname().machine}-linux-gnu"\n'
    yield from (f"define void {name}() uwtable {{ ret void }}\n" for name in functions)
    if functions:
        names = ", ".join(f"ptr {name}" for name in functions)
        yield f'@llvm.used = appending global [{len(functions)} x ptr] [{names}], section "llvm.metadata"\n'
    else:
        yield "@most = global [2147483648 x i8] zeroinitializer\n"
        yield '@llvm.used = appending global [1 x ptr] [ptr @most], section "llvm.metadata"\n'
    yield f"define void @{scenario}_main(ptr %payload, i64 %size, ptr %args) {{ ret void }}\n"


def bomb(bench, scenario, address, seconds, way):
    """Code that is small as it travels, and large or slow to link."""
    source = os.path.join(bench.folder(), f"{scenario}.ll")
    with open(source, "w", encoding="ascii") as file:
        file.writelines(bomb_text(scenario))
    archive = source[:-3] + ".tca"
    made = subprocess.run([bench.tool("tc-clang"), "--forms=bitcode", f"--targets={os.uname().machine}", source, "-o", archive],
                          capture_output=True, text=True, check=False)
    bench.assertEqual(made.returncode, 0, made.stderr)
    return bench.send(address, archive, "--prepare", "--timeout", str(int(seconds) + 30), TC_ENGINE_PATH=bench.engine,
                      **WAYS[way])


def counts(attack):
    """The attacker's last output."""
    rows = [line.split() for line in attack.out.splitlines()]
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}


def wait_attack(bench, attack, target, seconds):
    """UCX may end the attacker, which asks for it; then it is one of UCX's own ends, or the target's."""
    wait_until(lambda: not attack.running() or not target.running(), "the attack's end", seconds + 60)
    assert target.running(), f"the target ended with {target.process.poll()}\n{target.err[-3000:]}"
    return counts(attack) if attack.wait() == 0 else {"attacker_ended": f" {attack.process.returncode}"}


def judge(bench, target, witness, watch, before, seconds, growth_mb, more_descriptors):
    """The target and the honest peer after an attack."""
    watch.stop()
    figures = {"growth_mb": max(0, (watch.rss - before.rss) // MB), "most_descriptors": watch.descriptors,
               "log_kb": len(target.text(1)) // 1024}
    count = len(witness.times("round"))
    wait_until(lambda: len(witness.times("round")) > count or not witness.running(), "an answer for the honest peer", STALL_S)
    figures["stall_ms"] = bench.stall_ms(witness)
    bench.assertLess(figures["stall_ms"], STALL_S * 1000)
    bench.assertLessEqual(figures["growth_mb"], growth_mb * MEMORY_FACTOR, f"memory of the target: {figures}")
    bench.assertLessEqual(figures["log_kb"], LOG_KB + LOG_KB_PER_S * seconds, f"log of the target: {figures}\n{target.err[-500:]}")
    wait_until(lambda: len(Sample(target.pid).descriptors) <= len(before.descriptors) + more_descriptors, f"descriptors: {figures}", 30)
    target.finish()
    bench.assertNotIn("wrong", target.out)
    return figures


def group_environment(bench, way):
    hosts = [f"127.0.0.1:{quiet_port()}" for _ in range(3)]
    return lambda rank: {**WAYS[way], "TC_GROUP_HOSTS": ",".join(hosts), "TC_GROUP_RANK": str(rank)}


def run_member(bench, seconds, way):
    """Two honest members of three; the third lies to both."""
    of = group_environment(bench, way)
    honest = [Peer(bench, "member", "call", 2, **of(rank)) for rank in range(2)]
    for member in honest:
        member.wait_for("round")
    before = Sample(honest[0].pid)
    watch = Watch(honest[0].pid)
    figures = wait_attack(bench, attacker(bench, "member", "-", seconds, way, **of(2)), honest[0], seconds)
    watch.stop()
    for member in honest:
        count = len(member.times("round"))
        wait_until(lambda: len(member.times("round")) > count or not member.running(), "calls among the honest")  # noqa: B023
        bench.assertEqual(member.times("ended") + member.times("missed"), [], member.out[-500:] + member.err[-1000:])
    growth = max(0, (watch.rss - before.rss) // MB)
    bench.assertLessEqual(growth, GROWTH_MB * MEMORY_FACTOR)
    for member in honest:
        member.signal(15)
        member.expect(0)
    return {**figures, "growth_mb": growth}


def run(bench, scenario, way, seconds):
    if scenario == "member":
        return run_member(bench, seconds, way)
    settings = {**WAYS[way], **SCENARIOS[scenario][1], "TC_CONNECT_TIMEOUT": "5s"}
    others = [bench.target(**settings).address] if scenario == "forged_answers" else []
    target = bench.target(*others, **settings)
    witness = bench.witness(target, **WAYS[way])
    before, watch = Sample(target.pid), Watch(target.pid)
    start = bomb if scenario.startswith("bomb") else attacker
    attack = start(bench, scenario, target.address, seconds, way)
    figures = {}
    try:
        figures = wait_attack(bench, attack, target, seconds)
    except AssertionError:
        if (scenario, way) not in UNPROMISED or target.running():
            raise
        return {"target_deaths": 1}
    finally:
        watch.over.set()
    growth_mb = STORM_MB if "storm" in scenario else GROWTH_MB
    more_descriptors = COMPILER_DESCRIPTORS if scenario.startswith("bomb") else 0
    figures.update(judge(bench, target, witness, watch, before, seconds, growth_mb, more_descriptors))
    bench.assertEqual(figures.get("leaked", 0), 0, f"the target told what is in its memory: {figures}")
    return figures


def parts(options):
    for number in range(options.rounds):
        for scenario, (ways, _) in SCENARIOS.items():
            for way in ways:
                if (scenario, way) in UNPROMISED and not options.long:
                    continue
                if options.only in (None, scenario) and options.way in (None, way):
                    yield (f"{scenario} {way}" + (f" #{number}" if number else ""),
                           lambda bench, s=scenario, w=way: run(bench, s, w, options.seconds))
