#!/usr/bin/env python3
"""tc-node under a process that manages it as systemd does: notices to NOTIFY_SOCKET, a socket of LISTEN_FDS, and lines for its journal.

    check_node_manager.py TC_NODE TC_INFO
"""
import ctypes
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from node_process import DEADLINE_S, ToolTest, can_confine, clean_environment, kill_child

TC_NODE = TC_INFO = None
PR_SET_CHILD_SUBREAPER = 36


class Manager(ToolTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.notices.close)
        self.notices.bind(os.path.join(self.folder, "notify"))
        self.notices.settimeout(DEADLINE_S)

    def start(self, command, **more):
        environment = {**clean_environment(), "NOTIFY_SOCKET": self.notices.getsockname(), **more.pop("env", {})}
        return self.start_node(command, {name: value for name, value in environment.items() if value is not None}, **more)

    def notice(self):
        """{variable: value} of the next one."""
        return dict(line.split("=", 1) for line in self.notices.recv(4096).decode().splitlines())

    def no_notice(self):
        self.notices.setblocking(False)
        self.assertRaises(BlockingIOError, self.notices.recv, 4096)
        self.notices.settimeout(DEADLINE_S)

    def connect(self, port):
        done = subprocess.run([TC_INFO, "--connect", f"127.0.0.1:{port}"], env=clean_environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=DEADLINE_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def activated(self, *arguments, sockets=1, make=None, env=None):
        """A node with so many sockets, which this process keeps, too."""
        made = [make() if make else self.listening() for _ in range(sockets)]
        for number, one in enumerate(made):
            self.addCleanup(one.close)
            os.dup2(one.fileno(), 3 + number + 60)  # not where this process's own are
        redirections = " ".join(f"{3 + number}<&{63 + number} {63 + number}<&-" for number in range(sockets))
        fds = [63 + number for number in range(sockets)]
        node = self.start(["bash", "-c", f"export LISTEN_PID=$$; exec \"$@\" {redirections}", "activate", TC_NODE, *arguments],
                          pass_fds=fds, env={"LISTEN_FDS": str(sockets), "LISTEN_FDNAMES": "tc-node.socket", **(env or {})})
        for fd in fds:
            os.close(fd)
        return node, made

    @staticmethod
    def listening():
        made = socket.socket()
        made.bind(("127.0.0.1", 0))
        made.listen(16)
        return made

    @staticmethod
    def confined(*arguments):
        """These, where a node can confine itself."""
        return arguments if can_confine(TC_NODE) else ()

    def test_notices(self):
        for arguments in [], ["--isolate"], *self.confined(["--confine"], ["--isolate", "--confine"]):
            with self.subTest(arguments=arguments):
                trust = os.path.join(self.folder, "trust")
                os.makedirs(trust, mode=0o700, exist_ok=True)
                port_file = os.path.join(self.folder, "port")
                node = self.start([TC_NODE, "--listen", "127.0.0.1:0", "--port-file", port_file, *arguments], env={"TC_TRUST": trust})
                ready = self.notice()
                self.assertEqual(ready["READY"], "1")
                self.assertIn("listening", ready["STATUS"])
                with open(port_file, encoding="ascii") as file:
                    self.connect(int(file.read()))
                before = time.monotonic_ns() // 1000
                node.send_signal(signal.SIGHUP)
                reloading = self.notice()
                self.assertEqual(reloading["RELOADING"], "1")
                self.assertGreaterEqual(int(reloading["MONOTONIC_USEC"]), before)
                self.assertEqual(self.notice()["READY"], "1")
                self.stop(node)
                stopping = self.notice()
                self.assertEqual(stopping["STOPPING"], "1")
                self.assertGreater(int(stopping["EXTEND_TIMEOUT_USEC"]), 5000000)
                self.no_notice()

    def test_an_abstract_name(self):
        self.notices.close()
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.notices.close)
        name = f"tc-node-test-{os.getpid()}"
        self.notices.bind("\0" + name)
        self.notices.settimeout(DEADLINE_S)
        node = self.start([TC_NODE, "--listen", "127.0.0.1:0"], env={"NOTIFY_SOCKET": "@" + name})
        self.assertEqual(self.notice()["READY"], "1")
        self.stop(node)

    def test_a_socket_that_nobody_reads(self):
        for name in "relative", "/nonexistent/notify", "@" + "x" * 200:
            port_file = os.path.join(self.folder, "port")
            node = self.start([TC_NODE, "--listen", "127.0.0.1:0", "--port-file", port_file], env={"NOTIFY_SOCKET": name})
            deadline = time.monotonic() + DEADLINE_S
            while not os.path.exists(port_file) and node.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertIn(f"NOTIFY_SOCKET {name}:", node.log())
            self.stop(node)
            os.unlink(port_file)

    def test_a_manager_that_does_not_read(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
            other.setblocking(False)
            other.connect(self.notices.getsockname())
            with self.assertRaises(BlockingIOError):
                while True:  # until the queue is full
                    other.send(b"STATUS=\n")
        port_file = os.path.join(self.folder, "port")
        node = self.start([TC_NODE, "--listen", "127.0.0.1:0", "--port-file", port_file])
        deadline = time.monotonic() + DEADLINE_S
        while not os.path.exists(port_file) and time.monotonic() < deadline:
            time.sleep(0.01)
        with open(port_file, encoding="ascii") as file:
            self.connect(int(file.read()))
        self.stop(node)

    def test_an_end_during_an_upgrade(self):
        """The successor does not start to serve behind the manager's back."""
        program = os.path.join(self.folder, "tc-node")
        os.symlink(TC_NODE, program)
        node = self.start([program, "--listen", "127.0.0.1:0"])
        self.notice()
        os.unlink(program)
        with open(program, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nexec sleep 1000\n")
        os.chmod(program, 0o700)
        node.send_signal(signal.SIGUSR2)
        deadline = time.monotonic() + DEADLINE_S
        while not (found := re.search(r"starts as process (\d+)", node.log())) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.stop(node)
        self.assertIn(f"upgrade given up: process {found[1]} ends with this one", node.log())
        self.assertRaises(ProcessLookupError, os.kill, int(found[1]), 0)

    def test_no_notice_of_a_start_that_failed(self):
        node = self.start([TC_NODE, "--listen", "nowhere"])
        self.assertEqual(node.wait(DEADLINE_S), 1)
        self.no_notice()

    def test_a_socket_is_used(self):
        for arguments in [], ["--isolate"], *self.confined(["--confine"]):
            with self.subTest(arguments=arguments):
                port_file = os.path.join(self.folder, "port")
                node, made = self.activated("--port-file", port_file, *arguments)
                port = made[0].getsockname()[1]
                self.assertIn(str(port), self.notice()["STATUS"])
                with open(port_file, encoding="ascii") as file:
                    self.assertEqual(int(file.read()), port)
                self.connect(port)
                self.stop(node)
                self.notice()

    def test_peers_that_came_before_the_node_are_served(self):
        """systemd starts the node for the first of them."""
        made = self.listening()
        port = made.getsockname()[1]
        info = subprocess.Popen([TC_INFO, "--connect", f"127.0.0.1:{port}"], env=clean_environment(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(info.wait)
        self.addCleanup(info.kill)
        time.sleep(0.1)
        node, _ = self.activated(make=lambda: made)
        self.assertEqual(info.wait(DEADLINE_S), 0)
        self.stop(node)
        # The next one waits at the socket, which is still there.
        with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_S):
            pass

    def test_other_descriptors(self):
        def unix():
            made = socket.socket(socket.AF_UNIX)
            made.bind(os.path.join(self.folder, "unix"))
            made.listen()
            return made
        for make, why in ((lambda: socket.socket(type=socket.SOCK_DGRAM), "it is no stream socket"),
                          (socket.socket, "it does not listen"), (unix, "it is of another family"),
                          (lambda: open("/dev/null", "rb"), "it is no socket")):
            with self.subTest(why=why):
                node, _ = self.activated(make=make)
                self.assertEqual(node.wait(DEADLINE_S), 1)
                self.assertIn(f"tc-node: the socket of LISTEN_FDS, descriptor 3: {why}", node.log())

    def test_several_sockets(self):
        node, _ = self.activated(sockets=2)
        self.assertEqual(node.wait(DEADLINE_S), 1)
        self.assertIn("several were passed, expected one", node.log())

    def test_a_socket_of_another_process(self):
        port_file = os.path.join(self.folder, "port")
        node = self.start([TC_NODE, "--listen", "127.0.0.1:0", "--port-file", port_file], env={"LISTEN_FDS": "1", "LISTEN_PID": "1"})
        self.assertEqual(self.notice()["READY"], "1")
        self.stop(node)

    def test_an_address_outside_loopback_needs_keys(self):
        def make():
            made = socket.socket()
            made.bind(("0.0.0.0", 0))
            made.listen()
            return made
        node, _ = self.activated(make=make)
        self.assertEqual(node.wait(DEADLINE_S), 1)
        self.assertIn("is reachable from outside", node.log())

    def journalled(self, *arguments, stream="$(stat -Lc %d:%i /proc/self/fd/2)", **more):
        """A node with the standard error of a journal."""
        script = f"export JOURNAL_STREAM={stream}; exec \"$@\""
        return self.start(["bash", "-c", script, "journal", TC_NODE, "--listen", "127.0.0.1:0", *arguments], **more)

    def test_lines_for_a_journal_have_a_priority(self):
        for arguments in [], ["--isolate"], *self.confined(["--confine"]):
            with self.subTest(arguments=arguments):
                port_file = os.path.join(self.folder, "port")
                node = self.journalled("--port-file", port_file, *arguments)
                self.notice()
                with open(port_file, encoding="ascii") as file:
                    self.connect(int(file.read()))
                self.stop(node)
                self.notice()
                for line in "listening at ", "peer connected: ", "peer closed ", "drains":
                    self.assertIn(f"<6>tc-node: {line}", node.log())
                self.assertNotRegex(node.log(), "(?m)^tc-node")

    def test_a_journal_gets_mistakes_as_errors(self):
        wrong = os.path.join(self.folder, "tc-node.conf")
        with open(wrong, "w", encoding="utf-8") as file:
            file.write("listen\n")
        for arguments, status, line in ((["--listen", "nowhere"], 1, "'nowhere' is not host:port"), (["--config", wrong], 2, f"--config {wrong}: line 1"),
                                        (["--lib", "/nowhere"], 1, "--lib: /nowhere")):
            node = self.journalled(*arguments)
            self.assertEqual(node.wait(DEADLINE_S), status)
            self.assertRegex(node.log(), f"^<3>tc-node: {line}")

    def test_standard_error_that_is_no_journal_has_no_priorities(self):
        for stream in "1:1", "$(stat -Lc %d:%i0 /proc/self/fd/2)", "$(stat -Lc %d:%ix /proc/self/fd/2)", "$(stat -Lc %d /proc/self/fd/2)", "", ":":
            with self.subTest(stream=stream):
                node = self.journalled(stream=stream)
                self.notice()
                self.stop(node)
                self.notice()
                self.assertRegex(node.log(), "^tc-node: listening at ")
                self.assertNotIn("<6>", node.log())

    def test_an_upgrade(self):
        """The manager gets the new process from the old one, which does not report its own end."""
        for arguments in [], ["--isolate"]:
            with self.subTest(arguments=arguments):
                node = self.start([TC_NODE, "--listen", "127.0.0.1:0", *arguments])
                self.assertEqual(self.notice()["READY"], "1")
                node.send_signal(signal.SIGUSR2)
                self.assertIn("the socket of the node before", self.notice()["STATUS"])
                successor = int(self.notice()["MAINPID"])
                self.addCleanup(kill_child, successor)
                self.assertEqual(node.wait(DEADLINE_S), 0, node.log())
                self.no_notice()
                os.kill(successor, signal.SIGTERM)
                self.assertEqual(self.notice()["STOPPING"], "1")


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    TC_NODE, TC_INFO = (sys.argv.pop(1) for _ in range(2))
    unittest.main()
