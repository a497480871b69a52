#!/usr/bin/env python3
"""Keys, signatures and targets that ask for them, by the tools; and minisign's own beside them.

    check_signatures.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]
"""
import os
import shutil
import signal
import subprocess
import unittest

from tool_process import Process, ToolTest, main

MINISIGN = shutil.which("minisign")


class KeyTest(ToolTest):
    def setUp(self):
        self.place = self.folder()
        self.trust = self.path("trust")
        os.mkdir(self.trust, 0o700)
        self.code = self.path("transcript.tca")
        shutil.copy(self.function("transcript"), self.code)

    def path(self, name):
        return os.path.join(self.place, name)

    def ar(self, *arguments, stdin=subprocess.DEVNULL):
        return Process(self, [self.tool("tc-ar"), *arguments], stdin=stdin)

    def make_key(self, name):
        self.ar("keygen", self.path(name)).expect(0)
        return self.path(name + ".key"), self.path(name + ".pub")

    def trusted_key(self, name):
        secret, public = self.make_key(name)
        shutil.copy(public, self.trust)
        return secret

    def strict_node(self, **environment):
        return self.node(TC_TRUST=self.trust, TC_REQUIRE_SIGNATURE="yes", XDG_CONFIG_HOME=self.place, **environment)


class Signatures(KeyTest):
    def test_a_secret_key_is_nobody_elses_and_is_not_replaced(self):
        secret, _ = self.make_key("build")
        self.assertEqual(os.stat(secret).st_mode & 0o7777, 0o600)
        self.ar("keygen", self.path("build")).expect(1, "build.key: File exists")
        os.chmod(secret, 0o640)
        self.ar("sign", "--key", secret, self.code).expect(1, "has mode 0640, expected 0600")

    def test_what_is_signed_runs_and_what_is_not_does_not(self):
        secret = self.trusted_key("build")
        node = self.strict_node()
        self.send(node.address, self.code, "--text", "x").expect(1, "refused by the target", "transcript: code [0-9a-f]{32}",
                                                                "not signed", "require_signature")
        self.ar("sign", "--key", secret, self.code).expect(0)
        self.send(node.address, self.code, "--text", "signed").expect(0)
        summary = node.stop()
        self.assertEqual(node.transcript(), [b"signed"])
        self.assertEqual((summary["code_refused"], summary["code_untrusted"]), (1, 1))

    def test_code_that_was_changed_behind_its_signature_is_refused(self):
        self.ar("sign", "--key", self.trusted_key("build"), self.code).expect(0)
        shutil.copy(self.function("echo"), self.code)
        node = self.strict_node()
        self.send(node.address, self.code, "--text", "x").expect(1, "does not fit: it is of other code, or damaged")
        node.stop()

    def test_a_key_that_goes_takes_what_it_signed_along(self):
        self.ar("sign", "--key", self.trusted_key("build"), self.code).expect(0)
        node = self.strict_node()
        self.send(node.address, self.code, "--text", "before").expect(0)
        os.unlink(os.path.join(self.trust, "build.pub"))
        node.signal(signal.SIGHUP)
        node.wait_for_line("keys and lists read again")
        self.send(node.address, self.code, "--text", "after").expect(1, "none of the 0")
        node.stop()
        self.assertEqual(node.transcript(), [b"before"])

    def test_without_a_key_nothing_starts(self):
        node = Process(self, [self.tool("tc-node")], TC_TRUST=self.trust, TC_REQUIRE_SIGNATURE="yes")
        node.expect(1, r"no key of .*trust can be used: no file \*\.pub")

    def test_verifying_says_what_is_wrong(self):
        secret, public = self.make_key("build")
        _, other = self.make_key("other")
        self.assertRegex(self.ar("verify", "--key", public, self.code).expect(1).out, "No such file")
        self.ar("sign", "--key", secret, self.code).expect(0)
        self.assertIn(", signed", self.ar("verify", "--key", public, self.code).expect(0).out)
        self.assertRegex(self.ar("verify", "--key", other, self.code).expect(1).out, "is signed by key .*, expected")
        with open(self.code + ".minisig", encoding="ascii") as file:
            text = file.read()
        with open(self.code + ".minisig", "w", encoding="ascii") as file:
            file.write(text.replace("function:transcript", "function:another"))
        self.assertRegex(self.ar("verify", "--key", public, self.code).expect(1).out, "trusted comment")


@unittest.skipUnless(MINISIGN, "minisign is not installed (package minisign)")
class Minisign(KeyTest):
    def minisign(self, *arguments):
        return Process(self, [MINISIGN, *arguments])

    def statement(self):
        path = self.path("statement")
        with open(path, "w", encoding="ascii") as file:
            file.write(self.ar("digest", self.code).expect(0).out)
        return path

    def test_its_tool_verifies_what_ours_signs(self):
        secret, public = self.make_key("build")
        self.ar("sign", "--key", secret, self.code).expect(0)
        statement = self.statement()
        done = self.minisign("-V", "-p", public, "-x", self.code + ".minisig", "-m", statement).expect(0)
        self.assertIn("function:transcript", done.out)
        with open(statement, "a", encoding="ascii") as file:
            file.write("\n")
        self.minisign("-V", "-p", public, "-x", self.code + ".minisig", "-m", statement).expect(1)

    def test_what_its_tool_signs_runs(self):
        self.minisign("-G", "-W", "-p", os.path.join(self.trust, "its.pub"), "-s", self.path("its.key")).expect(0)
        self.minisign("-S", "-s", self.path("its.key"), "-m", self.statement(), "-x", self.code + ".minisig").expect(0)
        node = self.strict_node()
        self.send(node.address, self.code, "--text", "by minisign").expect(0)
        node.stop()
        self.assertEqual(node.transcript(), [b"by minisign"])

    def test_our_key_signs_by_its_tool(self):
        secret, public = self.make_key("build")
        self.minisign("-S", "-s", secret, "-m", self.statement(), "-x", self.code + ".minisig").expect(0)
        self.ar("verify", "--key", public, self.code).expect(0)


if __name__ == "__main__":
    main()
