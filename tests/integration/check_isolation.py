#!/usr/bin/env python3
"""Functions that crash, never return or take all they can get, and their effect on others.

    check_isolation.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]
"""
import os
import re
import select
import signal
import socket
import struct
import threading

from check_failures import shared_segments
from tool_process import DEADLINE_S, ENDLESS, Process, ToolTest, main, wait_until

# So long a function may take; one that honestly runs takes next to nothing of it, however busy the machine is.
CALL_TIME_MAX = "3s"


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
            return file.read().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


COMPILERS = 4  # of a confined node, which cannot start compilers later: runtime/engine/child/compiler_pool.c


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


# A sanitizer would replace the exit status of a function by its own: the process's memory is not freed then, and UCX's threads
# still run.
OWN_STATUS = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0",
              "TSAN_OPTIONS": os.environ.get("TSAN_OPTIONS", "") + ":exitcode=0"}


# Two values of patient_kind (tests/shipped/patient.h).
PATIENT_SINK, PATIENT_PLUNGE = 8, 9


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
        """A peer that sends messages without end."""
        size = node.out_size()
        stream = self.send(node.address, "transcript", "--text", "steady", "--count", ENDLESS)
        self.wait_for_output(node, stream, size + 1000)
        return stream

    def assert_goes_on(self, node, stream):
        self.wait_for_output(node, stream, node.out_size() + 1000)
        stream.kill()
        self.send(node.address, "transcript", "--text", "still here").expect(0)
        self.assertTrue(node.running(), node.err)

    def assert_dies_alone(self, deed, reason, *arguments, **environment):
        """Its own process ends for that reason; only its peer is notified."""
        node = self.isolating_node(*arguments, **environment)
        stream = self.steady(node)
        self.expect_loss(self.do(node, deed))
        self.assert_died_for(node, reason)
        return self.summary_of_others(node, stream)

    def expect_loss(self, sender):
        sender.expect((3, 4), "peer lost|peer closed|refused the connection")

    def assert_died_for(self, node, reason):
        node.wait_for_line(rf"process \d+ of peer 127\.0\.0\.1:\d+ has ended: .*{reason}")

    def summary_of_others(self, node, stream):
        """They go on; the node ends."""
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

    def test_a_function_that_writes_to_its_payload(self):
        reason = "it wrote to its payload, which is read-only"
        self.assert_dies_alone("scribble", f"SIGSEGV in .*function 'misbehave' .*{reason}", TC_PAYLOAD="readonly", **OWN_STATUS)
        node = self.isolating_node()
        self.do(node, "scribble").expect(0)
        self.assertEqual(self.said(node, "scribble"), 0)
        node.stop()

    def test_a_function_that_may_wait_uses_all_of_its_stack(self):
        """By many frames, and by one."""
        node = self.isolating_node(**OWN_STATUS)
        for kind in (PATIENT_SINK, PATIENT_PLUNGE):
            stream = self.steady(node)
            order = os.path.join(self.folder(), "order")
            with open(order, "wb") as file:
                file.write(struct.pack("<IIQQQ", kind, 0, 0, 0, 0))
            self.expect_loss(self.send(node.address, "patient", "--payload", order))
            self.assert_died_for(node, "SIGSEGV in .*function 'patient' .*its stack is full")
            self.assert_goes_on(node, stream)
        node.stop()

    def test_a_function_that_exits(self):
        self.assert_dies_alone("exit 7", "status 7", **OWN_STATUS)
        self.assert_dies_alone("exit 0", "status 0", **OWN_STATUS)

    def test_a_function_that_takes_all_memory(self):
        self.assert_dies_alone("eat", "(SIGABRT|signal|status)", "--memory-max", 256 << 20)

    def test_a_function_that_never_returns(self):
        summary = self.assert_dies_alone("spin", r"function 'misbehave' [0-9a-f]{32} ran longer than call_time_max",
                                         TC_CALL_TIME_MAX=CALL_TIME_MAX)
        self.assertEqual(summary["calls_long"], 1)

    def test_the_peer_hears_why(self):
        node = self.isolating_node(TC_CALL_TIME_MAX="500ms")
        self.do(node, "spin").expect(3, r"peer lost: function 'misbehave' [0-9a-f]{32} ran longer than call_time_max, 500 ms")
        node.stop()
        node = self.isolating_node(**OWN_STATUS)
        self.do(node, "exit 3").expect(3, "peer lost: the process that ran its functions ended with status 3")
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
        audit = os.path.join(self.folder(), "audit")
        node = self.isolating_node("--processes", 1, TC_AUDIT=audit)
        stream = self.steady(node)
        self.send(node.address, "transcript").expect(4, r"all 1 processes of this node serve others \(--processes\)")
        with open(audit, encoding="ascii") as file:
            self.assertRegex(file.read(), r'"event":"ended","peer":"127\.0\.0\.1:\d+".*"text":"all 1 processes')
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
            stream.expect(3, "peer lost|closed")
            for process in processes:
                wait_until(lambda: is_gone(process), f"the end of {process}")

    def test_messages_are_counted_over_all_processes(self):
        node = self.isolating_node("--exit-after", 3)
        for _ in range(3):
            self.send(node.address, "transcript").wait()
        node.expect(0)
        self.assertGreaterEqual(node.summary()["messages_run"], 3)


