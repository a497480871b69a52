#!/usr/bin/env python3
"""Common behaviour of all programs: --version, --help on any terminal, complaints and exit statuses, JSON,
completions.

    check_manners.py BIN_FOLDER COMPLETIONS_FOLDER FUNCTIONS_FOLDER
"""
import fcntl
import glob
import json
import os
import pty
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

from node_process import Node, clean_environment

BIN = COMPLETIONS = FUNCTIONS = None
USAGE, NO_PEER, REFUSED = 2, 3, 4
DEADLINE_S = 60
PROGRAMS = ("tc-ar", "tc-clang", "tc-info", "tc-node", "tc-package", "tc-perf", "tc-ping", "tc-run", "tc-send")


def programs():
    """Without LLVM some are not built."""
    return [name for name in PROGRAMS if os.path.exists(os.path.join(BIN, name))]


def run(program, *arguments, stdin=subprocess.DEVNULL, **environment):
    return subprocess.run([os.path.join(BIN, program), *arguments], env={**clean_environment(), **environment}, stdin=stdin,
                          capture_output=True, timeout=DEADLINE_S, check=False)


def on_terminal(columns, program, *arguments, **environment):
    """The program's output on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([os.path.join(BIN, program), *arguments], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                               env={**clean_environment(), "TERM": "xterm-256color", **environment})
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the last one that had the terminal has closed it
            break
        if not part:
            break
        text += part
    os.close(ours)
    process.wait(timeout=DEADLINE_S)
    return text.decode()


def commands():
    """Every program, and every command of those that have some."""
    for program in programs():
        yield [program]
        text = run(program, "--help").stdout.decode()
        if f"{program} COMMAND" in text or f"{program} EXPERIMENT" in text:
            yield from ([program, name] for name in re.findall(r"^  ([a-z][\w-]*) ", text, re.MULTILINE)
                        if name != "plot")  # a program of its own


# Wrong everywhere: {program: (words, ...)}; the expected text of each is the rest of the tuple.
NUMBERS = ("", "x", "-1", "1x", " 1", "0x10", "1e3", "99999999999999999999999", "１")
MISUSES = {
    "tc-package": [([], "expected one of build, list"), (["nothing"], "'nothing', expected one of build"), (["build"], "got 0 arguments"), (["list", "a", "b"], "unexpected argument"),
                   (["build", "a", "--local", "x.so", "--no-local"], "expected one of"), (["build", "a", "-o", ""], "--output")],
    "tc-ar": [([], "expected one of list"), (["frobnicate"], "'frobnicate', expected one of list"), (["list"], "got 0 arg"),
              (["show", "a", "b"], "unexpected argument 'b'"), (["show", ""], "argument 1 is ''"), ([""], "'', expected one of"),
              (["extract", "a", "x86_64"], "needs -o"), (["extract", "a", "no triple", "-o", "b"], "not a target triple"),
              (["extract", "a", "x86_64", "-o", ""], "--output ''"), (["extract", "a", "x86_64", "--image=999", "-o", "b"], "999"),
              (["verify", "--key"], "'--key' has no value"), (["sign", "x"], "needs --key")],
    "tc-clang": [([], "no source"), (["-o"], "needs an argument"), (["--targets=", "a.c"], ""), (["a.x"], "'a.x'")],
    "tc-info": [(["extra"], "unexpected argument 'extra'"), (["--markdown"], "--markdown is for"), (["--clear"], "is for --cache"),
                (["--connect"], "has no value"), (["--connect", ""], "--connect ''"), (["--options", "nothing"], "'nothing' is no"),
                (["--options", "--cache"], "expected one of"), (["--json=x"], "has a value, expected none"),
                (["--c"], "ambiguous option '--c'"), (["--watch", "a:1", "--connect", "a:1"], "expected one of"),
                (["--interval", "1"], "are for --watch"), (["-n", "1"], "are for --watch"), (["-w", "a:1", "-n", "0"], "--refreshes"),
                (["-w", "a:1", "-i", "0.01"], "expected 0.1 to 3600 seconds")],
    "tc-node": [(["extra"], "unexpected argument"), (["--listen", ""], "--listen ''"), (["--allow-read", "/"], "for --confine"),
                (["--json", "-x"], "unknown option '-x'"), (["--join", "--listen", "127.0.0.1:0"], "expected it without --listen"),
                (["--join", "--confine"], "--join"), (["--join", "--isolate"], "--join"), (["--join", "--port-file", "x"], "--join"),
                (["--isolete"], "unknown option '--isolete', --isolate is one"),
                *((["--processes", n], "--processes") for n in (*NUMBERS, "0", "4097")),
                *((["--exit-after", n], "--exit-after") for n in NUMBERS), *((["--memory-max", n], "") for n in NUMBERS)],
    "tc-perf": [([], "expected one of tsi, ssum"), (["nothing"], "'nothing', expected one of tsi"), (["tsi", "extra"], "unexpected"),
                (["tsi", "--servers", "4"], "unknown option '--servers'"), (["tsi", "--rounds", ""], "--rounds ''"),
                *((["tsi", "--rounds", n], "--rounds") for n in NUMBERS)],
    "tc-ping": [([], "got 0 arguments, expected 1"), (["a", "b"], "unexpected argument 'b'"), ([""], "argument 1 is ''"),
                *((["a", "-c", n], "--count") for n in (*NUMBERS, "0")),
                *((["a", "-i", n], "--interval") for n in ("", "x", "-1", "1s", " 1", "1e3", ".5", "1.", "1.5.5", "inf", "86400.1", "1" * 30)),
                (["a", "--timeout", "0"], "expected 0.001 to 86400 seconds"), (["a", "--deadline", "0.0009"], "--deadline")],
    "tc-run": [(["-n", "1", "true", ":"], "part 2: it is empty"), ([], "-n is missing"), (["-n", "2"], "program is missing"), (["-n", "2", ""], "program is missing"),
               *((["-n", n, "true"], "--processes") for n in (*NUMBERS, "0", "1025")), (["-n", "1", "--json", "", "true"], "--json ''"),
               *((["-n", "1", "--timeout", n, "true"], "--timeout") for n in (*NUMBERS, "0"))],
    "tc-send": [([], "got 0 arguments, expected 2"), (["a"], "got 1"), (["a", "b", "c"], "unexpected argument 'c'"),
                (["", "b"], "argument 1 is ''"), (["a", ""], "argument 2 is ''"), (["a", "b", "--payload", ""], "--payload ''"),
                (["a", "b", "--text", "x", "--payload", "y"], "expected one of"), (["a", "b", "--call", "--prepare"], "expected one"),
                (["a", "b", "-c"], "option '-c' has no value, expected N"), (["a", "b", "--json", "--quiet"], "expected one of"),
                *((["a", "b", "--count", n], "--count") for n in (*NUMBERS, "0")),
                *((["a", "b", "--timeout", n], "--timeout") for n in (*NUMBERS, "0", "86401"))],
}
EVERYWHERE = [(["--frobnicate"], "--frobnicate"), (["--completion", "fish"], "bash or zsh"), (["--completion="], "bash or zsh")]


class Manners(unittest.TestCase):
    def test_versions_have_one_form(self):
        form = r"{} \d+\.\d+\.\d+\nLLVM (\d+\.\d+\.\d+|none)\nUCX \d+\.\d+\.\d+\n"
        for command in commands():
            for option in ("--version", "-V"):
                done = run(*command, option)
                self.assertEqual(done.returncode, 0, command)
                self.assertRegex(done.stdout.decode(), "^" + form.format(command[0]))
        self.assertEqual(len({run(name, "-V").stdout.split(b"\n", 1)[1].split(b"clang:")[0] for name in programs()}), 1)

    def test_help_fits_any_terminal(self):
        for command in commands():
            for option in ("--help", "-h"):
                self.assertEqual(run(*command, option).returncode, 0, command)
            for columns in (100, 60):
                for shown in (run(*command, "--help", COLUMNS=str(columns)).stdout.decode(),
                              on_terminal(columns, *command, "--help"), on_terminal(columns, *command, "--help", TERM="dumb")):
                    longest = max(shown.splitlines(), key=len)
                    words = max(map(len, shown.split()))  # an unbreakable word may be longer
                    self.assertLessEqual(len(longest), max(columns, words + 27), f"{command}: {longest}")

    def test_nothing_is_coloured(self):
        """Neither in a pipe nor on a terminal, whatever it is called; a progress line may be erased."""
        for environment in ({}, {"NO_COLOR": "1"}, {"TERM": "dumb"}, {"CLICOLOR_FORCE": "1"}):
            for program in programs():
                done = run(program, "--help", **environment)
                self.assertNotIn(b"\x1b", done.stdout + done.stderr)
                self.assertNotIn("\x1b", on_terminal(80, program, "--frobnicate", **environment))

    def test_data_is_whole_in_a_pipe_and_fits_a_terminal(self):
        self.assertGreater(max(map(len, run("tc-info", "--options").stdout.decode().splitlines())), 100)
        shown = on_terminal(60, "tc-info", "--options")
        for line in shown.splitlines():  # a word that cannot be broken may be longer
            self.assertLessEqual(len(line), max(60, 4 + max(map(len, line.split()))), line)

    def test_misuse_is_told_and_has_one_status(self):
        for program in programs():
            for words, said in [*MISUSES[program], *EVERYWHERE]:
                done = run(program, *words)
                err = done.stderr.decode()
                self.assertEqual(done.returncode, USAGE, f"{program} {words}: {err}")
                self.assertTrue(err.startswith(f"{program}: "), f"{program} {words}: {err}")
                self.assertIn(said, err.splitlines()[0], f"{program} {words}")
                self.assertLessEqual(len(err.splitlines()), 8, f"{program} {words}: {err}")
                self.assertEqual(done.stdout, b"", f"{program} {words}")

    def test_long_and_strange_words(self):
        """They do not end a program by a signal."""
        for program in programs():
            for word in ("x" * 100000, "--" + "x" * 100000, "%s%n%s", "--%s%n", "\x1b[31m", "\udcff", "--\udcff", "-", "a\nb",
                         "--output=" + "y" * 5000, "../" * 2000):
                done = run(program, word)
                self.assertIn(done.returncode, (1, USAGE), f"{program} {word[:40]!r}: {done.stderr[:500]}")

    def test_a_full_disk_is_noticed(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for command in commands():
            with open("/dev/full", "wb") as full:
                done = subprocess.run([os.path.join(BIN, command[0]), *command[1:], "--help"], stdout=full, check=False,
                                      stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=DEADLINE_S, env=clean_environment())
            self.assertEqual(done.returncode, 1, command)


class Statuses(unittest.TestCase):
    """The table of tchains(7)."""

    def function(self, name):
        path = os.path.join(FUNCTIONS, f"{name}.tca")
        if not os.path.exists(path):
            self.skipTest(f"{path} is not built")
        return path

    def test_a_missing_file(self):
        for words in (["tc-ar", "list", "/nowhere/x.tca"], ["tc-ar", "show", "/nowhere/x.tca"], ["tc-ar", "verify", "/nowhere/x.tca"],
                      ["tc-send", "127.0.0.1:1", "/nowhere/x.tca"], ["tc-send", "a:1", "x", "--payload", "/nowhere/x"],
                      ["tc-node", "--listen", "127.0.0.1:0", "--lib", "/nowhere/x.so"], ["tc-clang", "/nowhere/x.c", "-o", "/tmp/x.tca"]):
            if words[0] in programs():
                done = run(*words)
                self.assertEqual(done.returncode, 1, f"{words}: {done.stderr}")
                self.assertTrue((done.stderr + done.stdout).strip(), words)
        self.assertEqual(run("tc-run", "-n", "1", "/nowhere/x").returncode, 127)

    def test_nobody_listens(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # bound and not listening: a port that refuses
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            self.assertEqual(run("tc-send", address, self.function("transcript")).returncode, NO_PEER)
            self.assertEqual(run("tc-info", "--connect", address).returncode, NO_PEER)
            self.assertEqual(run("tc-ping", address).returncode, NO_PEER)

    def test_a_listener_that_says_nothing(self):
        """The option's second, and not the ten of the library."""
        with socket.create_server(("127.0.0.1", 0)) as silent:
            address = f"127.0.0.1:{silent.getsockname()[1]}"
            done = run("tc-send", address, self.function("transcript"), "--timeout", "1", TC_CONNECT_TIMEOUT="24h")
            self.assertEqual(done.returncode, NO_PEER, done.stderr)

    def test_a_wrong_option_in_the_environment(self):
        done = run("tc-info", TC_CALL_TIMEOUT="5parsecs")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"5parsecs", done.stderr)

    def test_refusals_and_success(self):
        with Node(os.path.join(BIN, "tc-node")) as node:
            refused = run("tc-send", node.address, self.function("unbound"), "--text", "x")
            self.assertEqual(refused.returncode, REFUSED, refused.stderr)
            self.assertEqual(run("tc-send", node.address, self.function("transcript"), "--text", "x").returncode, 0)
            self.assertEqual(run("tc-info", "--connect", node.address).returncode, 0)
        self.assertEqual(run("tc-run", "-n", "2", "sh", "-c", "exit 7").returncode, 7)
        self.assertEqual(run("tc-run", "-n", "2", "true").returncode, 0)


