#!/usr/bin/env python3
"""tc-send and tc-node as users meet them: the messages that arrive, their order, and both programs'
output.

    check_messages.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]
"""
import os
import signal
import tempfile

from tool_process import Process, ToolTest, main


class Messages(ToolTest):
    def test_text(self):
        node = self.node()
        done = self.send(node.address, "transcript", "--text", "hello, target").expect(0)
        self.assertRegex(done.out, r"^tc-send: 1 messages of 'transcript' run in ")
        summary = node.stop()
        self.assertEqual(node.transcript(), [b"hello, target"])
        self.assertEqual(summary["messages_run"], 1)
        self.assertEqual(summary["code_received"], 1)
        self.assertEqual(summary["endpoints_failed"], 0)

    def test_file(self):
        node = self.node()
        content = bytes(range(256)) * 64
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            self.send(node.address, "transcript", "--payload", file.name, "--count", 3).expect(0)
        node.stop()
        self.assertEqual(node.transcript(), [content] * 3)

    def test_standard_input(self):
        node = self.node()
        with tempfile.TemporaryFile() as file:
            file.write(b"from\0a pipe\n")
            file.seek(0)
            self.send(node.address, "transcript", "--payload", "-", stdin=file).expect(0)
        node.stop()
        self.assertEqual(node.transcript(), [b"from\0a pipe\n"])

    def test_no_payload(self):
        node = self.node()
        self.send(node.address, "transcript").expect(0)
        node.stop()
        self.assertEqual(node.transcript(), [b""])

    def test_many_carry_their_code_once(self):
        node = self.node()
        done = self.send(node.address, "transcript", "--text", "again", "--count", 5000).expect(0)
        self.assertIn("5000 messages", done.out)
        summary = node.stop()
        self.assertEqual(node.transcript(), [b"again"] * 5000)
        self.assertEqual(summary["messages_run"], 5000)
        self.assertEqual(summary["messages_dropped"], 0)
        self.assertEqual(summary["code_received"], 1)

    def test_code_sent_ahead(self):
        node = self.node()
        done = self.send(node.address, "transcript", "--prepare").expect(0)
        self.assertRegex(done.out, r"^tc-send: the target can call 'transcript' after [0-9.]+ ms$")
        self.send(node.address, "unbound", "--prepare").expect(4, "refused by the target: unbound: no library here defines")
        self.send(node.address, "transcript", "--prepare", "--text", "x").expect(2, "usage: ")
        self.send(node.address, "transcript", "--text", "x").expect(0)
        summary = node.stop()
        self.assertEqual(node.transcript(), [b"x"])
        self.assertEqual(summary["messages_run"], 1)
        self.assertEqual(summary["code_received"], 2)

    def test_calls_write_the_answer(self):
        """docs/tutorial.md shows an answer; this function gives none."""
        node = self.node()
        done = self.send(node.address, "transcript", "--call", "--text", "x", "--count", 3).expect(0)
        self.assertEqual(done.out, "")
        self.send(node.address, "unbound", "--call").expect(4, r"no library here defines.*\(TC_E_UNRESOLVED\)")
        self.send(node.address, "transcript", "--call", "--prepare").expect(2, "usage: ")
        node.stop()
        self.assertEqual(node.transcript(), [b"x"] * 3)

    def test_nothing_is_lost_behind_an_answer(self):
        """The function answers first and goes on then."""
        if not os.path.exists(self.function("early")):
            self.skipTest("early is not built: what answers a call is bitcode")
        node = self.node()
        done = self.send(node.address, "early", "--call", "--text", "soon", TC_LOG="info").expect(0)
        self.assertEqual(done.out, "soon")
        self.assertEqual(done.err, "")
        self.send(node.address, "early", "--prepare", TC_LOG="info").expect(0)
        summary = node.stop()
        self.assertEqual(summary["messages_run"], 1)
        self.assertEqual(summary["endpoints_failed"], 0)

    def test_uncached(self):
        node = self.node()
        self.send(node.address, "transcript", "--text", "x", "--count", 200, "--uncached").expect(0)
        self.assertEqual(node.stop()["messages_run"], 200)
        self.assertEqual(node.transcript(), [b"x"] * 200)

    def test_code_larger_than_a_ring(self):
        node = self.checking_node(TC_RING_BYTES="4K")
        self.send(node.address, "bulky", "--text", "abc", "--count", 50, TC_RING_BYTES="4K").expect(0)
        self.send(node.address, "bulky", "--text", "abc", "--uncached", "--count", 3, TC_RING_BYTES="4K").expect(0)
        self.assertEqual(node.stop()["messages_run"], 53)
        self.assertIn("check: 53 run, 0 wrong, 159 bytes", node.out)

    def test_a_payload_beyond_the_limit(self):
        """The source's own limit, and one that only the target knows."""
        node = self.node(TC_PAYLOAD_BYTES_MAX="64K", TC_RING_BYTES="4K")
        done = self.send(node.address, "transcript", "--text", "x" * 65537, TC_PAYLOAD_BYTES_MAX="64K")
        done.expect(1, r"payload is above the 65536 bytes that this peer takes")
        done = self.send(node.address, "transcript", "--text", "x" * 65537)
        done.expect(4, r"payload of 65537 bytes, option payload_bytes_max is 65536")
        self.assertEqual(node.stop()["messages_run"], 0)

    def test_a_payload_larger_than_the_ring(self):
        node = self.node(TC_RING_BYTES="4K")
        self.send(node.address, "transcript", "--text", "x" * 100000).expect(0)
        self.assertEqual(node.stop()["messages_run"], 1)
        self.assertEqual(node.transcript(), [b"x" * 100000])

    def test_a_payload_that_cannot_be_made(self):
        node = self.checking_node()
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"\xff")
            file.flush()
            self.send(node.address, "doubled", "--payload", file.name).expect(1, "payload_init")
        self.send(node.address, "doubled", "--text", "abc", "--count", 2).expect(0)
        summary = node.stop()
        self.assertEqual(summary["messages_run"], 2)
        self.assertEqual(summary["code_received"], 1)
        self.assertIn("check: 2 run, 0 wrong, 12 bytes", node.out)

    def test_quiet(self):
        node = self.node()
        done = self.send(node.address, "transcript", "--quiet").expect(0)
        self.assertEqual(done.out + done.err, "")