EPERM, EACCES, EEXIST, ENOSYS = 1, 13, 17, 38


class Confinement(ToolTest):
    def confined_node(self, *arguments, **environment):
        return self.node("--confine", *arguments, **environment)

    def ask(self, node, deed, **more):
        """A function's result for it: 0, or an errno."""
        word = deed.split()[0]
        before = len(re.findall(rf"^{word}: ", node.out, re.MULTILINE))
        self.send(node.address, "misbehave", "--text", deed, **more).expect(0)
        found = wait_until(lambda: re.findall(rf"^{word}: (-?\d+)$", node.out, re.MULTILINE)[before:], f"an answer to {deed}")
        return int(found[0])

    def secret(self):
        path = os.path.join(self.folder(), "secret")
        with open(path, "w", encoding="ascii") as file:
            file.write("secret")
        return path

    def assert_confined(self, node, secret):
        folder = os.path.dirname(secret)
        open_secret = open(secret, encoding="ascii")  # pylint: disable=consider-using-with
        self.addCleanup(open_secret.close)
        for deed in [f"read {secret}", "read /etc/passwd", "read /proc/1/environ", f"read /proc/{os.getpid()}/environ",
                     "read /proc/self/environ", f"read /proc/self/root{secret}", f"read /usr/lib/../..{secret}",
                     f"beside ../..{secret}", f"write {secret}", f"make {folder}/new", "write /proc/self/mem",
                     f"remove {secret}", f"move {secret} {folder}/other", f"read {folder}", "write /dev/tty",
                     f"read /proc/{os.getpid()}/fd/{open_secret.fileno()}"]:
            self.assertEqual(self.ask(node, deed), EACCES, deed)
        for deed in ["exec /bin/true", "fork", "socket inet", "socket unix", f"link {folder}/link", f"kill {os.getpid()}", "wx",
                     "limit", "uring"]:
            self.assertEqual(self.ask(node, deed), EPERM, deed)
        self.assertEqual(sorted(os.listdir(folder)), ["secret"])
        self.send(node.address, "transcript", "--text", "still here").expect(0)

    def test_what_a_function_may_not_do(self):
        node = self.confined_node()
        self.assert_confined(node, self.secret())
        node.stop()

    def test_the_same_in_a_process_of_its_own(self):
        node = self.confined_node("--isolate", TC_TIER="fast")
        self.assert_confined(node, self.secret())
        node.stop()

    def test_without_it_all_of_that_is_possible(self):
        node, secret = self.node(), self.secret()
        for deed in f"read {secret}", f"write {secret}", f"beside ../..{secret}", "fork", "socket inet", "wx":
            self.assertEqual(self.ask(node, deed), 0, deed)
        node.stop()

    def test_files_that_are_allowed(self):
        readable, writable = self.folder(), self.folder()
        for folder in readable, writable:
            with open(os.path.join(folder, "file"), "w", encoding="ascii") as file:
                file.write("text")
        secret = self.secret()
        os.symlink(secret, os.path.join(writable, "to_secret"))
        os.symlink(os.path.join(writable, "file"), os.path.join(readable, "to_file"))
        node = self.confined_node("--allow-read", readable, "--allow-write", writable)
        for deed in [f"read {readable}/file", f"read {readable}/to_file", f"read {writable}/file", f"write {writable}/file",
                     f"make {writable}/new", f"move {writable}/new {writable}/newer", f"remove {writable}/newer",
                     "read /dev/null", "read /proc/self/maps"]:
            self.assertEqual(self.ask(node, deed), 0, deed)
        for deed in [f"write {readable}/file", f"make {readable}/new", f"remove {readable}/file", f"read {writable}/to_secret",
                     f"make {writable}/to_secret", f"move {writable}/file {readable}/moved", f"read {writable}/../secret"
                     if os.path.dirname(secret) == os.path.dirname(writable) else f"read {readable}/..{secret}",
                     f"read {readable}file"]:
            self.assertIn(self.ask(node, deed), [EACCES, 2], deed)
        node.stop()
        self.assertEqual(sorted(os.listdir(writable)), ["file", "to_secret"])
        self.assertEqual(sorted(os.listdir(readable)), ["file", "to_file"])

    def test_functions_are_compiled(self):
        node = self.confined_node(TC_FORM="bitcode", TC_TIER_CALLS="10")
        for name in "transcript", "misbehave":
            self.send(node.address, name, "--text", "12345678", "--count", 50).expect(0)
        self.assertEqual(node.stop()["code_refused"], 0)

    def test_who_runs_images_alone_has_no_compilers(self):
        node = self.confined_node(TC_FORM="image")
        self.send(node.address, "transcript", "--text", "an image").expect(0)
        self.assertNotIn("tc-compile", [name_of(pid) for pid in children(node.pid)])
        node.stop()

    def test_no_compiler_takes_the_place_of_one_that_died(self):
        node = self.confined_node(TC_FORM="bitcode", TC_TIER="fast")
        compilers = []

        def all_are_there():
            compilers[:] = [pid for pid in children(node.pid) if name_of(pid) == "tc-compile"]
            return len(compilers) == COMPILERS
        wait_until(all_are_there, "compilers")
        for pid in compilers:
            os.kill(pid, signal.SIGKILL)
        self.send(node.address, "transcript").expect(4, "refused by the target", "no process to compile in can be had")
        node.stop()

    def test_a_kernel_that_lacks_something(self):
        folder = os.path.dirname(self.args_library)
        Process(self, [os.path.join(folder, "node_of_old_kernel"), "--listen", "127.0.0.1:0", "--confine"]).expect(
            1, "--confine: no seccomp with notifications for all threads")

    def test_what_others_compiled_is_found(self):
        cache = os.path.join(self.folder(), "cache")
        os.mkdir(cache, 0o700)
        for confine in [], ["--confine"]:
            node = self.node(*confine, TC_FORM="bitcode", TC_TIER="fast", TC_CACHE_DIR=cache, TC_LOG_LEVEL="info")
            self.send(node.address, "transcript").expect(0)
            node.stop()
            self.assertEqual(len([name for name in os.listdir(cache) if not name.startswith(".")]) > 0, True)
        self.assertIn("cache", node.err)

    def test_peers_that_come_and_go(self):
        node = self.tallying_node("--confine")
        for n in range(5):
            self.doomed(node).kill()
            node.wait_for_line("peer lost after", n + 1)
            self.send(node.address, "transcript", "--text", "and others").expect(0)
        node.stop()

    def test_paths_that_are_not_there(self):
        Process(self, [self.tool("tc-node"), "--listen", "127.0.0.1:0", "--confine", "--allow-read", "/nonexistent"]).expect(
            1, "--confine: /nonexistent: No such file")
        Process(self, [self.tool("tc-node"), "--allow-read", "/usr"]).expect(2, "are for --confine")


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


