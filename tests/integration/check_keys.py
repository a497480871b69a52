#!/usr/bin/env python3
"""Permission to connect: with the keys that the tools make, and by the kernel's information about a
user without keys.

    check_keys.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]
"""
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile

from tool_process import Node, Process, ToolTest, clean_environment, main, silent_crowd

OTHER_USER = 12345


class KeyTest(ToolTest):
    def start(self, tool, *arguments, **environment):
        return Process(self, [self.tool(tool), *arguments], **environment)

    def make_key(self):
        path = os.path.join(self.folder(), "key")
        made = self.start("tc-node", "--make-key", path).expect(0)
        return path, made.out.strip()

    def modules(self):
        return os.path.join(os.path.dirname(self.tools), "lib")


class Keys(KeyTest):
    def test_a_key_is_made_once_and_for_its_user_alone(self):
        path, name = self.make_key()
        self.assertEqual(os.stat(path).st_mode & 0o7777, 0o600)
        with open(path, encoding="ascii") as file:
            text = file.read()
        self.assertRegex(text, f"^tchains-key {name} [0-9a-f]{{64}}\n$")
        self.start("tc-node", "--make-key", path).expect(1, "--make-key .*: File exists")
        with open(path, encoding="ascii") as file:
            self.assertEqual(file.read(), text)
        self.assertNotEqual(name, self.make_key()[1])

    def test_who_has_it_connects(self):
        key, name = self.make_key()
        node = self.node(TC_KEY_FILE=key, TC_ENGINE_PATH=self.modules())
        self.send(node.address, "transcript", "--text", "hello", TC_KEY_FILE=key, TC_ENGINE_PATH=self.modules()).expect(0)
        node.wait_for_line(f"peer connected: key:{name}, ")
        self.assertEqual(node.stop()["strangers_refused"], 0)

    def test_who_has_none_or_another_is_told(self):
        key, name = self.make_key()
        other, other_name = self.make_key()
        node = self.node(TC_KEY_FILE=key, TC_ENGINE_PATH=self.modules())
        self.send(node.address, "transcript").expect(4, "refused the connection: .* keys are expected here: set key_file")
        self.send(node.address, "transcript", TC_KEY_FILE=other, TC_ENGINE_PATH=self.modules()).expect(
            4, f"it has no key of the name of this side's, key:{other_name}")
        summary = node.stop()
        self.assertEqual(summary["strangers_refused"], 2)
        self.assertEqual(summary["endpoints_opened"], 0)
        self.assertRegex(node.err, f"its key is named '{other_name}', .* expected key:{name}")

    def test_a_silent_crowd_keeps_nobody_out(self):
        key, _ = self.make_key()
        node = self.node(TC_KEY_FILE=key, TC_ENGINE_PATH=self.modules())
        with silent_crowd(node.port):
            for _ in range(12):
                self.send(node.address, "transcript", TC_KEY_FILE=key, TC_ENGINE_PATH=self.modules()).expect(0)
        self.assertEqual(node.stop()["messages_run"], 12)

    def test_strangers_are_in_the_audit(self):
        key, _ = self.make_key()
        other, _ = self.make_key()
        audit = os.path.join(self.folder(), "audit")
        node = self.node(TC_KEY_FILE=key, TC_ENGINE_PATH=self.modules(), TC_AUDIT=audit, TC_LOG_LEVEL="off")
        self.send(node.address, "transcript", TC_KEY_FILE=other, TC_ENGINE_PATH=self.modules()).expect((3, 4))
        addresses = []
        for said in (b'"}\n{"event":"opened"', b"\x16\x03\x01\x00\x05\x01\xff\xff\xff\x03"):
            with socket.create_connection(("127.0.0.1", node.port)) as stranger:
                addresses.append("127.0.0.1:%d" % stranger.getsockname()[1])
                stranger.sendall(said)
                stranger.settimeout(60)
                with contextlib.suppress(ConnectionResetError):
                    while stranger.recv(4096):
                        pass
        self.assertEqual(node.stop()["strangers_refused"], 3)
        with open(audit, encoding="ascii") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual([(line["event"], line["what"], line["status"]) for line in lines],
                         [("refused", "stranger", "TC_E_REFUSED")] * 3)
        self.assertRegex(lines[0]["peer"], r"^127\.0\.0\.1:\d+$")
        self.assertIn("its key is named", lines[0]["text"])
        self.assertEqual([line["peer"] for line in lines[1:]], addresses)
        self.assertIn("speaks clear text", lines[1]["text"])

    def test_a_listener_without_tells_who_has_one(self):
        key, _ = self.make_key()
        node = self.node()
        self.send(node.address, "transcript", TC_KEY_FILE=key, TC_ENGINE_PATH=self.modules()).expect(
            4, "answers in clear text, and keys are set here")
        node.wait_for_line("it speaks TLS, and no keys are set here")

    def test_beyond_loopback_a_key_is_needed(self):
        key, _ = self.make_key()
        self.start("tc-node", "--listen", "0.0.0.0:0").expect(
            1, "reachable from outside.* key_file .*tls_ca, tls_cert and tls_key; listen_any=yes")
        node = Node(self, self.tool("tc-node"), listen="0.0.0.0:0", TC_KEY_FILE=key, TC_ENGINE_PATH=self.modules())
        self.send(node.address, "transcript", "--text", "x", TC_KEY_FILE=key, TC_ENGINE_PATH=self.modules()).expect(0)
        node.stop()
        # No other port is open for that.
        self.assertNotRegex(node.err, "UCX's network port|every peer can run code")

    def test_files_and_options_that_are_not_fit(self):
        key, _ = self.make_key()
        os.chmod(key, 0o644)
        self.start("tc-node", TC_KEY_FILE=key).expect(1, "key_file: .* has mode 0644, expected 0600 or less")
        os.chmod(key, 0o600)
        self.start("tc-node", TC_KEY_FILE=key + "-none").expect(1, "key_file: .*No such file")
        self.start("tc-node", TC_KEY_FILE=key, TC_TLS_CA=key).expect(1, "option tls_ca is set, and tls_key is not")
        self.start("tc-node", TC_KEY_FILE=key, TC_TLS_CA=key, TC_TLS_CERT=key, TC_TLS_KEY=key).expect(
            1, "options key_file and tls_key are both set")
        self.start("tc-node", TC_TLS_CA=key, TC_TLS_CERT=key, TC_TLS_KEY=key, TC_ENGINE_PATH=self.modules()).expect(
            1, "tls_ca: .* has no certificate in PEM form")


