#!/usr/bin/env python3
"""Functions that crash, never return or take all they can get, and what they take with them.

    check_isolation.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]
"""
import os
import re
import signal

from check_failures import ENDLESS, shared_segments
from tool_process import ToolTest, main, wait_until

# So long a function may take; one that honestly runs takes next to nothing of it, however busy the machine is.
CALL_TIME_MAX = "3s"


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def children(pid):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                if int(file.read().rsplit(")", 1)[1].split()[1]) == pid:
                    found.append(int(name))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


class Isolation(ToolTest):
    def isolating_node(self, *arguments, **environment):
        return self.node("--isolate", *arguments, **{"TC_TIER": "fast", **environment})

    def do(self, node, deed, **more):
        """One message of the function that misbehaves."""
        return self.send(node.address, "misbehave", "--text", deed, **more)

    def said(self, node, word):
        """The last number that it wrote behind this word."""
        found = wait_until(lambda: re.findall(rf"^{word}: (-?\d+)$", node.out, re.MULTILINE), f"'{word}' of the function")
        return int(found[-1])

    def steady(self, node):
        """A peer whose messages go on and on."""
        size = node.out_size()
        stream = self.send(node.address, "transcript", "--text", "steady", "--count", ENDLESS)
        wait_until(lambda: node.out_size() > size + 1000 or not stream.running(), "the stream's first messages")
        self.assertTrue(stream.running(), stream.err)
        return stream

    def assert_goes_on(self, node, stream):
        size = node.out_size()
        wait_until(lambda: node.out_size() > size + 1000 or not stream.running(), "more of the steady stream")
        self.assertTrue(stream.running(), stream.err)
        stream.kill()
        self.send(node.address, "transcript", "--text", "still here").expect(0)
        self.assertTrue(node.running(), node.err)

    def assert_dies_alone(self, deed, reason, *arguments, **environment):
        """Its own process ends for that reason; its peer hears of it, and nobody else does."""
        node = self.isolating_node(*arguments, **environment)
        stream = self.steady(node)
        self.do(node, deed).expect(1, "peer lost|peer closed|refused the connection")
        node.wait_for_line(rf"process \d+ of peer 127\.0\.0\.1:\d+ has ended: .*{reason}")
        self.assert_goes_on(node, stream)
        summary = node.stop()
        self.assertGreaterEqual(summary["endpoints_failed"], 1)
        self.assertGreater(summary["messages_run"], 0)
        return summary

    def test_each_peer_has_a_process_of_its_own(self):
        node = self.isolating_node()
        numbers = set()
        for _ in range(3):
            self.do(node, "pid").expect(0)
            numbers.add(self.said(node, "pid"))
        self.assertEqual(len(numbers - {node.pid}), 3)
        summary = node.stop()
        self.assertEqual(summary["messages_run"], 3)
        self.assertEqual(summary["endpoints_opened"], 3)
        self.assertEqual(summary["endpoints_failed"], 0)

    def test_a_function_that_crashes(self):
        self.assert_dies_alone("crash", "(SIGSEGV|signal|status)")

    def test_a_function_that_exits(self):
        self.assert_dies_alone("exit 7", "status 7")
        self.assert_dies_alone("exit 0", "status 0")

    def test_a_function_that_takes_all_memory(self):
        self.assert_dies_alone("eat", "(SIGABRT|signal|status)", "--memory-max", 256 << 20)

    def test_a_function_that_never_returns(self):
        summary = self.assert_dies_alone("spin", r"function 'misbehave' [0-9a-f]{32} ran longer than call_time_max",
                                         TC_CALL_TIME_MAX=CALL_TIME_MAX)
        self.assertEqual(summary["calls_long"], 1)

    def test_the_peer_hears_why(self):
        node = self.isolating_node(TC_CALL_TIME_MAX="500ms")
        self.do(node, "spin").expect(1, r"peer lost: function 'misbehave' [0-9a-f]{32} ran longer than call_time_max, 500 ms")
        self.do(node, "exit 3").expect(1, "peer lost: the process that ran its functions ended with status 3")
        node.stop()

    def test_a_function_that_still_runs_when_its_peer_has_gone(self):
        node = self.isolating_node()
        peer = self.do(node, "spin")
        self.said(node, "spin")
        peer.kill()
        node.wait_for_line("a function still ran long after its peer had gone")
        self.send(node.address, "transcript").expect(0)
        node.stop()

    def test_nothing_is_left_of_processes_that_ended(self):
        others = shared_segments()
        node = self.isolating_node()
        self.do(node, "pid").expect(0)
        wait_until(lambda: len(children(node.pid)) == 1, "the one that waits for the next peer")
        descriptors = node.descriptors()
        workers, started = set(), set()
        for deed in "exit 1", "crash", "pid":
            workers |= set(children(node.pid))
            self.do(node, "child").expect(0)
            started.add(self.said(node, "child"))
            workers |= set(children(node.pid))
            self.do(node, deed).wait()
        for process in started:
            wait_until(lambda: is_gone(process), f"the end of {process}, which a function started")
        wait_until(lambda: len(children(node.pid)) == 1, "the one that waits for the next peer")
        wait_until(lambda: node.descriptors() <= descriptors, "descriptors")
        self.assertGreaterEqual(len(workers), 3)
        workers -= set(children(node.pid))
        wait_until(lambda: not shared_segments(workers) - others, "segments")
        node.stop()

    def test_a_node_that_has_enough_peers(self):
        node = self.isolating_node("--processes", 1)
        stream = self.steady(node)
        self.send(node.address, "transcript").expect(1, r"all 1 processes of this node serve others \(--processes\)")
        self.assertTrue(stream.running())
        stream.kill()
        wait_until(lambda: self.send(node.address, "transcript").wait() == 0, "a place for another peer")
        node.stop()

    def test_all_end_with_the_node(self):
        for end in (lambda n: n.kill(), lambda n: n.stop(), lambda n: n.stop(signal.SIGTERM)):
            node = self.isolating_node()
            stream = self.steady(node)
            processes = children(node.pid)
            self.assertGreaterEqual(len(processes), 1)
            end(node)
            stream.expect(1, "peer lost|closed")
            for process in processes:
                wait_until(lambda: is_gone(process), f"the end of {process}")

    def test_messages_are_counted_over_all_processes(self):
        node = self.isolating_node("--exit-after", 3)
        for _ in range(3):
            self.send(node.address, "transcript").wait()
        node.expect(0)
        self.assertGreaterEqual(node.summary()["messages_run"], 3)


class LongCalls(ToolTest):
    def test_a_long_call_is_named(self):
        node = self.node(TC_CALL_TIME_MAX="100ms")
        self.send(node.address, "misbehave", "--text", "nap 1500").expect(0)
        node.wait_for_line(r"function 'misbehave' [0-9a-f]{32} from 127\.0\.0\.1:\d+, process \d+, has been running for \d+ ms; "
                           "call_time_max is 100 ms")
        self.assertGreaterEqual(node.stop()["calls_long"], 1)

    def test_the_sender_of_an_endless_one_is_named(self):
        node = self.node(TC_CALL_TIME_MAX="100ms")
        peer = self.send(node.address, "ceaseless")
        node.wait_for_line(rf"function 'ceaseless' [0-9a-f]{{32}} from 127\.0\.0\.1:\d+, process {peer.pid}, ")


if __name__ == "__main__":
    main()
