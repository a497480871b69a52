#!/usr/bin/env python3
"""cmake --install into an empty folder, which is then moved: programs outside of the tree are built and run with the installed
files. Then it is moved back, and uninstalled.

    check_install.py BUILD_FOLDER CMAKE C_COMPILER CXX_COMPILER SOVERSION with-llvm|without-llvm DOCUMENT
"""
import glob
import os
import re
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "layout"))
sys.path.append(os.path.join(HERE, "..", "..", "scripts"))
import install_records  # noqa: E402
import stale_project  # noqa: E402
from installation import Installation, run  # noqa: E402
from source_tree import walk  # noqa: E402


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


def check_links(documents):
    """Installed documents lie to one another as in the tree."""
    for path in glob.glob(os.path.join(documents, "**", "*.md"), recursive=True):
        with open(path, encoding="utf-8") as file:
            prose = re.sub(r"^```.*?^```", "", file.read(), flags=re.MULTILINE | re.DOTALL)
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose):
            if not os.path.exists(os.path.join(os.path.dirname(path), link)):
                sys.exit(f"{path}: link to {link}, which is not installed")


def check_examples(installed, examples):
    """All their sources, of whatever language; nothing that running them makes."""
    made = (".tca", ".deps", ".pyc")
    expected = {path for path in walk(examples) if not path.endswith(made)}
    if expected != (found := set(walk(installed))):
        sys.exit(f"of the examples not installed: {sorted(expected - found)}; installed without need: {sorted(found - expected)}")


def check_uninstall(build, cmake, folder, prefix):
    """Only files from before the installation stay."""
    everything = [cmake, "--build", build, "--target", "uninstall"]
    run(everything)
    left = os.path.join(folder, "own")
    if os.path.exists(prefix) or not os.path.isdir(os.path.join(left, "lib")):
        sys.exit(f"after uninstall: {[path for path, _, _ in os.walk(folder)]}")
    if "nothing is installed" not in run(everything, must_fail=True):
        sys.exit("uninstall took away twice what was installed once")
    # Into folders that others use: a package's, and a part of it.
    with open(os.path.join(left, "lib", "others"), "w", encoding="ascii"):
        pass
    staged = {**os.environ, "DESTDIR": left}
    run([cmake, "--install", build, "--prefix", "/"], staged)
    run(everything, staged)
    run([cmake, "--install", build, "--prefix", left, "--component", "runtime"])
    run([cmake, "--install", build, "--prefix", left, "--component", "development"])
    os.remove(glob.glob(os.path.join(left, "lib*", "**", "libtchains.a"), recursive=True)[0])
    if "was gone" not in run(everything):
        sys.exit("uninstall says nothing of a file that somebody else took away")
    found = [path for path, _, _ in os.walk(left)] + glob.glob(os.path.join(left, "**", "*.*"), recursive=True)
    if sorted(found) != [left, os.path.join(left, "lib")]:
        sys.exit(f"uninstall left, or took too much: {found}")


def main():
    build, cmake, cc, cxx, soversion, llvm, document = sys.argv[1:]
    with_llvm = llvm == "with-llvm"
    with tempfile.TemporaryDirectory() as folder, install_records.kept(build):
        first, prefix, scratch = (os.path.join(folder, name) for name in ("first place", "moved here", "scratch"))
        os.makedirs(os.path.join(folder, "own", "lib"))
        os.mkdir(scratch)
        run([cmake, "--install", build, "--prefix", first])
        os.rename(first, prefix)
        check_texts(prefix, [first, os.path.realpath(build)])
        installation = Installation(prefix, scratch, cc, cxx)
        check_names(installation, soversion)
        for tool in ("tc-info", "tc-node", "tc-ping", "tc-send", "tc-ar", "tc-package") + (("tc-clang", "tc-perf") if with_llvm else ()):
            run([installation.tool(tool), "--version"])
        if (re.search(r"llvm\s+none", run([installation.tool("tc-info")])) is None) != with_llvm:
            sys.exit("tc-info does not find the code engine, or one that was not built")
        if os.path.isdir(os.path.join(build, "man", "man7")):
            for page in ("man1/tc-node.1", "man3/tc_send.3", "man7/tchains.7"):
                installation.find(os.path.join("share", "man", page))
        installation.try_cmake(cmake, with_llvm)
        if with_llvm:
            installation.find(os.path.join("share", "tchains", "benchmarks", "plot.py"))  # tc-perf plot
            for generator in ["Unix Makefiles"] + (["Ninja"] if shutil.which("ninja") else []):
                stale_project.by_cmake(installation, cmake, generator, "C")
            stale_project.by_cmake(installation, cmake, "Unix Makefiles", "CXX")
            stale_project.by_make(installation, document)
            installation.follow_lesson(cmake, "01_first_function")
            installation.follow_lesson(cmake, "05_key_value_store")
            installation.follow_lesson(cmake, "13_simulated_world")
        installation.try_pkg_config(with_llvm)
        installation.try_world()
        installation.try_addons()
        installation.try_original()
        installation.try_julia()
        installation.refuses_newer_headers()
        documents = os.path.join(prefix, "share", "doc", "tchains")
        check_links(documents)
        check_examples(os.path.join(documents, "examples"), os.path.join(HERE, "..", "..", "examples"))
        os.rename(prefix, first)
        check_uninstall(build, cmake, folder, first)


if __name__ == "__main__":
    main()