class BusyKeys(KeyTest):
    """With a function that is there as bitcode alone."""

    def test_who_proves_nothing_does_not_learn_what_runs(self):
        key, name = self.make_key()
        other, _ = self.make_key()
        ours = {"TC_KEY_FILE": key, "TC_ENGINE_PATH": self.modules()}
        node = self.node(**ours)
        self.send(node.address, "misbehave", "--text", "nap 600000", "--timeout", 300, **ours)
        node.wait_for_line("peer connected")
        friend = self.send(node.address, "transcript", **ours)
        friend.wait_for_line(f"busy for \\d+ s in function 'misbehave' of key:{name}")
        friend.kill()
        clear = self.send(node.address, "transcript")
        clear.expect(4, "refused the connection: .* keys are expected here")
        stranger = self.send(node.address, "transcript", TC_KEY_FILE=other, TC_ENGINE_PATH=self.modules())
        stranger.expect(4, "it has no key of the name of this side's")
        for text in clear.err, stranger.err:
            self.assertNotIn("misbehave", text)
        node.kill()


class NoTls(KeyTest):
    """The module is missing, or was not built because OpenSSL was missing: keys can be made, but no connection with keys."""
    def test_it_is_said_what_is_missing(self):
        key, _ = self.make_key()
        text = "keys are configured .* install libssl3 .*libtchains-tls.so"
        nowhere = {"TC_KEY_FILE": key, "TC_ENGINE_PATH": self.folder()}
        self.start("tc-node", **nowhere).expect(1, text)
        node = self.node()
        self.send(node.address, "transcript", **nowhere).expect(1, text)
        self.send(node.address, "transcript", "--text", "without keys").expect(0)
        summary = node.stop()
        self.assertEqual((summary["endpoints_opened"], node.transcript()), (1, [b"without keys"]))


class Users(KeyTest):
    def as_other_user(self, *command, **environment):
        """The tools need not be where another user may read: they are opened before."""
        if os.geteuid() != 0:
            self.skipTest("takes root to be another user")
        try:
            subprocess.run(["true"], user=OTHER_USER, check=True)
            readable = subprocess.run([command[0], "--help"], user=OTHER_USER, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, check=False, env=clean_environment()).returncode == 0
        except (OSError, subprocess.SubprocessError):
            readable = False
        if not readable:
            self.skipTest("another user cannot run the tools where they lie")
        return subprocess.run(command, user=OTHER_USER, group=OTHER_USER, extra_groups=[], text=True, timeout=60,
                              capture_output=True, check=False, env=clean_environment(**environment))

    def test_a_user_is_told_by_the_kernel(self):
        node = self.node()
        self.send(node.address, "transcript", "--text", "hello").expect(0)
        node.wait_for_line(f"peer connected: uid:{os.geteuid()}, ")
        node.stop()

    def test_another_users_processes_are_refused(self):
        node = self.node()
        done = self.as_other_user(self.tool("tc-send"), node.address, self.function("transcript"))
        self.assertEqual(done.returncode, 4)
        # The connecting side meets root's listener, which it may: the listener refuses.
        self.assertRegex(done.stderr, f"is a process of user {OTHER_USER}, expected user 0 or root")
        self.assertEqual(node.stop()["strangers_refused"], 1)
        self.assertTrue(re.search(f"refused: .* user {OTHER_USER}, .*local_users=any", node.err))

    def test_another_user_is_let_in(self):
        """Neither can map the other's memory, so it is the connection that carries everything, unasked."""
        key, name = self.make_key()
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o711)
            copy = shutil.copy(key, folder)
            if os.geteuid() == 0:
                os.chown(copy, OTHER_USER, OTHER_USER)
            for mine, theirs, who in (({"TC_KEY_FILE": key}, {"TC_KEY_FILE": copy}, f"key:{name}"),
                                      ({"TC_LOCAL_USERS": "any"}, {}, f"uid:{OTHER_USER}")):
                with self.subTest(who):
                    node = self.node(TC_ENGINE_PATH=self.modules(), **mine)
                    done = self.as_other_user(self.tool("tc-send"), node.address, self.function("transcript"), "--text",
                                              "hello", TC_ENGINE_PATH=self.modules(), **theirs)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    node.wait_for_line(f"peer connected: {who}, ")
                    node.stop()
                    self.assertEqual(node.transcript(), [b"hello"])


if __name__ == "__main__":
    main()
