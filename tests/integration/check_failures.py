#!/usr/bin/env python3
"""Processes that die, hang or come back in the middle of their work.

    check_failures.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]
"""
import signal
import time
import unittest

from tool_process import ENDLESS, ONE_QUEUE, Process, ToolTest, main, quiet_port, wait_until

ROUNDS = 20


def shared_segments(pids=None):
    """The numbers of the System V segments that these processes made; of all, without names."""
    with open("/proc/sysvipc/shm", encoding="ascii") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return {int(row[1]) for row in rows if pids is None or int(row[4]) in pids}


def shared_mappings(pid):
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        return sum("/SYSV" in line or "/dev/shm/" in line for line in maps)


class Failures(ToolTest):
    def test_a_target_that_is_killed(self):
        for _ in range(3):
            node = self.tallying_node()
            stream = self.stream(node)
            node.kill()
            stream.expect(3, "peer lost")

    def test_a_source_without_room_is_told_too(self):
        """The target hangs, so the ring is full and nothing is under way."""
        node = self.checking_node()
        source = Process(self, [self.peer(), "bulk", node.address, 1000], TC_IFUNC_PATH=self.functions)
        node.wait_for_line("peer connected")
        node.signal(signal.SIGSTOP)
        wait_until(node.is_stopped, "the target's stop")
        refusals = source.out.count("refused")
        wait_until(lambda: source.out.count("refused") > refusals or not source.running(), "a refused send")
        self.assertTrue(source.running(), source.err)
        node.kill()
        source.expect(1, "peer lost")

    def test_a_source_that_is_killed(self):
        node = self.tallying_node()
        self.doomed(node).kill()
        node.wait_for_line(r"peer lost after \d+ messages: peer lost: .+")
        self.send(node.address, "transcript", "--text", "me too").expect(0)
        summary = node.stop()
        self.assertEqual(summary["endpoints_failed"], 1)
        self.assertIn(b"me too", node.transcript())

    def test_others_go_on_when_a_source_is_killed(self):
        node = self.tallying_node()
        steady = self.send(node.address, "transcript", "--text", "steady", "--count", 50000)
        node.wait_for_line("peer connected")
        for n in range(4):
            self.doomed(node).kill()
            node.wait_for_line("peer lost after", n + 1)
        steady.expect(0)
        node.stop()
        self.assertEqual(node.transcript().count(b"steady"), 50000)

    def test_nothing_is_left_of_sources_that_were_killed(self):
        others = shared_segments()  # with reused process ids of their makers
        node = self.tallying_node(TC_TIER="fast")  # better code would come from a process with descriptors of its own
        self.doomed(node).kill()
        node.wait_for_line("peer lost after", 1)
        descriptors, mappings = node.descriptors(), shared_mappings(node.pid)
        segments = len(shared_segments({node.pid}) - others)
        sources = set()
        for n in range(ROUNDS):
            stream = self.doomed(node)
            sources.add(stream.pid)
            stream.kill()
            node.wait_for_line("peer lost after", n + 2)
        wait_until(lambda: node.descriptors() <= descriptors, "descriptors")
        wait_until(lambda: shared_mappings(node.pid) <= mappings, "mappings")
        wait_until(lambda: len(shared_segments({node.pid}) - others) <= segments, "segments of the target")
        wait_until(lambda: not shared_segments(sources) - others, "segments of the sources")
        node.stop()
        self.assertEqual(shared_segments({node.pid}) - others, set())

    def unless_ucx_died(self, node):
        """The node, or another one instead of a victim of UCX."""
        if node.running() or not node.died_of_ucx():
            return node
        print("UCX's wireup defect ended a target; starting another")
        return self.tallying_node()

    @unittest.skipIf(ONE_QUEUE, "UCX's queue is shared")
    def test_sources_that_are_killed_at_any_moment(self):
        node = self.tallying_node()
        for n in range(ROUNDS):
            source = self.send(node.address, "transcript", "--text", "x", "--count", ENDLESS)
            time.sleep(0.002 * n)
            source.kill()
            node = self.unless_ucx_died(node)
        late = self.send(node.address, "transcript")
        if late.wait() != 0:
            # A victim writes a while before it ends.
            wait_until(lambda: not node.running(), f"an end of a target that takes nobody: {node.err}{node.out}")
            node = self.unless_ucx_died(node)
            self.assertTrue(node.running(), node.err + node.out)
            late = self.send(node.address, "transcript")
        late.expect(0)
        self.unless_ucx_died(node).stop()

    def test_a_target_that_hangs(self):
        node = self.tallying_node()
        stream = self.stream(node, "--timeout", "2")
        node.signal(signal.SIGSTOP)
        stream.expect(3, "deadline|timeout|timed out|in time")
        late = self.send(node.address, "transcript", TC_CONNECT_TIMEOUT="500ms")
        late.expect(3, "did not answer in time")
        node.signal(signal.SIGCONT)
        self.send(node.address, "transcript", "--text", "after").expect(0)
        node.stop()
        self.assertIn(b"after", node.transcript())

    def test_a_source_that_hangs(self):
        node = self.tallying_node()
        stream = self.doomed(node)  # where it may be stopped without others having to wait for it
        stream.signal(signal.SIGSTOP)
        self.send(node.address, "transcript").expect(0)
        stream.signal(signal.SIGCONT)
        self.send(node.address, "transcript").expect(0)
        self.assertTrue(stream.running())
        stream.signal(signal.SIGSTOP)
        node.stop()  # sends BYE to a peer that does not receive it
        stream.kill()

    def test_a_target_that_is_started_again(self):
        node = self.tallying_node(listen=f"127.0.0.1:{quiet_port()}")
        self.send(node.address, "transcript", "--count", 3).expect(0)
        for end in (lambda n: n.kill(), lambda n: n.stop()):
            stream = self.stream(node)
            end(node)
            stream.expect(3, "peer lost|closed")
            node = self.tallying_node(listen=node.address)
            self.send(node.address, "transcript", "--text", "again", "--count", 3).expect(0)
        summary = node.stop()
        self.assertEqual(node.transcript(), [b"again"] * 3)
        self.assertEqual(summary["code_received"], 1)


if __name__ == "__main__":
    main()
