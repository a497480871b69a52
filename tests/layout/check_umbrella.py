#!/usr/bin/env python3
"""<tc/tc.h> includes the few headers that a program needs and lists them, and lists every other public header of C as left out.
Its example compiles without a warning and without the names of release 0.1, and closes what it opened also without a listener.

    check_umbrella.py INCLUDE_FOLDER LIBRARY_FOLDER C_COMPILER [C_FLAG ...]
"""
import os
import re
import socket
import subprocess
import sys
import tempfile

SMALL = {"call.h", "context.h", "endpoint.h", "ifunc.h", "options.h", "status.h", "version.h"}
WARNINGS = "-DTC_WITHOUT_0_1 -std=gnu11 -Wall -Wextra -Wshadow -Werror".split()
COUNTER = """#include <stdio.h>
#include <tc/context.h>
void __real_tc_context_destroy(tc_context *ctx);
void __wrap_tc_context_destroy(tc_context *ctx);
void __wrap_tc_context_destroy(tc_context *ctx)
{
    puts(ctx != NULL ? "closed" : "closed nothing");
    __real_tc_context_destroy(ctx);
}
"""


def check_lists(folder, text):
    """Texts about each header that is missing, or too many."""
    public = {name for name in os.listdir(folder) if name.endswith(".h")} - {"tc.h"}
    listed, _, left_out = text.partition(" * Headers\n")[2].partition("Not included here")
    left_out = left_out.partition("#ifndef")[0]
    for what, found, expected in (
            ("includes", set(re.findall(r"^#include <tc/(\S+)>", text, re.MULTILINE)), SMALL | {"before_0_2.h"}),
            ("list of headers", set(re.findall(r"^ \*   (\w+\.h) ", listed, re.MULTILINE)), SMALL),
            ("list of what is left out", set(re.findall(r"^ \*   (\w+\.h) ", left_out, re.MULTILINE)), public - SMALL)):
        for name in sorted(found ^ expected):
            yield f"tc.h: its {what} {'has' if name in found else 'lacks'} {name}"


def example_of(text):
    """The program in the comment, that connects to a port without a listener."""
    code = re.search(r"((?: \*     .*\n| \*\n)+)", text[text.index(" *     #include"):]).group(1)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0)) # and does not listen
        address = f"127.0.0.1:{unused.getsockname()[1]}"
    return "".join(line[7:] + "\n" for line in code.splitlines()).replace("127.0.0.1:7000", address)


def check_example(include, libraries, compiler, text):
    with tempfile.TemporaryDirectory() as folder:
        for name, source in (("example.c", example_of(text)), ("counter.c", COUNTER)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(source)
        built = subprocess.run([*compiler, *WARNINGS, "-I", os.path.dirname(include), "example.c", "counter.c", "-o", "example",
                                "-L", libraries, f"-Wl,-rpath,{libraries}", "-ltchains", "-Wl,--wrap=tc_context_destroy"],
                               cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        if built.returncode != 0:
            yield f"tc.h: its example does not compile:\n{built.stderr}"
            return
        run = subprocess.run(["./example"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        if run.returncode != 1 or run.stdout != "closed\n" or "refused" not in run.stderr:
            yield (f"tc.h: its example, where nobody listens, exits with {run.returncode} and says {run.stdout!r} {run.stderr!r}; "
                   "expected 1, a closed context and that the connection was refused")


def main():
    include, libraries = (os.path.abspath(path) for path in sys.argv[1:3])
    with open(os.path.join(include, "tc.h"), encoding="utf-8") as file:
        text = file.read()
    problems = [*check_lists(include, text), *check_example(include, libraries, sys.argv[3:], text)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