class Json(unittest.TestCase):
    """The output is JSON, for all bytes in names."""

    HOSTILE = [b'a"b', b"a\\b", b"a\nb\tc", b"\x01\x7f", b"\xff\xfe", b"\xc3\xa9", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"</script>"]

    def parse(self, done):
        return json.loads(done.stdout.decode("utf-8"))

    def test_archives_of_hostile_names(self):
        archives = sorted(glob.glob(os.path.join(FUNCTIONS, "*.tca")))
        with tempfile.TemporaryDirectory() as folder:
            for name in self.HOSTILE:
                path = os.path.join(folder.encode(), name.replace(b"/", b"_") + b".tca")
                missing = self.parse(run("tc-ar", "verify", "--json", path))
                self.assertFalse(missing[0]["ok"])
                self.assertEqual(missing[0]["status"], "TC_E_NOT_FOUND")
                if not archives:
                    continue
                shutil.copy(archives[0].encode(), path)
                good = run("tc-ar", "verify", "--json", path, path)
                self.assertEqual(good.returncode, 0)
                self.assertEqual([found["ok"] for found in self.parse(good)], [True, True])
                self.assertEqual(len(self.parse(run("tc-ar", "list", "--json", path))), 1)
                self.assertIn("file", self.parse(run("tc-ar", "show", "--json", path)))
                shown = self.parse(run("tc-ar", "show", "--json", path))["file"].encode("utf-8")
                if name == b"\xc3\xa9":
                    self.assertTrue(shown.endswith(name + b".tca"))

    def test_options_of_hostile_values(self):
        for value in self.HOSTILE:
            done = subprocess.run([os.path.join(BIN, "tc-info"), "--options", "ifunc_path", "--json"], capture_output=True, check=True,
                                  timeout=DEADLINE_S, env={**{k.encode(): v.encode() for k, v in clean_environment().items()},
                                                           b"TC_IFUNC_PATH": value})
            self.assertEqual(self.parse(done)["env"], "TC_IFUNC_PATH")

    def test_the_end_of_a_job(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "end.json")
            script = os.path.join(folder, 'a "program"')
            with open(script, "w", encoding="ascii") as file:
                file.write("#!/bin/sh\n[ $TC_RUN_RANK = 1 ] && kill -9 $$\n[ $TC_RUN_RANK = 2 ] && exit 3\nexit 0\n")
            os.chmod(script, 0o755)
            done = run("tc-run", "-n", "3", "--keep-going", "--json", path, script)
            with open(path, encoding="utf-8") as file:
                end = json.load(file)
            self.assertEqual(end["status"], done.returncode)
            self.assertEqual(end["program"], script)
            self.assertEqual([p["status"] for p in end["processes"]], [0, 137, 3])
            self.assertEqual([p["signal"] for p in end["processes"]], [None, 9, None])
            self.assertEqual(run("tc-run", "-n", "1", "--json", folder, "true").returncode, 1)
        last = run("tc-run", "-n", "1", "--json", "-", "echo", "first").stdout.splitlines()
        self.assertEqual(last[0], b"first")
        self.assertEqual(json.loads(last[1])["status"], 0)

    def test_sent_and_answered(self):
        whoami, transcript = (os.path.join(FUNCTIONS, name) for name in ("whoami.tca", "transcript.tca"))
        if not os.path.exists(transcript):
            self.skipTest(f"{transcript} is not built")
        with Node(os.path.join(BIN, "tc-node")) as node:
            sent = self.parse(run("tc-send", node.address, transcript, "--text", "x", "--count", "3", "--json"))
            self.assertEqual((sent["function"], sent["messages"]), ("transcript", 3))
            self.assertGreater(sent["seconds"], 0)
            self.assertEqual(self.parse(run("tc-send", node.address, transcript, "--prepare", "--json"))["messages"], 0)
            if not os.path.exists(whoami):
                self.skipTest(f"{whoami} is not built: what answers a call is bitcode")
            raw = run("tc-send", node.address, whoami, "--call", "--count", "2")
            called = self.parse(run("tc-send", node.address, whoami, "--call", "--count", "2", "--json"))
        self.assertTrue(any(byte > 0x7f for byte in raw.stdout))  # bytes, and no text
        self.assertEqual(len(called["answers"]), 2)
        self.assertEqual("".join(called["answers"]).encode("latin-1"), raw.stdout)


