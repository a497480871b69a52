#!/usr/bin/env python3
"""Metrics and health of a tc-node over HTTP (--http): their text, and scrapers of all kinds.

    check_node_http.py TC_NODE TC_SEND FUNCTION ENDLESS CHECK_ARGS
"""
import http.client
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import openmetrics
from node_process import Node, clean_environment

TC_NODE = TC_SEND = FUNCTION = ENDLESS = CHECK_ARGS = None
DEADLINE_S = 30
TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
CONNECTIONS_MAX = 8  # NODE_HTTP_PEERS_MAX


def wait_until(condition, what):
    deadline = time.monotonic() + DEADLINE_S
    while not (result := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {DEADLINE_S} s: {what}")
        time.sleep(0.02)
    return result


class Served(Node):
    """A node with --http; `http` is where that listens."""

    def __init__(self, options=None, arguments=(), at="127.0.0.1:0"):
        self.errors = tempfile.NamedTemporaryFile()
        super().__init__(TC_NODE, log=self.errors, options=options, arguments=["--http", at, *arguments])

    def __enter__(self):
        super().__enter__()
        with open(self.errors.name, encoding="utf-8") as file:
            found = re.search(r"metrics at http://(\S+):(\d+)/metrics\n", file.read())
        self.host, self.port = found[1], int(found[2])
        return self

    def ask(self, path="/metrics", method="GET"):
        """The answer, its body read."""
        connection = http.client.HTTPConnection(self.host.strip("[]"), self.port, timeout=DEADLINE_S)
        try:
            connection.request(method, path)
            answer = connection.getresponse()
            answer.text = answer.read().decode()
            return answer
        finally:
            connection.close()

    def metrics(self):
        return openmetrics.read(self.ask().text)

    def connect(self):
        return socket.create_connection((self.host.strip("[]"), self.port), timeout=DEADLINE_S)

    def raw(self, request):
        """The status of the answer to these bytes."""
        with self.connect() as connection:
            connection.sendall(request)
            with connection.makefile("rb") as file:
                return int(file.readline().split()[1])

    def send(self, count, function=None):
        done = subprocess.run([TC_SEND, self.address, function or FUNCTION, "--text", "hello", "--count", str(count)],
                              env=clean_environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)


class Text(unittest.TestCase):
    def test_counts_of_functions_peers_and_identities(self):
        with Served() as node:
            empty = node.metrics()
            self.assertEqual(openmetrics.value(empty, "tchains_messages_run", "_total"), 0)
            self.assertEqual(openmetrics.value(empty, "tchains_build", "_info"), 1)
            self.assertNotIn("tchains_function_calls", empty)
            node.send(7)
            wait_until(lambda: openmetrics.value(node.metrics(), "tchains_messages_run", "_total") == 7, "7 messages")
            families = node.metrics()
            (key, calls), = families["tchains_function_calls"].samples.items()
            labels = dict(key[1])
            self.assertEqual((labels["function"], calls), ("transcript", 7))
            self.assertRegex(labels["id"], "^[0-9a-f]{32}$")
            self.assertEqual(families["tchains_function_payload_bytes"].unit, "bytes")
            self.assertEqual(openmetrics.value(families, "tchains_function_payload_bytes", "_total"), 35)
            self.assertEqual(openmetrics.value(families, "tchains_function_loads", "_total"), 1)
            self.assertGreater(openmetrics.value(families, "tchains_function_load_seconds", "_total"), 0)
            self.assertEqual(sum(families["tchains_peer_calls"].samples.values()), 7)
            self.assertEqual(sum(families["tchains_identity_calls"].samples.values()), 7)
            (key, _), = families["tchains_identity_calls"].samples.items()
            self.assertRegex(dict(key[1])["identity"], "^uid:")
            node.send(5)
            wait_until(lambda: openmetrics.value(node.metrics(), "tchains_function_calls", "_total") == 12, "12 calls")
            wait_until(lambda: openmetrics.value(node.metrics(), "tchains_identity_peers") == 0, "no peer is left")
            families = node.metrics()
            self.assertEqual(openmetrics.value(families, "tchains_peer_calls", "_total", peer="other"), 12)
            self.assertEqual(families["rpc_server_call_duration_seconds"].samples, {})

    def test_times_by_the_names_of_opentelemetry(self):
        with Served(options={"TC_USAGE": "times"}) as node:
            node.send(50)
            wait_until(lambda: openmetrics.value(node.metrics(), "tchains_messages_run", "_total") == 50, "50 messages")
            family = node.metrics()["rpc_server_call_duration_seconds"]
            self.assertEqual((family.type, family.unit), ("summary", "seconds"))
            found = {suffix or dict(labels)["quantile"]: number for (suffix, labels), number in family.samples.items()}
            self.assertEqual(found["_count"], 50)
            self.assertTrue(0 < found["0.5"] <= found["0.99"] <= found["_sum"], found)
            for _, labels in family.samples:
                self.assertEqual((dict(labels)["rpc_system_name"], dict(labels)["rpc_method"]), ("tchains", "transcript"))

    def test_off_leaves_the_counters(self):
        with Served(options={"TC_USAGE": "off"}) as node:
            node.send(3)
            wait_until(lambda: openmetrics.value(node.metrics(), "tchains_messages_run", "_total") == 3, "3 messages")
            self.assertNotIn("tchains_function_calls", node.metrics())

    def test_isolated_nodes_sum_their_counters(self):
        with Served(arguments=["--isolate"]) as node:
            node.send(4)
            wait_until(lambda: openmetrics.value(node.metrics(), "tchains_messages_run", "_total") == 4, "4 messages")
            self.assertNotIn("tchains_function_calls", node.metrics())
            self.assertEqual(node.ask("/healthz").status, 200)

    def test_confined_nodes_serve_them(self):
        try:
            node = Served(arguments=["--confine"]).__enter__()
        except RuntimeError:
            self.skipTest("this machine cannot confine a node")
        try:
            node.send(2)
            wait_until(lambda: openmetrics.value(node.metrics(), "tchains_function_calls", "_total") == 2, "2 calls")
            self.assertEqual(node.ask("/healthz").text, "ok\n")
        finally:
            node.__exit__()


class Requests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Served().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.node.__exit__()

    def test_what_is_there(self):
        answer = self.node.ask()
        self.assertEqual((answer.status, answer.getheader("Content-Type")), (200, TYPE))
        self.assertEqual(answer.getheader("Connection"), "close")
        self.assertEqual(len(answer.text), int(answer.getheader("Content-Length")))
        self.assertEqual((self.node.ask("/healthz").status, self.node.ask("/healthz").text), (200, "ok\n"))
        self.assertEqual(self.node.ask("/metrics?name=x").status, 200)

    def test_heads_have_no_body(self):
        for path in ("/metrics", "/healthz", "/nothing"):
            answer = self.node.ask(path, "HEAD")
            self.assertEqual(answer.text, "")
            self.assertGreater(int(answer.getheader("Content-Length")), 0)

    def test_all_else_is_not_found(self):
        for path in ("/", "/metrics/", "/Metrics", "//metrics", "/healthz/x", "/metrics%00", "http://x/metrics"):
            self.assertEqual(self.node.ask(path).status, 404, path)

    def test_other_methods_are_refused(self):
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get"):
            answer = self.node.ask("/metrics", method)
            self.assertEqual((answer.status, answer.getheader("Allow")), (405, "GET, HEAD"), method)

    def test_malformed_requests_are_refused(self):
        get = b"GET /metrics HTTP/1.1\r\n"
        for request, status in ((b"\r\n\r\n", 400), (b"GET /metrics\r\n\r\n", 400), (b"GET  /metrics HTTP/1.1\r\n\r\n", 400),
                                (b"GET /metrics HTTP/2.0\r\n\r\n", 505), (get + b"Host x\r\n\r\n", 400),
                                (get + b"A: b\r\n folded\r\n\r\n", 400), (get + b"A : b\r\n\r\n", 400),
                                (get + b"Content-Length: 4\r\n\r\nabcd", 400), (get + b"content-length: 0\r\n\r\n", 200),
                                (get + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
                                (b"GET /\x00 HTTP/1.1\r\n\r\n", 400), (get + b"A: \x01\r\n\r\n", 400),
                                (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400), (b"GET /metrics HTTP/1.0\n\n", 200)):
            self.assertEqual(self.node.raw(request), status, request)

    def test_large_requests_are_refused(self):
        self.assertEqual(self.node.raw(b"GET /" + b"a" * 8192), 431)
        self.assertEqual(self.node.raw(b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 1500 + b"\r\n"), 431)
        self.assertEqual(self.node.raw(b"GET /metrics HTTP/1.1\r\nA: " + b"a" * 8000 + b"\r\n\r\n"), 200)

    def test_heads_of_malformed_requests_have_no_body(self):
        with self.node.connect() as connection:
            connection.sendall(b"HEAD /metrics HTTP/1.1\r\nContent-Length: 4\r\n\r\nabcd")
            answer = b""
            while part := connection.recv(4096):
                answer += part
        self.assertTrue(answer.startswith(b"HTTP/1.1 400 ") and answer.endswith(b"\r\n\r\n"), answer)

    def test_requests_in_pieces(self):
        with self.node.connect() as connection:
            for byte in b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n":
                connection.sendall(bytes([byte]))
            answer = b""
            while part := connection.recv(4096):
                answer += part
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 OK\r\n") and answer.endswith(b"\r\n\r\nok\n"), answer)


class Scrapers(unittest.TestCase):
    def test_many_at_once(self):
        with Served() as node:
            node.send(1)
            connections = [node.connect() for _ in range(3 * CONNECTIONS_MAX)]
            for connection in connections:
                connection.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
            for connection in connections:
                with connection, connection.makefile("rb") as file:
                    self.assertEqual(file.readline(), b"HTTP/1.1 200 OK\r\n")
                    openmetrics.read(file.read().split(b"\r\n\r\n", 1)[1].decode())

    def test_silent_ones_are_dropped(self):
        """They take all connections, and the next scraper waits until their time is over."""
        with Served() as node:
            silent = [node.connect() for _ in range(CONNECTIONS_MAX)]
            silent[0].sendall(b"GET /metrics HTTP/1.1\r\n")
            self.assertEqual(node.ask("/healthz").status, 200)
            for connection in silent:
                with connection:
                    self.assertEqual(connection.recv(100), b"")

    def test_one_that_does_not_read_keeps_nobody(self):
        with Served() as node:
            lazy = socket.socket()
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            lazy.connect((node.host, node.port))
            with lazy:
                lazy.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
                for _ in range(20):
                    self.assertEqual(node.ask().status, 200)
                node.send(2)
                wait_until(lambda: openmetrics.value(node.metrics(), "tchains_messages_run", "_total") == 2, "2 messages")

    def test_a_function_that_runs_keeps_nobody(self):
        with Served() as node:
            sender = subprocess.Popen([TC_SEND, node.address, ENDLESS], env=clean_environment(), stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                answer = wait_until(lambda: (found := node.ask("/healthz")).status == 503 and found, "the node is stalled")
                self.assertRegex(answer.text, r"^no message was looked at for \d+ s: a function runs\n$")
                node.metrics()
            finally:
                sender.kill()
                sender.wait()


    def test_a_node_that_drains_is_not_healthy(self):
        for arguments in [], ["--isolate"]:
            with self.subTest(arguments=arguments), Served(arguments=[*arguments, "--drain-seconds", "600"]) as node:
                sender = subprocess.Popen([TC_SEND, node.address, ENDLESS, "--timeout", "600"], env=clean_environment(),
                                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                try:
                    wait_until(lambda: self.runs(node), "the function runs")
                    node.process.terminate()
                    answer = wait_until(lambda: (found := node.ask("/healthz")).status == 503 and found, "it drains")
                    self.assertEqual(answer.text, "the node drains\n")
                    node.metrics()
                finally:
                    node.process.kill()  # a second signal would do, but with --isolate its processes come first
                    node.process.wait()
                    sender.kill()
                    sender.wait()

    @staticmethod
    def runs(node):
        """The function's code has come; its call follows at once."""
        with open(node.errors.name, encoding="utf-8") as file:
            return "peer connected" in file.read()


class Addresses(unittest.TestCase):
    def refuse(self, at, status=1):
        done = subprocess.run([TC_NODE, "--listen", "127.0.0.1:0", "--http", at], env=clean_environment(), timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def test_a_port_alone_is_on_loopback(self):
        for at in ("0", ":0", "localhost:0"):
            with Served(at=at) as node:
                self.assertEqual(node.host, "127.0.0.1")
                self.assertEqual(node.ask("/healthz").status, 200)

    def test_ipv6(self):
        if not socket.has_ipv6:
            self.skipTest("no IPv6")
        try:
            with socket.socket(socket.AF_INET6) as probe:
                probe.bind(("::1", 0))
        except OSError:
            self.skipTest("no IPv6 on loopback")
        with Served(at="[::1]:0") as node:
            self.assertEqual(node.ask("/healthz").status, 200)

    def test_malformed_addresses(self):
        for at in ("127.0.0.1", ":", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:x", "host.example:80", "::1:80", "[::1:80", "-1",
                   "[127.0.0.1]:80"):
            self.assertIn(f"--http {at}: expected a port, or a numeric address and a port", self.refuse(at), at)

    def test_a_port_in_use(self):
        with Served() as node:
            text = self.refuse(f"127.0.0.1:{node.port}")
            self.assertIn(f"--http 127.0.0.1:{node.port}: Address already in use: another process listens there", text)


def has_ended(process):
    """An orphan may stay as a zombie."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


class Upgrades(unittest.TestCase):
    def upgrade_again(self, node, process, number):
        """Returns the process that serves then."""
        os.kill(process, signal.SIGUSR2)
        served = wait_until(lambda: (found := self.served(node))[number:] and found, "a successor serves")[number]
        wait_until(lambda: self.has_ended(node, process), "the node before has ended")
        return served

    def served(self, node):
        with open(node.errors.name, encoding="utf-8") as file:
            return [int(process) for process in re.findall(r"upgrade: process (\d+) serves\n", file.read())]

    @staticmethod
    def has_ended(node, process):
        return node.process.poll() is not None if process == node.process.pid else has_ended(process)

    def test_counters_are_the_successors_from_then_on(self):
        """In the file of --stats-file, too, and while the node before still drains, as a function waits there."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "node.prom")
            order = os.path.join(folder, "order")
            with open(order, "wb") as file:  # tests/shipped/patient.h: a nap
                file.write(struct.pack("=IIQ16x", 0, 0, 4_000_000_000))
            arguments = ["--stats-file", path, "--drain-seconds", "60", "--lib", CHECK_ARGS, "--args-symbol", "check_args"]
            with Served(arguments=arguments) as node:
                node.send(3)
                wait_until(lambda: self.in_file(path) == "3", "3 messages in the file")
                patient = os.path.join(os.path.dirname(FUNCTION), "patient.tca")
                peer = subprocess.Popen([TC_SEND, node.address, patient, "--call", "--payload", order], env=clean_environment(),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                successor = None
                try:
                    wait_until(lambda: 'function="patient"' in node.ask().text, "the function waits")
                    os.kill(node.process.pid, signal.SIGUSR2)
                    successor = wait_until(lambda: self.served(node), "a successor serves")[0]
                    time.sleep(1.5)  # the thread of --http looks once a second
                    for _ in range(20):
                        self.assertEqual(openmetrics.value(node.metrics(), "tchains_messages_run", "_total"), 0)
                    self.assertIsNone(node.process.poll())
                    self.assertEqual(node.process.wait(DEADLINE_S), 0)
                    self.assertEqual(self.in_file(path), "0")
                finally:
                    peer.kill()
                    peer.wait()
                    if successor:
                        os.kill(successor, signal.SIGTERM)
                        wait_until(lambda: has_ended(successor), "the successor ends")

    @staticmethod
    def in_file(path):
        with open(path, encoding="ascii") as file:
            return re.search(r"tchains_messages_run_total (\d+)\n", file.read())[1]

    def test_http_at_the_same_port_of_another_address(self):
        """The second upgrade finds the socket of --http first."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.2", 0))
            port = probe.getsockname()[1]
        with Served(at=f"127.0.0.2:{port}", arguments=["--listen", f"127.0.0.1:{port}"]) as node:
            node.address = f"127.0.0.1:{port}"
            process = node.process.pid
            try:
                for number in range(3):
                    process = self.upgrade_again(node, process, number)
                    node.send(1)
                    self.assertEqual(node.ask("/healthz").status, 200)
            finally:
                os.kill(process, signal.SIGKILL)
                node.process.kill()

    def said(self, node, text):
        with open(node.errors.name, encoding="utf-8") as file:
            return re.search(text, file.read())

    def test_the_port_stays_open_for_the_successor(self):
        for arguments in [], ["--isolate"]:
            with self.subTest(arguments=arguments):
                self.upgrade(arguments)

    def upgrade(self, arguments):
        with Served(arguments=arguments) as node:
            node.send(3)
            os.kill(node.process.pid, signal.SIGUSR2)
            successor = int(wait_until(lambda: self.said(node, r"upgrade: process (\d+) serves\n"), "a successor serves")[1])
            try:
                self.assertEqual(node.process.wait(DEADLINE_S), 0)
                self.assertEqual(node.ask("/healthz").status, 200)
                node.send(2)
                wait_until(lambda: openmetrics.value(node.metrics(), "tchains_messages_run", "_total") == 2, "its 2 messages")
            finally:
                os.kill(successor, signal.SIGTERM)
                wait_until(lambda: has_ended(successor), "the successor ends")


if __name__ == "__main__":
    TC_NODE, TC_SEND, FUNCTION, ENDLESS, CHECK_ARGS = (sys.argv.pop(1) for _ in range(5))
    unittest.main()