class Ending(ToolTest):
    def test_the_target_ends_after_a_number_of_messages(self):
        for _ in range(5):
            node = self.node("--exit-after", 20)
            self.send(node.address, "transcript", "--text", "x", "--count", 20).expect(0)
            node.expect(0)
            self.assertEqual(node.summary()["messages_run"], 20)

    def test_the_target_ends_before_the_source_does(self):
        node = self.node("--exit-after", 100)
        self.send(node.address, "transcript", "--text", "x", "--count", 1000000).expect(3, "closed")
        node.expect(0)
        self.assertGreaterEqual(node.summary()["messages_run"], 100)

    def test_signals_end_the_target_with_a_summary(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            node = self.node()
            self.send(node.address, "transcript").expect(0)
            self.assertEqual(node.stop(number)["messages_run"], 1)

    def test_the_summary_in_words(self):
        node = self.node(form=())
        self.send(node.address, "transcript", "--count", 3).expect(0)
        node.signal(signal.SIGINT)
        node.expect(0)
        self.assertIn("tc-node: 3 messages run, 0 dropped, 1 functions received, 0 refused, 1 peers, 0 failed\n",
                      node.out)

    def test_wrong_arguments(self):
        for tool, arguments in (("tc-send", []), ("tc-send", ["127.0.0.1:1"]),
                                ("tc-send", ["127.0.0.1:1", "x.tca", "--count", "0"]),
                                ("tc-send", ["127.0.0.1:1", "x.tca", "--count", "many"]),
                                ("tc-send", ["127.0.0.1:1", "x.tca", "--text", "a", "--payload", "b"]),
                                ("tc-send", ["127.0.0.1:1", "x.tca", "--nothing"]),
                                ("tc-node", ["extra"]), ("tc-node", ["--nothing"]),
                                ("tc-node", ["--exit-after", "soon"])):
            done = Process(self, [self.tool(tool), *arguments])
            done.expect(2, f"usage: {tool}|{tool}: .*expected|unexpected")
            self.assertEqual(done.out, "")

    def test_what_cannot_be_loaded_is_said_at_the_start(self):
        for arguments, text in ((["--lib", "/nonexistent/lib.so"], "/nonexistent/lib.so"),
                                (["--lib", self.args_library, "--args-symbol", "no_such_symbol"], "no_such_symbol")):
            Process(self, [self.tool("tc-node"), "--listen", "127.0.0.1:0", *arguments]).expect(1, text)


if __name__ == "__main__":
    main()
