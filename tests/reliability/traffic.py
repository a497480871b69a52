"""Messages that are checked where they run: their order, their size and every byte, from several senders at a time."""
import subprocess
import time

from bench import WAYS, Process, Sample
from tool_process import wait_until

SOURCES = 4             # as many as the function tally distinguishes
ROUND = 4_000_000       # messages between two looks at the target; a day's work is many rounds
SLACK_MB = 64


class Sender(Process):
    """An integration_peer; its output is described in tests/integration/peer_main.c."""

    def __init__(self, bench, *arguments, **environment):
        program = f"{bench.integration}/integration_peer"
        super().__init__(bench, [program, *arguments], stdin=subprocess.PIPE, TC_IFUNC_PATH=bench.functions,
                         TC_ENGINE_PATH=bench.engine, **environment)

    def finish(self):
        self.process.stdin.close()
        self.expect(0, seconds=600)
        return self

    def numbers(self, word):
        return [int(line.split()[1]) for line in self.out.splitlines() if line.startswith(word + " ")]


def run(bench, way, messages):
    """One of the senders has large payloads in between."""
    target = Sender(bench, "tally", TC_TIER="fast", **WAYS[way])
    wait_until(lambda: target.numbers("port") or not target.running(), "the target's port")
    address = f"127.0.0.1:{target.numbers('port')[0]}"
    each = messages // SOURCES
    begin = time.monotonic()
    senders = [Sender(bench, "source", address, n, each, *(["mixed"] if n == SOURCES - 1 else []), **WAYS[way]) for n in range(SOURCES)]
    wait_until(lambda: target.out.count("event 1") == SOURCES or not target.running(), "all senders")
    before = Sample(target.pid)
    for sender in senders:
        wait_until(lambda: sender.numbers("flushed") or not sender.running(), f"{sender}", 120 + messages / 1000)  # noqa: B023
        bench.assertEqual(sender.numbers("flushed"), [each], sender.err[-1000:])
    seconds = time.monotonic() - begin
    more = Sample(target.pid).more_than(before, SLACK_MB)
    bench.assertNotIn("MB", more)
    for sender in senders:
        sender.finish()
    target.finish()
    bench.assertEqual(target.numbers("wrong"), [0])
    bench.assertEqual(target.numbers("apart"), [0], "messages before their endpoint's opening, or after its end")
    bench.assertEqual(target.numbers("next"), [each] * SOURCES, "each message ran once, in order")
    return {"messages": each * SOURCES, "per_second": int(each * SOURCES / seconds)}


def parts(options):
    for way in WAYS:
        left, number = options.messages, 0
        while left > 0 and options.way in (None, way):
            count = min(left, ROUND)
            yield f"traffic {way} #{number}", lambda bench, w=way, n=count: run(bench, w, n)
            left, number = left - count, number + 1
