#!/usr/bin/env python3
"""The chapter EXAMPLES of each page of section 3: its programs compile and print the page's output.

    check_examples.py ROOT BUILD C_COMPILER [C_FLAG ...]

Blocks as in run_document.py, and: each file of C is compiled when it is there, by tc-clang if it defines a function to send, and
with headers of another library with the flags of pkg-config; with tc/sim.h for a simulated world, and with objects if it opens some. A `text` block behind a program is its output. Pages with a library
that is not installed are left out.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

from manual_page import pages_in
from run_document import BLOCK, Runner

PACKAGES = {"ucp/api/ucp.h": "ucx", "mpi.h": "ompi-c", "tc/ucx.h": "ucx", "tc/mpi.h": "ompi-c",
            "tc/mpi_continue.h": "ompi-c", "tc/mpix_am.h": "ompi-c"}
WARNINGS = "-std=gnu11 -Wall -Wextra -Wshadow -Werror"
SENT = re.compile(r"^(?:(?:void |TC_THREADED\()(\w+?)(?:_main\(|\)\()void \*payload|TC_OBJECT_[A-Z]+\()", re.MULTILINE)


def packages_of(text):
    return {PACKAGES[header] for header in re.findall(r"#include <([\w./]+)>", text) if header in PACKAGES}


def is_installed(package):
    return subprocess.run(["pkg-config", "--exists", package], check=False).returncode == 0


class Examples(Runner):
    program = None

    def compile(self, name, text):
        stem = name.removesuffix(".c")
        flags = f"{WARNINGS} -I$tree/include " + "".join(f"$(pkg-config --cflags {found}) " for found in packages_of(text))
        if "<tc/mpix_am.h>" in text:  # tests/mpi runs those; their handlers have eleven parameters
            self.run(f"cc {flags} -Wno-unused-parameter -c {name} -o {stem}.o\n")
        elif SENT.search(text):
            self.run(f"tc-clang {name} -I$tree/include\n")
        elif "<tc/sim.h>" in text:  # with the options that bring the world's system calls
            self.run(f"cc {flags} {name} -o {stem} -L$build/lib $(pkg-config --libs $build/tchains-sim.pc)\n")
            self.program = f"./{stem}\n"
        elif re.search(r"^int main\(", text, re.MULTILINE):
            libraries = "".join(f" $(pkg-config --libs {found})" for found in packages_of(text))
            libraries += " -ltchains-objects" * bool(re.search(r"\bTC_OBJECT|\btc_objects_open\b", text))
            libraries += " -ltchains-am" * bool(re.search(r"\btc_ams_open\b", text))
            libraries += " -ltchains-steady" * bool(re.search(r"\btc_steady_open\b", text))
            self.run(f"cc {flags} {name} -o {stem} -L$build/lib -Wl,-rpath,$build/lib -ltchains -pthread{libraries}\n")
            self.program = f"./{stem}\n"
        else:
            self.run(f"cc {flags} -c {name} -o {stem}.o\n")

    def block(self, kind, text):
        if kind == "text" and self.program:
            self.run(self.program)
        self.program = None
        super().block(kind, text)
        name = kind.removeprefix("c ")
        if name != kind and name.endswith(".c"):
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                self.compile(name, file.read())


def check(page, root, build, compiler):
    """A text with the errors of the page's examples, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        runner = Examples(folder, root, build, compiler)
        try:
            for kind, text in BLOCK.findall(page.chapter("EXAMPLES")):
                runner.block(kind, text)
        except (SystemExit, OSError, subprocess.SubprocessError) as error:
            return f"{page.file}: {error}"
        finally:
            runner.end_target()
    return None if runner.counts.get("c") else f"{page.file}: no example, or none that is a file (```c NAME.c)"


def main():
    root, build = (os.path.abspath(path) for path in sys.argv[1:3])
    found = [page for page in pages_in(os.path.join(build, "man")) if all(map(is_installed, packages_of(page.chapter("EXAMPLES"))))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = [problem for problem in pool.map(lambda page: check(page, root, build, sys.argv[3:]), found) if problem]
    for problem in problems:
        print(problem)
    print(f"{len(found)} pages, {len(problems)} problems")
    return 1 if problems or not found else 0


if __name__ == "__main__":
    sys.exit(main())
