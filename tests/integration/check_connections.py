#!/usr/bin/env python3
"""Missing and wrong answers; the tools' messages about bad options.

    check_connections.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]
"""
import contextlib
import os
import signal
import socket
import threading
import time

from tool_process import Process, ToolTest, main, silent_crowd, wait_until


# As runtime/wire/hello.h has them: protocol 3, a HELLO with a body of 255 bytes; and an obsolete protocol.
HELLO = b"TCHI\x03\x00\x01\x00\xff\x00\x00\x00abcd"
OLD_HELLO = b"TCHI\x01\x00\x01\x00\xff\x00\x00\x00abcd" + bytes(255)
LINES_PER_SECOND = 10  # of lines caused by unauthenticated peers, as in runtime/base/logger.c


def processor_time(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def copy_until_end(source, sink):
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


def hang_up_and_then_lead_on(front, address):
    for _ in range(3):
        front.accept()[0].close()
    near, far = front.accept()[0], socket.create_connection(address)
    back = threading.Thread(target=copy_until_end, args=(far, near))
    back.start()
    copy_until_end(near, far)
    back.join()


class Connections(ToolTest):
    def start(self, tool, *arguments, **environment):
        return Process(self, [self.tool(tool), *arguments], **environment)

    def test_a_port_in_use(self):
        node = self.node()
        self.start("tc-node", "--listen", node.address).expect(1, f"listen on {node.address}: ", "in use")
        node.stop()

    def test_nobody_listens(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # bound and not listening: a port that refuses
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            self.send(address, "transcript").expect(3, f"connect to {address}: ")

    def test_an_unknown_host(self):
        self.send("no-such-host.invalid:7000", "transcript").expect(3, "host 'no-such-host.invalid'")
        self.start("tc-node", "--listen", "no-such-host.invalid:0").expect(1, "no-such-host.invalid")

    def test_addresses_that_are_none(self):
        for address in ("", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "::1:7000", "[::1:7000", "127.0.0.1:0"):
            self.send(address, "transcript").expect((1, 2), f"'{address}'".replace("[", r"\["))

    def test_a_listener_that_never_answers(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            done = self.send(f"127.0.0.1:{silent.getsockname()[1]}", "transcript", TC_CONNECT_TIMEOUT="300ms")
            done.expect(3, "did not answer in time")

    def test_a_listener_that_hangs_up_at_first(self):
        """Like one crowded by unauthenticated peers: the connecting side is one of those that it drops."""
        node = self.node()
        host, port = node.address.rsplit(":", 1)
        with socket.create_server(("127.0.0.1", 0)) as front:
            pump = threading.Thread(target=hang_up_and_then_lead_on, args=(front, (host, int(port))))
            pump.start()
            self.send(f"127.0.0.1:{front.getsockname()[1]}", "transcript").expect(0)
            pump.join()
        node.stop()

    def test_a_listener_that_takes_nobody(self):
        """A full queue drops connections, as a missing host does."""
        with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
            crowd = []
            for _ in range(8):
                crowd.append(socket.socket())
                crowd[-1].setblocking(False)
                crowd[-1].connect_ex(full.getsockname())
            done = self.send(f"127.0.0.1:{full.getsockname()[1]}", "transcript", TC_CONNECT_TIMEOUT="300ms")
            done.expect(3, "did not answer in time")
            for member in crowd:
                member.close()

    def test_a_listener_that_speaks_something_else(self):
        with socket.create_server(("127.0.0.1", 0)) as stranger:
            done = self.send(f"127.0.0.1:{stranger.getsockname()[1]}", "transcript")
            peer, _ = stranger.accept()
            with peer:
                peer.sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n")
                done.expect(1, "not a Three-Chains peer")

    def test_a_second_signal_ends_a_node_whose_function_does_not_return(self):
        node = self.node()
        sender = self.send(node.address, "ceaseless", TC_CLOSE_TIMEOUT="100ms")
        wait_until(lambda: processor_time(node.pid) > 0.5, "the function runs")
        for number in (signal.SIGTERM, signal.SIGINT):
            self.assertTrue(node.running())
            node.signal(number)
        self.assertIn(node.wait(), (-signal.SIGTERM, -signal.SIGINT))
        sender.wait()

    def test_outside_loopback_only_when_told_so(self):
        self.start("tc-node", "--listen", "0.0.0.0:0").expect(1, "0.0.0.0", "run code here", "listen_any")
        node = self.node(listen="0.0.0.0:0", TC_LISTEN_ANY="yes")
        self.assertRegex(node.err, r"warn: listening on 0\.0\.0\.0:\d+: every peer can run code")
        self.send(node.address, "transcript").expect(0)
        node.stop()
        quiet = self.node(TC_LISTEN_ANY="yes")
        self.assertNotIn("warn", quiet.err)
        quiet.stop()


class Strangers(ToolTest):
    """A program that connects to a target and is no peer."""

    def dial(self, node):
        peer = socket.create_connection(("127.0.0.1", node.port), timeout=60)
        self.addCleanup(peer.close)
        return peer

    def read_to_the_end(self, peer):
        """It closes with unread data, so a reset follows its last bytes."""
        said = b""
        try:
            while part := peer.recv(4096):
                said += part
        except ConnectionResetError:
            pass
        return said

    def test_garbage(self):
        node = self.node()
        for garbage in (b"GET / HTTP/1.1\r\n\r\n", bytes(4096), b"\xff" * 100000):
            peer = self.dial(node)
            try:
                peer.sendall(garbage)
                self.assertIn(b"not a Three-Chains peer", self.read_to_the_end(peer))
            except ConnectionError:
                pass  # it closes with unread data
        self.send(node.address, "transcript").expect(0)
        summary = node.stop()
        self.assertEqual(summary["messages_run"], 1)
        self.assertEqual(node.err.count("peer lost"), 0)

    def test_half_a_hello_and_silence(self):
        node = self.node(TC_CONNECT_TIMEOUT="5s", TC_LOG_LEVEL="info")  # for the one that sends, too
        halves = [b"", HELLO[:4], HELLO, HELLO + bytes(100)]
        peers = [self.dial(node) for _ in halves]
        for peer, half in zip(peers, halves):
            peer.sendall(half)
        self.send(node.address, "transcript").expect(0)
        for peer in peers:
            self.assertEqual(self.read_to_the_end(peer), b"")
        node.wait_for_line("the peer did not answer in time", len(halves))  # it hangs up first
        self.send(node.address, "transcript").expect(0)
        self.assertEqual(node.err.count("the peer did not answer in time"), len(halves), node.err)
        self.assertEqual(node.stop()["messages_run"], 2)

    def test_another_protocol_hears_why(self):
        node = self.node()
        peer = self.dial(node)
        peer.sendall(OLD_HELLO)
        self.assertIn(b"protocol version 1, this side version 3", self.read_to_the_end(peer))
        node.stop()

    def test_a_crowd_writes_a_few_lines_of_log(self):
        node = self.node(TC_LOG_LEVEL="info")
        begin = time.monotonic()
        for _ in range(50):
            for said in (b"GET / HTTP/1.1\r\n\r\n", OLD_HELLO, HELLO, HELLO + bytes(255)):
                peer = self.dial(node)
                with contextlib.suppress(OSError):  # it may have hung up already
                    peer.sendall(said)
                    peer.shutdown(socket.SHUT_WR)
                self.read_to_the_end(peer)
                peer.close()
        seconds = time.monotonic() - begin
        self.send(node.address, "transcript").expect(0)
        node.stop()
        lines = [line for line in node.err.splitlines() if "endpoint" in line or "connection refused" in line]
        self.assertLess(len(lines), (seconds + 3) * LINES_PER_SECOND, "\n".join(lines[:20]))

    def test_a_silent_crowd_keeps_nobody_out(self):
        node = self.node()
        with silent_crowd(node.port):
            for _ in range(4):
                self.send(node.address, "transcript").expect(0)
        self.assertEqual(node.stop()["messages_run"], 4)

    def test_hanging_up_at_once(self):
        node = self.node()
        for half in (b"", b"T", HELLO):
            for _ in range(20):
                with socket.create_connection(("127.0.0.1", node.port)) as peer:
                    peer.sendall(half)
        self.send(node.address, "transcript").expect(0)
        node.stop()

    def test_two_hundred_that_never_speak(self):
        node = self.node(TC_CONNECT_TIMEOUT="2s")
        crowd = [self.dial(node) for _ in range(200)]
        self.send(node.address, "transcript", "--text", "x", "--count", 3000).expect(0)
        for peer in crowd[:100]:
            peer.close()
        self.send(node.address, "transcript", "--text", "x", "--count", 3000).expect(0)
        for peer in crowd[100:]:
            self.read_to_the_end(peer)
        self.assertEqual(node.stop()["messages_run"], 6000)

    def test_descriptors_come_back(self):
        node = self.node(TC_CONNECT_TIMEOUT="2s")
        self.send(node.address, "transcript").expect(0)
        before = node.descriptors()
        for _ in range(30):
            self.dial(node)
        wait_until(lambda: node.descriptors() <= before, "descriptors of strangers")
        node.stop()


class Options(ToolTest):
    def test_a_bad_value_is_an_error_of_every_tool(self):
        bad = (("TC_DELIVERY", "pigeon", r"auto\|direct\|am\|put"), ("TC_RING_BYTES", "5000", "4K..2M, a power of two"),
               ("TC_RING_BYTES", "8M", "4K..2M"), ("TC_SEND_QUEUE_BYTES", "-1", r"0\.\.1G"),
               ("TC_CODE_BYTES_MAX", "1", r"4K\.\.1G"), ("TC_FUNCTIONS_MAX", "0", r"1\.\.65535"),
               ("TC_FUNCTIONS_MAX", "many", r"1\.\.65535"), ("TC_CONNECT_TIMEOUT", "soon", r"1ms\.\.24h"),
               ("TC_CONNECT_TIMEOUT", "25h", r"1ms\.\.24h"), ("TC_CLOSE_TIMEOUT", "5 s", r"0\.\.24h"),
               ("TC_SPIN", "", r"0\.\.1s"), ("TC_SPIN", "2s", r"0\.\.1s"), ("TC_LISTEN_ANY", "maybe", r"no\|yes"))
        commands = (["tc-node", "--listen", "127.0.0.1:0"], ["tc-send", "127.0.0.1:1", self.function("transcript")],
                    ["tc-info", "--connect", "127.0.0.1:1"], ["tc-info", "--options"])
        for variable, value, range_text in bad:
            for tool, *arguments in commands:
                done = Process(self, [self.tool(tool), *arguments], **{variable: value})
                done.expect(1, f"{tool}: .*{variable}='{value}' is not in .*{range_text}")
                self.assertEqual(done.out, "")

    def test_a_bad_log_level_is_said(self):
        done = Process(self, [self.tool("tc-info")], TC_LOG_LEVEL="loud")
        done.expect(0, "TC_LOG_LEVEL=loud: expected off, error, warn, info or debug")


if __name__ == "__main__":
    main()
