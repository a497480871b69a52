#!/usr/bin/env python3
"""Keys, signatures and targets that ask for them, by the tools; and minisign's own beside them.

    check_signatures.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]
"""
import json
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
        self.send(node.address, self.code, "--text", "x").expect(4, "refused by the target", "transcript: code [0-9a-f]{32}",
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
        self.send(node.address, self.code, "--text", "x").expect(4, "does not fit: it is of other code, or damaged")
        node.stop()

    def test_a_key_that_goes_takes_what_it_signed_along(self):
        self.ar("sign", "--key", self.trusted_key("build"), self.code).expect(0)
        node = self.strict_node()
        self.send(node.address, self.code, "--text", "before").expect(0)
        os.unlink(os.path.join(self.trust, "build.pub"))
        node.signal(signal.SIGHUP)
        node.wait_for_line("keys and lists read again")
        self.send(node.address, self.code, "--text", "after").expect(4, "none of the 0")
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


class Passwords(KeyTest):
    """Secret keys that a password protects. Each use of one takes a second and a gigabyte, as minisign has it."""
    def with_password(self, word, *arguments, times=1):
        path = self.path("password")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"{word}\n" * times)
        with open(path, encoding="ascii") as file:
            return Process(self, arguments, stdin=file)

    def test_a_secret_key_takes_its_password(self):
        self.with_password("pass word", self.tool("tc-ar"), "keygen", "--encrypt", self.path("build"), times=2).expect(0)
        sign = self.tool("tc-ar"), "sign", "--key", self.path("build.key"), self.code
        self.ar(*sign[1:]).expect(1, "no password on stdin")
        self.with_password("other", *sign).expect(1, "the password does not open the secret key")
        self.assertFalse(os.path.exists(self.code + ".minisig"))
        self.with_password("pass word", *sign).expect(0)
        self.ar("verify", "--key", self.path("build.pub"), self.code).expect(0)

    @unittest.skipUnless(MINISIGN, "minisign is not installed (package minisign)")
    def test_minisigns_keys_have_passwords_too(self):
        self.with_password("pass word", MINISIGN, "-G", "-p", self.path("its.pub"), "-s", self.path("its.key"), times=2).expect(0)
        self.with_password("pass word", self.tool("tc-ar"), "sign", "--key", self.path("its.key"), self.code).expect(0)
        self.ar("verify", "--key", self.path("its.pub"), self.code).expect(0)


class SealedCache(KeyTest):
    """Compiled code that a node finds in its cache, where only signed code may run."""
    def setUp(self):
        super().setUp()
        self.ar("sign", "--key", self.trusted_key("build"), self.code).expect(0)

    def run_node(self, cache, home=None, **environment):
        """A node's life with one message. Returns the way its function was loaded, and the node's log."""
        audit = os.path.join(self.folder(), "audit")
        os.makedirs(self.path(cache), 0o700, exist_ok=True)
        node = self.node(**{"TC_TRUST": self.trust, "TC_REQUIRE_SIGNATURE": "yes", "TC_FORM": "bitcode", "TC_TIER": "fast",
                            "TC_CACHE_DIR": self.path(cache), "XDG_CONFIG_HOME": home or self.place, "TC_AUDIT": audit,
                            **environment})
        self.send(node.address, self.code, "--text", "here").expect(0)
        summary = node.stop()
        self.assertEqual((node.transcript(), summary["code_refused"]), ([b"here"], 0))
        with open(audit, encoding="ascii") as file:
            loads = [event["form"] for event in map(json.loads, file) if event["event"] == "loaded"]
        self.assertEqual(len(loads), 1)
        return loads[0], node.err

    def stored(self, cache):
        names = [name for name in os.listdir(self.path(cache)) if not name.startswith(".")]
        self.assertEqual(len(names), 1)
        return os.path.join(self.path(cache), names[0])

    def expect_not_run(self, warning):
        """The object that lies there is not used, is reported, and is replaced by a newly compiled one."""
        form, log = self.run_node("cache")
        self.assertEqual(form, "jit")
        self.assertRegex(log, warning)
        self.assertEqual(self.run_node("cache")[0], "cached")

    def test_what_the_node_stored_is_found(self):
        self.assertEqual(self.run_node("cache")[0], "jit")
        form, log = self.run_node("cache")
        self.assertEqual((form, "warn" in log), ("cached", False))

    def test_what_was_changed_is_not_run(self):
        self.run_node("cache")
        path = self.stored("cache")
        size = os.path.getsize(path)
        for at in (0, 8, 100, size // 2, size - 1):
            with open(path, "r+b") as file:
                file.seek(at)
                byte = file.read(1)[0]
                file.seek(at)
                file.write(bytes([byte ^ 1]))
            self.expect_not_run("object cache .*; deleted")
        os.truncate(path, size - 1)
        self.expect_not_run("object cache .*; deleted")

    def test_what_somebody_else_compiled_is_not_run(self):
        self.run_node("cache")
        self.run_node("open", TC_REQUIRE_SIGNATURE="no")  # a checksum that anybody can make
        self.run_node("theirs", home=self.folder())       # a seal of another key
        for other in ("open", "theirs"):
            shutil.copy(self.stored(other), self.stored("cache"))
            self.expect_not_run("object cache .*(TCSEALED|checksum).*; deleted")


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