class Relay:
    """Connections to a node's port. The first is made at once; all bytes, and later connections, wait for the event."""

    def __init__(self, port, event):
        self.node_port = port
        self.event = event
        self.first_port = None
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        try:
            while True:
                far = self.listening.accept()[0]
                if self.first_port is not None:
                    self.event.wait(DEADLINE_S)
                near = socket.create_connection(("127.0.0.1", self.node_port))
                self.first_port = self.first_port or near.getsockname()[1]
                threading.Thread(target=self.serve, args=(far, near), daemon=True).start()
        except OSError:  # the test is over
            pass

    def serve(self, far, near):
        self.event.wait(DEADLINE_S)
        others = {far: near, near: far}
        with far, near:
            try:
                while data := (one := select.select(list(others), [], [], DEADLINE_S)[0][0]).recv(1 << 16):
                    others[one].sendall(data)
            except (OSError, IndexError):
                pass

    def end(self):
        self.listening.shutdown(socket.SHUT_RDWR)  # wakes the thread
        self.listening.close()

    def first_is_accepted(self):
        """A connection that waits in the listener's queue has no inode yet."""
        with open("/proc/net/tcp", encoding="ascii") as file:
            rows = [line.split() for line in file][1:]
        ends = f"0100007F:{self.node_port:04X}", f"0100007F:{self.first_port or 0:04X}"
        return any((row[1], row[2]) == ends and row[9] != "0" for row in rows)


