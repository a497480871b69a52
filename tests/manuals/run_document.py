#!/usr/bin/env python3
"""Executes a document, and compares the output.

    run_document.py DOCUMENT ROOT BUILD C_COMPILER [C_FLAG ...]
    run_document.py --chapter NAME [--if COMMAND] [--needs PROGRAM[:LLVM]]... DOCUMENT ROOT BUILD C_COMPILER [C_FLAG ...]
    run_document.py --lesson FOLDER DOCUMENT ROOT BUILD C_COMPILER [C_FLAG ...]
    run_document.py --sources DOCUMENT ROOT BUILD C_COMPILER [C_FLAG ...]

Code blocks by the words behind their fence, in their order, in an empty folder:
    c NAME, cpp NAME, cmake NAME, make NAME, fortran NAME, rust NAME, d NAME, python NAME, julia NAME
                the file NAME
    sh run      bash runs it; status 0
    sh environment
                likewise, and its exported variables hold from then on
    sh target   a target, which stays; the one before it is ended by SIGINT
    sh signal   a `kill` that the reader gives the target, which ends with status 0
    text        directly behind `sh run`: lines of its output, in this order
    text target lines of the target's output since the last such block, in this order
Blocks of other kinds are for readers. `...` in a line stands for anything. Port 7000 becomes one that is free, `cc` the compiler
of this build, and $tree and $build are this tree and this build.

--chapter: only the blocks before the first chapter, and those of this one. --needs: a program that it calls; with a number, one
with an LLVM, by its `-vV`, that is not newer. Without it the test is skipped. It may be a path. --if: where this command fails
the test is skipped, with its output.

--lesson: the document describes the sources beside it, and FOLDER has their build results. The commands run there, and `c
NAME`, `cpp NAME` and `cmake NAME` are lines of the file NAME, word for word. Each source is shown, in whole or in part.
Blocks `text` may share the output of one `sh run`, and each is compared with some output.

--sources: likewise, in a folder of its own that has nothing but those sources.
"""
import argparse
import os
import pty
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

