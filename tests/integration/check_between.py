#!/usr/bin/env python3
"""A man in the middle of tc-send and tc-node while delivery `stream` carries everything over their connection: records that
are changed, repeated, left out, exchanged, cut or made up end that endpoint, at both sides, and no other.

    check_between.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]
"""
import os
import select
import socket
import struct
import threading

from tool_process import DEADLINE_S, ENDLESS, Process, ToolTest, main

TLS_HEADER, TLS_APPLICATION = 5, 0x17
HELLO_HEADER, RECORD_HEADER, RECORD_FIRST = 16, 12, 0x80
HANDSHAKE_RECORDS = 8  # more than come before an endpoint is open
RECORD_HELD = 3        # and after it


def tls_size(buffer):
    return TLS_HEADER + struct.unpack_from(">H", buffer, 3)[0] if len(buffer) >= TLS_HEADER else None


def clear_size(buffer):
    """The parts of a message of wire/hello.h, or of a record."""
    if len(buffer) < HELLO_HEADER:
        return None
    if buffer[0] >= RECORD_FIRST:
        return RECORD_HEADER + struct.unpack_from("<I", buffer, 4)[0]
    return HELLO_HEADER + struct.unpack_from("<I", buffer, 8)[0]


def flipped(record, at):
    changed = bytearray(record)
    changed[at] ^= 1
    return bytes(changed)

# Errors of tc-send: messages were not run, or the target was lost, or refused this side; which of them depends on the time.
FAILED = (1, 3, 4)


class Way:
    """One direction: whole records, passed on as they come, but for the one that something is done to."""

    def __init__(self, size_of, deed):
        self.size_of, self.deed = size_of, deed
        self.buffer, self.count, self.kept, self.cut = b"", 0, None, False

    def take(self, data):
        self.buffer += data
        out = b""
        while not self.cut and (size := self.size_of(self.buffer)) is not None and len(self.buffer) >= size:
            record, self.buffer = self.buffer[:size], self.buffer[size:]
            self.count += 1
            out += self.change(record)
        return out

    def change(self, record):
        if self.deed is None or self.count < HANDSHAKE_RECORDS:
            return record
        if self.count == HANDSHAKE_RECORDS:
            if self.deed == "swap":
                self.kept = record
                return b""
            return self.do(record)
        if self.kept is not None:
            kept, self.kept = self.kept, None
            return record + kept
        return record

    def do(self, record):
        if self.deed == "cut":
            self.cut = True
            return record[:len(record) // 2]
        done = {"repeat": record + record, "drop": b"", "cut": record[:len(record) // 2]}
        if self.deed in done:
            return done[self.deed]
        if self.deed.startswith("flip"):
            return flipped(record, int(self.deed.split()[1]) % len(record))
        return bytes.fromhex(self.deed.split()[1]) + record  # "insert HEX"


class Between(threading.Thread):
    """Takes one connection to the node."""

    def __init__(self, port, size_of, to_target=None, to_source=None):
        super().__init__(daemon=True)
        self.port = port
        self.ways = [Way(size_of, to_target), Way(size_of, to_source)]
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listening.getsockname()[1]
        self.start()

    def run(self):
        with self.listening:
            far = self.listening.accept()[0]
        with far, socket.create_connection(("127.0.0.1", self.port)) as near:
            try:
                self.pass_on({far: (near, self.ways[0]), near: (far, self.ways[1])})
            except OSError:  # one of them has hung up already
                pass

    @staticmethod
    def pass_on(sockets):
        while sockets:
            for one in select.select(list(sockets), [], [], DEADLINE_S)[0]:
                other, way = sockets[one]
                data = one.recv(1 << 16)
                other.sendall(way.take(data))
                if way.cut:
                    return
                if not data:
                    other.shutdown(socket.SHUT_WR)
                    del sockets[one]


class BetweenTest(ToolTest):
    size_of = environment = None

    def begin(self):
        self.settings = {"TC_DELIVERY": "stream", **self.environment_of()}
        self.target = self.node(**self.settings)
        self.witness = self.stream(self.target.address)
        self.attacked = 0

    def environment_of(self):
        return {}

    def stream(self, address):
        """Messages that come back as credit, again and again."""
        return self.send(address, "transcript", "--text", "x" * 1000, "--count", ENDLESS, "--timeout", DEADLINE_S, **self.settings)

    def attack(self, **deed):
        between = Between(self.target.port, type(self).size_of, **deed)
        source = self.stream(between.address)
        self.assertIn(source.wait(), FAILED, f"{deed}: {source.err}")
        self.attacked += 1
        return source

    def target_failed(self, pattern):
        """As often as there were attacks until now."""
        self.target.wait_for_line(pattern, self.attacked)

    def end(self):
        """A peer that goes on meanwhile, and one that comes afterwards."""
        self.wait_for_output(self.target, self.witness, self.target.out_size() + 5000)
        self.witness.kill()
        self.send(self.target.address, "transcript", "--text", "later", **self.settings).expect(0)
        summary = self.target.stop()
        self.assertGreaterEqual(summary["endpoints_failed"], self.attacked)
        self.assertEqual(summary["endpoints_opened"], self.attacked + 2)
        self.assertEqual(summary["code_refused"], 0)


class SealedLine(BetweenTest):
    size_of = staticmethod(tls_size)

    def environment_of(self):
        path = os.path.join(self.folder(), "key")
        Process(self, [self.tool("tc-node"), "--make-key", path]).expect(0)
        return {"TC_KEY_FILE": path, "TC_ENGINE_PATH": os.path.join(os.path.dirname(self.tools), "lib")}

    DEEDS = ("flip 5", "flip -1", "flip 100", "flip 0", "repeat", "drop", "swap", "insert 1703030000",
             "insert 15030300020100", "insert 140303000101", "insert 1703030020" + "00" * 32, "insert 474554202f")

    def test_what_goes_to_the_target(self):
        self.begin()
        # A length that is too large holds up the one line until there is more: here that does not end.
        for deed in (*self.DEEDS, "flip 3"):
            self.attack(to_target=deed)
            self.target_failed("peer lost after .*: a record was changed on its way")
        self.end()

    def test_what_comes_back(self):
        self.begin()
        for deed in self.DEEDS + ("flip 4",):
            self.attack(to_source=deed).expect(FAILED, "a record was changed on its way")
        self.end()

    def test_a_line_that_is_cut_within_a_record(self):
        self.begin()
        self.attack(to_target="cut").expect(FAILED, "peer lost: ")
        self.target_failed("peer lost after .*(without ending it in order|connection failed)")
        self.attack(to_source="cut").expect(FAILED, "peer lost: .*(without ending it in order|connection failed)")
        self.end()


class ClearLine(BetweenTest):
    size_of = staticmethod(clear_size)

    def test_records_by_their_headers(self):
        self.begin()
        for deed in ("flip 0", "flip 1", "flip 7", "flip 8", "flip 11", "repeat", "drop", "swap", "insert 474554202f",
                     "insert " + "ff" * 12):
            self.attack(to_target=deed)
            self.target_failed("record|not a Three-Chains peer|may not lie")
        self.end()


if __name__ == "__main__":
    main()
