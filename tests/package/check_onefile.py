#!/usr/bin/env python3
"""The one-file library: made twice with the same bytes, compiled by gcc and clang without warnings and with nothing but the C
library, and used by a target and a source over shared memory and over a connection; the build's own programs take part, too.

    check_onefile.py SOURCE_FOLDER BUILD_FOLDER C_COMPILER
"""
import filecmp
import os
import shutil
import subprocess
import sys
import tempfile

SECONDS = 300
LINKED = {"linux-vdso.so.1", "libc.so.6", "libpthread.so.0", "libdl.so.2", "libm.so.6"}
WAYS = (("direct", {}), ("stream", {"TC_DELIVERY": "stream"}))


def run(command, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=SECONDS, check=False, **options)
    if done.returncode != 0 or "warning:" in done.stdout:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def compilers(own):
    """The build's, and others of the two kinds that are here."""
    found = [own] + [shutil.which(name) for name in ("gcc", "clang-19", "clang-22", "clang")]
    kinds = {}
    for path in filter(None, found):
        said = run([path, "--version"])
        kinds.setdefault("clang" if "clang" in said else "gcc", path)
    for kind in {"gcc", "clang"} - set(kinds):
        print(f"not tested with {kind}, which is not here")
    return kinds


def needed(program):
    said = run(["readelf", "-d", program])
    return {line.split("[")[1].split("]")[0] for line in said.splitlines() if "(NEEDED)" in line} - LINKED


def build(compiler, options, folder, tests, out, names):
    """Programs, each by the one command that the document states."""
    for name in names:
        run([compiler, "-std=c11", "-Wall", *options, f"-I{folder}", os.path.join(folder, "tchains.c"),
             os.path.join(tests, f"{name}.c"), "-o", os.path.join(out, name), "-lpthread", "-ldl"])
        others = {library for library in needed(os.path.join(out, name)) if not library.startswith("ld-linux")}
        if others:
            sys.exit(f"{name} by {compiler} needs {sorted(others)}")


def exchange(target, command, environment):
    """Starts the target, runs a source's command with its address, ends its input: the source's words, and the messages that ran."""
    environment = {**os.environ, "TC_CACHE_DIR": "", **environment}
    with subprocess.Popen([target], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            address = f"127.0.0.1:{process.stdout.readline().strip()}"
            said = run([address if word == "ADDRESS" else word for word in command], env=environment).strip()
        except BaseException:
            process.kill()
            raise
        return said, process.communicate(timeout=SECONDS)[0].strip()


def check_exchange(target, source, archive, tool):
    for way, environment in WAYS:
        said, count = exchange(target, [source, "ADDRESS", archive], environment)
        print(f"{way}: {said}; {count} messages")
        if said != f"{way}, UCX of the peer: none" or count != "1005":
            sys.exit(f"expected {way} and 1005 messages")
    # A program of the build, which has UCX: what it sends, packed by libzstd, runs there.
    said, count = exchange(target, [tool, "ADDRESS", archive, "--call"], {})
    if count != "1":
        sys.exit(f"{tool}: {said}; {count} messages ran, expected 1")


def main():
    tree, built, own = sys.argv[1:4]
    tests = os.path.join(tree, "tests/package/onefile")
    with tempfile.TemporaryDirectory() as folder:
        again = os.path.join(folder, "again")
        for out in (folder, again):
            run([sys.executable, "-B", os.path.join(tree, "scripts/amalgamate.py"), "--out", out])
        for name in ("tchains.c", "tchains.h"):
            if not filecmp.cmp(os.path.join(folder, name), os.path.join(again, name), shallow=False):
                sys.exit(f"{name} differs between two runs")
        archive = os.path.join(folder, "onefile_sum.tca")
        run([os.path.join(built, "bin/tc-clang"), "--forms=image", f"--targets={os.uname().machine}", f"-I{tree}/include",
             os.path.join(tests, "onefile_sum.c"), "-o", archive])
        # One compiler makes both programs; the other's target shows that both sides agree on all that travels.
        source, targets = None, []
        for kind, compiler in sorted(compilers(own).items(), reverse=True):
            out = os.path.join(folder, kind)
            os.mkdir(out)
            options = ["-O1", "-fno-strict-aliasing", "-Werror"] if source else ["-Werror"]
            build(compiler, options, folder, tests, out, ("target",) if source else ("target", "source"))
            source = source or os.path.join(out, "source")
            targets.append(os.path.join(out, "target"))
        for target in targets:
            check_exchange(target, source, archive, os.path.join(built, "bin/tc-send"))


if __name__ == "__main__":
    main()
