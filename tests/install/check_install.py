#!/usr/bin/env python3
"""cmake --install into an empty folder, which is then moved: programs outside of the tree are built and run with what is there.

    check_install.py BUILD_FOLDER CMAKE C_COMPILER CXX_COMPILER SOVERSION with-llvm|without-llvm DOCUMENT
"""
import os
import re
import sys
import tempfile

from installation import Installation, run


def check_texts(prefix, places):
    """Files that people or build systems read must not speak of where they were made."""
    for folder, _, files in os.walk(prefix):
        for name in files:
            if name.endswith((".cmake", ".pc", ".h")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    text = file.read()
                for place in places:
                    if place in text:
                        sys.exit(f"{name} names {place}")


def check_names(installation, soversion):
    library = installation.find(f"libtchains.so.{soversion}")
    dynamic = run(["readelf", "-dW", library])
    if f"[libtchains.so.{soversion}]" not in dynamic:
        sys.exit(f"{library}: another soname:\n{dynamic}")
    symbols = run(["nm", "-D", "--defined-only", "--with-symbol-versions", library])
    if not re.search(rf"\btc_send@@TCHAINS_{soversion}\b", symbols):
        sys.exit(f"{library}: tc_send is not of version TCHAINS_{soversion}:\n{symbols}")


def main():
    build, cmake, cc, cxx, soversion, llvm, document = sys.argv[1:]
    with_llvm = llvm == "with-llvm"
    with tempfile.TemporaryDirectory() as folder:
        first, prefix, scratch = (os.path.join(folder, name) for name in ("first", "moved", "scratch"))
        os.mkdir(scratch)
        run([cmake, "--install", build, "--prefix", first])
        os.rename(first, prefix)
        check_texts(prefix, [first, os.path.realpath(build)])
        installation = Installation(prefix, scratch, cc, cxx)
        check_names(installation, soversion)
        for tool in ("tc-info", "tc-node", "tc-send", "tc-ar") + (("tc-clang", "tc-perf") if with_llvm else ()):
            run([installation.tool(tool), "--version" if tool in ("tc-ar", "tc-clang", "tc-perf") else "--help"])
        if (re.search(r"llvm\s+none", run([installation.tool("tc-info")])) is None) != with_llvm:
            sys.exit("tc-info does not find the code engine, or one that was not built")
        if os.path.isdir(os.path.join(build, "man")):
            for page in ("man1/tc-node.1", "man3/tc_send.3", "man7/tchains.7"):
                installation.find(os.path.join("share", "man", page))
        installation.try_cmake(cmake, with_llvm)
        if with_llvm:
            installation.find(os.path.join("share", "three-chains", "benchmarks", "plot.py"))  # tc-perf plot
            installation.try_document(cmake, document)
        installation.try_pkg_config(with_llvm)
        installation.refuses_newer_headers()


if __name__ == "__main__":
    main()
