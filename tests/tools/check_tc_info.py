#!/usr/bin/env python3
"""tc-info as a user meets it: its output, as text and as JSON, and its failures.

    check_tc_info.py TC_INFO TC_NODE [PACKAGE]    a package with the library `series`
"""
import json
import socket
import subprocess
import sys
import unittest

from node_process import Node, clean_environment

TC_INFO = None
TC_NODE = None
PACKAGE = None


def run(*arguments, **environment):
    return subprocess.run([TC_INFO, *arguments], env={**clean_environment(), **environment}, capture_output=True,
                          text=True, timeout=60, check=False)


class TcInfo(unittest.TestCase):
    def json_of(self, *arguments, **environment):
        done = run(*arguments, "--json", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_versions(self):
        info = self.json_of()
        self.assertRegex(info["library"], r"^\d+\.\d+\.\d+$")
        self.assertRegex(info["ucx"], r"^\d+\.\d+")
        self.assertRegex(info["llvm"], r"^(\d+\.\d+\.\d+|none)$")
        self.assertIn(info["triple"], ["x86_64-linux", "aarch64-linux"])
        self.assertGreaterEqual(info["protocol"], 1)
        text = run()
        self.assertEqual(text.returncode, 0)
        for name in info:
            self.assertRegex(text.stdout, rf"(?m)^{name}\s")

    def test_without_an_engine(self):
        self.assertEqual(self.json_of(TC_ENGINE_PATH="/nonexistent")["llvm"], "none")

    def test_options(self):
        listing = self.json_of("--options")
        self.assertEqual(listing["log_level"], "warn")
        for option in listing["options"]:
            self.assertEqual(set(option), {"name", "env", "unit", "default", "range", "value", "help"})
        values = {option["name"]: option["value"] for option in listing["options"]}
        self.assertEqual(values["delivery"], "auto")
        text = run("--options").stdout
        for option in listing["options"]:
            self.assertIn(option["env"], text)
            self.assertIn(option["help"], text)

    def test_a_variable_that_is_no_option(self):
        done = run("--options", TC_DELIVRY="am", TC_SOMEBODY_ELSE="1", TC_LOG_LEVEL="warn")
        self.assertEqual(done.returncode, 0)
        lines = [line for line in done.stderr.splitlines() if "environment" in line]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn("TC_DELIVRY is no option and has no effect; TC_DELIVERY is one", lines[0])
        self.assertIn("TC_SOMEBODY_ELSE is no option", run("--options", TC_SOMEBODY_ELSE="1", TC_LOG_LEVEL="info").stderr)

    def test_an_option_from_the_environment(self):
        listing = self.json_of("--options", TC_DELIVERY="am", TC_IFUNC_PATH='/a "quoted"\\:/b\n', TC_LOG_LEVEL="error")
        values = {option["name"]: option["value"] for option in listing["options"]}
        self.assertEqual(values["delivery"], "am")
        self.assertEqual(values["ifunc_path"], '/a "quoted"\\:/b\n')
        self.assertEqual(listing["log_level"], "error")

    def test_a_bad_environment(self):
        done = run("--options", TC_SPIN="soon")
        self.assertEqual(done.returncode, 1)
        self.assertIn("TC_SPIN", done.stderr)
        self.assertIn("soon", done.stderr)

    def test_the_document_does_not_depend_on_the_environment(self):
        plain = run("--options", "--markdown")
        self.assertEqual(plain.returncode, 0)
        self.assertEqual(plain.stdout, run("--options", "--markdown", TC_DELIVERY="am").stdout)

    def test_a_peer(self):
        own = self.json_of()
        with Node(TC_NODE) as node:
            peer = self.json_of("--connect", node.address)
            forced = self.json_of("--connect", node.address, TC_DELIVERY="am")
            text = run("--connect", node.address)
        self.assertEqual(peer["peer"], node.address)
        self.assertIn(peer["delivery"], ["direct", "am"])
        self.assertEqual(forced["delivery"], "am")
        for name in ("library", "ucx", "llvm", "triple"):
            self.assertEqual(peer[name], own[name])
        self.assertTrue(peer["cpu"])
        self.assertGreater(peer["payload_max"], 0)
        self.assertEqual(text.returncode, 0)
        self.assertIn(node.address, text.stdout)

    def test_what_a_peer_holds(self):
        with Node(TC_NODE) as node:
            done = run("--connect", node.address, "--holdings", "--json")
            refused = run("--connect", node.address, "--holdings", "--cache")
        self.assertEqual(refused.returncode, 2)
        if PACKAGE is None and done.returncode != 0:
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("TC_E_UNSUPPORTED", done.stderr)
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), {"packages": [], "libraries": []})
        if PACKAGE is None:
            return
        with Node(TC_NODE, arguments=("--package", PACKAGE)) as node:
            held = self.json_of("--connect", node.address, "--holdings")
            text = run("--connect", node.address, "--holdings").stdout
        package, = held["packages"]
        library, = held["libraries"]
        self.assertEqual((package["name"], library["name"]), ("series", "series"))
        self.assertEqual((library["owner"], library["functions"], library["libraries"]), ("", 0, 0))
        self.assertGreater(package["elements"], 1)
        self.assertGreater(library["symbols"], 0)
        self.assertGreater(library["memory_bytes"], 0)
        for each in (package, library):
            self.assertRegex(each["id"], r"^[0-9a-f]{32}$")
            self.assertIn(each["id"], text)

    def test_nobody_listens(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # bound and not listening: a port that refuses
            done = run("--connect", f"127.0.0.1:{taken.getsockname()[1]}", TC_CONNECT_TIMEOUT="5s")
        self.assertEqual(done.returncode, 3)
        self.assertIn("TC_E_UNREACHABLE", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_an_address_that_is_none(self):
        done = run("--connect", "not an address")
        self.assertEqual(done.returncode, 1)
        self.assertIn("TC_E_INVALID", done.stderr)

    def test_wrong_arguments(self):
        for arguments in (["--nothing"], ["extra"], ["--markdown"], ["--connect"], ["--holdings"],
                          ["--options", "--connect", "127.0.0.1:1"]):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("usage:", done.stderr)

    def test_help_fits_a_screen(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        lines = done.stdout.splitlines()
        self.assertLessEqual(len(lines), 24)
        self.assertLessEqual(max(map(len, lines)), 100)


if __name__ == "__main__":
    TC_INFO = sys.argv.pop(1)
    TC_NODE = sys.argv.pop(1)
    PACKAGE = sys.argv.pop(1) if len(sys.argv) > 1 else None
    unittest.main()
