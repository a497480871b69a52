#!/usr/bin/env python3
"""The messages of configuring on machines that lack something, or have too much of it.

    check_configure.py SOURCE_FOLDER CMAKE C_COMPILER
"""
import os
import re
import shutil
import sys
import tempfile
import time
import unittest

from installation import run

SOURCE = CMAKE = CC = None


def llvm_range():
    """The least and the greatest version that a build takes."""
    with open(os.path.join(SOURCE, "cmake/TcLlvm.cmake"), encoding="utf-8") as file:
        text = file.read()
    return [int(re.search(rf"^set\(tc_llvm_{end} (\d+)\)$", text, re.MULTILINE).group(1)) for end in ("min", "max")]


def llvm_versions():
    least, greatest = llvm_range()
    return range(least, greatest + 1)


def has_llvm(version):
    return shutil.which(f"llvm-config-{version}") or os.path.exists(f"/usr/lib/llvm-{version}/bin/llvm-config")


class Configure(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = folder.name

    def configure(self, *options, must_fail=True, **environment):
        """CMake's output, in one line."""
        command = [CMAKE, "-S", SOURCE, "-B", self.build, "-G", "Ninja", f"-DCMAKE_C_COMPILER={CC}", "-DTC_BUILD_TESTS=OFF"]
        return " ".join(run([*command, *options], {**os.environ, **environment}, must_fail=must_fail).split())

    def test_a_clock_in_the_past(self):
        """The files are from the future. Ninja would report it after a minute, in other words."""
        tree = os.path.join(self.build, "tree")
        for name in ("CMakeLists.txt", "cmake/TcClock.cmake"):
            os.makedirs(os.path.dirname(os.path.join(tree, name)), exist_ok=True)
            shutil.copy(os.path.join(SOURCE, name), os.path.join(tree, name))
        tomorrow = time.time() + 86400
        os.utime(os.path.join(tree, "CMakeLists.txt"), (tomorrow, tomorrow))
        command = [CMAKE, "-S", tree, "-B", os.path.join(self.build, "build"), "-G", "Ninja"]
        for epoch in ({}, {"SOURCE_DATE_EPOCH": "4000000000"}):
            text = " ".join(run(command, {**os.environ, **epoch}, must_fail=True).split())
            self.assertIn("this machine's clock says", text)

    def test_without_ucx(self):
        text = self.configure(PKG_CONFIG_LIBDIR="/nonexistent", PKG_CONFIG_PATH="")
        self.assertIn("needs ucx>=1.13; found: nothing", text)
        self.assertIn("apt install libucx-dev", text)

    def test_with_an_old_ucx(self):
        with open(os.path.join(self.build, "ucx.pc"), "w", encoding="ascii") as file:
            file.write("Name: ucx\nDescription: old\nVersion: 1.9.0\n")
        text = self.configure(PKG_CONFIG_LIBDIR=self.build, PKG_CONFIG_PATH="")
        self.assertIn("needs ucx>=1.13; found: ucx 1.9.0", text)

    def test_without_python(self):
        self.assertIn("needs python3; found: nothing", self.configure("-DTC_PYTHON:FILEPATH="))

    def test_without_that_llvm(self):
        missing = [version for version in llvm_versions() if not has_llvm(version)]
        if not missing:
            self.skipTest("every version of LLVM is installed")
        there = [str(version) for version in llvm_versions() if has_llvm(version)]
        text = self.configure(f"-DTC_LLVM_VERSION={missing[0]}")
        self.assertIn(f"apt install llvm-{missing[0]}-dev", text)
        self.assertIn("-DTC_WITH_LLVM=OFF", text)
        if there:
            self.assertIn("installed here: " + ", ".join(there), text)

    def test_an_llvm_out_of_range(self):
        least, greatest = llvm_range()
        for version in (least - 1, greatest + 1, "nineteen"):
            self.assertIn(f"expected {least} to {greatest}", self.configure(f"-DTC_LLVM_VERSION={version}"))

    def test_two_llvms_are_not_mixed(self):
        """The programs print their versions; here two of them print different ones."""
        for name, version in (("llvm-config", "18.1.0"), ("clang", "clang version 19.1.0")):
            path = os.path.join(self.build, name)
            with open(path, "w", encoding="ascii") as file:
                file.write(f"#!/bin/sh\necho '{version}'\n")
            os.chmod(path, 0o755)
        llvm_config, clang = (f"{self.build}/{name}" for name in ("llvm-config", "clang"))
        text = self.configure(f"-DTC_LLVM_CONFIG={llvm_config}", "-DTC_LLVM_VERSION=19")
        self.assertIn("of version '18.1.0'; TC_LLVM_VERSION is 19", text)
        text = self.configure(f"-DTC_LLVM_CONFIG={llvm_config}", f"-DTC_CLANG={clang}", "-DTC_LLVM_VERSION=18")
        self.assertIn("of version '19.1.0'; TC_LLVM_VERSION is 18", text)

    def test_another_llvm_for_the_same_tree(self):
        if not (has_llvm(19) and has_llvm(22)):
            self.skipTest("needs LLVM 19 and 22")
        for version in ("19", "22", "19"):
            # Functions of the tree may use libomp of any LLVM.
            self.configure(f"-DTC_LLVM_VERSION={version}", "-DTC_LIBOMP=OFF", must_fail=False)
            with open(os.path.join(self.build, "build.ninja"), encoding="utf-8") as file:
                text = file.read()
            other = "22" if version == "19" else "19"
            self.assertIn(f"llvm-{version}/", text)
            self.assertNotIn(f"llvm-{other}/", text)


if __name__ == "__main__":
    SOURCE, CMAKE, CC = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1], verbosity=2)