class Completions(unittest.TestCase):
    """Shells' completions, from the installed files."""

    def bash(self, *words):
        """The last word is the one to complete."""
        script = os.path.join(COMPLETIONS, f"{words[0]}.bash")
        asks = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                'f=$(complete -p "$1"); f=${f#*-F }; ${f%% *}; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "--norc", "-c", asks, "bash", script, *words], capture_output=True, text=True, check=True,
                              timeout=DEADLINE_S, stdin=subprocess.DEVNULL)
        self.assertEqual(done.stderr, "", words)
        return done.stdout.split()

    def test_every_option_of_help_is_offered(self):
        for command in commands():
            offered = self.bash(*command, "-")
            for option in re.findall(r"^  (?:-\w, |    )(--[\w-]+)", run(*command, "--help").stdout.decode(), re.MULTILINE):
                self.assertIn(option, offered, command)

    def test_prefixes_values_and_words(self):
        self.assertEqual(self.bash("tc-send", "--te"), ["--text"])
        self.assertEqual(self.bash("tc-send", "a", "b", "--time"), ["--timeout"])
        self.assertEqual(self.bash("tc-send", "--count", ""), [])
        self.assertEqual(self.bash("tc-ar", "ver"), ["verify"])
        self.assertEqual(self.bash("tc-ar", "verify", "--k"), ["--key"])
        self.assertEqual(self.bash("tc-info", "--options", "TC_DELI"), ["TC_DELIVERY"])
        names = {option["env"] for option in json.loads(run("tc-info", "--options", "--json").stdout)["options"]}
        self.assertEqual(set(self.bash("tc-info", "--options", "TC_")), names)
        self.assertIn("printf", self.bash("tc-run", "-n", "2", "printf"))
        self.assertEqual(self.bash("tc-run", "-n", "2", "cat", "x"), [])
        for part in (["-n", "2", "cat", "x", ":"], ["-n", "1", "a", ":", "-n", "1", "b", ":"]):
            self.assertIn("printf", self.bash("tc-run", *part, "-n", "2", "printf"))
            self.assertEqual(self.bash("tc-run", *part, "--na"), ["--name"])
            self.assertEqual(self.bash("tc-run", *part, "-n", "2", "cat", "x"), [])
        if "tc-perf" in programs():
            self.assertEqual(self.bash("tc-perf", "ban"), ["bandwidth"])
            self.assertEqual(self.bash("tc-perf", "tsi", "--api", "c"), ["compat"])
            self.assertEqual(self.bash("tc-perf", "first-call", "--functions", "tsi,ha"), ["tsi,hash_map"])
        if "tc-clang" in programs():
            self.assertEqual(self.bash("tc-clang", "--tar"), ["--targets="])
            self.assertEqual(self.bash("tc-clang", "--forms", "=", "bit"), ["bitcode"])

    def test_what_is_installed_is_what_programs_write(self):
        for program in programs():
            for shell in ("bash", "zsh"):
                with open(os.path.join(COMPLETIONS, f"{program}.{shell}"), "rb") as file:
                    self.assertEqual(file.read(), run(program, f"--completion={shell}").stdout)

    def test_zsh(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        for program in programs():
            script = os.path.join(COMPLETIONS, f"{program}.zsh")
            subprocess.run(["zsh", "-n", script], check=True, timeout=DEADLINE_S)
        with tempfile.TemporaryDirectory() as folder:
            for program in programs():
                shutil.copy(os.path.join(COMPLETIONS, f"{program}.zsh"), os.path.join(folder, f"_{program}"))
            for typed, expected in (("tc-send --te", "--text"), ("tc-ar ver", "verify"), ("tc-ar verify --k", "--key"),
                                    ("tc-info --options TC_DELI", "TC_DELIVERY"),
                                    ("tc-run -n 1 true : --na", "--name"), ("tc-run -n 1 a : -n 1 b x : --proc", "--processes")):
                self.assertIn(expected, self.typed_into_zsh(folder, typed), typed)

    def typed_into_zsh(self, folder, typed):
        """A line after a tab."""
        asks = (f"zmodload zsh/zpty; zpty shell zsh -f -i; "
                f"zpty -w shell $'PS1=; fpath=({folder} $fpath); autoload -U compinit; compinit -u -D; echo READY'; "
                f"zpty -r -m shell seen $'*READY\\r\\n*'; zpty -n -w shell $'{typed}\\t'; sleep 1; "
                f"zpty -n -w shell $'\\x15exit\\n'; while zpty -r shell seen; do print -r -- \"$seen\"; done; zpty -d shell")
        return subprocess.run(["zsh", "-f", "-c", asks], capture_output=True, text=True, timeout=DEADLINE_S, check=False,
                              env={**clean_environment(), "TERM": "dumb", "HOME": folder},
                              stdin=subprocess.DEVNULL).stdout.replace("\a", "")


if __name__ == "__main__":
    BIN, COMPLETIONS, FUNCTIONS = (sys.argv.pop(1) for _ in range(3))
    unittest.main()