DEADLINE_S = 120
SKIPPED = 77
FILES = ("c", "cpp", "cmake", "make", "fortran", "rust", "d", "python", "julia")
SOURCE = (".c", ".h", ".cpp", ".hpp", ".rs", ".f90", ".d")
BLOCK = re.compile(r"^```(\S[^\n]*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def free_port():
    """Below those that the system gives to others."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def behind(text, wanted):
    """The index behind the lines of `wanted`, which text has in their order; None: it does not."""
    patterns = [re.compile(".*".join(map(re.escape, line.strip().split("...")))) for line in wanted.splitlines()]
    place = 0
    for line in text.splitlines(keepends=True):
        place += len(line)
        if line.endswith("\n") and patterns[0].fullmatch(line.strip()):
            del patterns[0]
        if not patterns:
            return place
    return None


class Target:
    """Prints to a terminal, as readers see it: line by line."""

    def __init__(self, command, folder, environment):
        self.text, self.seen = "", 0
        self.terminal, end = pty.openpty()
        self.process = subprocess.Popen(["bash", "-c", command], cwd=folder, env=environment,
                                        stdin=subprocess.DEVNULL, stdout=end, stderr=end)
        os.close(end)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        try:
            while data := os.read(self.terminal, 65536):
                self.text += data.decode(errors="replace").replace("\r\n", "\n")
        except OSError:
            pass  # the other end is closed

    def wait_for(self, wanted):
        deadline = time.monotonic() + DEADLINE_S
        while (place := behind(self.text[self.seen:], wanted)) is None:
            if time.monotonic() > deadline or (self.process.poll() is not None and not self.reader.is_alive()):
                raise SystemExit(f"the target did not print\n{wanted}but, since the last look\n{self.text[self.seen:]}")
            time.sleep(0.005)
        self.seen += place

    def signal(self, command):
        number = getattr(signal, "SIG" + (re.findall(r" -([A-Z]+)\b", command) or ["TERM"])[0])
        self.process.send_signal(number)
        if (status := self.process.wait(timeout=DEADLINE_S)) != 0:
            raise SystemExit(f"the target ended with status {status}")

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join(timeout=DEADLINE_S)
        os.close(self.terminal)


class Runner:
    keeps_output = False

    def __init__(self, folder, root, build, compiler):
        self.folder, self.port, self.target, self.output, self.counts = folder, free_port(), None, None, {}
        programs = os.path.join(folder, ".bin")
        os.mkdir(programs)
        path = shutil.which(compiler[0])  # not this file once more
        # Another thread's child would inherit a file that this process has open, and nobody can execute one that is being written.
        subprocess.run(["sh", "-c", 'cat >"$0" && chmod 755 "$0"', os.path.join(programs, "cc")], text=True, check=True,
                       input=f'#!/bin/sh\nexec {shlex.join([path, *compiler[1:]])} "$@"\n')
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TC_")}
        self.environment = {**kept, "TC_CACHE_DIR": "", "tree": root, "build": build, "UCX_LOG_FILE": "stderr",
                            "PATH": f"{programs}:{build}/bin:{kept['PATH']}"}

    def file(self, name, _, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, text):
        process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", text], cwd=self.folder, env=self.environment, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            self.output = process.communicate(timeout=DEADLINE_S)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            self.output = process.communicate()[0]
        print(text, self.output, sep="", end="")
        if process.returncode != 0:
            raise SystemExit(f"exit status {process.returncode}")

    def start_target(self, text):
        self.end_target()
        print(text, end="")
        self.target = Target(text, self.folder, self.environment)
        self.target.wait_for("...listening at ...\n")

    def end_target(self):
        if self.target is not None:
            self.target.end()
            print(self.target.text, end="")
        self.target = None

    def block(self, kind, text):
        words, shown = kind.split(), text
        text = re.sub(r"\b127\.0\.0\.1:7000\b", f"127.0.0.1:{self.port}", text)
        if words[0] in FILES and len(words) == 2:
            self.file(words[1], shown, text)
        elif kind == "sh environment":
            self.run(text + "env -0 >.environment\n")
            with open(os.path.join(self.folder, ".environment"), encoding="utf-8") as file:
                self.environment.update(pair.split("=", 1) for pair in file.read().split("\0") if pair)
        elif kind == "sh run":
            self.run(text)
        elif kind == "sh target":
            self.start_target(text)
        elif kind == "sh signal" and self.target is not None:
            self.target.signal(text)
        elif kind == "text target":
            self.target.wait_for(text)
        elif kind == "text" and self.output is not None:
            if (place := behind(self.output, text)) is None:
                raise SystemExit(f"expected\n{text}")
            self.output = self.output[place:]
        else:
            return
        if not self.keeps_output and kind != "sh run":
            self.output = None
        self.counts[words[0]] = self.counts.get(words[0], 0) + 1


class LessonRunner(Runner):
    """Where the sources are there already, and were built."""
    keeps_output = True  # of the last `sh run`, for `text` blocks between which others are

    def __init__(self, folder, args):
        super().__init__(folder, args.root, args.build, args.compiler)
        self.sources = os.path.dirname(args.document)
        self.unseen = {name for name in os.listdir(self.sources) if name.endswith(SOURCE)}
        if args.lesson:
            self.folder = args.lesson
        else:
            for name in self.unseen:
                shutil.copy(os.path.join(self.sources, name), folder)

    def block(self, kind, text):
        if kind == "text" and self.output is None:
            raise SystemExit(f"what prints this?\n{text}")
        super().block(kind, text)

    def file(self, name, shown, _):
        with open(os.path.join(self.sources, name), encoding="utf-8") as file:
            if "\n" + shown not in "\n" + file.read():
                raise SystemExit(f"{name} does not have these lines:\n{shown}")
        self.unseen.discard(name)


def chapter_of(document, name):
    parts = re.split(r"^(?=## )", document, flags=re.MULTILINE)
    found = [part for part in parts[1:] if part.startswith(f"## {name}\n")]
    if len(found) != 1:
        raise SystemExit(f"expected one chapter '{name}', found {len(found)}")
    return parts[0] + found[0]


def is_fit(path, llvm_max):
    if not llvm_max:
        return True
    told = subprocess.run([path, "-vV"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          timeout=DEADLINE_S, check=False)
    found = re.search(r"LLVM version: (\d+)", told.stdout)
    return found is not None and int(found[1]) <= int(llvm_max)


def provide(needed, programs):
    """The first of that name that fits, in a folder before all others."""
    name, _, llvm_max = needed.partition(":")
    for folder in os.environ["PATH"].split(":"):
        path = os.path.join(folder, name)  # or the name, if that is a path
        if os.access(path, os.X_OK) and is_fit(path, llvm_max):
            os.symlink(path, os.path.join(programs, os.path.basename(name)))
            return
    print(f"skipped: no {name}" + (f" of LLVM {llvm_max} or older" if llvm_max else ""))
    raise SystemExit(SKIPPED)


def look_for(command, folder, environment):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=DEADLINE_S, check=False)
    if done.returncode != 0:
        print("skipped:", (done.stdout.strip().splitlines() or [command])[-1])
        raise SystemExit(SKIPPED)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chapter")
    parser.add_argument("--if", dest="condition")
    parser.add_argument("--needs", action="append", default=[])
    parser.add_argument("--lesson", metavar="FOLDER", type=os.path.abspath)
    parser.add_argument("--sources", action="store_true")
    for name in ("document", "root", "build"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("compiler", nargs=argparse.REMAINDER)
    return parser.parse_args()


def main():
    args = arguments()
    with open(args.document, encoding="utf-8") as file:
        text = file.read()
    blocks = BLOCK.findall(chapter_of(text, args.chapter) if args.chapter else text)
    with tempfile.TemporaryDirectory() as folder:
        beside = args.lesson or args.sources
        runner = LessonRunner(folder, args) if beside else Runner(folder, args.root, args.build, args.compiler)
        for program in args.needs:
            provide(program, os.path.join(folder, ".bin"))
        if args.condition:
            look_for(args.condition, folder, runner.environment)
        try:
            for kind, text in blocks:
                runner.block(kind, text)
        finally:
            runner.end_target()
    if beside and runner.unseen:
        raise SystemExit(f"not shown: {', '.join(sorted(runner.unseen))}")
    print(f"{os.path.basename(args.document)}: {runner.counts}")
    return 0 if runner.counts.get("sh") else 1


if __name__ == "__main__":
    sys.exit(main())