class BusyNodes(ToolTest):
    BUSY = r"busy for \d+ s in function 'misbehave' of uid:\d+"

    def napping_node(self, milliseconds, *arguments, **environment):
        node = self.node(*arguments, TC_LOG_LEVEL="debug", **environment)
        nap = self.send(node.address, "misbehave", "--text", f"nap {milliseconds}", "--timeout", 300)
        node.wait_for_line("peer connected")
        return node, nap

    def test_who_connects_meanwhile_learns_what_runs(self):
        node, _ = self.napping_node(600000)
        waiting = self.send(node.address, "transcript")
        waiting.wait_for_line(f"connecting to {node.address}: it is {self.BUSY}; trying again")
        self.assertTrue(waiting.running())
        self.send(node.address, "transcript", TC_CONNECT_TIMEOUT="4s").expect(3, f"did not answer in time: it is {self.BUSY}")
        waiting.kill()
        node.kill()

    def test_who_waits_for_long_enough_gets_in(self):
        node, nap = self.napping_node(4000)
        waiting = self.send(node.address, "transcript", "--text", "at last")
        waiting.wait_for_line(self.BUSY)
        waiting.expect(0)
        nap.expect(0)
        self.assertEqual(node.stop()["messages_run"], 2)

    def test_every_tool_that_connects_says_so(self):
        node, _ = self.napping_node(600000)
        for command in (["tc-info", "--connect", node.address], ["tc-send", node.address, self.function("transcript"), "--prepare"]):
            done = Process(self, [self.tool(command[0]), *command[1:]], TC_CONNECT_TIMEOUT="4s").expect(3)
            self.assertRegex(done.err, f"trying again\n(.*\n)*.*did not answer in time: it is {self.BUSY}\n$")
            self.assertEqual(done.out, "")
        node.kill()

    def test_a_connection_that_was_accepted_before_learns_it_too(self):
        """Its bytes are kept back until the function runs, and those of later connections."""
        node, running = self.node(), threading.Event()
        relay = Relay(node.port, running)
        self.addCleanup(relay.end)
        waiting = self.send(f"127.0.0.1:{relay.port}", "transcript")
        wait_until(relay.first_is_accepted, "an accepted connection")
        self.send(node.address, "misbehave", "--text", "spin")
        wait_until(lambda: "spin" in node.out, "the function")
        running.set()
        waiting.wait_for_line(f"it is {self.BUSY}; trying again")
        waiting.kill()
        node.kill()

    def test_nobody_is_told_without_a_watch(self):
        node, _ = self.napping_node(600000, TC_CALL_TIME_MAX="0")
        self.send(node.address, "transcript", TC_CONNECT_TIMEOUT="3s").expect(3, "the peer did not answer in time$")
        node.kill()

    def test_one_signal_ends_a_node_in_an_endless_function(self):
        for deed in "spin", "deaf":
            node = self.node()
            self.send(node.address, "misbehave", "--text", deed)
            wait_until(lambda: deed in node.out, "the function")
            node.signal(signal.SIGTERM)
            what = r"function 'misbehave' [0-9a-f]{32} from 127\.0\.0\.1:\d+, process \d+" if deed == "spin" else "a function that blocks signals"
            node.expect(1, f"tc-node: ends at once: {what} still runs 5 s after SIGINT or SIGTERM")


if __name__ == "__main__":
    main()
